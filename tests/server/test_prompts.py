"""Prompts, through the SDK's own client of both eras."""

from pathlib import Path
from typing import Any

from mcp_types import ElicitRequestParams, ElicitResult, PromptReference
from server.shelf import ASKING, BOTH, EACH, EVERYWHERE, Over, error_of, reached, shelf
from server.world import Mode, connected

import abilities_dispatcher
from abilities_host.hooks.packs import local_pack
from abilities_host.server.answers import told


def plain(model: Any) -> Any:
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


@EVERYWHERE
async def test_prompts_are_listed_with_the_arguments_of_their_schema(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        capabilities = client.server_capabilities
        listed = (await client.list_prompts()).prompts

    assert capabilities.prompts is not None
    assert capabilities.prompts.list_changed is True
    names = ("ask", "essay", "hello", "list", "number", "wrong")
    assert [one.name for one in listed] == [f"shelf_{name}-prompt" for name in names]
    assert plain(listed[1]) == {
        "name": "shelf_essay-prompt",
        "title": "Essay-Prompt",
        "description": "The essay-prompt.",
        "arguments": [
            {
                "name": "topic",
                "title": "Topic",
                "description": "About what.",
                "required": True,
            },
            {"name": "words"},
            {"name": "tone"},
        ],
        "_meta": {
            "abilities/name": "shelf/essay-prompt",
            "abilities/category": "shelf",
        },
    }


@EVERYWHERE
async def test_what_a_prompt_gives_comes_as_messages(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        given = {"topic": "Tea", "words": "7"}
        essay = await client.get_prompt("shelf_essay-prompt", given)
        others = [
            plain(await client.get_prompt(f"shelf_{name}-prompt"))["messages"]
            for name in ("hello", "list", "number")
        ]

    assert essay.description == "An essay."
    assert [plain(message) for message in essay.messages] == [
        said("user", "Tea in 7 words"),
        said("assistant", "Gladly."),
    ]
    assert others == [
        [said("user", "Say hello.")],
        [said("user", "One."), said("assistant", "Two.")],
        [said("user", "7")],
    ]


@EACH
async def test_arguments_are_checked_and_what_is_unknown_is_told(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        given = {"topic": "Tea", "words": "many"}
        typed = await error_of(client.get_prompt("shelf_essay-prompt", given))
        missing = await error_of(client.get_prompt("shelf_essay-prompt"))
        unknown = await error_of(client.get_prompt("shelf_tool"))

    assert (typed[0], typed[2]["code"]) == (-32602, "ability_invalid_input")
    assert "/words" in typed[1]
    assert "many" not in str(typed)
    assert missing[0] == -32602
    assert unknown == (-32602, "Unknown prompt: shelf_tool", None)


@BOTH
async def test_what_is_no_message_is_never_sent(tmp_path: Path, mode: Mode) -> None:
    async with connected(tmp_path, mode, shelf()) as (client, _):
        code, message, data = await error_of(client.get_prompt("shelf_wrong-prompt"))

    assert code == -32603
    assert data == told("invalid_content", message, "failed")
    assert message.startswith("'shelf/wrong-prompt' gave something that is no prompt: ")
    assert "a secret" not in message


@ASKING
async def test_a_person_may_be_asked_before_a_prompt_is_given(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async def yes(_context: Any, _params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async with reached(tmp_path, over, mode, elicitation_callback=yes) as client:
        got = await client.get_prompt("shelf_ask-prompt")

    assert [plain(message) for message in got.messages] == [
        said("user", "opened: True")
    ]


@EACH
async def test_an_argument_with_known_values_is_completed(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    prompt = PromptReference(name="shelf_essay-prompt")
    async with reached(tmp_path, over, mode) as client:
        tone = await client.complete(prompt, {"name": "tone", "value": "K"})
        free = await client.complete(prompt, {"name": "topic", "value": ""})
        none = await client.complete(prompt, {"name": "nothing", "value": ""})

    assert tone.completion.values == ["kind", "keen"]
    assert (free.completion.values, none.completion.values) == ([], [])


@BOTH
async def test_what_is_off_is_neither_listed_nor_given_nor_completed(
    tmp_path: Path, mode: Mode
) -> None:
    prompt = PromptReference(name="shelf_essay-prompt")
    config = 'disabled = ["shelf/essay-prompt"]'
    async with connected(tmp_path, mode, shelf(), config=config) as (client, _):
        names = [one.name for one in (await client.list_prompts()).prompts]
        refused = await error_of(
            client.get_prompt("shelf_essay-prompt", {"topic": "Tea"})
        )
        completed = await client.complete(prompt, {"name": "tone", "value": ""})

    assert "shelf_essay-prompt" not in names
    assert refused[1] == "Unknown prompt: shelf_essay-prompt"
    assert completed.completion.values == []


@BOTH
async def test_a_compact_server_shows_prompts_and_its_dispatcher_lists_none(
    tmp_path: Path, mode: Mode
) -> None:
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"
    packs = (shelf(), dispatcher)
    config = "[server]\ncompact = true\n"
    async with connected(tmp_path, mode, *packs, config=config) as (client, _):
        prompts = (await client.list_prompts()).prompts
        found = await client.call_tool("dispatcher_list-tools", {})

    tools = [tool["name"] for tool in found.structured_content["tools"]]
    assert len(prompts) == 6
    assert tools == ["shelf/tool"]
