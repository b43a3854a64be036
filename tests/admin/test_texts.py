"""Every word is in the catalogue, and every word of the catalogue is used."""

import re
import string
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abilities_host.admin
from abilities_host.admin.confirming import Confirmations, seconds_now
from abilities_host.admin.english import ENGLISH
from abilities_host.admin.formtoken import form_token, is_form_token
from abilities_host.admin.frame import moment, visible
from abilities_host.admin.page import Confirm
from abilities_host.admin.paths import below, inside
from abilities_host.admin.texts import Texts, texts_for
from abilities_host.admin.told import Told, plainly, read_told, signed

FOLDER = Path(abilities_host.admin.__file__).parent
SOURCES = [
    path
    for path in (*FOLDER.rglob("*.py"), *FOLDER.rglob("*.html"))
    if path.name != "__init__.py"
]
STATIC = list(files(abilities_host.admin).joinpath("static").iterdir())


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = set()
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        asked |= {
            (key, "") for key in re.findall(r'\b(?:t|text)\("([^"]+)"[,)]', source)
        }
        asked |= {(key, ".one") for key in re.findall(r'\bmany\("([^"]+)",', source)}
    missing = [key + form for key, form in asked if key + form not in ENGLISH]
    assert len(asked) > 50
    assert missing == []


def test_every_text_is_used_somewhere() -> None:
    everything = " ".join(
        path.read_text(encoding="utf-8")
        for path in SOURCES
        if path.parent.name != "english"
    )
    unused = []
    for key in ENGLISH:
        stem = re.sub(r"\.(one|many)$", "", key)
        parts = [stem, *(stem[: end.start() + 1] for end in re.finditer(r"\.", stem))]
        if not any(f'"{part}' in everything for part in parts):
            unused.append(key)
    assert unused == []


def test_no_word_is_written_into_a_template() -> None:
    for path in FOLDER.rglob("*.html"):
        source = path.read_text(encoding="utf-8")
        plain = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", source, flags=re.DOTALL)
        words = set(re.findall(r"[A-Za-z]{2,}", plain)) - {
            "doctype",
            "abilities",
            "admin",
            "link",
            "outside",
        }
        assert words == set(), path.name


def test_texts_of_one_and_of_many_come_in_pairs_with_the_same_values() -> None:
    for key, text in ENGLISH.items():
        if key.endswith(".one"):
            other = ENGLISH[key.removesuffix("one") + "many"]
            assert _names(text) | {"count"} == _names(other) | {"count"}, key


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(
    "accepted", ["", "en", "de-CH, en;q=0.7", "x" * 5000, ",;q=,;q=a", "*"]
)
def test_a_language_is_always_found(accepted: str) -> None:
    assert texts_for(accepted).language == "en"


def test_a_number_has_its_form() -> None:
    texts = Texts()
    assert texts.many("home.abilities", 1) == "One ability is registered."
    assert texts.many("home.abilities", 1200) == "1,200 abilities are registered."
    with pytest.raises(KeyError):
        texts.text("no.such.text")


@given(st.text())
def test_where_a_person_is_sent_is_always_inside(wish: str) -> None:
    found = inside(wish)
    assert found.startswith("/admin")
    assert found in {wish, "/admin"}
    assert "\\" not in found
    assert "\n" not in found


@given(st.text())
def test_an_address_of_a_page_is_always_inside(value: str) -> None:
    address = below("/review", id=value)
    if value and len(address) <= 500:
        assert inside(address, "").startswith("/admin/review?id=")
    assert below("/", id="") == "/admin"


@given(st.text(max_size=700), st.text(min_size=1))
def test_a_message_arrives_only_in_its_session(sentence: str, other: str) -> None:
    told = plainly(sentence)
    cookie = signed(told, "this session")
    assert re.fullmatch(r"[A-Za-z0-9_=.-]+", cookie)
    assert len(cookie) < 3000
    read = read_told(cookie, "this session")
    assert read is not None
    assert (
        read.values["sentence"]
        == str(told.values["sentence"]).encode(errors="replace").decode()
    )
    assert read_told(cookie, other) is None or other == "this session"


@given(st.text())
def test_what_nobody_signed_is_no_message(cookie: str) -> None:
    assert read_told(cookie, "this session") is None


def test_a_number_in_a_message_stays_one() -> None:
    told = Told("done", "review.more.many", {"count": 3})
    assert read_told(signed(told, "x"), "x") == told


@given(st.text(), st.text(), st.text())
def test_a_form_token_is_good_for_one_form(path: str, seen: str, shown: str) -> None:
    token = form_token("session", path, seen)
    assert is_form_token(token, "session", path, seen)
    assert not is_form_token(token, "session", path, f"{seen}x")
    assert not is_form_token(token, "other", path, seen)
    assert not is_form_token(shown, "session", path, seen) or shown == token


@given(st.text())
def test_what_does_not_print_is_shown(text: str) -> None:
    assert visible(text).replace("\n", "").replace("\t", "").isprintable()


def test_a_time_is_for_people_and_machines() -> None:
    said = '<time datetime="2026-11-30T12:00:05Z">2026-11-30 12:00 UTC</time>'
    assert moment(1_796_040_005_000_000) == said
    assert moment(None) == "-"


def test_the_clock_of_confirmations_goes_on() -> None:
    assert seconds_now() <= seconds_now()
    assert Confirmations().find("digest", Confirm.APPROVE) is None


def test_what_every_page_loads_is_small() -> None:
    assert sum(len(each.read_bytes()) for each in STATIC) < 20_000
