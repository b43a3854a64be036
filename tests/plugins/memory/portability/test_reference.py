"""The reference of the document tells every field, limit and code."""

import json
import re
from pathlib import Path

from plugins.memory.portability.homes import CHECKOUT
from plugins.memory.portability.test_document import FULL, seal_of

from abilities_memory.carl_files import CarlUnreadable
from abilities_memory.document import (
    ENTRIES,
    DocumentBroken,
    DocumentTooNew,
    TooMuchToExport,
)
from abilities_memory.document_reading import read_document
from abilities_memory.exporting import export_document
from abilities_memory.importing import NoRoom

PAGE = (Path(__file__).parents[4] / "docs/reference/memory-document.md").read_text(
    encoding="utf-8"
)


def told(heading: str) -> list[str]:
    """Give what the first cells of the table under a heading name."""
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.+?) \|", part, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_every_field_is_told_in_the_order_of_the_document() -> None:
    whole = export_document([FULL], [CHECKOUT], {FULL.id: seal_of(FULL.id)})

    assert told("The whole") == list(whole)
    assert told("Guidance") == list(whole["guidance"][0])
    assert told("Domains") == list(whole["domains"]["checkout"])
    assert told("Seals") == list(whole["seals"][0])
    scope = next(line for line in PAGE.splitlines() if line.startswith("| `scope`"))
    assert [name for name in whole["guidance"][0]["scope"] if name not in scope] == []
    assert f"at most {ENTRIES:,} [entries]" in PAGE


def test_every_code_is_told() -> None:
    kinds = (DocumentBroken, DocumentTooNew, CarlUnreadable, NoRoom, TooMuchToExport)

    assert told("Codes") == [kind.code for kind in kinds]


def test_the_example_can_be_taken() -> None:
    example = PAGE.split("```json\n")[1].split("```")[0]

    [entry] = read_document(json.loads(example)).entries

    assert (entry.id, entry.proposal.topic) == ("gm-014", "checkout")
