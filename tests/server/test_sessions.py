"""Sessions of clients that have none of the protocol."""

from typing import Any

import pytest
from mcp import MCPError

from abilities_host import Actor
from abilities_host.server.sessions import IDLE_SECONDS, Sessions

ONE, TWO = Actor("one"), Actor("two")


class Clock:
    """A clock that stands until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_calls_of_one_actor_and_client_belong_together() -> None:
    sessions = Sessions("default", clock=Clock())
    callers = [(ONE, "a"), (ONE, "b"), (TWO, "a"), (ONE, "a")]
    first, other_client, other_actor, again = (
        sessions.of_client(actor, client) for actor, client in callers
    )

    assert first == again
    assert len({first, other_client, other_actor}) == 3


def test_half_an_hour_without_a_call_ends_one() -> None:
    clock = Clock()
    sessions = Sessions("default", clock=clock)
    found = []
    for clock.now in (0, IDLE_SECONDS - 1, 2 * IDLE_SECONDS - 2, 3 * IDLE_SECONDS):
        found.append(sessions.of_client(ONE, "a"))

    assert found[0] == found[1] == found[2] != found[3]


def test_only_so_many_are_remembered_and_the_longest_unused_goes_first() -> None:
    sessions = Sessions("default", limit=2, clock=Clock())
    first, second = (sessions.of_client(ONE, name) for name in "ab")
    assert sessions.of_client(ONE, "a") == first
    sessions.of_client(ONE, "c")

    assert len(sessions) == 2
    assert sessions.of_client(ONE, "a") == first
    assert sessions.of_client(ONE, "b") != second


def test_a_named_one_stays_the_same_inside_its_actor_and_server_only() -> None:
    sessions, other = Sessions("default"), Sessions("other")
    made = sessions.named(ONE, "mine")

    assert made == Sessions("default").named(ONE, "mine")
    elsewhere = {sessions.named(TWO, "mine"), other.named(ONE, "mine")}
    others = {sessions.named(ONE, "Mine"), sessions.named(ONE, "\ud800"), "mine"}
    assert made not in elsewhere | others
    assert len(elsewhere | others) == 5
    assert len(sessions) == 0


@pytest.mark.parametrize("name", ["", "x" * 129, 5, None, ["x"]])
def test_what_is_no_name_is_an_error_of_the_caller(name: Any) -> None:
    with pytest.raises(MCPError, match="must be a text of 1 to 128 characters"):
        Sessions("default").named(ONE, name)
