"""Catalogue: the abilities that read the record, as they are registered."""

from typing import Any, Final

from abilities_host import RegistryView
from abilities_ledger import schemas
from abilities_ledger.reading import get_change, list_changes

_LIST: Final = (
    "Lists what was really changed, newest first: by you, unless you name another "
    "actor and have the scope ledger:read-all. Go on with cursor = next."
)
_GET: Final = (
    "Tells one recorded change with a readable difference between before and after. "
    "Needs the scope of the ability that made it."
)


def register_reading(registry: RegistryView) -> None:
    """Register what reads the record.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        "ledger/list-changes",
        label="List changes",
        description=_LIST,
        input_schema=schemas.LIST_INPUT,
        output_schema=schemas.LIST_OUTPUT,
        execute_callback=list_changes,
        **_reads(),
    )
    registry.register_ability(
        "ledger/get-change",
        label="Get a change",
        description=_GET,
        input_schema=schemas.GET_INPUT,
        output_schema=schemas.GET_OUTPUT,
        execute_callback=get_change,
        **_reads(),
    )


def allow() -> bool:
    """Allow everybody who may read; whose changes they see is decided with each."""
    return True


def _reads() -> dict[str, Any]:
    notes = {"readonly": True, "destructive": False, "idempotent": True}
    return {
        "category": "ledger",
        "permission_callback": allow,
        "requires": "read",
        "meta": {"annotations": notes, "show_in_rest": True},
    }
