"""Whether a schema accepts null."""

from collections.abc import Mapping
from typing import Any

from abilities_host.schema.keywords import REFERENCES
from abilities_host.schema.places import find_target
from abilities_host.schema.pointer import look_up


def admits_null(root: Mapping[str, Any], node: Any) -> bool:
    """Say whether a schema accepts null.

    Args:
        root: the whole schema, checked: no reference of it goes in a circle.
        node: the schema in question, a part of it.

    Returns:
        Whether null is valid; True as well when a reference leads nowhere.
    """
    if not isinstance(node, Mapping):
        return node is not False
    if "$ref" in node and "/draft-0" in str(root.get("$schema", "")):
        return _target_admits(root, node["$ref"])  # what stands beside is ignored
    targets = [node[keyword] for keyword in REFERENCES if keyword in node]
    return (
        all(_target_admits(root, target) for target in targets)
        and _is_named(node)
        and _is_composed(root, node)
    )


def _target_admits(root: Mapping[str, Any], reference: Any) -> bool:
    target = find_target(root, reference)
    return target is None or admits_null(root, look_up(root, target))


def _is_named(node: Mapping[str, Any]) -> bool:
    kind = node.get("type", "null")
    return (
        (kind == "null" or (isinstance(kind, list) and "null" in kind))
        and None in node.get("enum", (None,))
        and node.get("const") is None
    )


def _is_composed(root: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    def count(keyword: str) -> int:
        return sum(admits_null(root, part) for part in node[keyword])

    if "if" in node:
        way = "then" if admits_null(root, node["if"]) else "else"
        if not admits_null(root, node.get(way, True)):
            return False
    return (
        ("allOf" not in node or count("allOf") == len(node["allOf"]))
        and ("anyOf" not in node or count("anyOf") > 0)
        and ("oneOf" not in node or count("oneOf") == 1)
        and ("not" not in node or not admits_null(root, node["not"]))
    )
