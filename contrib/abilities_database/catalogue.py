"""Catalogue: the abilities of the pack, as they are registered."""

from functools import partial
from typing import Any, Final

from abilities_database import schemas
from abilities_database.changing import DOMAIN, delete_rows, insert_row, update_rows
from abilities_database.database import Database
from abilities_database.describing import describe_table, list_tables
from abilities_database.domain import Rows
from abilities_database.query import query
from abilities_host import Changes, RegistryView

CATEGORY: Final = "database"


def anyone() -> bool:
    """Allow everybody who has the scope; the scope is checked first."""
    return True


def register_readers(registry: RegistryView, database: Database) -> None:
    """Register what only reads.

    Args:
        registry: the pack's view of the registry.
        database: what is read.
    """
    _register_list(registry, database)
    _register_describe(registry, database)
    _register_query(registry, database)


def _register_list(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/list-tables",
        label="List tables",
        description="Lists the tables and views: name, kind and number of columns.",
        input_schema=schemas.LIST_INPUT,
        output_schema=schemas.LIST_OUTPUT,
        execute_callback=lambda: list_tables(database),
        **_reads(),
    )


def _register_describe(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/describe-table",
        label="Describe table",
        description=(
            "Describes a table: columns, key, indexes, foreign keys, triggers, and "
            "whether changes of its rows can be undone."
        ),
        input_schema=schemas.DESCRIBE_INPUT,
        output_schema=schemas.DESCRIBE_OUTPUT,
        execute_callback=partial(describe_table, database),
        **_reads(),
    )


def _register_query(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/query",
        label="Query",
        description=(
            "Runs one SELECT of SQLite with bound parameters and gives columns and "
            "rows. truncated tells when there are more: narrow it, or page by a key."
        ),
        input_schema=schemas.QUERY_INPUT,
        output_schema=schemas.QUERY_OUTPUT,
        execute_callback=partial(query, database),
        **_reads(),
    )


def register_writers(registry: RegistryView, database: Database) -> None:
    """Register what changes rows, and the domain that can put them back.

    Args:
        registry: the pack's view of the registry.
        database: what is changed.
    """
    registry.register_domain(Rows(database))
    _register_insert(registry, database)
    _register_update(registry, database)
    _register_delete(registry, database)


def _register_insert(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/insert-row",
        label="Insert row",
        description="Inserts one row and gives its key.",
        input_schema=schemas.INSERT_INPUT,
        output_schema=schemas.INSERT_OUTPUT,
        execute_callback=partial(insert_row, database),
        **_writes(destructive=False, idempotent=False),
    )


def _register_update(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/update-rows",
        label="Update rows",
        description=(
            "Gives new values to every row that matches where; to all of them or, when "
            "one cannot be changed, to none."
        ),
        input_schema=schemas.UPDATE_INPUT,
        output_schema=schemas.UPDATE_OUTPUT,
        execute_callback=partial(update_rows, database),
        **_writes(destructive=True, idempotent=True),
    )


def _register_delete(registry: RegistryView, database: Database) -> None:
    registry.register_ability(
        "database/delete-rows",
        label="Delete rows",
        description=(
            "Deletes every row that matches where; all of them or, when one cannot be "
            "deleted, none."
        ),
        input_schema=schemas.DELETE_INPUT,
        output_schema=schemas.DELETE_OUTPUT,
        execute_callback=partial(delete_rows, database),
        **_writes(destructive=True, idempotent=True),
    )


def _reads() -> dict[str, Any]:
    return _common(readonly=True, destructive=False, idempotent=True)


def _writes(*, destructive: bool, idempotent: bool) -> dict[str, Any]:
    changes = Changes(DOMAIN, note="rows only")
    common = _common(readonly=False, destructive=destructive, idempotent=idempotent)
    return common | {"changes": changes}


def _common(**annotations: bool) -> dict[str, Any]:
    return {
        "category": CATEGORY,
        "permission_callback": anyone,
        "meta": {"annotations": annotations, "show_in_rest": True},
    }
