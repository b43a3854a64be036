import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from abilities_host import Target
from abilities_memory.claims import Claim, extract

HERE = Path(__file__).parent
PRECISION = 0.95
RECALL = 0.6

Told = tuple[str, str, str]


class Score(NamedTuple):
    """How what was read compares with the labels."""

    precision: float
    recall: float
    wrong: list[str]
    missed: list[str]


def known() -> list[Target]:
    names = json.loads((HERE / "known.json").read_text(encoding="utf-8"))
    return [Target(*name.split(":", 1)) for name in names]


def rows(name: str) -> list[dict[str, Any]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def told(claims: Iterable[Claim]) -> set[Told]:
    return {
        (claim.action, str(claim.target), claim.outcome)
        for claim in claims
        if claim.outcome != "unverified"
    }


def score(labels: list[dict[str, Any]]) -> Score:
    right = 0
    wrong, missed = [], []
    targets = known()
    for row in labels:
        expected = {(c["action"], c["target"], c["outcome"]) for c in row["claims"]}
        found = told(extract(row["sentence"], targets))
        right += len(found & expected)
        wrong += [f"{row['sentence']} -> {each}" for each in found - expected]
        missed += [f"{row['sentence']} -> {each}" for each in expected - found]
    precision = right / (right + len(wrong))
    return Score(precision, right / (right + len(missed)), wrong, missed)


def report(name: str, found: Score) -> str:
    lines = [f"{name}: precision {found.precision:.3f}, recall {found.recall:.3f}"]
    lines += ["wrong:", *found.wrong, "missed:", *found.missed]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["labels.jsonl", "unseen.jsonl", "held_out.jsonl"])
def test_what_is_read_is_right_and_most_of_it_is_read(name: str) -> None:
    found = score(rows(name))
    is_good = found.precision >= PRECISION and found.recall >= RECALL
    assert is_good, report(name, found)


@pytest.mark.parametrize("language", ["en", "pt"])
def test_neither_language_is_read_worse(language: str) -> None:
    labels = [row for row in rows("labels.jsonl") if row["language"] == language]
    found = score(labels)
    is_good = found.precision >= PRECISION and found.recall >= RECALL
    assert is_good, report(language, found)


def test_a_claim_about_nothing_known_is_unverified() -> None:
    targets = known()
    vague = [row["sentence"] for row in rows("labels.jsonl") if "unverified" in row]
    assert [
        sentence
        for sentence in vague
        if {claim.outcome for claim in extract(sentence, targets)} != {"unverified"}
    ] == []


def test_the_labels_are_many_and_half_of_them_portuguese() -> None:
    labels = rows("labels.jsonl")
    portuguese = sum(row["language"] == "pt" for row in labels)
    names = {str(target) for target in known()}
    assert len(labels) >= 170
    assert abs(portuguese - len(labels) / 2) <= 2
    assert {c["target"] for row in labels for c in row["claims"]} <= names
