import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import Target
from abilities_memory.claim_words import (
    ADVERBS,
    AUXILIARY,
    BREAKS,
    DETERMINERS,
    STARTS,
    STOPS,
)
from abilities_memory.claims import LONGEST, Claim, extract
from abilities_memory.sentences import split_sentences
from abilities_memory.verb_forms import FORMS, NOUNS

README = Target("files", "README.md")
GUIDE = Target("files", "docs/guide.md")
KNOWN = (
    README,
    GUIDE,
    Target("files", "src/main.py"),
    Target("notes", "Shopping list"),
    Target("notes", "Ideias"),
    Target("database", "orders/1001"),
)
PIECES = (
    *("updated", "created", "was", "were", "deleted", "not", "I", "the", "and", "but"),
    *("actualizei", "foi", "apagado", "não", "consegui", "apagar", "e", "a", "de"),
    *("it", "failed", "to", "in", "em", "rolled", "back", "name", "update", "of"),
    *(
        ", ",
        ". ",
        "? ",
        ": ",
        "\n",
        "«",
        "»",
        '"',
        "'",
        "`",
        "(",
        ")",
        "…",
        "\u2019s",
        "'s",
    ),
    *(target.name for target in KNOWN),
)
WORDS = sorted(
    {*FORMS, *NOUNS, *STARTS, *BREAKS, *STOPS, *AUXILIARY, *DETERMINERS, *ADVERBS}
)
prose = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(WORDS)), max_size=60
).map(" ".join)


def outcomes(narrative: str) -> list[tuple[str, str, str]]:
    return [
        (claim.action, str(claim.target), claim.outcome)
        for claim in extract(narrative, KNOWN)
    ]


@given(st.one_of(st.text(max_size=LONGEST + 10), prose))
def test_any_text_is_read_twice_alike_and_each_sentence_stands_in_it(text: str) -> None:
    claims = extract(text, KNOWN)
    assert claims == extract(text, reversed_known())
    assert len(claims) == len(set(claims))
    for claim in claims:
        assert claim.sentence in text
        assert claim.target is None or claim.target in KNOWN
        assert claim.target is not None or claim.outcome == "unverified"


def reversed_known() -> list[Target]:
    return list(reversed(KNOWN))


@given(st.text(max_size=300), st.text(min_size=1, max_size=30))
def test_any_name_may_be_known(text: str, name: str) -> None:
    known = [Target("notes", name), Target("files", f"{name}/{name}")]
    for claim in extract(f'Updated "{name}". {text}', known):
        assert claim.target is None or claim.target in known


@given(st.one_of(st.text(max_size=500), prose))
def test_sentences_are_parts_of_the_text_in_order_and_lose_no_letter(text: str) -> None:
    sentences = split_sentences(text)
    start = 0
    for sentence in sentences:
        start = text.index(sentence, start) + len(sentence)
    assert "".join("".join(sentences).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "piece", ["Updated README.md and ", "(", '"', ".", "a.b ", "created ", "docs/guide"]
)
def test_the_longest_narrative_is_read_and_no_more_of_it(piece: str) -> None:
    text = (piece * LONGEST)[:LONGEST]
    known = [Target("notes", f"Note number {number} of many") for number in range(5000)]
    assert extract(text + " Deleted README.md.", [*known, README]) == extract(
        text, [*known, README]
    )


def test_a_claim_holds_its_sentence() -> None:
    text = "Read it. Updated README.md, e.g. the end (v1.2). Done."
    sentence = "Updated README.md, e.g. the end (v1.2)."
    assert extract(text, KNOWN) == [Claim(sentence, "updated", README, "succeeded")]


def test_nothing_is_claimed_of_nothing() -> None:
    assert extract("", KNOWN) == []
    assert extract("Updated README.md.", []) == [
        Claim("Updated README.md.", "updated", None, "unverified")
    ]


@pytest.mark.parametrize(
    "spelling",
    [
        "README.md",
        "readme.MD",
        "./README.md",
        "`README.md`",
        "files:README.md",
        "RÉADME.md",
    ],
)
def test_a_name_may_be_spelt_with_other_case_and_accents(spelling: str) -> None:
    assert outcomes(f"Updated {spelling}.") == [
        ("updated", "files:README.md", "succeeded")
    ]


def test_a_plain_word_is_a_name_in_quotes_only() -> None:
    named = [("updated", "notes:Ideias", "succeeded")]
    assert outcomes("Actualizei «Ideias».") == named
    assert outcomes("Actualizei 'Ideias'.") == named
    assert outcomes("Actualizei ideias antigas.") == [("updated", "None", "unverified")]


def test_the_longest_name_wins_and_a_whole_one_wins_over_a_segment() -> None:
    known = [
        Target("notes", "Shopping list"),
        Target("notes", "Shopping list of May"),
        Target("files", "guide.md"),
        Target("files", "docs/guide.md"),
    ]
    found = extract("Deleted the shopping list of May. Updated guide.md.", known)
    assert [claim.target for claim in found] == [known[1], known[2]]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Updated README.md unless I was wrong.",
            [("updated", "files:README.md", "unverified")],
        ),
        (
            "Tried to delete README.md.",
            [("deleted", "files:README.md", "unverified")],
        ),
        (
            "I managed to delete README.md.",
            [("deleted", "files:README.md", "succeeded")],
        ),
        ("Made changes to README.md.", [("updated", "files:README.md", "succeeded")]),
        ("Moved the header of README.md.", [("moved", "None", "unverified")]),
        (
            "The client read README.md and deleted it.",
            [],
        ),
        (
            "Opened README.md, then changed the title.",
            [("updated", "files:README.md", "succeeded")],
        ),
        ("docs/guide.md substitui README.md.", []),
        ("They have deleted README.md.", []),
        ("Updated nothing in README.md.", []),
        ("I haven't created docs/guide.md, updated README.md or deleted it.", []),
        ("I neither updated README.md nor deleted docs/guide.md.", []),
        ("Nem README.md nem docs/guide.md foram apagados.", []),
        ("Pensei ter apagado README.md.", []),
        (
            "README.md was updated by the build script.",
            [("updated", "files:README.md", "unverified")],
        ),
        (
            "README.md was updated by accident.",
            [("updated", "files:README.md", "succeeded")],
        ),
        (
            "O utilizador disse que apaguei README.md.",
            [("deleted", "files:README.md", "unverified")],
        ),
        ("The deleted README.md was read.", []),
        ("I roll back README.md.", []),
        ("Apaguei-o.", [("deleted", "None", "unverified")]),
        ("Esqueci-me de README.md.", []),
        (
            "README.md is new and docs/guide.md; docs/guide.md was deleted.",
            [("deleted", "files:docs/guide.md", "succeeded")],
        ),
        (
            "According to docs/guide.md, README.md was deleted.",
            [("deleted", "files:README.md", "unverified")],
        ),
    ],
)
def test_what_a_sentence_claims(
    sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert outcomes(sentence) == expected
