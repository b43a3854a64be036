"""A module switched by one process is switched in every other, without a restart."""

import asyncio
import os
from functools import partial
from pathlib import Path

from cli.world import make_demo, start

from abilities_host import Actor
from abilities_host.config import load_config
from abilities_host.host import Host
from abilities_host.opening import open_host

AGENT = Actor("agent-1")
PACK = """
import os
from contextlib import asynccontextmanager
from pathlib import Path

from abilities_host import Module, hookimpl, run_in_thread

NOTED = Path(__file__).parent.parent / "noted"


def note(word):
    with NOTED.open("a") as file:
        file.write(f"{word} {os.getpid()}\\n")


@asynccontextmanager
async def opened(site):
    await run_in_thread(lambda: note("start"))
    yield
    await run_in_thread(lambda: note("stop"))


@hookimpl
def modules():
    return [
        Module("words", "Words", "Says words.", abilities=("demo/say",), open=opened)
    ]


@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="For the tests.")


@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "demo/say", label="Say", description="Says a word.", category="demo",
        execute_callback=lambda: "word", permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}})
"""


async def became(host: Host, *, active: bool) -> None:
    """Wait, without any call, until a host has noticed what another process chose."""
    changed = asyncio.Event()
    ability = host.registry.get_ability("demo/say")
    host.on_change(changed.set)
    try:
        async with asyncio.timeout(20):
            while host.decide(ability).is_active is not active:
                await changed.wait()
                changed.clear()
    finally:
        host.off_change(changed.set)


async def test_a_running_host_starts_and_stops_what_a_command_switches(
    tmp_path: Path,
) -> None:
    config = make_demo(tmp_path, pack=PACK)
    environ = dict(os.environ)
    loaded = load_config(config, environ=environ, cwd=tmp_path)
    command = partial(start, tmp_path, "modules")
    state = environ["XDG_STATE_HOME"]
    codes, codes_of_calls = [], []
    async with open_host(loaded) as host:
        for word, is_active in (("enable", True), ("disable", False)):
            switched = await asyncio.to_thread(
                command, word, "demo/words", XDG_STATE_HOME=state
            )
            codes.append((switched.returncode, switched.stderr))
            await became(host, active=is_active)
            outcome = await host.execute("demo/say", actor=AGENT)
            codes_of_calls.append(outcome.code or outcome.result)
        await host.modules.settle()
        noted = (tmp_path / "noted").read_text()

    assert codes == [(0, ""), (0, "")]
    assert codes_of_calls == ["word", "ability_not_found"]
    assert [each for each in noted.splitlines() if str(os.getpid()) in each] == [
        f"start {os.getpid()}",
        f"stop {os.getpid()}",
    ]


async def test_the_next_call_of_a_host_knows_what_was_committed_before_it(
    tmp_path: Path,
) -> None:
    config = make_demo(tmp_path, pack=PACK)
    loaded = load_config(config, environ=dict(os.environ), cwd=tmp_path)
    async with open_host(loaded) as one, open_host(loaded) as other:
        name = "plugins_dir/demo/words"
        await one.modules.choose(name, is_on=True, by="ann")
        await other.refresh()
        await other.modules.settle()
        on = await other.execute("demo/say", actor=AGENT)
        await one.modules.choose(name, is_on=False, by="ann")
        off = await other.execute("demo/say", actor=AGENT)

    assert (on.result, off.code) == ("word", "ability_not_found")
