"""What the first day of a reviewer names is there, and its pictures are light."""

import re

from docs.pages import DOCS, page

from abilities_host.admin.english import ENGLISH

PAGE = "how-to/first-day-of-a-reviewer.md"
PICTURES = DOCS / "pictures"


def test_every_word_in_bold_is_on_a_page() -> None:
    named = set(re.findall(r"\*\*(.+?)\*\*", page(PAGE).replace("\n", " ")))

    assert named - {"bold", *ENGLISH.values()} == set()


def test_every_picture_is_shown_is_light_and_has_words_for_it() -> None:
    kept = sorted(PICTURES.iterdir())
    shown = re.findall(r"!\[([^\]]+)\]\(\.\./pictures/([^)]+)\)", page(PAGE))

    assert [path.name for path in kept] == sorted(name for _, name in shown)
    assert [words for words, _ in shown if len(words) < 40] == []
    assert [p.name for p in kept if p.stat().st_size > 120_000] == []
    assert sum(p.stat().st_size for p in kept) < 1_200_000
