"""Catalogue: the abilities of the pack, as they are registered."""

from functools import partial
from typing import Any, Final

from abilities_files import schemas
from abilities_files.deletion import delete_path, delete_targets
from abilities_files.domain import Files
from abilities_files.folder import Folder
from abilities_files.listing import list_files
from abilities_files.moving import move_file, move_targets
from abilities_files.paths import canonical_path
from abilities_files.reading import read_file
from abilities_files.search import search_files
from abilities_files.settings import Settings
from abilities_files.states import DOMAIN
from abilities_files.verification import verify_move, verify_path
from abilities_files.writing import edit_file, write_file, write_targets
from abilities_host import Changes, RegistryView

CATEGORY: Final = "files"


def anyone() -> bool:
    """Allow everybody who has the scope; the scope is checked first."""
    return True


def path_targets(arguments: Any) -> list[str]:
    """Name the one path that an edit changes.

    Args:
        arguments: of the ability.

    Returns:
        Its canonical path.
    """
    return [canonical_path(arguments["path"])]


def register_readers(registry: RegistryView, root: Folder, settings: Settings) -> None:
    """Register what only reads.

    Args:
        registry: the pack's view of the registry.
        root: the root.
        settings: the limits.
    """
    _register_list(registry, root)
    _register_read(registry, root, settings)
    _register_search(registry, root, settings)


def _register_list(registry: RegistryView, root: Folder) -> None:
    registry.register_ability(
        "files/list",
        label="List files",
        description=(
            "Lists a folder in a stable order: path, kind, size and time of change. "
            "Go on with after = next_after. An entry with unreadable_name has a name "
            "that no path can hold."
        ),
        input_schema=schemas.LIST_INPUT,
        output_schema=schemas.LIST_OUTPUT,
        execute_callback=partial(list_files, root),
        **_reads(),
    )


def _register_read(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/read",
        label="Read file",
        description=(
            "Reads a file: UTF-8 as text, anything else as base64. Go on with "
            "offset = next_offset."
        ),
        input_schema=schemas.READ_INPUT,
        output_schema=schemas.READ_OUTPUT,
        execute_callback=partial(read_file, root, settings),
        **_reads(),
    )


def _register_search(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/search",
        label="Search files",
        description=(
            "Finds plain text in names and in lines of text files, whatever its case "
            "and accents. stopped_by tells when there may be more: narrow the path."
        ),
        input_schema=schemas.SEARCH_INPUT,
        output_schema=schemas.SEARCH_OUTPUT,
        execute_callback=partial(search_files, root, settings),
        **_reads(),
    )


def register_writers(registry: RegistryView, root: Folder, settings: Settings) -> None:
    """Register what changes files, and the domain that can put them back.

    Args:
        registry: the pack's view of the registry.
        root: the root.
        settings: the limits.
    """
    registry.register_domain(Files(root, settings.max_bytes, settings.secret))
    _register_write(registry, root, settings)
    _register_edit(registry, root, settings)
    _register_move(registry, root, settings)
    _register_delete(registry, root, settings)


def _register_write(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/write",
        label="Write file",
        description=(
            "Writes a whole file in one step, as text or as base64, and replaces one "
            "that is there unless overwrite is false."
        ),
        input_schema=schemas.WRITE_INPUT,
        output_schema=schemas.WRITE_OUTPUT,
        execute_callback=partial(write_file, root, settings),
        changes=Changes(DOMAIN, targets=write_targets),
        verify_callback=partial(verify_path, root, settings),
        **_writes(idempotent=True),
    )


def _register_edit(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/edit",
        label="Edit file",
        description=(
            "Replaces exact pieces of a text file. Each old must stand there exactly "
            "once, unless all is true; if one does not fit, nothing is changed."
        ),
        input_schema=schemas.EDIT_INPUT,
        output_schema=schemas.EDIT_OUTPUT,
        execute_callback=partial(edit_file, root, settings),
        changes=Changes(DOMAIN, targets=path_targets),
        verify_callback=partial(verify_path, root, settings),
        **_writes(idempotent=False),
    )


def _register_move(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/move",
        label="Move file",
        description="Gives a file or an empty folder another path under the root.",
        input_schema=schemas.MOVE_INPUT,
        output_schema=schemas.MOVE_OUTPUT,
        execute_callback=partial(move_file, root, settings),
        changes=Changes(DOMAIN, targets=move_targets),
        verify_callback=partial(verify_move, root, settings),
        **_writes(idempotent=False),
    )


def _register_delete(registry: RegistryView, root: Folder, settings: Settings) -> None:
    registry.register_ability(
        "files/delete",
        label="Delete file",
        description=(
            "Deletes a file or an empty folder; with recursive, a folder and all that "
            "is in it."
        ),
        input_schema=schemas.DELETE_INPUT,
        output_schema=schemas.DELETE_OUTPUT,
        execute_callback=partial(delete_path, root, settings),
        changes=Changes(DOMAIN, targets=partial(delete_targets, root, settings)),
        verify_callback=partial(verify_path, root, settings),
        **_writes(idempotent=True),
    )


def _reads() -> dict[str, Any]:
    return _common(readonly=True, destructive=False, idempotent=True)


def _writes(*, idempotent: bool) -> dict[str, Any]:
    return _common(readonly=False, destructive=True, idempotent=idempotent)


def _common(**annotations: bool) -> dict[str, Any]:
    return {
        "category": CATEGORY,
        "permission_callback": anyone,
        "meta": {"annotations": annotations, "show_in_rest": True},
    }
