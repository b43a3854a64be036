import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from plugins.world import (
    AGENT,
    READER,
    core_pack,
    declare,
    dispatch,
    dispatcher_pack,
    pack_of,
    packs_of,
)

from abilities_host import (
    AbilityFailed,
    Actor,
    Answer,
    Ask,
    Call,
    Denied,
    Outcome,
    ProposedWrite,
    RegistryView,
    Veto,
    exposed_name,
    hookimpl,
)
from abilities_host.host import Host
from abilities_host.server.spec import COMPACT_ABILITIES
from abilities_host.testing import RecordedEvent, RecordingRecorder, build_host

NOTE = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["text"],
}
WRITES = {"readonly": False, "destructive": False}
LONG = "notes/" + "long-" * 20 + "name"


def say_no(arguments: Any) -> Denied:
    return Denied("the log reads this", public="Only the author may.")


def fail(arguments: Any) -> None:
    raise AbilityFailed("The paper has run out.", code="no_paper")


def register_notes(registry: RegistryView) -> None:
    declare(registry, "notes/read", input_schema=NOTE)
    declare(registry, "notes/add", input_schema=NOTE, annotations=WRITES)
    declare(registry, "notes/any", input_schema={"type": "object"})
    declare(registry, "notes/open", input_schema={"type": "object", "properties": {}})
    declare(registry, "notes/none", execute_callback=lambda arguments: arguments)
    declare(registry, "notes/say", input_schema={"type": "string"})
    declare(registry, "notes/hum", input_schema={"type": "string", "default": "m"})
    declare(registry, "notes/mine", permission_callback=say_no)
    declare(registry, "notes/print", execute_callback=fail)
    declare(registry, LONG)


NOTES = pack_of(register_notes)


async def call_tool(
    host: Host, name: str, arguments: Any = None, actor: Actor = AGENT
) -> Outcome:
    return await dispatch(host, "call-tool", actor, name=name, arguments=arguments)


async def test_a_tool_runs_by_either_name_and_its_own_outcome_comes_back(
    tmp_path: Path,
) -> None:
    given = {"text": "flour", "size": 2}
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        outcomes = [
            await call_tool(host, name, given) for name in ("notes/read", "notes_read")
        ]
        shortened = await call_tool(host, exposed_name(LONG))

    assert [(each.ability, each.status, each.result) for each in outcomes] == [
        ("notes/read", "ok", given)
    ] * 2
    assert (shortened.ability, shortened.status) == (LONG, "ok")


@pytest.mark.parametrize(
    "arguments",
    ['{"text":"flour"}', '"{\\"text\\":\\"flour\\"}"', {"text": "flour"}],
    ids=["text", "text of a text", "object"],
)
async def test_the_object_may_come_as_text(tmp_path: Path, arguments: Any) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        outcome = await call_tool(host, "notes/read", arguments)

    assert outcome.unwrap() == {"text": "flour"}


@pytest.mark.parametrize(
    "arguments", ['{"text":"flour"', "flour", "[]", "7", 7, ["flour"], True]
)
async def test_what_is_no_object_is_refused_and_nothing_runs(
    tmp_path: Path, arguments: Any
) -> None:
    recorder = RecordingRecorder()
    async with build_host(
        tmp_path, packs=packs_of(notes=NOTES), recorder=recorder
    ) as host:
        outcome = await call_tool(host, "notes/any", arguments)
        wrote = await call_tool(host, "notes/add", arguments)

    for refused in (outcome, wrote):
        assert refused.error is not None
        assert (refused.status, refused.code, refused.ability) == (
            "refused",
            "ability_invalid_input",
            "dispatcher/call-tool",
        )
        assert refused.error.details["problems"][0]["path"] == "/arguments"
        assert "flour" not in str(refused.error)
    assert recorder.events == []


@pytest.mark.parametrize("none", [None, [], {}, "{}"])
async def test_null_an_empty_list_and_an_empty_object_are_no_arguments(
    tmp_path: Path, none: Any
) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        answers = [
            (await call_tool(host, f"notes/{name}", none)).unwrap()
            for name in ("open", "none", "hum")
        ]
        absent = await dispatch(host, "call-tool", name="notes/open")

    assert [*answers, absent.unwrap()] == [{}, None, "m", {}]


