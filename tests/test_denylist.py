"""One resolver: its precedence, its patterns, and what can never be loosened."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.ability import Ability, Annotations
from abilities_host.denylist import Decision, DenyList, ServerView, Switches
from abilities_host.frozen import FrozenDict


def ability(name: str, *, readonly: bool | None = None, **more: Any) -> Ability:
    return Ability(
        name=name,
        label=name,
        description=name,
        category="tests",
        input_schema=None,
        output_schema=None,
        shown_input_schema=FrozenDict(),
        shown_output_schema=None,
        requires="read",
        annotations=Annotations(readonly=readonly),
        meta=FrozenDict(),
        **more,
    )


READ = ability("files/read", readonly=True)
WRITE = ability("files/write")
DEFAULT = ServerView("default")
ON = Decision(is_active=True, why="on: nothing turns it off")


def off(why: str) -> Decision:
    return Decision(is_active=False, why=why)


def on(why: str) -> Decision:
    return Decision(is_active=True, why=why)


@pytest.mark.parametrize(
    ("switches", "choices", "defaults_off", "server", "decision"),
    [
        pytest.param({}, {}, [], DEFAULT, ON, id="on-when-nothing-is-said"),
        pytest.param(
            {"disabled": ("files/*",), "enabled": ("files/write",)},
            {"files/write": True},
            [],
            None,
            off("configuration: disabled has 'files/*'"),
            id="floor-beats-toggle-and-enabled",
        ),
        pytest.param(
            {"read_only": True},
            {"files/write": True},
            [],
            None,
            off("configuration: read_only is true and this is a write"),
            id="read-only-beats-toggle",
        ),
        pytest.param(
            {"kill_switch": True},
            {"files/write": True},
            [],
            DEFAULT,
            off("configuration: kill_switch is true"),
            id="kill-switch-beats-toggle-on-a-server",
        ),
        pytest.param(
            {"kill_switch": True}, {}, [], None, ON, id="kill-switch-spares-the-process"
        ),
        pytest.param(
            {},
            {"files/write": True},
            [],
            ServerView("a", enabled=False),
            off("server 'a' is off"),
            id="kill-switch-of-one-server",
        ),
        pytest.param(
            {"enabled": ("files/write",)},
            {"files/write": False},
            [],
            DEFAULT,
            off("toggle: 'files/write' is off"),
            id="toggle-beats-enabled",
        ),
        pytest.param(
            {"enabled": ("files/w*",)},
            {},
            ["files/write"],
            DEFAULT,
            on("configuration: enabled has 'files/w*'"),
            id="enabled-beats-default-step",
        ),
        pytest.param(
            {},
            {"files/write": True},
            ["files/write"],
            DEFAULT,
            on("toggle: 'files/write' is on"),
            id="toggle-beats-default-step",
        ),
        pytest.param(
            {},
            {},
            ["files/write"],
            DEFAULT,
            off("default step: off until somebody turns it on"),
            id="default-step-beats-on",
        ),
        pytest.param(
            {},
            {"files/write": True, "files/*": False, "*": False},
            [],
            DEFAULT,
            on("toggle: 'files/write' is on"),
            id="exact-toggle-beats-patterns",
        ),
        pytest.param(
            {},
            {"*": False, "files/*": True, "??????????????": False},
            [],
            DEFAULT,
            on("toggle: 'files/*' is on"),
            id="more-literal-toggle-beats-the-others",
        ),
        pytest.param(
            {},
            {"files/*": True, "*/write": False, "files/w????": True},
            [],
            DEFAULT,
            on("toggle: 'files/w????' is on"),
            id="more-literal-toggle-beats-a-deny",
        ),
        pytest.param(
            {},
            {"files/*": True, "*write?": False, "*/write": False},
            [],
            DEFAULT,
            off("toggle: '*/write' is off"),
            id="deny-wins-a-tie",
        ),
        pytest.param(
            {},
            {"files/write": True},
            [],
            ServerView("a", exclude=("*/write",)),
            off("server 'a' excludes '*/write'"),
            id="server-excludes",
        ),
        pytest.param(
            {},
            {"files/write": True},
            [],
            ServerView("a", include=(("files/*",), ("notes/*", "files/read"))),
            off("server 'a' does not include it"),
            id="server-must-include-it-in-every-layer",
        ),
        pytest.param(
            {},
            {},
            [],
            ServerView("a", include=(("files/*",), ("files/write",))),
            ON,
            id="server-includes-it-in-every-layer",
        ),
    ],
)
def test_the_first_of_the_precedence_that_speaks_decides(
    switches: Mapping[str, Any],
    choices: Mapping[str, bool],
    defaults_off: list[str],
    server: ServerView | None,
    decision: Decision,
) -> None:
    denylist = DenyList(Switches(**switches), choices, frozenset(defaults_off))

    assert denylist.decide(WRITE, server) == decision
    assert denylist.is_active(WRITE, server) == decision.is_active


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("files/*", "files/read", True),
        ("files/*", "myfiles/read", False),
        ("*", "files/read", True),
        ("files/rea?", "files/read", True),
        ("files/rea?", "files/rea", False),
        ("files/[r]ead", "files/read", False),
        ("files/read", "files/read-all", False),
        ("files", "files/read", False),
    ],
)
def test_a_pattern_covers_the_whole_name_and_knows_two_wildcards(
    pattern: str, name: str, *, matches: bool
) -> None:
    denylist = DenyList(Switches(disabled=(pattern,)))

    assert denylist.is_active(ability(name)) is not matches


def test_read_only_leaves_reads_and_routes_and_takes_hardened_reads() -> None:
    route = ability("dispatcher/call-tool", is_route=True)
    hardened = ability("reports/run", readonly=True)
    denylist = DenyList(Switches(read_only=True, treat_as_write=("reports/*",)))

    active = denylist.filter_active([WRITE, READ, hardened, route])

    assert active == (READ, route)
    assert [denylist.is_write(each) for each in (WRITE, READ, hardened, route)] == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("switches", "choices", "defaults_off", "is_active"),
    [
        ({"disabled": ("old/name",)}, {}, [], False),
        ({"treat_as_write": ("old/*",), "read_only": True}, {}, [], False),
        ({}, {"old/name": False}, [], False),
        ({}, {"old/*": False}, [], False),
        ({}, {"old/name": True}, ["old/name"], True),
        ({}, {"old/name": False, "new/name": True}, [], True),
        ({}, {"old/name": True, "older/name": False}, [], False),
        ({}, {}, ["old/name"], False),
        ({"enabled": ("old/name",)}, {}, ["new/name"], True),
    ],
)
def test_what_was_said_of_an_earlier_name_holds_for_the_new_one(
    switches: Mapping[str, Any],
    choices: Mapping[str, bool],
    defaults_off: list[str],
    *,
    is_active: bool,
) -> None:
    renamed = ability(
        "new/name", readonly=True, renamed_from=("old/name", "older/name")
    )
    denylist = DenyList(Switches(**switches), choices, frozenset(defaults_off))

    assert denylist.is_active(renamed) is is_active


def test_a_server_excludes_by_earlier_names_and_includes_by_the_present_one() -> None:
    renamed = ability("new/name", renamed_from=("old/name",))
    denylist = DenyList(Switches())

    answers = [
        denylist.is_active(renamed, ServerView("a", exclude=("old/*",))),
        denylist.is_active(renamed, ServerView("a", include=(("old/*",),))),
        denylist.is_active(renamed, ServerView("a", include=(("new/*",),))),
    ]

    assert answers == [False, False, True]


def test_an_answer_is_not_remembered_for_another_ability_or_server() -> None:
    denylist = DenyList(Switches(read_only=True))
    again = ability("files/read")

    answers = [
        denylist.is_active(READ),
        denylist.is_active(READ),
        denylist.is_active(again),
        denylist.is_active(READ, ServerView("a")),
        denylist.is_active(READ, ServerView("a", exclude=("files/*",))),
    ]

    assert answers == [True, True, False, True, False]


def test_a_change_makes_a_new_deny_list_and_leaves_the_old_one() -> None:
    first = DenyList(Switches())
    second = first.with_state({"files/read": False}, frozenset({"files/write"}))
    third = second.with_switches(Switches(enabled=("files/write",)))

    active = [each.filter_active([READ, WRITE]) for each in (first, second, third)]

    assert active == [(READ, WRITE), (), (WRITE,)]
    assert repr(third) == f"DenyList({third.switches!r}, 1 choices)"


def test_names_that_match_nothing_are_reported_once_and_kept() -> None:
    denylist = DenyList(
        Switches(
            disabled=("files/*", "gone/x"),
            enabled=("gone/x", "files/write"),
            treat_as_write=("repotrs/*",),
        ),
        {"third-party/tool": False, "files/read": True},
    )

    unknown = denylist.unknown(["files/read", "files/write"])

    assert unknown == ["gone/x", "repotrs/*", "third-party/tool"]


NAMES = st.sampled_from([f"{a}/{b}" for a in ("files", "notes") for b in "abc"])
PATTERNS = NAMES | st.sampled_from(["*", "files/*", "*/a", "note?/*", "?????/b"])
CHOICES = st.dictionaries(PATTERNS, st.booleans(), max_size=4)
SWITCHES = st.builds(
    Switches,
    disabled=st.lists(PATTERNS, max_size=2).map(tuple),
    enabled=st.lists(PATTERNS, max_size=2).map(tuple),
    read_only=st.booleans(),
    kill_switch=st.booleans(),
    treat_as_write=st.lists(PATTERNS, max_size=2).map(tuple),
)
SERVERS = st.none() | st.builds(
    ServerView,
    id=st.just("a"),
    enabled=st.booleans(),
    include=st.lists(st.lists(PATTERNS, max_size=3).map(tuple), max_size=2).map(tuple),
    exclude=st.lists(PATTERNS, max_size=2).map(tuple),
)
DENYLISTS = st.builds(DenyList, SWITCHES, CHOICES, st.frozensets(NAMES))
ABILITIES = st.lists(
    st.builds(ability, NAMES, readonly=st.sampled_from([True, False, None]))
)


def matched(pattern: str, name: str) -> bool:
    """Say the rule once more, the slow and plain way."""
    plain = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(plain, name) is not None


@given(DENYLISTS, ABILITIES, SERVERS)
def test_the_floor_always_wins(
    denylist: DenyList, abilities: list[Ability], server: ServerView | None
) -> None:
    active = denylist.filter_active(abilities, server)

    said = denylist.switches
    assert not [a for a in active for p in said.disabled if matched(p, a.name)]
    assert not (said.read_only and [a for a in active if a.is_write])
    assert not (server and active and (said.kill_switch or not server.enabled))


@given(DENYLISTS, ABILITIES, SERVERS)
def test_the_order_is_kept_and_each_answer_is_its_decision(
    denylist: DenyList, abilities: list[Ability], server: ServerView | None
) -> None:
    expected = [a for a in abilities if denylist.decide(a, server).is_active]

    assert list(denylist.filter_active(abilities, server)) == expected


@given(DENYLISTS, ABILITIES, SERVERS, PATTERNS)
def test_one_more_disabled_pattern_never_makes_anything_active(
    denylist: DenyList,
    abilities: list[Ability],
    server: ServerView | None,
    pattern: str,
) -> None:
    said = denylist.switches
    stricter = denylist.with_switches(
        Switches(
            disabled=(*said.disabled, pattern),
            enabled=said.enabled,
            read_only=said.read_only,
            kill_switch=said.kill_switch,
            treat_as_write=said.treat_as_write,
        )
    )

    before = {id(a) for a in denylist.filter_active(abilities, server)}
    after = {id(a) for a in stricter.filter_active(abilities, server)}
    assert after <= before


@given(DENYLISTS, ABILITIES, SERVERS)
def test_a_server_only_takes_away(
    denylist: DenyList, abilities: list[Ability], server: ServerView | None
) -> None:
    inside = {id(a) for a in denylist.filter_active(abilities)}
    exposed = {id(a) for a in denylist.filter_active(abilities, server)}

    assert exposed <= inside
