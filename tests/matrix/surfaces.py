"""The surfaces: every way to ask for an ability, as the protocol writes it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Owner = Literal["target", "absent"]
"""Namespace of what is asked for: registered, or never heard of."""

Ask = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Surface:
    """One way to ask.

    Attributes:
        finds: whether it looks for an ability, and does not run it.
        asks: gives method and params; it is told who asks to nest, and for what.
        is_compact: whether only a compact server has it.
    """

    finds: bool
    asks: Callable[[str, str], Ask]
    is_compact: bool = False


def is_found(reply: Mapping[str, Any]) -> bool:
    """Answer whether a result tells of what was asked for."""
    result = reply.get("result", {})
    told = [result.get(key, ()) for key in _TELLING]
    told += _answers_in(result)
    return any("target" in str(each) or "one" in each for each in told)


_TELLING: Final = ("tools", "resources", "resourceTemplates", "prompts")


def _answers_in(result: Mapping[str, Any]) -> Iterator[Any]:
    yield result.get("completion", {}).get("values", ())
    structured = result.get("structuredContent")
    if isinstance(structured, Mapping):
        yield structured.get("tools", ())


def _tool(name: str, arguments: dict[str, Any]) -> Ask:
    return "tools/call", {"name": name, "arguments": arguments}


def _run(asks: Callable[[str, str], Ask]) -> Surface:
    return Surface(finds=False, asks=asks)


def _listed(method: str) -> Surface:
    return Surface(finds=True, asks=lambda _lead, _owner: (method, {}))


def _behind(
    tool: str, arguments: Callable[[str, str], dict[str, Any]], *, finds: bool = False
) -> Surface:
    return Surface(
        finds,
        lambda lead, owner: _tool(f"dispatcher_{tool}", arguments(lead, owner)),
        is_compact=True,
    )


def _completed(kind: str, of: Callable[[str], dict[str, str]], field: str) -> Surface:
    def asks(_lead: str, owner: str) -> Ask:
        ref = {"type": f"ref/{kind}", **of(owner)}
        return "completion/complete", {
            "ref": ref,
            "argument": {"name": field, "value": ""},
        }

    return Surface(finds=True, asks=asks)


SURFACES: Final[Mapping[str, Surface]] = {
    "list": _listed("tools/list"),
    "search": _behind("list-tools", lambda _, owner: {"search": owner}, finds=True),
    "category": _behind("list-tools", lambda _, owner: {"category": owner}, finds=True),
    "schema": _behind(
        "get-tool-schema", lambda _, owner: {"names": [f"{owner}/read"]}, finds=True
    ),
    "call": _run(lambda _, owner: _tool(f"{owner}_read", {})),
    "call-tool": _behind("call-tool", lambda _, owner: {"name": f"{owner}/read"}),
    "read-tool": _behind("read-tool", lambda _, owner: {"name": f"{owner}/read"}),
    "nested call": _run(
        lambda lead, owner: _tool(f"open_{lead}", {"name": f"{owner}/read"})
    ),
    "nested behind call-tool": _behind(
        "call-tool",
        lambda lead, owner: {
            "name": f"open/{lead}",
            "arguments": {"name": f"{owner}/read"},
        },
    ),
    "resource list": _listed("resources/list"),
    "resource read": _run(
        lambda _, owner: ("resources/read", {"uri": f"{owner}://page"})
    ),
    "template list": _listed("resources/templates/list"),
    "template read": _run(
        lambda _, owner: ("resources/read", {"uri": f"{owner}://notes/one"})
    ),
    "prompt list": _listed("prompts/list"),
    "prompt get": _run(lambda _, owner: ("prompts/get", {"name": f"{owner}_letter"})),
    "completion of a prompt": _completed(
        "prompt", lambda owner: {"name": f"{owner}_letter"}, "tone"
    ),
    "completion of a template": _completed(
        "resource", lambda owner: {"uri": f"{owner}://notes/{{number}}"}, "number"
    ),
}
