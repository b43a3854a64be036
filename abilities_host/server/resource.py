"""Resource: one ability that is read by its address, and what was read."""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any, Final

from abilities_host.ability import Ability
from abilities_host.calls import Outcome
from abilities_host.frozen import thaw
from abilities_host.results import text_mirror

TEXT: Final = "text/plain"
JSON: Final = "application/json"
_ANNOTATIONS: Final = ("audience", "lastModified", "priority")
_PART: Final = frozenset({"uri", "mimeType", "text", "blob"})


class BadContent(ValueError):
    """Raised when a result cannot be sent as what it is; the text holds no values."""


def resource_of(ability: Ability) -> dict[str, Any]:
    """Write an ability as a resource, or as a template of resources.

    Args:
        ability: a resource.

    Returns:
        A finished dict of plain JSON values.
    """
    component = ability.component
    resource: dict[str, Any] = {
        "uriTemplate" if component.template else "uri": component.uri,
        "name": ability.name,
        "title": ability.label,
        "description": ability.description,
    }
    if component.mime_type:
        resource["mimeType"] = component.mime_type
    if component.size is not None and not component.template:
        resource["size"] = component.size
    said = thaw(ability.get_meta_item("mcp", {})).get("annotations") or {}
    if notes := {key: said[key] for key in _ANNOTATIONS if key in said}:
        resource["annotations"] = notes
    resource["_meta"] = {
        "abilities/name": ability.name,
        "abilities/category": ability.category,
    }
    return resource


def contents_of(ability: Ability, uri: str, outcome: Outcome) -> list[dict[str, Any]]:
    """Write what was read.

    Args:
        ability: the resource.
        uri: as the client asked for it.
        outcome: of a run that ended well.

    Returns:
        A text for a text; the parts for one or more mappings with `text` or `blob`,
        base64, and perhaps `uri` and `mimeType`; JSON text for anything else.

    Raises:
        BadContent: when a blob is not base64.
    """
    result, mime = outcome.result, ability.component.mime_type
    parts = result if isinstance(result, list) else [result]
    if parts and all(_is_part(part) for part in parts):
        return [_part(part, uri, mime) for part in parts]
    text = text_mirror(result, outcome.wire)
    usual = TEXT if isinstance(result, str) else JSON
    return [{"uri": uri, "mimeType": mime or usual, "text": text}]


def _is_part(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value.keys() <= _PART:
        return False
    is_one = ("text" in value) is not ("blob" in value)
    return is_one and all(isinstance(item, str) for item in value.values())


def _part(part: Mapping[str, str], uri: str, mime: str) -> dict[str, Any]:
    blob = part.get("blob")
    if blob is not None and not _is_base64(blob):
        msg = "its blob is not base64"
        raise BadContent(msg)
    kind = (
        {"mimeType": mime} if mime else {} if blob is not None else {"mimeType": TEXT}
    )
    return {"uri": uri, **kind, **part}


def _is_base64(text: str) -> bool:
    try:
        b64decode(text, validate=True)
    except NotBase64:
        return False
    return True
