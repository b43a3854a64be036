"""Has every client meet a host of its own machine; 0 when all get on with our packs."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from clients.catalogue import CLIENTS, EVERY, Client, HostKind, Meeting
from clients.listing import show_each
from clients.meeting import Runtimes, job_of, meet
from clients.row import Met, Row, make_row
from clients.table import between_markers, faults, markdown, merged
from clients.world import ROOT, Place, served
from schema.zoo import ZOO

from abilities_host.schema.profiles import GENERIC

PAGE: Final = ROOT / "docs" / "reference" / "clients.md"
HOSTS: Final[tuple[HostKind, ...]] = ("full", "compact", "zoo", "issuer")


class Trial:
    """The hosts, what each shows, and the clients' environments.

    Args:
        folder: for the hosts and whatever clients leave.
        runtimes: of the clients.
        places: where the hosts are.
    """

    def __init__(
        self, folder: Path, runtimes: Runtimes, places: Mapping[HostKind, Place]
    ) -> None:
        self._folder: Final = folder
        self._runtimes: Final = runtimes
        self._places: Final = places
        self._shown: Final = {kind: show_each(place) for kind, place in places.items()}
        if len(self._shown["zoo"][GENERIC.name].zoo) != len(ZOO):
            sys.exit("The host of the zoo does not show all of it.")

    def rows_of(self, client: Client) -> Iterator[Row]:
        """Have one client meet its hosts, in each of its ways."""
        for meeting in client.meetings():
            begun = time.monotonic()
            row = self._row_of(client, meeting)
            _say_so_far(row, time.monotonic() - begun)
            yield row

    def _row_of(self, client: Client, meeting: Meeting) -> Row:
        words = self._runtimes.words_of(client)
        met = [
            Met(
                meet(words, job_of(self._places[kind], meeting), self._folder),
                self._shown[kind][meeting.profile],
            )
            for kind in client.hosts
        ]
        animals = len(ZOO) if "zoo" in client.hosts else 0
        return make_row(client.title, meeting, met, animals)


def _say_so_far(row: Row, seconds: float) -> None:
    how = f"{row.meeting.profile}/{row.revision}/{row.meeting.transport}"
    counts = "{} of {}, zoo {} of {}".format(*row.own, *row.zoo)
    sys.stdout.write(f"{row.title}, {how}: {counts} ({seconds:.1f} s)\n")
    sys.stdout.flush()


def run(runtimes: Runtimes, clients: tuple[Client, ...]) -> list[Row]:
    """Run the clients, one after the other.

    Args:
        runtimes: where each runs.
        clients: in the order of the table.

    Returns:
        Their rows.
    """
    with TemporaryDirectory(prefix="abilities-clients-") as scratch, ExitStack() as end:
        folder = Path(scratch)
        places = {
            kind: end.enter_context(served(folder / kind, kind)) for kind in HOSTS
        }
        trial = Trial(folder, runtimes, places)
        return [row for client in clients for row in trial.rows_of(client)]


def report(rows: list[Row], *, is_kept: bool) -> int:
    """Print how it went.

    Args:
        rows: of all clients.
        is_kept: whether the table goes into the documentation.

    Returns:
        0 when every client takes all of our packs and loses nothing.
    """
    table = markdown(merged(rows, EVERY))
    sys.stdout.write(f"\n{table}\n")
    sys.stdout.writelines(f"{line}\n" for line in faults(rows))
    if is_kept:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(between_markers(page, table), encoding="utf-8")
    return 0 if rows and all(row.is_good for row in rows) else 1


def main(suite: str, modern: str, legacy: str, *words: str) -> int:
    """Try the clients whose names have one of these words, or all.

    Args:
        suite: the folder of the packages of Node.
        modern: the environment of clients with the SDK of the later era.
        legacy: that of clients with the SDK of the earlier one.
        words: in the names of clients.

    Returns:
        0 when all went well.
    """
    pythons = {"modern": Path(modern).absolute(), "legacy": Path(legacy).absolute()}
    runtimes = Runtimes(Path(suite).absolute(), pythons)
    asked = tuple(client for client in CLIENTS if _is_asked_for(client, words))
    is_kept = os.environ.get("UPDATE", "0") not in ("", "0") and asked == CLIENTS
    return report(run(runtimes, asked), is_kept=is_kept)


def _is_asked_for(client: Client, words: tuple[str, ...]) -> bool:
    title = client.title.casefold()
    return not words or any(word.casefold() in title for word in words)


def _end(number: int, _frame: object) -> None:
    """A signal ends the hosts as well."""
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main(*sys.argv[1:]))
