"""What may stand in a text, and what it becomes where it is shown."""

import unicodedata
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_memory.refusals import UnsuitableWording
from abilities_memory.wording import (
    DECISIONS,
    LIMITS,
    Field,
    Kind,
    clean,
    clean_topic,
    clean_words,
    findings,
    shown,
)

EXAMPLES: dict[Kind, str] = {
    "newline": "one\ntwo",
    "control": "one\x1b[31mtwo",
    "bidirectional": "one\u202etwo",
    "joiner": "नमस\u200dते",
    "invisible": "one\u200btwo",
    "surrogate": "one\ud800two",
    "private use": "one\ue000two",
    "unassigned": "one\u0378two",
    "combining": "one" + "\u0316" * 5 + "two",
    "mixed script": "p\u0430ypal",
}
FIELDS: tuple[Field, ...] = get_args(Field)


def what_is_done(field: Field, text: str) -> str:
    try:
        return "escaped" if shown(clean(field, text)) != text else "allowed"
    except UnsuitableWording:
        return "refused"


def test_every_kind_in_every_field_is_treated_as_the_table_says() -> None:
    assert {
        kind: {field: what_is_done(field, text) for field in FIELDS}
        for kind, text in EXAMPLES.items()
    } == {kind: dict(row) for kind, row in DECISIONS.items()}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a\tb", "control"),
        ("a\r\nb", "control"),
        ("a\u2028b", "control"),
        ("a\u061cb", "bidirectional"),
        ("a\u2066b", "bidirectional"),
        ("a\ufeffb", "invisible"),
        ("a\u00adb", "invisible"),
        ("a\u3164b", "invisible"),
        ("a\U000e0041b", "invisible"),
        ("a\ufe00b", "invisible"),
        ("a\U000e0100b", "invisible"),
        ("a\uffffb", "unassigned"),
        ("\U0001f469\u200d\U0001f680", "joiner"),
        ("sc\u03bfpe", "mixed script"),
        ("\u13aapple", "mixed script"),
        ("\uff41\u0430", "mixed script"),
    ],
)
def test_these_are_not_plain(text: str, kind: str) -> None:
    assert {found.kind for found in findings(text)} - {"newline"} == {kind}


@pytest.mark.parametrize(
    "text",
    [
        "Nunca apagar redirecções sem confirmar: é irreversível.",
        "Tシャツは青い CSSファイル 한국어와漢字",
        "Москва and Αθήνα stand beside London",
        "5 µm and 3 kB; 2ª rua, 1º andar, xʰ",
        "שָׁלוֹם",
        "❤️ ✅ 🇵🇹",
        "ภาษาไทยที่นี่",
        "हिन्दी में",
        "x² ½ 100 °C №5",
    ],
)
def test_these_are_plain(text: str) -> None:
    assert list(findings(text)) == []
    assert shown(text) == clean("text", text) == unicodedata.normalize("NFC", text)


def test_a_refusal_says_what_is_wrong_and_where_but_not_the_text() -> None:
    with pytest.raises(UnsuitableWording) as refused:
        clean("text", "secret\u202ething")

    assert str(refused.value) == (
        "The text cannot be taken: it has a character that turns the direction of "
        "writing at character 7. Write it again without that."
    )
    assert refused.value.details == {"field": "text", "position": 6}


@pytest.mark.parametrize(("field", "limit"), LIMITS.items())
def test_a_text_may_be_as_long_as_its_limit_and_no_longer(
    field: Field, limit: int
) -> None:
    assert clean(field, " " + "x" * limit) == "x" * limit
    # A letter and its accent are one character.
    assert clean(field, "e\u0301" * limit) == "é" * limit
    for text in ("x" * (limit + 1), "x" * (limit * 10), " " * 10 * limit, "", " \n"):
        with pytest.raises(UnsuitableWording):
            clean(field, text)


def test_words_are_kept_once_whatever_their_case_and_accents() -> None:
    assert clean_words(["Cão", "cao", " gato ", "CÃO"]) == ("Cão", "gato")


@pytest.mark.parametrize(
    "words", [[str(n) for n in range(13)], ["x" * 41], [""], ["two\nlines"], ["\u0301"]]
)
def test_words_that_cannot_be_taken_are_refused(words: list[str]) -> None:
    with pytest.raises(UnsuitableWording):
        clean_words(words)


def test_a_topic_has_one_spelling() -> None:
    assert [clean_topic(each) for each in (" Redirects", "STRASSE", "Straße")] == [
        "redirects",
        "strasse",
        "strasse",
    ]
    with pytest.raises(UnsuitableWording):
        clean_topic("ß" * 21)


@given(st.text(), st.sampled_from(FIELDS))
def test_what_is_taken_is_taken_again_and_shows_nothing_that_is_not_plain(
    text: str, field: Field
) -> None:
    try:
        kept = clean(field, text)
    except UnsuitableWording:
        return
    assert clean(field, kept) == kept
    assert len(kept) <= LIMITS[field]
    # An escape ends with a letter, which may stand beside one of another script.
    left = {found.kind for found in findings(shown(kept))}
    assert left <= {"newline", "mixed script"}


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=50))
def test_whatever_is_shown_is_harmless(text: str) -> None:
    letters = {each for each in shown(text) if unicodedata.category(each) != "Zs"}
    assert all(each.isprintable() for each in letters - {"\n"})
    shown(text).encode()
