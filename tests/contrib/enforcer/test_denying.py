"""What an approved rule denies is not written, and the answer says why."""

from pathlib import Path
from typing import Any

import pytest
from contrib.enforcer.guarded import guarded


async def test_an_approved_rule_stops_the_write_and_names_itself(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        before = await world.write("config/app.toml", "first")
        guidance = await world.guard(
            "Leave the \u200dconfiguration.", message="Ask ops."
        )

        outcome = await world.write("config/app.toml", "second")

        assert before.is_ok, before
        assert (outcome.status, outcome.code) == ("refused", "write_vetoed")
        assert outcome.error is not None
        assert outcome.error.details["rule"] == guidance.id
        assert outcome.error.details["plugin"] == "abilities-host/memory_enforcer"
        assert outcome.error.details["reason"] == (
            "guidance gm-001 forbids it: «Leave the \\u200dconfiguration.» Ask ops. "
            "Do not look for a way round. To have it changed, propose another guidance "
            "with memory/remember and supersedes 'gm-001'; a human decides."
        )
        assert world.content("config/app.toml") == "first"
        assert (await world.write("free.txt")).is_ok


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"abilities": ["files/write"]}, "write_vetoed"),
        ({"abilities": ["dispatcher/*", "late/*"]}, ""),
        ({"actions": ["updated"]}, "write_vetoed"),
        ({"actions": ["created"]}, ""),
        ({"arguments": {"properties": {"text": {"const": "new"}}}}, "write_vetoed"),
        ({"arguments": {"properties": {"text": {"const": "old"}}}}, ""),
        ({"before": {"properties": {"kind": {"const": "file"}}}}, "write_vetoed"),
        ({"before": {"properties": {"kind": {"const": "folder"}}}}, ""),
        ({"target": {"pattern": "toml$"}}, "write_vetoed"),
        ({"target": {"pattern": "json$"}}, ""),
    ],
)
async def test_a_rule_is_narrowed_by_what_really_runs(
    rule: Any, code: str, tmp_path: Path
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(**rule)
        asked = {
            "name": "files/write",
            "arguments": {"path": "config/app.toml", "text": "new"},
        }

        through = await world.run("dispatcher/call-tool", **asked)
        nested = await world.run("late/nest", **asked)

        assert (through.code, nested.result["code"]) == (code, code)


async def test_other_policies_stay_in_force_beside_it(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        world.world.policy.keeps.add("free.txt")

        outcome = await world.write("free.txt")

        assert outcome.error is not None
        assert outcome.error.details["reason"] == "that note is kept as it is"


async def test_a_deletion_of_many_is_held_against_every_rule(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        many = world.root / "many"
        many.mkdir()
        for number in range(60):
            (many / f"{number}.txt").write_text("old")
        await world.guard(targets=["many/59.txt"])

        outcome = await world.run("files/delete", path="many", recursive=True)

        assert outcome.code == "write_vetoed"
        assert len(list(many.iterdir())) == 60
