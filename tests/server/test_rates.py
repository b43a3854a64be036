from pathlib import Path
from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import (
    GOOD,
    HOST,
    LEGACY,
    Request,
    ask,
    initialize,
    message,
    modern_call,
    served,
)
from server.world import described, pack

from abilities_host.server.http import HttpApp
from abilities_host.server.rates import Crowd, Rates


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minutes_worth_may_come_at_once_and_then_one_at_a_time() -> None:
    clock = Clock()
    rates = Rates(lambda: 3, clock=clock)

    first = [rates.take("ann") for _ in range(4)]
    clock.now = 19.9
    early = rates.take("ann")
    clock.now = 20.0
    later = [rates.take("ann"), rates.take("ann")]

    assert (first, early, later) == ([0, 0, 0, 20], 1, [0, 20])


def test_one_caller_takes_nothing_from_another() -> None:
    rates = Rates(lambda: 1, clock=Clock())

    assert [rates.take(name) for name in ("ann", "bob", "ann")] == [0, 0, 60]


def test_a_changed_limit_holds_at_once() -> None:
    limit = 1
    rates = Rates(lambda: limit, clock=(clock := Clock()))
    rates.take("ann")
    limit = 60
    clock.now = 1.0

    assert rates.take("ann") == 0


def test_only_so_many_callers_are_remembered() -> None:
    rates = Rates(lambda: 1, clock=Clock(), remembered=10)
    for number in range(50):
        rates.take(f"caller {number}")

    assert len(rates) == 10
    assert rates.take("caller 49") == 60


@given(st.lists(st.floats(0, 30), max_size=60), st.integers(min_value=1, max_value=20))
def test_never_more_than_twice_the_limit_in_any_minute(
    pauses: list[float], limit: int
) -> None:
    clock = Clock()
    rates = Rates(lambda: limit, clock=clock)
    taken: list[float] = []
    for pause in pauses:
        clock.now += pause
        if rates.take("ann") == 0:
            taken.append(clock.now)

    for start in taken:
        assert len([t for t in taken if start <= t < start + 60]) <= 2 * limit


def test_a_crowd_is_bounded_and_leaves_nothing_behind() -> None:
    crowd = Crowd(lambda: 2)

    entered = [crowd.enter("ann") for _ in range(3)]
    other = crowd.enter("bob")
    for name in ("ann", "ann", "bob"):
        crowd.leave(name)

    assert (entered, other, len(crowd)) == ([True, True, False], True, 0)


async def test_an_actor_that_asks_too_often_is_told_when_to_come_back(
    tmp_path: Path,
) -> None:
    config = "[limits]\nrequests_per_minute = 2\n"
    async with served(tmp_path, config=config) as (app, _):
        replies = [await ask(app, body=message("ping")) for _ in range(3)]

    assert [reply.status for reply in replies] == [400, 400, 429]
    assert replies[-1].value(b"retry-after") == b"30"
    assert replies[-1].json == {
        "error": "Too many requests in a minute. Wait before the next one."
    }


async def test_strangers_are_slowed_and_who_has_a_token_is_not(tmp_path: Path) -> None:
    config = "[limits]\nfailures_per_minute = 2\n"
    wrong = (HOST, (b"authorization", b"Bearer wrong"))
    async with served(tmp_path, config=config) as (app, _):
        strangers = [(await ask(app, headers=wrong)).status for _ in range(4)]
        known = (await ask(app, headers=GOOD, body=message("ping"))).status

    assert (strangers, known) == ([401, 401, 429, 429], 400)


async def test_who_lacks_a_scope_is_no_stranger(tmp_path: Path) -> None:
    config = '[limits]\nfailures_per_minute = 1\n[server]\nrequires = "team"\n'
    async with served(tmp_path, config=config) as (app, _):
        known = [(await ask(app, body=message("ping"))).status for _ in range(3)]

    assert known == [403, 403, 403]


async def test_more_requests_at_once_than_an_actor_may_have_are_refused(
    tmp_path: Path,
) -> None:
    started, go = anyio.Event(), anyio.Event()

    async def wait(_: Any) -> str:
        started.set()
        await go.wait()
        return "done"

    config = "[limits]\nrequests_per_actor = 1\n"
    waits = pack(("test/wait", described(wait)))
    async with served(tmp_path, waits, config=config) as (app, _):
        async with anyio.create_task_group() as tasks:
            first = modern_call("test_wait")
            tasks.start_soon(first.send_to, app)
            await started.wait()
            second = await modern_call("test_wait").send_to(app)
            go.set()
        third = await modern_call("test_wait").send_to(app)

    assert (second.status, second.value(b"retry-after")) == (429, b"1")
    assert third.status == 200


async def test_a_request_that_takes_too_long_is_ended_with_the_reason(
    tmp_path: Path,
) -> None:
    async def wait(_: Any) -> str:
        await anyio.sleep_forever()
        return "never"

    config = "[limits]\nrequest_seconds = 0.2\n"
    async with served(
        tmp_path, pack(("test/wait", described(wait))), config=config
    ) as (app, _):
        reply = await modern_call("test_wait").send_to(app)

    assert reply.status == 504
    assert "limits.request_seconds" in reply.json["error"]


async def test_a_stream_may_stay_longer_than_a_request(tmp_path: Path) -> None:
    async def wait(_: Any) -> str:
        await anyio.sleep_forever()
        return "never"

    ended: list[str] = []

    async def listen(app: HttpApp, stream: Request) -> None:
        await stream.send_to(app)
        ended.append("stream")

    config = "[limits]\nrequest_seconds = 0.2\n"
    waits = pack(("test/wait", described(wait)))
    async with served(tmp_path, waits, config=config) as (app, _):
        session = await initialize(app)
        stream = Request("GET", headers=(*GOOD, LEGACY, session))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen, app, stream)
            await stream.started.wait()
            late = await modern_call("test_wait").send_to(app)
            seen = list(ended)
            await ask(app, "DELETE", headers=(*GOOD, LEGACY, session))

    assert (late.status, seen, ended) == (504, [], ["stream"])