async def test_a_tool_that_takes_no_object_gets_its_input_unwrapped(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        unwrapped = await call_tool(host, "notes_say", {"input": "hello"})
        kept = await call_tool(host, "notes/any", {"input": "hello"})
        unknown = await call_tool(host, "notes/gone", {"input": "hello"})

    assert (unwrapped.unwrap(), kept.unwrap()) == ("hello", {"input": "hello"})
    assert unknown.code == "ability_not_found"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("notes/read", {"text": 5}, "ability_invalid_input"),
        ("notes/read", {"txt": "flour"}, "ability_invalid_input"),
        ("notes/none", {"text": "flour"}, "ability_missing_input_schema"),
        ("notes/mine", None, "ability_invalid_permissions"),
        ("notes/print", None, "no_paper"),
        ("notes/gone", None, "ability_not_found"),
        ("no name", None, "ability_not_found"),
        ("", None, "ability_not_found"),
    ],
)
async def test_a_refusal_is_the_one_of_the_tools_own_gate(
    tmp_path: Path, name: str, arguments: Any, code: str
) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        direct = await host.execute(name, arguments, actor=AGENT, server="default")
        outcome = await call_tool(host, name, arguments)

    assert (outcome.code, outcome.status) == (code, direct.status)
    assert (outcome.ability, str(outcome.error)) == (name, str(direct.error))


async def test_what_is_off_or_needs_more_scope_looks_unknown(tmp_path: Path) -> None:
    config = 'disabled = ["notes/any"]\n[server]\nexclude = ["notes/none"]\n'
    async with build_host(tmp_path, packs=packs_of(notes=NOTES), config=config) as host:
        outcomes = [
            await call_tool(host, name, {"text": "flour"}, READER)
            for name in ("notes/any", "notes/none", "notes/add", "notes/gone")
        ]

    assert [str(outcome.error) for outcome in outcomes] == [
        "There is no ability 'notes/any' here.",
        "There is no ability 'notes/none' here.",
        "There is no ability 'notes/add' here.",
        "There is no ability 'notes/gone' here.",
    ]


@pytest.mark.parametrize(
    "name", ["dispatcher/call-tool", "dispatcher_call-tool", "dispatcher/list-tools"]
)
async def test_the_dispatcher_does_not_call_itself(tmp_path: Path, name: str) -> None:
    async with build_host(tmp_path, packs=[dispatcher_pack()]) as host:
        outcome = await call_tool(host, name, {"name": "dispatcher/list-tools"})

    assert (outcome.status, outcome.code) == ("refused", "ability_not_found")
    assert "call it directly" in str(outcome.error)


async def test_a_write_is_vetoed_and_recorded_once_under_its_own_name(
    tmp_path: Path,
) -> None:
    seen: list[tuple[str, str, Mapping[str, Any]]] = []

    class Policy:
        @hookimpl
        @staticmethod
        async def before_write(write: ProposedWrite) -> Veto | None:
            seen.append((write.ability.name, write.call.via, write.arguments))
            is_long = len(write.arguments["text"]) > 5
            return Veto("Notes are short.") if is_long else None

    recorder = RecordingRecorder()
    packs = packs_of(notes=NOTES, policy=Policy)
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        added = await call_tool(host, "notes/add", {"text": "flour"})
        vetoed = await call_tool(host, "notes/add", '{"text":"flour and salt"}')

    assert (added.status, vetoed.status) == ("ok", "refused")
    assert str(vetoed.error) == (
        "The write 'notes/add' was stopped by 'local/policy': Notes are short."
    )
    assert seen == [
        ("notes/add", "call-tool", {"text": "flour"}),
        ("notes/add", "call-tool", {"text": "flour and salt"}),
    ]
    row = partial(RecordedEvent, ability="notes/add", via="call-tool")
    assert recorder.events == [
        row(method="intent", call=added.call),
        row(method="outcome", call=added.call, status="ok"),
        row(method="refusal", call=vetoed.call, status="refused", code="write_vetoed"),
    ]


