"""Repair of what is written wrongly in a schema and can mean one thing only."""

from collections.abc import Mapping
from typing import Any

from abilities_host.frozen import thaw
from abilities_host.schema.keywords import MAPS, with_subschemas
from abilities_host.schema.pointer import Pointer


def repair(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Mend the marks that other languages leave in a schema.

    ``[]`` or null where a map belongs, and ``[]`` where a schema belongs, become
    ``{}``; an empty or null `required` is dropped and a name in it is said once. None
    of this changes what is accepted.

    Args:
        schema: a schema at most 64 deep; not changed.

    Returns:
        A copy of plain dicts and lists; repairing it again changes nothing.
    """
    repaired: dict[str, Any] = _repair("", (), thaw(schema))
    return repaired


def _repair(keyword: str, _: Pointer, node: Any) -> Any:
    if node == []:
        # In draft-07 an empty list of items is a tuple of no places.
        return node if keyword == "items" else {}
    if not isinstance(node, dict):
        return node
    mended = {k: {} if k in MAPS and v in ([], None) else v for k, v in node.items()}
    _repair_required(mended)
    return with_subschemas(mended, _repair)


def _repair_required(node: dict[str, Any]) -> None:
    required = node.get("required")
    if required in ([], {}, None):
        node.pop("required", None)
    elif isinstance(required, list) and all(isinstance(n, str) for n in required):
        node["required"] = list(dict.fromkeys(required))
