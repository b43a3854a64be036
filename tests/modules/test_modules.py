"""Modules start in order, stop in reverse, keep off what is theirs, and harm nobody."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import anyio
import pytest
from modules.world import PartsPack, part, reasons, states, switch, turns, visible

from abilities_host import Actor, Call, Module, Outcome, Site, hookimpl
from abilities_host.denylist import Decision
from abilities_host.host import Host
from abilities_host.testing import build_host

AGENT = Actor("agent-1")
SHORT = "[limits]\nhook_seconds = 0.2"


async def call(host: Host, letter: str) -> Outcome:
    return await host.execute(f"parts/{letter}", actor=AGENT)


async def soon(is_so: Callable[[], bool]) -> None:
    """Wait for what has no event of its own."""
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.01)


# --- order ----------------------------------------------------------------------------


async def test_modules_start_after_what_they_require_and_stop_before_it(
    tmp_path: Path,
) -> None:
    noted: list[str] = []
    pack = PartsPack(
        part("c", requires="b", noted=noted),
        part("b", requires="a", noted=noted),
        part("d", noted=noted, is_on=False),
        part("a", noted=noted),
    )
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        shown = (states(host), list(noted), await visible(host))

    on = {"a": "active", "b": "active", "c": "active", "d": "off"}
    assert shown == (on, ["start a", "start b", "start c"], ["a", "b", "c"])
    assert noted[3:] == ["stop c", "stop b", "stop a"]


async def test_a_module_takes_what_requires_it_along_and_brings_it_back(
    tmp_path: Path,
) -> None:
    noted: list[str] = []
    pack = PartsPack(
        part("b", requires="a", noted=noted), part("a", noted=noted), part("c")
    )
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        await switch(host, a=False)
        off = (states(host), reasons(host), await visible(host))
        await switch(host, a=True)
        on = await visible(host)

    waits = {"b": "it requires 'a', which is off"}
    assert off == ({"a": "off", "b": "waiting", "c": "active"}, waits, ["c", "d"])
    assert on == ["a", "b", "c", "d"]
    assert noted == [
        *("start a", "start b", "stop b", "stop a"),
        *("start a", "start b", "stop b", "stop a"),
    ]


async def test_it_is_torn_down_before_what_its_pack_has_open(tmp_path: Path) -> None:
    noted: list[str] = []

    class Opening(PartsPack):
        @hookimpl
        @asynccontextmanager
        async def open_pack(self, site: Site) -> AsyncIterator[None]:
            noted.append("open")
            yield
            noted.append("close")

    pack = Opening(part("a", noted=noted))
    async with build_host(tmp_path, packs=[("parts", pack)]):
        pass

    assert noted == ["open", "start a", "stop a", "close"]


# --- what is off ----------------------------------------------------------------------


async def test_what_belongs_to_a_module_that_is_off_is_not_there_on_any_path(
    tmp_path: Path,
) -> None:
    async def ask(_: Any, call: Call) -> Any:
        inner = await call.execute("parts/a", {})
        seen = [ability.name for ability in await call.list_abilities()]
        return {"code": inner.code, "seen": seen}

    pack = PartsPack(part("a", is_on=False), callbacks={"b": ask})
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        outcome, nested = await call(host, "a"), await call(host, "b")
        unknown = await call(host, "nobody")
        why = host.decide(host.registry.get_ability("parts/a"))

    message = outcome.error.message if outcome.error else ""
    assert (outcome.code, unknown.code) == ("ability_not_found", "ability_not_found")
    assert message == "There is no ability 'parts/a' here."
    rest = ["parts/b", "parts/c", "parts/d"]
    assert nested.result == {"code": "ability_not_found", "seen": rest}
    assert why == Decision(is_active=False, why="module 'parts/a' is off")


async def test_a_choice_for_the_ability_does_not_lift_what_the_module_holds(
    tmp_path: Path,
) -> None:
    pack = PartsPack(part("a", is_on=False), part("b", abilities=("parts/*",)))
    async with build_host(
        tmp_path, packs=[("parts", pack)], config='enabled = ["parts/*"]'
    ) as host:
        await host.toggles.set("parts/a", state=True, by="ann")
        held = await visible(host)
        await host.toggles.set("parts/c", state=False, by="ann")
        await switch(host, a=True)
        both = await visible(host)
        await switch(host, b=False)
        none = await visible(host)

    assert (held, both, none) == (["b", "c", "d"], ["a", "b", "d"], [])


async def test_a_module_has_no_say_in_what_other_packs_have(tmp_path: Path) -> None:
    thief = PartsPack(part("a", abilities=("parts/*", "other/a")), namespace="other")
    packs = [("parts", PartsPack()), ("other", thief)]
    async with build_host(tmp_path, packs=packs) as host:
        names = [ability.name for ability in await host.list_abilities(AGENT)]
        shown = host.modules.list()

    theirs = [f"parts/{letter}" for letter in "abcd"]
    assert names == [*theirs, "other/b", "other/c", "other/d"]
    fault = "names no abilities of its pack, which has the namespaces other"
    sentence = f"module 'other/a' was set aside: 'parts/*' {fault}"
    assert [each.sentence for each in shown] == [sentence]


async def test_listeners_are_told_when_a_module_is_switched(tmp_path: Path) -> None:
    pack = PartsPack(part("a", is_on=False))
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        seen: list[bool] = []
        ability = host.registry.get_ability("parts/a")
        host.on_change(lambda: seen.append(host.decide(ability).is_active))
        await switch(host, a=True)
        await switch(host, a=False)

    assert (seen[-1], True in seen) == (False, True)


# --- availability ---------------------------------------------------------------------


def raising(site: Site) -> bool:
    raise ValueError("why")


async def hanging(site: Site) -> bool:
    await asyncio.Event().wait()
    return True


async def later(site: Site) -> bool | str:
    return f"{site.pack} says no"


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        pytest.param(lambda site: "no disk", "no disk", id="reason"),
        pytest.param(later, "local/parts says no", id="async"),
        pytest.param(raising, "it raised ValueError: why", id="raises"),
        pytest.param(hanging, "it did not finish within 0.2 s.", id="hangs"),
        pytest.param(
            lambda site: False,
            "is_available returned False, not True or the reason why not",
            id="false",
        ),
        pytest.param(
            lambda site: " ",
            "is_available returned ' ', not True or the reason why not",
            id="blank",
        ),
    ],
)
async def test_a_module_that_is_not_available_says_why_and_is_not_started(
    tmp_path: Path, ask: Any, why: str
) -> None:
    noted: list[str] = []
    pack = PartsPack(
        part("a", noted=noted, is_available=ask),
        part("b", noted=noted, requires="a"),
        part("c", noted=noted, is_available=lambda site: True),
    )
    async with build_host(tmp_path, packs=[("parts", pack)], config=SHORT) as host:
        shown = (states(host), reasons(host), await visible(host))
        obstacle = await host.modules.obstacle("local/parts/a")

    waits = "it requires 'a', which is unavailable"
    assert shown == (
        {"a": "unavailable", "b": "waiting", "c": "active"},
        {"a": why, "b": waits},
        ["c", "d"],
    )
    assert obstacle == why
    assert noted == ["start c", "stop c"]


async def test_choosing_again_is_another_try(tmp_path: Path) -> None:
    answers: list[bool | str] = ["no disk", "still none", True]
    pack = PartsPack(part("a", is_available=lambda site: answers.pop(0)))
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        shown = [reasons(host)]
        for _ in range(2):
            await switch(host, a=True)
            shown.append(reasons(host))
        seen = await visible(host)

    assert shown == [{"a": "no disk"}, {"a": "still none"}, {}]
    assert seen == ["a", "b", "c", "d"]


# --- what fails -----------------------------------------------------------------------


@asynccontextmanager
async def failing(site: Site) -> AsyncIterator[None]:
    raise OSError("no socket")
    yield


@asynccontextmanager
async def endless(site: Site) -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


@asynccontextmanager
async def leaving(site: Site) -> AsyncIterator[None]:
    yield
    raise OSError("no end")


@asynccontextmanager
async def never_leaving(site: Site) -> AsyncIterator[None]:
    yield
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("opens", "why"),
    [
        pytest.param(failing, "it raised OSError: no socket", id="enter"),
        pytest.param(raising, "it raised ValueError: why", id="call"),
        pytest.param(endless, "it did not start within 1.2 s", id="hangs"),
        pytest.param(
            lambda site: 5, "it returned int, not an async context manager", id="type"
        ),
    ],
)
async def test_a_start_that_fails_is_told_and_harms_nothing_else(
    tmp_path: Path, opens: Any, why: str
) -> None:
    noted: list[str] = []
    pack = PartsPack(part("a", open=opens), part("b", noted=noted))
    async with build_host(tmp_path, packs=[("parts", pack)], config=SHORT) as host:
        shown = (states(host), reasons(host), await visible(host))
        state = host.packs[0].state

    assert shown == ({"a": "unavailable", "b": "active"}, {"a": why}, ["b", "c", "d"])
    assert state == "healthy"
    assert noted == ["start b", "stop b"]


@pytest.mark.parametrize("opens", [leaving, never_leaving])
async def test_a_stop_that_fails_is_logged_and_the_module_can_start_again(
    tmp_path: Path, opens: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pack = PartsPack(part("a", open=opens))
    async with build_host(tmp_path, packs=[("parts", pack)], config=SHORT) as host:
        await switch(host, a=False)
        off = states(host)
        await switch(host, a=True)
        on = states(host)

    assert (off, on) == ({"a": "off"}, {"a": "active"})
    assert "module parts/a failed" in caplog.text


async def test_a_start_that_cannot_be_stopped_holds_up_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @asynccontextmanager
    async def stubborn(site: Site) -> AsyncIterator[None]:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()
        yield

    pack = PartsPack(part("a", open=stubborn), part("b"))
    async with build_host(tmp_path, packs=[("parts", pack)], config=SHORT) as host:
        shown = (states(host), await visible(host))

    assert shown == ({"a": "starting", "b": "active"}, ["b", "c", "d"])
    assert "modules parts/a are not ready yet" in caplog.text


async def test_a_module_that_ends_by_itself_is_off_with_the_reason(
    tmp_path: Path,
) -> None:
    crash = asyncio.Event()

    async def work() -> None:
        await crash.wait()
        raise OSError("gone")

    @asynccontextmanager
    async def working(site: Site) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(work)
            yield
            group.cancel_scope.cancel()

    pack = PartsPack(part("a", open=working), part("b", requires="a"))
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        before = states(host)
        crash.set()
        await soon(lambda: states(host)["a"] == "unavailable")
        await host.modules.settle()
        after, why = (states(host), await visible(host)), reasons(host)["a"]
        crash.clear()
        await switch(host, a=True)
        again = states(host)

    assert before == again == {"a": "active", "b": "active"}
    assert after == ({"a": "unavailable", "b": "waiting"}, ["c", "d"])
    assert why.startswith("it stopped by itself with ExceptionGroup: ")


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        pytest.param([1], "it must return a list of Module", id="type"),
        pytest.param(5, "it must return a list of Module", id="number"),
        pytest.param(
            [Module("A b", "A", "A")],
            "a slug must be lower-case words joined by dashes, not 'A b'",
            id="slug",
        ),
        pytest.param(
            [Module("a", "", "A")],
            "label of module 'a' must be a non-empty string",
            id="label",
        ),
        pytest.param(
            [Module("a", "A", "A", default_active=1)],  # type: ignore[arg-type]  # a common mistake
            "default_active of module 'a' must be True or False",
            id="default",
        ),
        pytest.param(
            [Module("a", "A", "A", requires="bc")],  # type: ignore[arg-type]  # same
            "requires of module 'a' must be a tuple of strings",
            id="requires",
        ),
        pytest.param(
            [Module("a", "A", "A", open=5)],  # type: ignore[arg-type]  # same
            "open of module 'a' must be a function that takes a Site",
            id="open",
        ),
        pytest.param(
            [Module("a", "A", "A"), Module("a", "B", "B")],
            "two of its modules have the slug 'a'",
            id="twice",
        ),
        pytest.param(
            [Module(f"a{i}", "A", "A") for i in range(101)],
            "it has 101 modules; 100 is the limit",
            id="many",
        ),
    ],
)
async def test_modules_that_cannot_be_read_set_the_pack_aside(
    tmp_path: Path, modules: Any, reason: str
) -> None:
    pack = PartsPack()
    pack.declared = modules
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        shown = host.packs[0]
        names = host.registry.list_abilities()

    assert (shown.state, shown.reason) == ("set aside", f"modules: {reason}")
    assert names == ()


# --- calls under way ------------------------------------------------------------------


class Slow:
    """An ability that waits until it is let go."""

    def __init__(self) -> None:
        self.is_in = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self) -> str:
        self.is_in.set()
        await self.go.wait()
        return "done"


async def test_a_call_under_way_ends_before_what_it_needs_is_torn_down(
    tmp_path: Path,
) -> None:
    noted: list[str] = []
    slow = Slow()
    pack = PartsPack(part("a", noted=noted), callbacks={"a": slow.__call__})
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        running = asyncio.create_task(call(host, "a"))
        await slow.is_in.wait()
        await host.modules.choose("local/parts/a", is_on=False, by="ann")
        refused = await call(host, "a")
        await turns(50)
        during = (states(host), list(noted))
        slow.go.set()
        ended = await running
        await host.modules.settle()
        after = (states(host), list(noted))

    assert (refused.code, ended.result) == ("ability_not_found", "done")
    assert during == ({"a": "stopping"}, ["start a"])
    assert after == ({"a": "off"}, ["start a", "stop a"])


async def test_switched_on_again_before_the_last_call_ends_it_is_not_torn_down(
    tmp_path: Path,
) -> None:
    noted: list[str] = []
    slow = Slow()
    pack = PartsPack(part("a", noted=noted), callbacks={"a": slow.__call__})
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        running = asyncio.create_task(call(host, "a"))
        await slow.is_in.wait()
        await host.modules.choose("local/parts/a", is_on=False, by="ann")
        await host.refresh()
        await switch(host, a=True)
        seen = await visible(host)
        slow.go.set()
        await running
        await turns(50)
        after = (states(host), list(noted))

    assert seen == ["a", "b", "c", "d"]
    assert after == ({"a": "active"}, ["start a"])


async def test_a_call_that_hangs_does_not_hold_a_module_for_ever(
    tmp_path: Path,
) -> None:
    noted: list[str] = []
    slow = Slow()
    pack = PartsPack(part("a", noted=noted), callbacks={"a": slow.__call__})
    limits = "[limits]\ncall_seconds = 0.3"
    async with build_host(tmp_path, packs=[("parts", pack)], config=limits) as host:
        running = asyncio.create_task(call(host, "a"))
        await slow.is_in.wait()
        await switch(host, a=False)
        ended = await running

    assert (ended.code, noted) == ("ability_timeout", ["start a", "stop a"])


# --- what a module is given -----------------------------------------------------------


class Index(Protocol):
    """A service of a module."""


class Shelf(Protocol):
    """A service of its pack."""


async def nothing() -> None:
    """Do nothing."""


async def test_what_a_module_offers_goes_with_it_and_what_its_pack_offers_stays(
    tmp_path: Path,
) -> None:
    class Offering(PartsPack):
        @hookimpl
        @asynccontextmanager
        async def open_pack(self, site: Site) -> AsyncIterator[None]:
            site.offer(Shelf, "shelf")
            site.every("shelf-tidy", 60, nothing)
            yield

    @asynccontextmanager
    async def offering(site: Site) -> AsyncIterator[None]:
        site.offer(Index, f"index of {site.find(Shelf)}")
        site.every("index-tidy", 60, nothing)
        yield

    def offered(host: Host) -> tuple[list[Any], list[str]]:
        found = []
        for protocol in (Shelf, Index):
            try:
                found.append(host.services.find(protocol))
            except LookupError:
                found.append(None)
        return found, [job.name for job in host.jobs.all]

    pack = Offering(part("a", open=offering))
    async with build_host(tmp_path, packs=[("parts", pack)]) as host:
        seen = [offered(host)]
        for is_on in (False, True):
            await switch(host, a=is_on)
            seen.append(offered(host))

    on = (["shelf", "index of shelf"], ["shelf-tidy", "index-tidy"])
    assert seen == [on, (["shelf", None], ["shelf-tidy"]), on]


# --- the life of a store --------------------------------------------------------------


async def test_an_upgrade_seeds_what_is_new_and_leaves_every_choice(
    tmp_path: Path,
) -> None:
    old = PartsPack(part("a"), part("b", is_on=False))
    async with build_host(tmp_path, packs=[("parts", old)]) as host:
        await switch(host, a=False, b=True)
    new = PartsPack(
        part("a"), part("b", is_on=False), part("c", is_on=False), part("d")
    )
    async with build_host(tmp_path, packs=[("parts", new)]) as host:
        upgraded = states(host)
    other = PartsPack(part("a"), part("c"), part("d", is_on=False))
    async with build_host(tmp_path, packs=[("parts", other)]) as host:
        changed = (states(host), [(c.slug, c.is_on) for c in host.modules.gone])

    assert upgraded == {"a": "off", "b": "active", "c": "off", "d": "active"}
    assert changed == ({"a": "off", "c": "off", "d": "active"}, [("b", True)])


async def test_without_modules_nothing_is_kept_and_nothing_listed(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=[("parts", PartsPack())]) as host:
        shown = (host.modules.list(), host.modules.gone, host.modules.is_empty)
        with pytest.raises(LookupError):
            await host.modules.choose("local/parts/a", is_on=True, by="ann")

    assert shown == ((), (), True)
