"""Equal bytes mean the same, and any change of what is said changes them."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import fold
from abilities_host.memory.guidance import Guidance, Scope
from abilities_host.memory.topic import Topic
from abilities_memory.canonical import canonical_guidance, canonical_topic, hash_of

ONE = Guidance(
    id="gm-001",
    type="guardrail",
    topic="redirects",
    text="Never remove a redirect.",
    rationale="Links from outside break.",
    recall=("redirect", "301"),
    scope=Scope(target="file:redirects/*"),
    priority=5,
    class_="procedure",
    rule={"domain": "file", "effect": "deny", "when": {"a": 1, "b": [2, 3]}},
    supersedes="gm-000",
    proposed_by="ann",
    proposed_at=1,
)
OTHER: Mapping[str, Any] = {
    "type": "fact",
    "topic": "links",
    "text": "Never remove a redirect",
    "rationale": "Links from outside break!",
    "recall": ("redirect",),
    "scope": Scope(target="file:redirects/a"),
    "priority": 6,
    "class_": "fact",
    "rule": None,
    "supersedes": "",
}
NO_MATTER: Mapping[str, Any] = {
    "id": "gm-002",
    "status": "approved",
    "source": "manual",
    "proposed_by": "bob",
    "proposed_at": 2,
    "reviewed_by": "ana",
    "reviewed_at": 3,
    "duplicate_of": "gm-000",
}
TOPIC = Topic(name="links", recall=("link",), exclude=("chain",))

words = st.lists(st.text(min_size=1, max_size=5), max_size=4).map(tuple)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
guidances = st.builds(
    Guidance,
    id=st.just("gm-001"),
    type=st.sampled_from(["guardrail", "fact", "convention", "instruction"]),
    topic=st.sampled_from(["a", "b"]),
    text=st.text('ab,é"\\\n', max_size=4),
    rationale=st.text("ab", max_size=2),
    recall=words,
    scope=st.builds(
        Scope,
        site_wide=st.booleans(),
        post_id=st.none() | st.integers(0, 2),
        target=st.sampled_from(["", "a:b"]),
    ),
    priority=st.integers(-1, 1),
    rule=st.none() | st.dictionaries(st.text(max_size=2), json_values, max_size=3),
    proposed_by=st.just("ann"),
    proposed_at=st.just(1),
)


def meaning(guidance: Guidance) -> tuple[Any, ...]:
    return (
        guidance.type,
        guidance.topic,
        guidance.text,
        guidance.rationale,
        frozenset(fold(word) for word in guidance.recall),
        guidance.scope,
        guidance.priority,
        guidance.class_,
        strict(guidance.rule),
        guidance.supersedes,
    )


def strict(value: Any) -> Any:
    """Tell True from 1, which Python takes for equal."""
    if isinstance(value, dict):
        return {name: strict(each) for name, each in value.items()}
    if isinstance(value, list):
        return [strict(each) for each in value]
    return type(value).__name__, value


@given(guidances, guidances)
def test_bytes_are_equal_if_and_only_if_the_meaning_is(
    one: Guidance, other: Guidance
) -> None:
    is_equal = canonical_guidance(one) == canonical_guidance(other)
    assert is_equal == (meaning(one) == meaning(other))


@given(guidances, st.randoms())
def test_order_and_spelling_of_words_and_keys_count_for_nothing(
    one: Guidance, random: Any
) -> None:
    recall, keys = list(one.recall), list(one.rule or {})
    random.shuffle(recall)
    random.shuffle(keys)
    rule = {key: one.rule[key] for key in keys} if one.rule is not None else None
    same = replace(one, recall=(*(fold(word) for word in recall), *recall), rule=rule)
    assert canonical_guidance(same) == canonical_guidance(one)


def test_every_part_either_changes_the_hash_or_is_known_not_to() -> None:
    first = hash_of(canonical_guidance(ONE))
    changed = {
        name: hash_of(canonical_guidance(replace(ONE, **{name: value}))) != first
        for name, value in {**OTHER, **NO_MATTER}.items()
    }
    assert changed == {each.name: each.name in OTHER for each in fields(Guidance)}


@pytest.mark.parametrize(
    "scope", [Scope(), Scope(site_wide=False), Scope(post_id=0), Scope(post_id=1)]
)
def test_every_part_of_a_scope_counts(scope: Scope) -> None:
    others = [Scope(), Scope(site_wide=False), Scope(post_id=0), Scope(post_id=1)]
    same = [
        each
        for each in others
        if canonical_guidance(replace(ONE, scope=each))
        == canonical_guidance(replace(ONE, scope=scope))
    ]
    assert same == [scope]


def test_every_part_of_a_topic_counts() -> None:
    others = [
        replace(TOPIC, name="other"),
        replace(TOPIC, state="inactive"),
        replace(TOPIC, always_on=True),
        replace(TOPIC, recall=()),
        replace(TOPIC, exclude=()),
        replace(TOPIC, recall=("chain",), exclude=("link",)),
    ]
    assert len({canonical_topic(each) for each in (TOPIC, *others)}) == len(others) + 1
    assert canonical_topic(replace(TOPIC, name="LINKS", recall=("LINK",))) == (
        canonical_topic(TOPIC)
    )


def test_the_form_never_changes() -> None:
    assert canonical_guidance(replace(ONE, rule={"b": 1, "a": "é"}, scope=Scope())) == (
        b'{"class":"procedure","form":"guidance/1","post_id":null,"priority":5,'
        b'"rationale":"Links from outside break.","recall":["301","redirect"],'
        b'"rule":{"a":"\\u00e9","b":1},"site_wide":true,"supersedes":"gm-000",'
        b'"target":"","text":"Never remove a redirect.","topic":"redirects",'
        b'"type":"guardrail"}'
    )
    assert hash_of(b"") == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
