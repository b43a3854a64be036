"""Asking a person, in both eras, through the SDK's own client."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import ElicitRequestParams, ElicitResult, InputRequiredResult
from server.world import Mode, connected, described, pack, text_of

import abilities_dispatcher
from abilities_host import Ask, Call, NeedsInput, ProposedWrite
from abilities_host.hooks.packs import Pack, local_pack

both = pytest.mark.parametrize("mode", ["auto", "legacy"])

Answering = Callable[[Any, ElicitRequestParams], Awaitable[ElicitResult]]


class Asking:
    """A pack whose writes a person must agree to, and a note of what ran."""

    def __init__(self) -> None:
        self.ran: list[Any] = []
        self.clients: list[str] = []

    @property
    def pack(self) -> Pack:
        def before_write(write: ProposedWrite) -> Ask:
            self.clients.append(write.call.client)
            return Ask("Really write?")

        one = described(self.ran.append)
        return pack(("test/one", one), before_write=before_write)


def says(action: Any, content: dict[str, Any] | None = None) -> Answering:
    async def answer(_context: Any, params: ElicitRequestParams) -> ElicitResult:
        assert params.message == "Really write?"
        return ElicitResult(action=action, content=content)

    return answer


@both
async def test_a_person_who_agrees_lets_the_write_go_on(
    tmp_path: Path, mode: Mode
) -> None:
    asking, yes = Asking(), says("accept", {"confirm": True})

    async with connected(tmp_path, mode, asking.pack, elicitation_callback=yes) as (
        client,
        _,
    ):
        result = await client.call_tool("test_one", {"a": 1})

    assert not result.is_error
    assert asking.ran == [{"a": 1}]
    assert asking.clients == ["mcp", "mcp"]


@both
@pytest.mark.parametrize(
    "no",
    [
        says("accept", {"confirm": False}),
        says("accept"),
        says("decline"),
        says("cancel"),
    ],
)
async def test_anything_but_a_yes_stops_the_write(
    tmp_path: Path, mode: Mode, no: Answering
) -> None:
    asking = Asking()

    async with connected(tmp_path, mode, asking.pack, elicitation_callback=no) as (
        client,
        _,
    ):
        said = await text_of(client, "test_one", {})

    assert asking.ran == []
    assert said.endswith("was stopped by 'local/test': a person said no")


@both
async def test_a_client_that_cannot_ask_is_told_what_is_needed(
    tmp_path: Path, mode: Mode
) -> None:
    asking = Asking()

    async with connected(tmp_path, mode, asking.pack) as (client, _):
        said = await text_of(client, "test_one", {})

    assert asking.ran == []
    assert said == (
        "needs_answer: A person must answer, and this client cannot ask: Really write?"
    )


@both
async def test_a_person_is_asked_three_times_at_most(
    tmp_path: Path, mode: Mode
) -> None:
    asked: list[str] = []

    async def answer(_context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    def before_write(write: ProposedWrite) -> Ask:
        return Ask(f"Really write, {len(asked)}?")

    restless = pack(("test/one", described(dict)), before_write=before_write)
    async with connected(tmp_path, mode, restless, elicitation_callback=answer) as (
        client,
        _,
    ):
        said = await text_of(client, "test_one", {})

    assert len(asked) == 3
    assert said.startswith("needs_answer: A person was asked 3 times")


@both
async def test_an_ability_may_ask_and_read_the_comment(
    tmp_path: Path, mode: Mode
) -> None:
    async def ask(arguments: Any, call: Call) -> Any:
        if call.answer is None:
            raise NeedsInput("Really write?")
        return [call.answer.is_accepted, call.answer.content["comment"]]

    yes = says("accept", {"confirm": True, "comment": "Go."})
    curious = pack(("test/ask", described(ask)))
    async with connected(tmp_path, mode, curious, elicitation_callback=yes) as (
        client,
        _,
    ):
        result = await client.call_tool("test_ask", {})

    said = [True, "Go."]
    assert result.structured_content == ({"data": said} if mode == "legacy" else said)


@both
async def test_a_person_is_asked_for_what_call_tool_leads_to_as_well(
    tmp_path: Path, mode: Mode
) -> None:
    asking, yes = Asking(), says("accept", {"confirm": True})
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"

    async with connected(
        tmp_path,
        mode,
        dispatcher,
        asking.pack,
        config="[server]\ncompact = true\n",
        elicitation_callback=yes,
    ) as (client, _):
        call = {"name": "test/one", "arguments": {"a": 1}}
        result = await client.call_tool("dispatcher_call-tool", call)

    assert not result.is_error
    assert asking.ran == [{"a": 1}]


async def test_nobody_waits_for_ever_for_a_person(tmp_path: Path) -> None:
    asking = Asking()

    async def never(_context: Any, _params: ElicitRequestParams) -> ElicitResult:
        await asyncio.Event().wait()
        raise AssertionError

    async with connected(
        tmp_path,
        "legacy",
        asking.pack,
        config="[limits]\nquestion_seconds = 0.1\n",
        elicitation_callback=never,
    ) as (client, _):
        said = await text_of(client, "test_one", {})

    assert asking.ran == []
    assert said == "needs_answer: Nobody answered: Really write?"


async def test_a_client_that_fails_to_ask_has_no_answer(tmp_path: Path) -> None:
    asking = Asking()

    async def fail(_context: Any, _params: ElicitRequestParams) -> ElicitResult:
        raise MCPError(-32603, "no window")

    async with connected(
        tmp_path, "legacy", asking.pack, elicitation_callback=fail
    ) as (client, _):
        said = await text_of(client, "test_one", {})

    assert asking.ran == []
    assert said == "needs_answer: Nobody answered: Really write?"


async def ask_alone(client: Client) -> InputRequiredResult:
    """Call as a client does that asks its user by itself."""
    asked = await client.session.call_tool(
        "test_one", {"a": 1}, allow_input_required=True
    )
    assert isinstance(asked, InputRequiredResult)
    return asked


YES: dict[str, Any] = {
    "confirm": ElicitResult(action="accept", content={"confirm": True})
}


async def test_an_answer_is_good_for_one_run(tmp_path: Path) -> None:
    asking = Asking()

    async with connected(
        tmp_path, "auto", asking.pack, elicitation_callback=says("cancel")
    ) as (client, _):
        state = (await ask_alone(client)).request_state
        results = [
            await client.session.call_tool(
                "test_one",
                {"a": 1},
                input_responses=YES,
                request_state=state,
                allow_input_required=True,
            )
            for _ in range(2)
        ]

    assert asking.ran == [{"a": 1}]
    assert [type(result).__name__ for result in results] == [
        "CallToolResult",
        "InputRequiredResult",
    ]


@pytest.mark.parametrize("responses", [None, {}, {"other": YES["confirm"]}])
async def test_a_state_without_an_answer_is_asked_again(
    tmp_path: Path, responses: Any
) -> None:
    asking = Asking()

    async with connected(
        tmp_path, "auto", asking.pack, elicitation_callback=says("cancel")
    ) as (client, _):
        again = await client.session.call_tool(
            "test_one",
            {"a": 1},
            input_responses=responses,
            request_state=(await ask_alone(client)).request_state,
            allow_input_required=True,
        )

    assert asking.ran == []
    assert isinstance(again, InputRequiredResult)


@pytest.mark.parametrize(
    ("arguments", "forge"),
    [({"a": 2}, lambda state: state), ({"a": 1}, lambda state: f"9:{state}")],
)
async def test_a_state_that_answers_something_else_is_refused(
    tmp_path: Path, arguments: dict[str, Any], forge: Callable[[Any], str]
) -> None:
    asking = Asking()

    async with connected(
        tmp_path, "auto", asking.pack, elicitation_callback=says("cancel")
    ) as (client, _):
        state = forge((await ask_alone(client)).request_state)
        with pytest.raises(MCPError) as refused:
            await client.session.call_tool(
                "test_one", arguments, input_responses=YES, request_state=state
            )

    assert refused.value.code == -32602
    assert asking.ran == []


FORM = {
    "type": "object",
    "properties": {"size": {"type": "integer"}},
    "required": ["size"],
}


@both
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (ElicitResult(action="accept", content={"size": 7}), (True, {"size": 7})),
        (ElicitResult(action="decline"), (False, {})),
    ],
)
async def test_an_ability_may_have_a_form_filled_in(
    tmp_path: Path, mode: Mode, said: ElicitResult, heard: Any
) -> None:
    shown: list[Any] = []

    async def choose(_arguments: Any, call: Call) -> list[Any]:
        if call.answer is None:
            question = "Which size?"
            raise NeedsInput(question, form=FORM, key="size")
        return [call.answer.is_accepted, call.answer.content]

    async def answer(_context: Any, params: Any) -> ElicitResult:
        shown.append((params.message, params.requested_schema))
        return said

    asking = pack(("test/one", described(choose)))
    async with connected(tmp_path, mode, asking, elicitation_callback=answer) as (
        client,
        _,
    ):
        result = await client.call_tool("test_one", {})

    assert shown == [("Which size?", FORM)]
    assert getattr(result.content[0], "text", "") == json.dumps(
        list(heard), separators=(",", ":")
    )


def test_a_form_is_an_object_and_its_key_is_its_own() -> None:
    for wrong in ({"form": {"type": "string"}}, {"form": FORM, "key": "confirm"}):
        with pytest.raises(TypeError, match="a form is an object schema"):
            NeedsInput("Which?", **wrong)
