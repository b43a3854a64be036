"""The page about storage tells the limits of the code."""

from pathlib import Path

from abilities_host.storage.backups import KEPT
from abilities_host.storage.commits import CHECKPOINT_BYTES, LOG_BYTES
from abilities_host.storage.connection import CHECKED_BYTES
from abilities_host.storage.migrator import SECONDS
from abilities_host.storage.readers import READERS, READS_WAITING
from abilities_host.storage.writer import ENOUGH, GROUP, TURNS, WAITING

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "storage.md"


def test_the_page_tells_the_limits_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    told = (
        f"| works that wait in a process | {WAITING:,} |",
        f"| works in one transaction | {GROUP} |",
        f"| reads that wait in a process | {READS_WAITING:,} |",
        f"| wait for another process to migrate | {SECONDS:.0f} s |",
        f"is folded into the file | {CHECKPOINT_BYTES >> 20} MiB |",
        f"| the log | {LOG_BYTES >> 20} MiB | made empty |",
        f"are all checked at the start | {CHECKED_BYTES >> 20} MiB |",
    )
    assert [each for each in told if each not in text] == []
    assert (READERS, "Two connections read" in text) == (2, True)
    assert (TURNS, "up to four turns" in text) == (4, True)
    assert (ENOUGH, "once there are eight" in text) == (8, True)
    assert (KEPT, "newest five of these" in text) == (5, True)
