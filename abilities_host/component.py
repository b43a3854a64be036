"""Component: what an ability is to a client, a tool, a resource or a prompt."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from abilities_host.errors import nearest
from abilities_host.frozen import FrozenDict
from abilities_host.uritemplate import BadTemplate, UriTemplate, parse_template

Kind = Literal["tool", "resource", "prompt"]
Refuse = Callable[[str, str, Any], Exception]
"""From argument, what was expected and what came to the error to raise."""

URI_LIMIT: Final = 2048
_URI: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\x00-\x1f\x7f]+")
_MIME: Final = re.compile(r"[\w.+*-]+/[\w.+*-]+(\s*;\s*[\w.-]+=[^;\s]+)*", re.ASCII)
_OWN_KEYS: Final = {
    "uri": ("resource",),
    "mimeType": ("resource",),
    "size": ("resource",),
    "content": ("tool",),
    "hints": ("tool",),
    "arguments": (),
}
HINT_LIMIT: Final = 200
_HINTS: Final[Mapping[str, type]] = {
    # Makes the client ask its user even where it asks for nothing else.
    "anthropic/requiresUserInteraction": bool,
    # Keeps the tool in view where the client looks tools up by a search.
    "anthropic/alwaysLoad": bool,
    "anthropic/searchHint": str,
}


@dataclass(frozen=True, slots=True)
class Component:
    """What an ability is to a client.

    Attributes:
        kind: a resource and a prompt are read-only and are not listed among tools.
        uri: of a resource; with variables when it is a template.
        mime_type: of a resource, empty when it is not known.
        size: of a resource in bytes, None when it is not known.
        template: the parsed address of a template, None for any other.
        gives_content: the results of this tool are content blocks.
        hints: for single clients, sent with the tool as they are.
    """

    kind: Kind = "tool"
    uri: str = ""
    mime_type: str = ""
    size: int | None = None
    template: UriTemplate | None = None
    gives_content: bool = False
    hints: Mapping[str, Any] = field(default_factory=FrozenDict)


def component_of(said: Any, refuse: Refuse) -> Component:
    """Read ``meta.mcp``.

    Args:
        said: what the author wrote there, None for nothing.
        refuse: makes the error.

    Returns:
        The component; a tool when nothing was said.
    """
    if said is None:
        return Component()
    if not isinstance(said, Mapping):
        raise refuse("meta.mcp", "a mapping", said)
    kind = said.get("type", "tool")
    if kind not in get_args(Kind):
        guess = nearest(str(kind), get_args(Kind))
        expected = f"'tool', 'resource' or 'prompt'{guess and f' ({guess.strip()})'}"
        raise refuse("meta.mcp.type", expected, kind)
    for key, kinds in _OWN_KEYS.items():
        if said.get(key) is not None and kind not in kinds:
            raise refuse(f"meta.mcp.{key}", _instead(key, kind), said[key])
    if kind == "resource":
        return _resource(said, refuse)
    return Component(
        kind, gives_content=_gives_content(said, refuse), hints=_hints(said, refuse)
    )


def check_inputs(
    component: Component, schema: Mapping[str, Any] | None, refuse: Refuse
) -> None:
    """Check that a client can give everything that the ability asks for.

    Args:
        component: what it is.
        schema: its input schema, None for no arguments.
        refuse: makes the error.
    """
    if component.kind == "tool":
        return
    schema = schema or {"type": "object"}
    if schema.get("type") != "object":
        raise refuse("input_schema", f"an object for a {component.kind}", schema)
    if component.kind == "prompt":
        return
    variables = component.template.variables if component.template else ()
    names = {variable.name for variable in variables}
    for name in sorted(names - set(schema.get("properties", ()))):
        expected = f"an object with the property {name!r}, a variable of meta.mcp.uri"
        raise refuse("input_schema", expected, schema)
    for name in sorted(set(schema.get("required", ())) - names):
        expected = f"an object that does not require {name!r}: meta.mcp.uri lacks it"
        raise refuse("input_schema", expected, schema)


def _resource(said: Mapping[str, Any], refuse: Refuse) -> Component:
    uri, mime, size = said.get("uri"), said.get("mimeType"), said.get("size")
    if not isinstance(uri, str) or not _URI.fullmatch(uri) or len(uri) > URI_LIMIT:
        expected = f"an address such as 'notes://today', at most {URI_LIMIT} long"
        raise refuse("meta.mcp.uri", expected, uri)
    if mime is not None and not (isinstance(mime, str) and _MIME.fullmatch(mime)):
        raise refuse("meta.mcp.mimeType", "a type such as 'text/plain'", mime)
    is_size = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    if size is not None and not is_size:
        raise refuse("meta.mcp.size", "a number of bytes", size)
    return Component("resource", uri, mime or "", size, _template(uri, refuse))


def _template(uri: str, refuse: Refuse) -> UriTemplate | None:
    if "{" not in uri and "}" not in uri:
        return None
    try:
        return parse_template(uri)
    except BadTemplate as error:
        raise refuse("meta.mcp.uri", f"a template ({error})", uri) from error


def _gives_content(said: Mapping[str, Any], refuse: Refuse) -> bool:
    content = said.get("content", False)
    if not isinstance(content, bool):
        raise refuse("meta.mcp.content", "True or False", content)
    return content


def _hints(said: Mapping[str, Any], refuse: Refuse) -> FrozenDict:
    hints = said.get("hints")
    if hints is None:
        return FrozenDict()
    if not isinstance(hints, Mapping):
        raise refuse("meta.mcp.hints", "a mapping", hints)
    for key, value in hints.items():
        if key not in _HINTS:
            expected = f"one of {', '.join(_HINTS)}{nearest(str(key), _HINTS)}"
            raise refuse("meta.mcp.hints", expected, key)
        is_long = isinstance(value, str) and not 0 < len(value) <= HINT_LIMIT
        if type(value) is not _HINTS[key] or is_long:
            expected = f"a {_HINTS[key].__name__}, a text of at most {HINT_LIMIT}"
            raise refuse(f"meta.mcp.hints.{key}", expected, value)
    return FrozenDict(hints)


def _instead(key: str, kind: str) -> str:
    if key == "arguments":
        return "left out (a prompt's arguments come from input_schema)"
    owner = _OWN_KEYS[key][0]
    return f"left out of a {kind} (it belongs to a {owner}: say meta.mcp.type)"
