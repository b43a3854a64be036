"""Request rows: logged requests and their statistics as a person reads them."""

import re
import time
from typing import TYPE_CHECKING, Final

from abilities_host.cli.ledger.values import moment, read_moment
from abilities_host.cli.printing import printable

if TYPE_CHECKING:
    from abilities_host.requestlog.reading import Kept
    from abilities_host.requestlog.record import Record
    from abilities_host.requestlog.statistics import Row

HEADERS: Final = (
    *("ID", "WHEN", "SERVER", "METHOD", "ABILITY"),
    *("ACTOR", "CLIENT", "ENDED", "MS"),
)
STATISTICS: Final = (
    *("NAME", "REQUESTS", "ERRORS", "PER MINUTE"),
    *("P50 MS", "P95 MS", "P99 MS"),
)
_AGO: Final = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_MICROSECONDS: Final = 1_000_000


def read_since(written: str | None) -> int | None:
    """Read a time, or how long ago it was.

    Args:
        written: such as ``30s``, ``10m``, ``1h``, ``7d``; or ISO 8601.

    Returns:
        Microseconds since 1970, None for None.

    Raises:
        typer.BadParameter: when it is neither.
    """
    match = _AGO.fullmatch(written) if written is not None else None
    if match is None:
        return read_moment(written)
    ago = int(match[1]) * _SECONDS[match[2]] * _MICROSECONDS
    return max(0, time.time_ns() // 1_000 - ago)


def row_of(kept: "Kept") -> tuple[str, ...]:
    """Give the cells of a request.

    Args:
        kept: the request.

    Returns:
        As many as `HEADERS`.
    """
    record = kept.record
    return (
        str(kept.seq),
        moment(record.at),
        record.server,
        record.method,
        f"{record.ability} ({record.via})" if record.via else record.ability,
        record.actor,
        record.client,
        ended(record),
        f"{record.micros / 1_000:.1f}" if record.method else "",
    )


def line_of(kept: "Kept") -> str:
    """Give a request as one line, harmless to print.

    Args:
        kept: the request.

    Returns:
        What is not empty, two blanks between.
    """
    *cells, milliseconds = row_of(kept)
    cells += [f"{milliseconds} ms"] if milliseconds else []
    return printable("  ".join(filter(None, cells[1:])))


def ended(record: "Record") -> str:
    """Say how a request ended.

    Args:
        record: what is kept of it.

    Returns:
        Status, code and, of what is only counted, how many.
    """
    said = f"{record.status} {record.code}".rstrip()
    said += f" x{record.times:,}" if record.times > 1 else ""
    return said + (f", {record.repaired} repaired" if record.repaired else "")


def statistics_row(row: "Row") -> tuple[str, ...]:
    """Give the cells of a row of statistics.

    Args:
        row: the statistics.

    Returns:
        As many as `STATISTICS`.
    """
    spread = ("" if each is None else f"{each:,.1f}" for each in row.milliseconds)
    return (
        row.name,
        f"{row.requests:,}",
        f"{row.error_rate:.1%}",
        f"{row.per_minute:,.1f}",
        *spread,
    )
