"""Whole words are found in any script, whatever their case and accents."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_memory.matching import TEXT_READ, Phrases, telling_of, words_of

WORDS = st.text("abcéñÇõß1", min_size=1, max_size=4)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


def found(phrase: str, text: str) -> bool:
    words = words_of(phrase)
    return Phrases([words]).found_in(words_of(text)) == (words,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        ("  — !?", ()),
        ("Fix the check-out, NOW", ("fix", "the", "check", "out", "now")),
        ("Configuração não-padrão", ("configuracao", "nao", "padrao")),
        ("snake_case v2", ("snake", "case", "v2")),
        ("日本語 Tokyo", ("日", "本", "語", "tokyo")),
        ("カタカナ", ("カ", "タ", "カ", "ナ")),
        ("привет, Мир", ("привет", "мир")),
    ],
)
def test_a_text_has_these_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("phrase", "text", "is_found"),
    [
        ("art", "the cart is full", False),
        ("art", "the art is full", True),
        ("art", "articles", False),
        ("Multibanco", "pagar por MULTIBANCO.", True),
        ("configuração", "muda a CONFIGURACAO", True),
        ("gateway de pagamento", "o gateway de pagamento falha", True),
        ("gateway de pagamento", "o gateway do pagamento falha", False),
        ("gateway de pagamento", "pagamento de gateway", False),
        ("a a b", "a a a b", True),
        ("支払い", "新しい支払い方法", True),
        ("支払い", "支払う", False),
        ("straße", "STRASSE", True),
    ],
)
def test_a_phrase_is_found_as_whole_words_in_order(
    phrase: str, text: str, *, is_found: bool
) -> None:
    assert found(phrase, text) is is_found


def test_each_phrase_is_found_once_where_it_begins_first() -> None:
    phrases = Phrases([("b",), ("a", "b"), ("a",), ("c",)])

    assert phrases.found_in(("b", "a", "b", "a")) == (("b",), ("a",), ("a", "b"))


def test_what_follows_the_first_4000_characters_is_not_read() -> None:
    text = "x" * TEXT_READ + " tail"

    assert words_of(text) == ("x" * TEXT_READ,)


def test_a_sentence_is_about_its_longer_words_and_pairs_of_signs() -> None:
    assert telling_of("Use the Stripe API 支払い") == {
        ("stripe",),
        ("支", "払"),
        ("払", "い"),
    }


@given(WORDS, TEXTS, TEXTS)
def test_a_word_is_found_wherever_it_stands(word: str, left: str, right: str) -> None:
    assert found(word, f"{left} {word} {right}")
    assert found(word.upper(), f"{left} {word}, {right}")
    assert found(unicodedata.normalize("NFD", word), f"({word})")


@given(WORDS, TEXTS)
def test_a_word_is_found_only_as_a_whole(word: str, text: str) -> None:
    is_there = words_of(word)[0] in words_of(text)

    assert found(word, text) is is_there


@given(st.text(max_size=100))
def test_words_are_the_same_when_read_again(text: str) -> None:
    words = words_of(text)

    assert words_of(" ".join(words)) == words
    assert all(words)


@given(st.text(st.characters(codec="ascii")))
def test_plain_text_is_read_as_any_other(text: str) -> None:
    assert words_of(text + " é")[:-1] == words_of(text)
