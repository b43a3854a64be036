"""Reckoning: what clients were told, beside the record, the files and the log."""

import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.soak.faults import Faults
from benchmarks.soak.lived import Lived
from benchmarks.soak.papers import Papers, Told
from benchmarks.soak.record import Record
from benchmarks.soak.site import Site

from abilities_host import MISSING
from abilities_host.requestlog.file import connect
from abilities_ledger.content import digest_of

_MICROSECONDS: Final = 1_000_000
_ROWS: Final = "SELECT coalesce(sum(times), 0) FROM request WHERE at >= ? AND at < ?"
_DROPPED: Final = "SELECT coalesce(sum(times), 0) FROM request WHERE code = ?"


class Reckoning:
    """Compares after the last process has ended.

    Args:
        site: where it served.
        faults: are told what does not fit.
    """

    def __init__(self, site: Site, faults: Faults) -> None:
        self._site: Final = site
        self._faults: Final = faults

    def check_writes(self, papers: Papers, record: Record) -> None:
        """Find each acknowledged write in the record, and no refused one."""
        for call, told in papers.told.items():
            self._check_told(call, told, record)
        refused = {(path, digest(text)) for path, text in papers.refused}
        for change in record.changes:
            if (change.target, change.after) in refused:
                self._faults.add("a refused write was made", change.target)

    def check_files(self, papers: Papers, record: Record) -> None:
        """Find in each file what the record and its client say; blocks."""
        explained, gaps = record.explain()
        for target in gaps:
            self._faults.add("a change is not in the record", target)
        for path, paper in papers.all.items():
            file = self._site.content / path
            text = file.read_text("utf-8") if file.exists() else None
            if text not in paper.possible:
                said = f"{path} holds {text!r}, not one of {paper.possible!r}"
                self._faults.add("an acknowledged write was lost", said)
            if digest(text) != explained.get(path):
                self._faults.add("a file is not as the record says", path)

    def verify(self) -> None:
        """Have the command verify the record; blocks."""
        command = ["-m", "abilities_host", "ledger", "verify", "--config"]
        ran = subprocess.run(
            [sys.executable, *command, str(self._site.config)],
            capture_output=True,
            check=False,
            text=True,
        )
        if ran.returncode:
            said = f"{ran.returncode}: {ran.stdout} {ran.stderr}"
            self._faults.add("the record is not intact", said)

    def check_log(self, lives: Sequence[Lived]) -> Mapping[str, int]:
        """Compare rows of the log with the answers of each process; blocks.

        Args:
            lives: every process.

        Returns:
            What to tell: rows, answers, requests that were sent, dropped.
        """
        told = {"rows": 0, "answered": 0, "sent": 0}
        with closing(connect(_log_of(self._site), "ro")) as log:
            [(told["dropped"],)] = log.execute(_DROPPED, ("log_dropped",)).fetchall()
            begun = 0
            for lived in lives:
                gone = int(lived.gone * _MICROSECONDS)
                [(rows,)] = log.execute(_ROWS, (begun, gone)).fetchall()
                begun = gone
                told["rows"] += rows
                told["answered"] += lived.answered
                told["sent"] += lived.sent
                self._check_rows(lived, rows)
        return told

    def _check_rows(self, lived: Lived, rows: int) -> None:
        if not lived.fewest() <= rows <= lived.most():
            said = (
                f"process {lived.number}, ended by {lived.ending.name}: {rows} rows, "
                f"{lived.answered} answered, {lived.fewest()} to {lived.most()} right"
            )
            self._faults.add("the log has other requests", said)

    def _check_told(self, call: str, told: Told, record: Record) -> None:
        change = record.of_call.get(call)
        if call not in record.ended:
            self._faults.add("an acknowledged write has no entry", told.path)
        elif change is None or change.target != told.path:
            self._faults.add("an acknowledged write has no change", told.path)
        elif change.after != digest(told.text):
            self._faults.add("a write is recorded otherwise than told", told.path)
        elif told.is_undo and call not in record.undone:
            self._faults.add("an acknowledged undo has no entry", told.path)


def digest(text: str | None) -> bytes | None:
    """Give the digest that the record has of a file with this text."""
    if text is None:
        return digest_of(MISSING)
    data = b64encode(text.encode()).decode()
    return digest_of({"kind": "file", "mode": 0o644, "base64": data})


def _log_of(site: Site) -> Path:
    return site.load().requests_path
