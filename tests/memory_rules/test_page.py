"""The page of rules says what the code does."""

import json
import re
from pathlib import Path

import pytest
from docs.pages import ROOT, blocks, page, rows

from abilities_host.memory import EFFECTS, parse_rule
from abilities_host.memory.narrowing import DEPTH, PATTERNS, SCHEMAS
from abilities_host.memory.patterns import CHARACTERS, COUNT
from abilities_host.memory.rule import KEYS, MESSAGE_CHARACTERS, RULE_CHARACTERS
from abilities_memory_enforcer.rehearsal import LIMIT as TOLD
from abilities_memory_enforcer.settings import HOURS, Settings
from abilities_memory_enforcer.tickets import LIMIT

RULES = page("reference/rules.md")
EXAMPLES = [
    block.text
    for text in (RULES, page("how-to/guardrails.md"))
    for block in blocks(text)
    if block.language == "json"
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_a_rule(text: str) -> None:
    written = json.loads(text)
    assert parse_rule(written.get("rule", written)).effect in EFFECTS


def first(title: str) -> list[str]:
    return [row[0].strip("`") for row in rows(RULES, title)]


def test_fields_effects_settings_and_codes_are_those_of_the_code() -> None:
    packs = ROOT / "contrib" / "abilities_memory_enforcer"
    sources = [*packs.glob("*.py"), ROOT / "abilities_host" / "memory" / "broken.py"]
    settings = Settings()

    assert first("## Fields") == list(KEYS)
    assert first("## Effects") == list(EFFECTS)
    assert [(row[0], row[1]) for row in rows(RULES, "## Settings")] == [
        (f"`{name}`", f"`{json.dumps(getattr(settings, name))}`")
        for name in Settings.__slots__
    ]
    assert set(first("## Codes")) == codes_in(sources)


def codes_in(sources: list[Path]) -> set[str]:
    code = re.compile(r'^    code = "(\w+)"', re.MULTILINE)
    return {word for source in sources for word in code.findall(source.read_text())}


def test_limits_are_those_of_the_code() -> None:
    text = " ".join(RULES.split())
    limits = {row[0]: row[1] for row in rows(RULES, "## Schemas")}

    assert f"at most {RULE_CHARACTERS:,} characters" in text
    assert f"at most {MESSAGE_CHARACTERS} characters more" in text
    assert text.count(f"1 to {COUNT} ") == 2
    assert f"at most {CHARACTERS:,} characters" in text
    assert f"1 to {HOURS}." in text
    assert f"may have {LIMIT} that wait" in text
    assert f"at most {TOLD:,} of them" in text
    assert (limits["nesting"], limits["schemas in one"]) == (str(DEPTH), str(SCHEMAS))
    assert limits["`pattern` and `patternProperties` in one"].startswith(str(PATTERNS))
