"""Tools: what a caller may find behind the dispatcher, by either spelling."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from abilities_host import Ability, exposed_name, original_name

NAMESPACE: Final = "dispatcher"
INPUT: Final = "input"


class Tools:
    """The tools that this caller can see, without the dispatcher's own.

    Args:
        abilities: what the host lists for the call.
    """

    def __init__(self, abilities: Iterable[Ability]) -> None:
        self.by_name: Final = {
            ability.name: ability
            for ability in abilities
            if ability.namespace != NAMESPACE and ability.component.kind == "tool"
        }

    def find(self, spelling: str) -> Ability | None:
        """Find a tool.

        Args:
            spelling: an ability name or an exposed tool name.

        Returns:
            The ability, or None when it is off, unknown or not visible.
        """
        name = original_name(spelling) or spelling
        return self.by_name.get(name) or self._by_short_name.get(spelling)

    @cached_property
    def _by_short_name(self) -> dict[str, Ability]:
        shown = ((exposed_name(name), name) for name in self.by_name)
        return {
            tool: self.by_name[name]
            for tool, name in shown
            if original_name(tool) is None
        }


def takes_object(ability: Ability) -> bool:
    """Answer whether a tool's arguments are an object as they stand.

    Args:
        ability: any ability.

    Returns:
        False when its author wants another type; the value then travels as ``input``.
    """
    return bool(ability.shown_input_schema.get("type") == "object")


def shown_schema(ability: Ability) -> Mapping[str, Any]:
    """Give the schema of the object to call a tool with.

    Args:
        ability: any ability.

    Returns:
        The sanitised schema, inside an object's ``input`` when it wants another type.
    """
    schema = ability.shown_input_schema
    if takes_object(ability):
        return schema
    required = {} if "default" in schema else {"required": [INPUT]}
    return {"type": "object", "properties": {INPUT: _moved(schema)}, **required}


def _moved(node: Any) -> Any:
    """References start at the root, which is now one level further out."""
    if isinstance(node, Mapping):
        return {key: _moved_reference(key, value) for key, value in node.items()}
    return [_moved(item) for item in node] if isinstance(node, list) else node


def _moved_reference(key: str, value: Any) -> Any:
    is_local = isinstance(value, str) and (value == "#" or value.startswith("#/"))
    if key == "$ref" and is_local:
        return f"#/properties/{INPUT}{value[1:]}"
    return _moved(value)
