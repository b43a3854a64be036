"""The parts of the memory commands that need no host: forms, folds, keys, files."""

import json
import logging
from pathlib import Path
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from abilities_host.accounts import Unlocked
from abilities_host.cli.memory.carry import (
    BYTES,
    DocumentUnreadable,
    read_document_file,
)
from abilities_host.cli.memory.form import FormBroken, read_form, write_form
from abilities_host.cli.memory.held_log import LINES, held_log
from abilities_host.cli.memory.keys import END, key_of
from abilities_host.cli.memory.painting import Line, folded, laid_out
from abilities_host.cli.memory.person import KEPT_SECONDS, KeptPerson
from abilities_host.cli.memory.screen import Page
from abilities_host.memory import Class, Proposal, Scope, Type
from abilities_host.memory.wording import scope_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
LINES_OF_TEXT = TEXTS.map(str.strip).filter(bool)
RULES = st.none() | st.dictionaries(
    TEXTS, st.recursive(TEXTS | st.integers() | st.booleans(), st.lists, max_leaves=5)
)
PROPOSALS = st.builds(
    Proposal,
    type=st.sampled_from(get_args(Type)),
    topic=LINES_OF_TEXT,
    text=LINES_OF_TEXT,
    rationale=LINES_OF_TEXT,
    recall=st.lists(TEXTS).map(tuple),
    scope=st.builds(
        Scope,
        site_wide=st.booleans(),
        post_id=st.none() | st.integers(min_value=1),
        target=TEXTS.map(str.strip),
    ),
    priority=st.integers(-1000, 1000),
    class_=st.sampled_from(get_args(Class)),
    rule=RULES,
    supersedes=TEXTS.map(str.strip),
)
GOOD = {"type": "fact", "topic": "a", "text": "b", "rationale": "c"}


@given(PROPOSALS)
def test_a_form_says_what_it_was_made_of(proposal: Proposal) -> None:
    form = write_form(proposal, "What it is.\nAnd more.")

    assert form.startswith("# What it is.\n# And more.\n")
    assert read_form(form) == proposal
    assert form.replace("\n", "").isprintable()


def test_a_form_may_be_json_and_leave_out_what_is_usual() -> None:
    least = read_form(json.dumps(GOOD))
    about = read_form(json.dumps({**GOOD, "target": "files:a", "rule": {"a": [1]}}))
    table = read_form(
        'type = "fact"\ntopic = "a"\ntext = "b"\nrationale = "c"\n[rule]\na = 1'
    )

    plain = Proposal(type="fact", topic="a", text="b", rationale="c")
    assert least == plain
    assert about.scope == Scope(site_wide=False, target="files:a")
    assert (about.rule, table.rule) == ({"a": [1]}, {"a": 1})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"txt": "b"}, "there is no field 'txt'. Did you mean 'text'?"),
        ({"topic": ""}, "'topic' is needed."),
        ({"rationale": ""}, "'rationale' is needed."),
        ({"type": "law"}, "'type' is one of guardrail, fact, convention, instruction."),
        ({"type": 1}, "'type' is a text."),
        ({"class": "law"}, "'class' is one of identity, procedure, fact."),
        ({"priority": True}, "'priority' is a whole number."),
        ({"site_wide": 1}, "'site_wide' is true or false."),
        ({"recall": "a"}, "'recall' is a list of texts."),
        ({"recall": [1]}, "'recall' is a list of texts."),
        ({"rule": "{"}, "'rule' is not JSON."),
        ({"rule": [1]}, "'rule' is one JSON object."),
        ({"rule": "[" * 100_000}, "'rule' is not JSON."),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_form_that_is_wrong_says_where(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormBroken) as caught:
        read_form(json.dumps({**GOOD, **change}))

    said = f"The form cannot be taken: {problem} Nothing was proposed."
    assert caught.value.sentence == said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("type = \n", "it is not TOML at line 1, column 8."),
        ("a = 1\na = 2", "it is not TOML at end of document."),
        ('{"type": ', "it is not a JSON object."),
        ("{" + '"a": {' * 50_000, "it is not a JSON object."),
        ("", "'type' is needed."),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_form_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FormBroken) as caught:
        read_form(text)

    assert problem in caught.value.sentence


# --- folds ----------------------------------------------------------------------------


@given(st.text(st.sampled_from("ab \u4e2d\u00e9"), max_size=200), st.integers(4, 40))
def test_a_folded_line_fits_and_loses_only_blanks(text: str, width: int) -> None:
    rows = folded(text, width)

    assert all(cell_len(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


def test_every_row_of_a_line_is_behind_its_margin() -> None:
    quoted = Line("one two three four five six", margin="  | ")
    fact = Line("one two three four five six", margin="word ", hangs=True)

    rows = laid_out([quoted, fact, Line("")], 5)

    assert [row.text for row in rows] == [
        "  | one two three",
        "  | four five six",
        "word one two three",
        "     four five six",
        "",
    ]


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (Scope(), "everywhere"),
        (Scope(site_wide=False), "nothing in particular"),
        (Scope(post_id=7, target="files:a"), "everywhere, number 7, files:a"),
    ],
)
def test_what_guidance_is_about_is_said_in_words(scope: Scope, words: str) -> None:
    assert scope_of(scope) == words


