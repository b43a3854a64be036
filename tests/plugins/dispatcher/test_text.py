from hypothesis import given, settings
from hypothesis import strategies as st

from abilities_dispatcher.text import one_line, shorten


def test_a_text_is_cut_where_a_word_ends() -> None:
    assert [shorten("one two three", limit) for limit in (13, 12, 8, 7, 4, 3, 1)] == [
        "one two three",
        "one two…",
        "one two…",
        "one…",
        "one…",
        "on…",
        "…",
    ]


@settings(deadline=None)
@given(st.text(), st.integers(1, 40))
def test_a_shortened_text_is_a_beginning_within_the_limit(
    text: str, limit: int
) -> None:
    short = shorten(text, limit)

    assert len(short) <= limit
    assert short == text or text.startswith(short.removesuffix("…"))
    assert len(one_line(text, limit).splitlines()) <= 1
