"""Text is compared without case and accents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Olá Não", "ola nao"),
        ("STRASSE", "strasse"),
        ("straße", "strasse"),
        ("㎒", "mhz"),
        ("e\u0301", "e"),
        ("Ω", "ω"),
        ("日本", "日本"),
    ],
)
def test_case_and_accents_are_gone(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
