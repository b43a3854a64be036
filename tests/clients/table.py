"""Table: the rows for people, on the screen and in the documentation."""

from collections.abc import Iterable, Sequence
from typing import Final

from clients.row import Row

HEAD: Final = (
    "Client",
    "Version",
    "Profile",
    "Revision",
    "Transport",
    "Our packs",
    "Zoo",
    "Others lost",
    "Remarks",
)
BEGIN: Final = "<!-- clients: begin -->"
END: Final = "<!-- clients: end -->"


def cells_of(row: Row) -> tuple[str, ...]:
    """Give the cells of one row, the profile first."""
    remarks = (*row.notes, *(("failed",) if row.error else ()))
    return (
        row.meeting.profile,
        row.title,
        row.version,
        row.revision,
        row.meeting.transport,
        _share(row.own),
        _share(row.zoo),
        str(len(row.lost)),
        ", ".join(remarks),
    )


def _share(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"


def merged(rows: Iterable[Row], every: Sequence[str]) -> list[tuple[str, ...]]:
    """Put rows together that say the same of several profiles.

    Args:
        rows: in their order.
        every: the names of all profiles.

    Returns:
        Lines of cells, as `HEAD` names them.
    """
    profiles: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        profile, *cells = cells_of(row)
        profiles.setdefault(tuple(cells), []).append(profile)
    return [
        (*cells[:2], _named(names, every), *cells[2:])
        for cells, names in profiles.items()
    ]


def _named(names: Sequence[str], every: Sequence[str]) -> str:
    if set(names) == set(every):
        return "every"
    return ", ".join(f"`{name}`" for name in names)


def markdown(lines: Sequence[tuple[str, ...]]) -> str:
    """Write lines of cells as a table.

    Args:
        lines: each as long as `HEAD`.

    Returns:
        Markdown that can be read as it is.
    """
    every = [HEAD, *lines]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    every.insert(1, tuple("-" * width for width in widths))
    return "".join(
        "| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in every
    )


def faults(rows: Iterable[Row]) -> list[str]:
    """Say what went wrong, each thing once.

    Args:
        rows: in their order.

    Returns:
        Lines for the screen.
    """
    said: dict[str, list[str]] = {}
    for row in rows:
        who, profile = f"{row.title} {row.version}", row.meeting.profile
        problems = [f"{name}: {why}" for name, why in row.faults.items()]
        problems += [f"{name}: lost" for name in row.lost if not row.error]
        problems += [row.error] if row.error else []
        for problem in problems:
            where = f"{profile}/{row.meeting.transport}/{row.revision}"
            said.setdefault(f"{who}: {problem}", []).append(where)
    return [f"{line} ({', '.join(places)})" for line, places in said.items()]


def between_markers(text: str, table: str) -> str:
    """Put a table where a page has the last one.

    Args:
        text: of the page.
        table: new.

    Returns:
        The page with it.

    Raises:
        ValueError: when the page has not exactly one place for it.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        msg = f"the page must have {BEGIN} and {END} once each"
        raise ValueError(msg)
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        msg = f"{BEGIN} must come before {END}"
        raise ValueError(msg)
    return f"{before}{BEGIN}\n{table}{END}{after}"
