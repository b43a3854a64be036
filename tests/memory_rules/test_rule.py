"""A rule stops exactly the writes that fit all of it, and what nobody can tell."""

from typing import Any

import pytest
from memory_rules.writes import RULE, A, B, entry, undoing, write

from abilities_host import MISSING, State, Target
from abilities_host.frozen import freeze
from abilities_host.memory.rule import Rule, RuleBroken, covering_of, parse_rule


def rule(**parts: Any) -> Rule:
    return parse_rule({**RULE, **parts})


# --- domain and targets -------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "stops"),
    [
        ([A], True),
        ([B], False),
        ([B, A], True),
        ([Target("notes", "config/a")], False),
        ([], False),
    ],
)
async def test_domain_and_target_come_first(targets: list[Target], stops: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert await rule().stops(write(dict.fromkeys(targets, "x"))) is stops
    assert any(map(rule().covers, targets)) is stops


# --- narrowing ----------------------------------------------------------------

NARROWED: list[tuple[dict[str, Any], Any, bool]] = [
    ({"abilities": ["files/*"]}, write({A: "x"}), True),
    ({"abilities": ["notes/*", "*/write"]}, write({A: "x"}), True),
    ({"abilities": ["files"]}, write({A: "x"}), True),
    ({"abilities": ["files/move"]}, write({A: "x"}), False),
    ({"actions": ["created"]}, write({A: MISSING}), True),
    ({"actions": ["created"]}, write({A: "x"}), False),
    ({"actions": ["updated"]}, write({A: "x"}), True),
    ({"actions": ["deleted"]}, write({A: "x"}), True),
    ({"actions": ["updated", "deleted"]}, write({A: MISSING}), False),
    ({"target": {"pattern": "a$"}}, write({A: "x"}), True),
    ({"target": {"pattern": "b$"}}, write({A: "x"}), False),
    ({"target": {"pattern": "b$"}}, write({A: "x", B: "x"}), False),
    ({"arguments": {"required": ["force"]}}, write({A: "x"}, {"force": 1}), True),
    ({"arguments": {"required": ["force"]}}, write({A: "x"}, {"f": 1}), False),
    ({"arguments": {"required": ["f"]}}, write({A: "x"}, freeze({"f": [{}]})), True),
    ({"arguments": {"type": "null"}}, write({A: "x"}), True),
    (
        # An object may hold more than the rule describes.
        {"arguments": {"properties": {"f": {"const": 1}}, "required": ["f"]}},
        write({A: "x"}, {"f": 1, "more": 2}),
        True,
    ),
    ({"before": {"const": "x"}}, write({A: "x"}), True),
    ({"before": {"const": "x"}}, write({A: "y"}), False),
    ({"before": {"const": "x"}}, write({A: "y", B: "x"}), False),
    ({"before": {"required": ["k"]}}, write({A: {"k": [1]}}), True),
    # There is no state that could fit.
    ({"before": {}}, write({A: MISSING}), False),
    # No schema says anything of bytes.
    ({"before": {"const": "x"}}, write({A: b"y"}), True),
]


@pytest.mark.parametrize(("parts", "proposed", "stops"), NARROWED)
async def test_whatever_narrows_it_must_fit(
    parts: Any,
    proposed: Any,
    stops: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    assert await rule(**parts).stops(proposed) is stops


async def test_everything_that_narrows_it_must_fit_one_target() -> None:
    narrowed = rule(targets=["**"], actions=["created"], target={"pattern": "^f"})
    assert not await narrowed.stops(write({A: MISSING, B: "x"}))
    assert await narrowed.stops(write({A: "x", B: MISSING}))


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [nested(70), "x" * (1 << 20), 1 << 80, float("nan")], ids=str
)
async def test_what_no_validator_can_look_at_counts_as_fitting(value: Any) -> None:
    never = {"const": "never"}
    assert await rule(before=never).stops(write({A: value}))
    assert await rule(arguments=never).stops(write({A: "x"}, {"a": value}))


# --- undo ---------------------------------------------------------------------

UNDONE: list[tuple[dict[str, Any], Any, bool]] = [
    ({}, undoing("new", "old"), True),
    ({}, undoing("new", "old", target=B), False),
    ({"abilities": ["files/write"]}, undoing("new", "old"), True),
    ({"abilities": ["ledger/*"]}, undoing("new", "old"), True),
    ({"abilities": ["files/move"]}, undoing("new", "old"), False),
    # Undoing a creation deletes, and is about the creation all the same.
    ({"actions": ["deleted"]}, undoing("new", MISSING), True),
    ({"actions": ["created"]}, undoing("new", MISSING), True),
    ({"actions": ["updated"]}, undoing("new", MISSING), False),
    ({"actions": ["created"]}, undoing(MISSING, "old"), True),
    ({"actions": ["deleted"]}, undoing(MISSING, "old"), True),
    ({"actions": ["updated"]}, undoing("new", "old"), True),
    ({"actions": ["created", "deleted"]}, undoing("new", "old"), False),
    ({"before": {"const": "new"}}, undoing("new", "old"), True),
    ({"before": {"const": "old"}}, undoing("new", "old"), True),
    ({"before": {"const": "else"}}, undoing("new", "old"), False),
    # Forced: what is there is not what the change left.
    ({"before": {"const": "else"}}, undoing("new", "old", now="else"), True),
    ({"arguments": {"required": ["id"]}}, undoing("n", "o", arguments={}), True),
    ({"arguments": {"required": ["f"]}}, undoing("n", "o", arguments={"f": 1}), True),
    ({"arguments": {"required": ["f"]}}, undoing("n", "o", arguments={}), False),
    # Nobody kept the arguments, or they are hidden.
    (
        {"arguments": {"type": "object"}, "abilities": ["files/*"]},
        undoing("n", "o"),
        True,
    ),
    (
        {"arguments": {"properties": {"p": {"const": "s"}}, "required": ["p"]}},
        undoing("n", "o", arguments={"p": "(hidden)"}),
        True,
    ),
    # Ability and arguments are those of one of the two.
    (
        {"abilities": ["ledger/*"], "arguments": {"required": ["f"]}},
        undoing("n", "o", arguments={"f": 1}),
        False,
    ),
]


@pytest.mark.parametrize(("parts", "proposed", "stops"), UNDONE)
async def test_an_undo_is_the_write_it_performs_and_the_one_it_undoes(
    parts: Any,
    proposed: Any,
    stops: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    assert await rule(**parts).stops(proposed) is stops


@pytest.mark.parametrize("action", ["created", "updated", "deleted"])
async def test_an_undo_that_changes_nothing_fits_every_action(action: str) -> None:
    assert await rule(actions=[action]).stops(undoing(MISSING, MISSING))


# --- the record ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "recorded", "would"),
    [
        ({}, entry(), True),
        ({}, entry(B), False),
        ({}, entry(Target("notes", "config/a")), False),
        ({"abilities": ["files/move"]}, entry(), False),
        ({"abilities": ["files/move"]}, entry(name="files/move"), True),
        ({"actions": ["deleted"]}, entry(), False),
        ({"actions": ["deleted"]}, entry(action="deleted"), True),
        ({"target": {"pattern": "b$"}}, entry(), False),
        ({"arguments": {"const": 1}, "before": {"const": 1}}, entry(), True),
    ],
)
def test_the_record_is_compared_as_far_as_it_tells(
    parts: Any,
    recorded: Any,
    would: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    assert rule(**parts).would_stop(recorded) is would


# --- spelling -----------------------------------------------------------------


def test_patterns_are_also_taken_as_the_domain_spells_them() -> None:
    spelt = rule(targets=["Config/A*", "x"]).respelt(str.lower)

    assert [
        spelt.covers(Target("files", name)) for name in ("config/ab", "Config/Ab", "X")
    ] == [True, True, False]


def test_a_domain_that_knows_no_such_name_leaves_patterns_as_they_are() -> None:
    def refuse(name: str) -> str:
        raise ValueError(name)

    narrow = rule()
    assert narrow.respelt(refuse).covers(A)
    assert narrow.respelt(lambda _: "../x").covering is narrow.covering
    assert narrow.respelt(lambda name: name).covering is narrow.covering


# --- what is no rule ----------------------------------------------------------

BROKEN: list[tuple[Any, str]] = [
    (None, ": it is no object."),
    ([RULE], ": it is no object."),
    ({**RULE, "efect": 1}, ": 'efect' is no field of a rule. Did you mean 'effect'?"),
    (
        {**RULE, "x\u202e": 1},
        (
            ": 'x\\u202e' is no field of a rule. There are: domain, targets, "
            "abilities, actions, arguments, target, before, effect, message."
        ),
    ),
    ({**RULE, "message": "x" * 16_000}, ": it is longer than 16,000 characters."),
    ({**RULE, "message": nested(70)}, ": it is nested more than 64 deep."),
    ({**RULE, 1: 1}, ": it has a key of type int, not text."),
    (
        {"targets": ["a"], "effect": "deny"},
        " in 'domain': it must name a domain, such as 'files'.",
    ),
    ({**RULE, "domain": ""}, " in 'domain': it must name a domain, such as 'files'."),
    (
        {**RULE, "domain": "*"},
        " in 'domain': a domain is named in full, without wildcards.",
    ),
    (
        {**RULE, "domain": "f\u0456les"},
        " in 'domain': a domain is named in full, without wildcards.",
    ),
    ({**RULE, "targets": "a"}, " in 'targets': it must be a list of 1 to 100 texts."),
    ({**RULE, "targets": []}, " in 'targets': it must be a list of 1 to 100 texts."),
    (
        {**RULE, "targets": ["a"] * 101},
        " in 'targets': it must be a list of 1 to 100 texts.",
    ),
    ({**RULE, "targets": [1]}, " in 'targets': it must be a list of texts."),
    (
        {**RULE, "abilities": ["Files/x"]},
        (
            " in 'abilities': 'Files/x' matches none: an ability is named in small "
            "letters, such as 'files/*'."
        ),
    ),
    (
        {**RULE, "abilities": ["a/b/c"]},
        (
            " in 'abilities': 'a/b/c' matches none: an ability is named in small "
            "letters, such as 'files/*'."
        ),
    ),
    (
        {**RULE, "actions": ["create"]},
        " in 'actions': they are created, deleted, updated. Did you mean 'created'?",
    ),
    (
        {**RULE, "effect": "denny"},
        " in 'effect': it must be one of deny, approve, confirm. Did you mean 'deny'?",
    ),
    (
        {"domain": "files", "targets": ["a"]},
        " in 'effect': it must be one of deny, approve, confirm.",
    ),
    (
        {**RULE, "effect": ["deny"]},
        " in 'effect': it must be one of deny, approve, confirm.",
    ),
    (
        {**RULE, "message": "x" * 301},
        " in 'message': it must be a text of at most 300 characters.",
    ),
    (
        {**RULE, "message": None},
        " in 'message': it must be a text of at most 300 characters.",
    ),
    ({**RULE, "before": None}, " in 'before': it must be a JSON Schema, an object."),
]


@pytest.mark.parametrize(("written", "sentence"), BROKEN)
def test_what_is_no_rule_is_refused_with_the_fix(written: Any, sentence: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        parse_rule(written)
    assert str(refused.value) == f"The rule cannot be enforced{sentence}"
    assert refused.value.code == "rule_broken"


# --- what a broken rule covers ------------------------------------------------

ELSEWHERE = Target("notes", "x")


@pytest.mark.parametrize(
    ("written", "covered"),
    [
        (RULE, [A]),
        ({**RULE, "effect": 1}, [A]),
        ({**RULE, "targets": ["**/b"]}, [B]),
        ({**RULE, "targets": ["a**"]}, [A, B]),
        ({**RULE, "targets": None}, [A, B]),
        ({**RULE, "domain": None}, [A, B, ELSEWHERE]),
        ([], [A, B, ELSEWHERE]),
        (None, [A, B, ELSEWHERE]),
    ],
)
def test_what_is_broken_covers_all_that_it_may_be_about(
    written: Any, covered: list[Target]
) -> None:
    covering = covering_of(written)

    assert [t for t in (A, B, ELSEWHERE) if covering.covers(t)] == covered
    assert covering.is_total == (ELSEWHERE in covered)


async def test_a_state_is_not_asked_for_unless_the_rule_is_about_it() -> None:
    class Careful(dict[Target, State]):
        def __getitem__(self, target: Target) -> State:
            raise AssertionError(target)

    proposed = write(Careful({A: "x", B: "x"}))

    assert await rule().stops(proposed)
    assert not await rule(targets=["other"], before={}).stops(proposed)
