"""Whatever goes wrong with the rules stops the writes that they may be about."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contrib.enforcer.guarded import Clock, Guarded, enforcer, guarded
from plugins.ledger.undo_world import AGENT, Notes

import abilities_memory_enforcer
from abilities_host import Answer, RegistryView, Site, hookimpl
from abilities_host.errors import StoreError
from abilities_host.memory import InForce, LostRule, Rulebook, StandingRule
from abilities_host.testing import build_host

NOTE = {"id": "a", "text": "b"}


class Keeper:
    """A pack that keeps rules as a test says; what cannot be read raises."""

    def __init__(self, *rules: Any, lost: tuple[LostRule, ...] = ()) -> None:
        self.asked = 0
        self.error: Exception | None = None
        self.in_force_ = InForce(
            version=1,
            rules=tuple(
                StandingRule(
                    id=f"gm-{number:03}",
                    text="No.",
                    rule=rule,
                    reviewed_by="ana",
                    reviewed_at=0,
                    hash=repr(rule),
                )
                for number, rule in enumerate(rules, 1)
            ),
            lost=lost,
        )

    @hookimpl
    def open_pack(self, site: Site) -> None:
        site.offer(Rulebook, self)

    async def in_force(self) -> InForce:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self.in_force_


async def reason_of(folder: Path, keeper: Keeper | None, config: str = "") -> str:
    """Write a note; give why it was stopped, empty when it was not."""
    notes = Notes()
    packs: list[Any] = [("notes", notes), enforcer(Clock())]
    packs += [("keeper", keeper)] if keeper else []
    async with build_host(folder, packs=packs, config=config) as host:
        outcome = await host.execute("notes/put", NOTE, actor=AGENT)
    assert bool(notes.kept) == outcome.is_ok
    return str(outcome.error.details["reason"]) if outcome.error else ""


async def test_without_a_rulebook_nothing_is_written(tmp_path: Path) -> None:
    assert await reason_of(tmp_path, None) == (
        "the approved rules cannot be read, so nothing is written: no healthy pack "
        "keeps them. 'abilities doctor' shows more to the person who runs this host."
    )


@pytest.mark.parametrize("error", [StoreError(Path("s.db"), "gone."), OSError("disk")])
async def test_a_rulebook_that_cannot_be_read_stops_every_write(
    error: Exception, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = Keeper()
    keeper.error = error

    assert await reason_of(tmp_path, keeper) == (
        "the approved rules cannot be read, so nothing is written: "
        f"{type(error).__name__}; the host's log has the reason. "
        "'abilities doctor' shows more to the person who runs this host."
    )
    assert "the rules cannot be read" in caplog.text


async def test_what_cannot_be_read_is_logged_once_until_it_can_be(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = Keeper()
    packs: list[Any] = [("notes", Notes()), enforcer(Clock()), ("keeper", keeper)]
    async with build_host(tmp_path, packs=packs) as host:
        for error in (OSError("a"), OSError("b"), None, OSError("c")):
            keeper.error = error
            outcome = await host.execute("notes/put", NOTE, actor=AGENT)
            assert outcome.is_ok == (error is None)

    assert caplog.text.count("the rules cannot be read") == 2


async def test_without_a_record_a_confirmed_write_still_happens(
    tmp_path: Path,
) -> None:
    rule = {"domain": "notes", "targets": ["a"], "effect": "confirm"}
    notes = Notes()
    packs: list[Any] = [("notes", notes), enforcer(Clock()), ("keeper", Keeper(rule))]
    async with build_host(tmp_path, packs=packs) as host:
        asked = await host.execute("notes/put", NOTE, actor=AGENT)
        answer = Answer(asked.state, is_accepted=True)
        outcome = await host.execute("notes/put", NOTE, actor=AGENT, answer=answer)

    assert outcome.is_ok, outcome
    assert notes.kept == {"a": "b"}


async def test_the_pack_itself_opens_and_holds_writes_against_rules(
    tmp_path: Path,
) -> None:
    rule = {"domain": "notes", "targets": ["a"], "effect": "approve"}
    pack = replace(enforcer(Clock()), load=lambda: abilities_memory_enforcer)
    packs: list[Any] = [("notes", Notes()), pack, ("keeper", Keeper(rule))]
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await host.execute("notes/put", NOTE, actor=AGENT)

    assert outcome.code == "write_vetoed"
    assert "wr-001" in str(outcome.error)


async def test_a_rulebook_without_rules_stops_nothing(tmp_path: Path) -> None:
    assert await reason_of(tmp_path, Keeper()) == ""


BROKEN = {"domain": "notes", "targets": ["a"], "effect": "forbid"}


@pytest.mark.parametrize(
    "rule",
    [
        BROKEN,
        {**BROKEN, "effect": "deny", "targets": ["A**"]},
        {**BROKEN, "effect": "deny", "targets": ["z"], "domain": 7},
        {**BROKEN, "effect": "deny", "arguments": {"pattern": "(?=a)"}},
        {**BROKEN, "effect": "deny", "on": True},
        ["deny"],
        {},
    ],
)
async def test_a_rule_that_does_not_compile_blocks_what_it_covers(
    rule: Any, tmp_path: Path
) -> None:
    reason = await reason_of(tmp_path, Keeper(rule))

    assert reason.startswith(
        "the rule of guidance gm-001 cannot be enforced, so every write that it may be "
        "about is stopped. The rule cannot be enforced"
    )
    assert "supersedes 'gm-001'" in reason


@pytest.mark.parametrize(
    "rule", [{**BROKEN, "targets": ["b"]}, {**BROKEN, "domain": "files"}]
)
async def test_a_rule_that_does_not_compile_blocks_nothing_else(
    rule: Any, tmp_path: Path
) -> None:
    assert await reason_of(tmp_path, Keeper(rule)) == ""


@pytest.mark.parametrize(
    ("rule", "stops"),
    [
        ({"domain": "notes", "targets": ["A"], "effect": "confirm"}, True),
        ({"domain": "notes", "targets": ["b"], "effect": "deny"}, False),
        (None, True),
    ],
)
async def test_a_lost_rule_stops_what_it_covered_and_without_it_everything(
    rule: Any,
    stops: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    lost = LostRule(id="gm-007", sentence="guidance gm-007 is gone.", rule=rule)

    reason = await reason_of(tmp_path, Keeper(lost=(lost,)))

    expected = (
        "guidance gm-007 is not as a person left it, so every write that its rule may "
        "be about is stopped: guidance gm-007 is gone. The person who runs this host "
        "has to look at it."
    )
    assert reason == (expected if stops else "")


async def test_a_lost_rule_that_nobody_knows_stops_also_what_names_no_target(
    tmp_path: Path,
) -> None:
    lost = LostRule(id="gm-007", sentence="It is gone.", rule=None)
    packs: list[Any] = [
        ("notes", Notes()),
        enforcer(Clock()),
        ("keeper", Keeper(lost=(lost,))),
    ]
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await host.execute("notes/send", {}, actor=AGENT)

    assert outcome.code == "write_vetoed"


async def test_approved_guidance_that_somebody_removed_still_stops_the_write(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard()
        await world.world.sql("DELETE FROM memory_guidance")
        await _look_again(world)

        outcome = await world.write("config/app.toml")
        free = await world.write("free.txt")

        assert outcome.error is not None
        assert outcome.error.details["rule"] == "gm-001"
        assert world.content("config/app.toml") == "old"
        assert free.is_ok, free


async def test_neither_an_inactive_topic_nor_the_kill_switch_ends_a_rule(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path, "[memory]\nenabled = false\n") as world:
        await world.guard()
        await world.world.sql("UPDATE memory_topic SET state = 'inactive'")
        await _look_again(world)

        outcome = await world.write("config/app.toml")

        assert outcome.code == "write_vetoed"


async def _look_again(world: Guarded) -> None:
    """Have the generation bumped, as any decision does."""
    store = world.host._store  # noqa: SLF001 - what another process would do
    await store.transact(lambda _: None, bump=True)


class LateNotes(Notes):
    """Notes that nobody knows of before a test says so."""

    view: RegistryView

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        self.view = registry
        registry.register_category("late", label="Late", description="Late.")
        registry.register_ability(
            "notes/other",
            label="other",
            description="Changes something else.",
            category="late",
            execute_callback=self.send,
            permission_callback=lambda: True,
            requires="notes:write",
        )

    def appear(self) -> None:
        super().register_abilities(self.view)


async def test_a_domain_that_comes_later_is_spelt_in_its_own_way_too(
    tmp_path: Path,
) -> None:
    rule, notes = {"domain": "notes", "targets": ["A"], "effect": "deny"}, LateNotes()
    packs: list[Any] = [("notes", notes), enforcer(Clock()), ("keeper", Keeper(rule))]
    async with build_host(tmp_path, packs=packs) as host:
        before = await host.execute("notes/other", actor=AGENT)
        notes.appear()
        await host.refresh()
        outcome = await host.execute("notes/put", NOTE, actor=AGENT)

    assert before.is_ok, before
    assert outcome.code == "write_vetoed"


async def test_rules_are_compiled_once_and_asked_for_before_every_write(
    tmp_path: Path,
) -> None:
    keeper, notes = Keeper({**BROKEN, "effect": "deny", "targets": ["z"]}), Notes()
    packs: list[Any] = [("notes", notes), enforcer(Clock()), ("keeper", keeper)]
    async with build_host(tmp_path, packs=packs) as host:
        for _ in range(3):
            assert (await host.execute("notes/put", NOTE, actor=AGENT)).is_ok
        keeper.in_force_ = Keeper(BROKEN).in_force_  # of the same version
        same = await host.execute("notes/put", NOTE, actor=AGENT)
        keeper.in_force_ = InForce(version=2, rules=keeper.in_force_.rules)
        new = await host.execute("notes/put", NOTE, actor=AGENT)

    assert (keeper.asked, same.code, new.code) == (5, "", "write_vetoed")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("dryrun = true", "dryrun: there is no such setting. Did you mean 'dry_run'?"),
        ("dry_run = 1", "dry_run: it is true or false."),
        ("ticket_hours = 0", "ticket_hours: it is a whole number, 1 to 168."),
        ("ticket_hours = 169", "ticket_hours: it is a whole number, 1 to 168."),
        ("ticket_hours = true", "ticket_hours: it is a whole number, 1 to 168."),
    ],
)
async def test_a_wrong_setting_sets_the_pack_aside_and_stops_all_writes(
    table: str, problem: str, tmp_path: Path
) -> None:
    config = f"[packs.memory_enforcer]\n{table}\n"
    packs: list[Any] = [("notes", Notes()), enforcer(Clock()), ("keeper", Keeper())]
    async with build_host(tmp_path, packs=packs, config=config) as host:
        outcome = await host.execute("notes/put", NOTE, actor=AGENT)
        [pack] = [pack for pack in host.packs if pack.name == "memory_enforcer"]

    assert outcome.code == "policy_missing"
    assert pack.reason.endswith(f"[packs.memory_enforcer] {problem}")


DRY = "[packs.memory_enforcer]\ndry_run = true\n"


async def test_a_dry_run_stops_nothing_and_records_what_it_would_have(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "abilities_memory_enforcer")
    async with guarded(tmp_path, DRY) as world:
        await world.guard("Leave it.")
        await world.guard("Ask.", effect="approve", targets=["free.txt"])
        await world.guard("Ask.", effect="confirm", domain="notes", targets=["**"])

        outcomes = [
            await world.write("config/app.toml"),
            await world.write("config/app.toml", "newer"),
            await world.write("free.txt"),
            await world.run("notes/put", id="a", text="b"),
            await world.write("other.txt"),
        ]
        noted = await world.noted("would_stop")
        waiting = (await world.gate.waiting())["write"]

    assert [outcome.status for outcome in outcomes] == ["ok"] * 5
    assert [(who, what, d["effect"], d["rule"]) for who, what, d in noted] == [
        ("agent", "files:config/app.toml", "deny", "gm-001"),
        ("agent", "files:free.txt", "approve", "gm-002"),
        ("agent", "notes:a", "confirm", "gm-003"),
    ]
    assert waiting == ()
    told = [r.getMessage() for r in caplog.records if r.name.startswith("abilities_m")]
    assert told[0] == (
        "[packs.memory_enforcer] dry_run: no approved rule stops anything"
    )
    assert told[1].startswith(
        "dry run: files/write by agent would have been stopped (deny): guidance gm-001"
    )
    assert len(told) == 4


async def test_a_dry_run_also_lets_pass_what_nobody_knows_rules_for(
    tmp_path: Path,
) -> None:
    assert await reason_of(tmp_path, None, DRY) == ""
