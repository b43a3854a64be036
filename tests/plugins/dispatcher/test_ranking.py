import unicodedata
from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from abilities_dispatcher.ranking import rank, words_of
from abilities_host import Ability
from abilities_host.ability import Annotations

LETTERS = "abcdeéèçñõüAÉÇÑÕÜ"
TEXTS = st.lists(st.text(LETTERS, min_size=1, max_size=4), min_size=1, max_size=4).map(
    " ".join
)
QUERIES = st.lists(st.text(LETTERS, max_size=4), max_size=5).map(" ".join)


def ability(name: str, label: str = "-", text: str = "-", place: str = "-") -> Ability:
    return Ability(
        name=name,
        label=label,
        description=text,
        category=place,
        input_schema=None,
        output_schema=None,
        shown_input_schema={},
        shown_output_schema=None,
        requires="read",
        annotations=Annotations(),
        meta={},
    )


@st.composite
def catalogues(draw: st.DrawFn) -> list[Ability]:
    texts = draw(st.lists(st.tuples(TEXTS, TEXTS), max_size=12))
    return [
        ability(f"pack/tool-{number}", label, text)
        for number, (label, text) in enumerate(texts)
    ]


def unaccented(text: str) -> str:
    plain = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in plain if letter.isascii())


@settings(deadline=None)
@given(QUERIES, catalogues())
def test_a_search_finds_some_of_what_there_is_each_once(
    query: str, catalogue: list[Ability]
) -> None:
    found = rank(query, catalogue)

    assert set(found) <= {each.name for each in catalogue}
    assert len(set(found)) == len(found)
    assert rank(query, catalogue) == found


@settings(deadline=None)
@given(QUERIES, catalogues(), st.randoms(use_true_random=False))
def test_the_order_of_registration_does_not_matter(
    query: str, catalogue: list[Ability], random: Random
) -> None:
    shuffled = random.sample(catalogue, len(catalogue))

    assert rank(query, shuffled) == rank(query, catalogue)


@settings(deadline=None)
@given(QUERIES, catalogues())
def test_case_and_accents_do_not_matter(query: str, catalogue: list[Ability]) -> None:
    plain = [
        ability(each.name, unaccented(each.label), unaccented(each.description))
        for each in catalogue
    ]
    found = rank(query, catalogue)

    assert rank(query.upper(), catalogue) == found
    assert rank(unicodedata.normalize("NFD", query), catalogue) == found
    assert rank(unaccented(query), plain) == found


@settings(max_examples=30, deadline=None)
@given(catalogues())
def test_every_ability_is_found_by_each_word_of_its_own(
    catalogue: list[Ability],
) -> None:
    for each in catalogue:
        for word in words_of(f"{each.name} {each.label} {each.description}"):
            assert each.name in rank(word, catalogue)


def order(query: str, *catalogue: Ability) -> Sequence[str]:
    return [name.removeprefix("x/") for name in rank(query, catalogue)]


def test_name_counts_more_than_label_description_and_category() -> None:
    assert order(
        "mail",
        ability("x/d", place="mail"),
        ability("x/c", text="mail"),
        ability("x/b", label="mail"),
        ability("x/mail"),
        ability("x/none"),
    ) == ["mail", "b", "c", "d"]


def test_a_whole_word_comes_before_a_beginning_and_that_before_a_longer_one() -> None:
    assert order(
        "files",
        ability("x/c", label="file"),
        ability("x/b", label="filesystem"),
        ability("x/a2", label="FILES"),
        ability("x/a1", label="files"),
        ability("x/d", label="profiles"),
    ) == ["a1", "a2", "b", "c"]


def test_a_rare_word_counts_more_and_common_ones_alone_are_left_out() -> None:
    many = [ability(f"x/m{n}", text="does a thing for the host") for n in range(20)]

    assert order(
        "send a letter for the queen", *many, ability("x/post", text="send a letter")
    ) == ["post"]
    assert len(order("a thing", *many)) == 20


def test_a_rare_word_in_a_description_comes_before_a_common_one_in_a_label() -> None:
    many = [ability(f"x/m{number}", label="thing") for number in range(3)]

    assert order("thing post", ability("x/z", text="post"), ability("x/y"), *many) == [
        "z",
        "m0",
        "m1",
        "m2",
    ]


def test_one_letter_finds_whole_words_only() -> None:
    assert order("a", ability("x/1", label="ab"), ability("x/2", label="a b")) == ["2"]


def test_words_are_words_in_any_script() -> None:
    assert words_of("Éditer_le-fichier N°7, ЁЖ! 文件を हिन्दी") == (
        "editer",
        "le",
        "fichier",
        "n",
        "7",
        "еж",
        "文",
        "件",
        "を",
        "हिनदी",
    )


def test_signs_written_without_blanks_are_found_inside() -> None:
    assert order("检索", ability("x/1", text="全文检索文件"), ability("x/2")) == ["1"]


def test_a_query_of_many_words_is_bounded() -> None:
    query = " ".join(f"w{number}" for number in range(100))

    assert order(query, ability("x/w15"), ability("x/w16")) == ["w15"]


def test_only_the_beginning_of_a_huge_text_is_read() -> None:
    assert len(words_of("word " * 10_000)) == 800


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_plain_text_is_read_like_any_other(text: str) -> None:
    assert words_of(f"{text} é") == (*words_of(text), "e")
