from typing import Any

from hooks.world import ability_of
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import Ability
from abilities_host.query import Query
from abilities_host.registry import Registry

LEAVES = st.sampled_from([True, False, 1, 0, 1.0, "1", "", None])
KEYS = st.sampled_from(["a", "b", "c"])
META = st.dictionaries(
    KEYS,
    LEAVES
    | st.lists(LEAVES, max_size=2)
    | st.dictionaries(KEYS, LEAVES | st.dictionaries(KEYS, LEAVES)),
)
WORDS = st.sampled_from(["Notes", "café", "STRASSE", "add", "delete"])


def abilities(metas: list[dict[str, Any]], labels: list[str]) -> tuple[Ability, ...]:
    registry = Registry()
    registry.register_category("math", label="Math", description="Sums.")
    for number, meta in enumerate(metas):
        label = labels[number % len(labels)]
        name = f"n{number % 3}/m{number}"
        registry.register_ability(name, **ability_of(meta=meta, label=label))
    return registry.list_abilities()


@given(st.lists(META, max_size=5), META)
def test_a_query_gives_a_subsequence_and_finds_each_by_its_own_meta(
    metas: list[dict[str, Any]], wanted: dict[str, Any]
) -> None:
    every = abilities(metas, ["x"])
    found = Query(meta=wanted).select(every)
    assert [ability for ability in every if ability in found] == list(found)
    assert all(Query(meta=a.meta).select([a]) == (a,) for a in every)


@given(META, META)
def test_more_conditions_never_find_more(
    meta: dict[str, Any], more: dict[str, Any]
) -> None:
    every = abilities([meta, more, meta | more], ["x"])
    few = set(map(id, Query(meta=meta | more).select(every)))
    many = set(map(id, Query(meta=meta).select(every)))
    overlap = meta.keys() & more.keys()
    assert overlap or few <= many


@given(META)
def test_values_that_are_equal_but_of_another_type_are_different(
    meta: dict[str, Any],
) -> None:
    (ability,) = abilities([{"n": 1, **{f"x-{k}": v for k, v in meta.items()}}], ["x"])
    wanted: list[Any] = [True, 1.0, "1", [1], {"n": 1}, None]
    assert [Query(meta={"n": n}).select([ability]) for n in wanted] == [()] * 6


@given(st.lists(WORDS, min_size=1, max_size=3))
def test_search_finds_words_in_any_order_case_and_accent(words: list[str]) -> None:
    (ability,) = abilities([{}], [" ".join(words)])
    for text in (" ".join(reversed(words)).upper(), "  ".join(words).lower()):
        assert Query(search=text).select([ability]) == (ability,)
    assert Query(search=f"{words[0]} nowhere").select([ability]) == ()


def test_search_looks_at_name_label_and_description_without_accents() -> None:
    (ability,) = abilities([{}], ["Déjà vu"])
    found = [
        bool(Query(search=text).select([ability]))
        for text in ("N0/M0", "deja", "DESCRIPTION", "math")
    ]
    assert found == [True, True, True, False]
