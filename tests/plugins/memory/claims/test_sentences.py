import pytest

from abilities_memory.sentences import split_sentences


@pytest.mark.parametrize(
    ("narrative", "sentences"),
    [
        ("", []),
        (" \n\t", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Wait... done.", ["Wait...", "done."]),
        ("- one\n- two\n", ["- one", "- two"]),
        ("Read a.b/c.txt v1.2.3. Done.", ["Read a.b/c.txt v1.2.3.", "Done."]),
        ("Mudei, p. ex. o título. Fim.", ["Mudei, p. ex. o título.", "Fim."]),
        ("Ask Dr. Silva (e.g. today). Yes.", ["Ask Dr. Silva (e.g. today).", "Yes."]),
        ('He said "go." Then left.', ['He said "go."', "Then left."]),
    ],
)
def test_where_sentences_end(narrative: str, sentences: list[str]) -> None:
    assert split_sentences(narrative) == sentences