async def test_a_question_comes_through_and_its_answer_goes_back(
    tmp_path: Path,
) -> None:
    class Policy:
        @hookimpl
        @staticmethod
        async def before_write(write: ProposedWrite) -> Ask:
            return Ask("Really?")

    add = {"name": "notes/add", "arguments": {"text": "flour"}}
    packs = packs_of(notes=NOTES, policy=Policy)
    async with build_host(tmp_path, packs=packs) as host:
        asked = await host.execute("dispatcher/call-tool", add, actor=AGENT)
        answer = Answer(asked.state, is_accepted=True)
        agreed, again = [
            await host.execute("dispatcher/call-tool", add, actor=AGENT, answer=answer)
            for _ in range(2)
        ]

    assert (asked.status, asked.question) == ("input_required", "Really?")
    assert (agreed.status, again.status) == ("ok", "input_required")


async def test_progress_and_session_reach_the_tool(tmp_path: Path) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async def work(arguments: Any, call: Call) -> list[Any]:
        await call.report_progress(1, 2, "half")
        return [call.session, call.client, call.server, call.actor.id, call.depth]

    def register(registry: RegistryView) -> None:
        declare(registry, "notes/work", execute_callback=work)

    async with build_host(tmp_path, packs=packs_of(notes=pack_of(register))) as host:
        outcome = await host.execute(
            "dispatcher/call-tool",
            {"name": "notes/work"},
            actor=AGENT,
            server="default",
            session="session-1",
            client="an editor",
            progress=hear,
        )

    assert outcome.unwrap() == ["session-1", "an editor", "default", "agent-7", 2]
    assert heard == [(1, 2, "half")]


async def test_one_call_at_once_is_enough_for_a_call_through_call_tool(
    tmp_path: Path,
) -> None:
    async with build_host(
        tmp_path, packs=packs_of(notes=NOTES), config="[limits]\ncalls = 1\n"
    ) as host:
        outcomes = await asyncio.gather(
            *(call_tool(host, "notes/add", {"text": str(n)}) for n in range(8))
        )

    assert [outcome.unwrap() for outcome in outcomes] == [
        {"text": str(number)} for number in range(8)
    ]


async def test_a_tool_has_its_own_time_and_not_what_a_route_would_have(
    tmp_path: Path,
) -> None:
    async def tell(arguments: Any, call: Call) -> float:
        return call.deadline - asyncio.get_running_loop().time()

    def register(registry: RegistryView) -> None:
        declare(registry, "notes/slow", execute_callback=tell, time_limit=900)
        declare(registry, "notes/plain", execute_callback=tell)

    async with build_host(
        tmp_path,
        packs=packs_of(notes=pack_of(register)),
        config="[limits]\ncall_seconds = 30\n",
    ) as host:
        slow = await call_tool(host, "notes/slow")
        plain = await call_tool(host, "notes/plain")

    assert 30 < slow.unwrap() <= 900
    assert plain.unwrap() <= 30


async def test_a_read_only_host_still_dispatches_reads(tmp_path: Path) -> None:
    async with build_host(
        tmp_path, packs=packs_of(notes=NOTES), config="read_only = true\n"
    ) as host:
        read = await call_tool(host, "notes/read", {"text": "flour"})
        write = await call_tool(host, "notes/add", {"text": "flour"})

    assert (read.status, write.code) == ("ok", "ability_not_found")


async def test_three_tools_take_little_of_a_compact_listing(tmp_path: Path) -> None:
    packs = [dispatcher_pack(), core_pack()]
    async with build_host(tmp_path, packs=packs) as host:
        tools = [
            {
                "name": exposed_name(ability.name),
                "title": ability.label,
                "description": ability.description,
                "inputSchema": ability.shown_input_schema,
                "annotations": {
                    "readOnlyHint": ability.annotations.readonly,
                    "destructiveHint": ability.annotations.destructive,
                    "idempotentHint": ability.annotations.idempotent,
                },
            }
            for ability in host.registry.query(namespace="dispatcher")
            if ability.name in COMPACT_ABILITIES
        ]

    assert [tool["name"] for tool in tools] == [
        "dispatcher_list-tools",
        "dispatcher_get-tool-schema",
        "dispatcher_call-tool",
    ]
    assert [tool["annotations"] for tool in tools] == [
        {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        {"readOnlyHint": False, "destructiveHint": None, "idempotentHint": None},
    ]
    assert len(orjson.dumps(tools, default=dict)) <= 1200


async def test_every_tool_of_the_dispatcher_is_a_route_that_readers_may_take(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=[dispatcher_pack()]) as host:
        seen = await host.list_abilities(READER, "default")

    assert [(ability.is_route, ability.requires) for ability in seen] == [
        (True, "read")
    ] * 4