def test_a_page_is_read_when_every_row_was_seen() -> None:
    page = Page([Line(str(number)) for number in range(30)])

    def seen(key: str = "") -> tuple[str, str, bool]:
        page.move(key)
        rows = page.fit((80, 10))
        return rows[0].text, rows[-1].text, page.is_read

    jumped = [seen(), seen("end")]
    page.go_on()
    went_on = [seen(), seen(" "), seen("up"), seen("x")]
    again = Page([Line("")], is_read=True)

    assert jumped == [("0", "9", False), ("20", "29", False)]
    assert went_on == [
        ("10", "19", False),
        ("19", "28", False),
        ("18", "27", False),
        ("18", "27", False),
    ]
    assert seen("end") == ("20", "29", True)
    assert again.is_read


def test_a_page_of_another_width_is_read_anew() -> None:
    page = Page([Line("word " * 60)])

    page.fit((80, 3))
    page.move("down")
    page.fit((40, 3))

    assert not page.is_read
    assert page.where() == "rows 2 to 4 of 8"


# --- keys and people ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "key"),
    [
        (b"", END),
        (b"a", "a"),
        (b"ar", "a"),
        (b"\r", "\n"),
        (b"\n", "\n"),
        (b"\xc3\xa9", "\u00e9"),
        (b"\xff", "\ufffd"),
        (b"\x1b[A", "up"),
        (b"\x1bOB", "down"),
        (b"\x1b[5~", "page up"),
        (b"\x1b[99;5~", ""),
        (b"\x1b", ""),
    ],
)
def test_a_key_has_a_name(read: bytes, key: str) -> None:
    assert key_of(read) == key


class Door:
    """Somebody who comes in anew whenever the secret is asked for."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0

    def ask(self) -> Unlocked:
        self.asked += 1
        return Unlocked("ana", cast("Any", None), failures=0)


def test_a_person_is_asked_again_after_five_minutes_without_a_key() -> None:
    door = Door()
    person = KeptPerson(door.ask, lambda: door.now)
    nobody = person.name

    first = person.get()
    door.now += KEPT_SECONDS - 1
    person.touch()
    door.now += KEPT_SECONDS - 1
    same, asked = person.get(), door.asked
    door.now += KEPT_SECONDS
    person.touch()
    forgotten = person.name
    other = person.get()

    assert KEPT_SECONDS == 300
    assert (nobody, forgotten, person.name) == ("", "", "ana")
    assert same is first
    assert asked == 1
    assert other is not first
    assert door.asked == 2


def test_of_a_long_log_the_end_is_told_after_the_screen() -> None:
    told: list[str] = []

    class Telling(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    root = logging.getLogger()
    before, root.handlers = root.handlers, [Telling()]
    try:
        with held_log():
            for number in range(LINES + 3):
                logging.getLogger("a").error("%d", number)
            inside = list(told)
    finally:
        root.handlers = before

    assert inside == []
    assert told == [str(number) for number in range(3, LINES + 3)]


# --- documents ------------------------------------------------------------------------


def test_a_document_is_json_and_a_folder_is_for_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    file.write_text('{"guidance": []}', encoding="utf-8")

    assert read_document_file(file) == {"guidance": []}
    assert read_document_file(tmp_path) == tmp_path


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    file, large = tmp_path / "a.json", tmp_path / "large.json"
    deep, odd = tmp_path / "deep.json", tmp_path / "odd.json"
    file.write_text("{", encoding="utf-8")
    deep.write_text("[" * 200_000, encoding="utf-8")
    odd.write_bytes(b"\xff\xfe\xfd")
    with large.open("wb") as opened:
        opened.truncate(BYTES + 1)

    said = {}
    for path in (file, deep, odd, large, tmp_path / "none"):
        with pytest.raises(DocumentUnreadable) as caught:
            read_document_file(path)
        said[path.name] = caught.value.sentence

    assert said == {
        "a.json": f"{file} is not JSON. Nothing was imported.",
        "deep.json": f"{deep} is not JSON. Nothing was imported.",
        "odd.json": f"{odd} is not JSON. Nothing was imported.",
        "large.json": f"{large} is larger than 64 MiB. Nothing was imported.",
        "none": f"{tmp_path / 'none'} cannot be read: No such file or directory. "
        "Nothing was imported.",
    }
