import re

from docs.pages import page, rows

from abilities_host.ledger import Digest
from abilities_ledger.history import LOOK
from abilities_ledger.schemas import LIST_INPUT
from abilities_ledger.unified import CHARACTERS, LINE_CHARACTERS, LINES

PAGE = "reference/ledger.md"


def named(heading: str) -> set[str]:
    """Give what stands in backticks in the first column of a table."""
    cells = [row[0] for row in rows(page(PAGE), heading)]
    return {name for each in cells for name in re.findall("`(.+?)`", each)}


def test_every_filter_is_documented() -> None:
    assert isinstance(LIST_INPUT["properties"], dict)
    assert named("### Filters of list-changes") | {"limit", "cursor"} == {
        *LIST_INPUT["properties"]
    }


def test_every_key_of_a_digest_is_documented() -> None:
    assert named("## Windows and the digest") == {*Digest.__annotations__}


def test_the_limits_of_pages_and_differences_are_documented() -> None:
    text = " ".join(page(PAGE).split())
    assert f"looks through {LOOK:,} entries at most" in text
    assert f"At most {LINES:,} lines, {CHARACTERS:,} characters" in text
    assert f"and {LINE_CHARACTERS} characters of a line" in text
