"""Records: large ones, filled once and kept for the next run while nothing changes."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import orjson
from benchmarks import book
from benchmarks.bench import Bench
from benchmarks.process import started
from benchmarks.report import BUILD

import abilities_ledger

FEW: Final = 10_000
FILLED: Final = "filled.json"
PREFIX: Final = "record"


@dataclass(frozen=True, slots=True)
class Record:
    """A record on disk.

    Attributes:
        folder: where it is.
        asked: how many entries were asked for.
        told: how it was filled, for a remark; empty when an earlier run did it.
    """

    folder: Path
    asked: int
    told: str


def many(bench: Bench) -> int:
    """Give how many entries the large record has; BENCH_ENTRIES says another number."""
    asked = os.environ.get("BENCH_ENTRIES", "")
    return int(asked) if asked else bench.pick(40_000, 1_000_000)


def record(bench: Bench, entries: int) -> Record:
    """Give a record of this many entries.

    Args:
        bench: the run.
        entries: how many, about.

    Returns:
        One that is filled; whoever opens it changes nothing.
    """
    return bench.keep(f"record-{entries}", lambda: _record(bench, entries))


@contextmanager
def _record(bench: Bench, entries: int) -> Iterator[Record]:
    folder = BUILD / f"{PREFIX}-{entries}-{_fingerprint()}"
    if (folder / FILLED).exists():
        yield Record(folder, entries, "")
        return
    for old in BUILD.glob(f"{PREFIX}-{entries}-*"):
        shutil.rmtree(old)
    folder.mkdir(mode=0o700)
    arguments = ["-m", "benchmarks.peers.filling", str(folder), str(entries)]
    with started(arguments, bench.log) as process:
        told, _ = process.communicate()
    kept = Record(folder, entries, _told(told))
    (folder / FILLED).write_bytes(told)
    yield kept


def _told(written: bytes) -> str:
    filled = orjson.loads(written)
    rate = filled["rows"] / filled["seconds"]
    return f"; filled in this run, {rate:,.0f} rows/s in {filled['seconds']:.0f} s"


def _fingerprint() -> str:
    """Change when the way in which entries are written does."""
    folder = Path(abilities_ledger.__path__[0])
    sources = [
        folder / f"{name}.py" for name in ("chain", "content", "draft", "tables")
    ]
    digest = sha256()
    for source in (Path(book.__file__), *sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
