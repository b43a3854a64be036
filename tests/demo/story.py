"""Story: what two clients live through, told step by step, each step held to it."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Final

import anyio
from demo.stage import PATIENCE, Served, Stage, StoryBroken
from mcp import Client, MCPError

CHANGED: Final = "notifications/tools/list_changed"
NOTE: Final = "notes/today.md"
KEPT: Final = "data/fruit.csv"
WIDTH: Final = 88


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part."""

    stage: Stage
    ada: Client
    bert: Client
    bert_heard: asyncio.Event


async def tell_story(stage: Stage) -> None:
    """Play everything in its order.

    Args:
        stage: an empty folder.

    Raises:
        StoryBroken: when something did not happen as it is told.
    """
    await make_host(stage)
    async with stage.serve() as full, stage.serve("--compact") as compact:
        async with cast_of(stage, full, compact) as cast:
            await list_tools(cast)
            await find_by_search(cast)
            await write_a_file(cast)
            await meet_the_policy(cast)
            await switch_off_while_connected(cast)
            await switch_on_again(cast)
            await look_it_up_and_undo(cast)
        await stop(full, compact)
    say_step("Every sentence above was checked while it was told.")


async def make_host(stage: Stage) -> None:
    say_step("An operator makes a host, and gives it a policy.")
    say("$ abilities init")
    made = json.loads(await stage.run("init", "--json"))
    say(f"There are {len(made['created'])} files now: {', '.join(made['created'])}.")
    stage.write_policy()
    stage.allow_undo()
    say("plugins/guard.py is that policy: nothing may write below data/.")


@asynccontextmanager
async def cast_of(stage: Stage, full: Served, compact: Served) -> AsyncIterator[Cast]:
    """Have the clients connect, one of each era of the protocol."""
    heard = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == CHANGED:
            heard.set()

    say_step("Two servers serve that host over HTTP, and two clients connect.")
    say("$ abilities serve")
    say("$ abilities serve --compact")
    async with (
        full.client("auto") as ada,
        compact.client("legacy", message_handler=hear) as bert,
    ):
        say(f"Ada speaks the protocol of {ada.protocol_version}, with the first one.")
        say(f"Bert speaks that of {bert.protocol_version}, with the second one.")
        say("Both sent the token that the first start has made.")
        yield Cast(stage, ada, bert, heard)


async def list_tools(cast: Cast) -> None:
    say_step("Both ask what there is.")
    ada, bert = await names(cast.ada), await names(cast.bert)
    expect("files_write" in ada, "Ada sees files_write")
    expect(len(bert) == 3, "Bert sees three tools")
    say(f"Ada sees all {len(ada)} tools: {', '.join(ada)}.")
    say(f"Bert sees {len(bert)} that lead to the same: {', '.join(bert)}.")


async def find_by_search(cast: Cast) -> None:
    say_step("Bert, who sees little, searches for what he needs.")
    found = await ask(cast.bert, "dispatcher_list-tools", search="write a file")
    first = found["tools"][0]["name"]
    expect(first == "files/write", f"the search finds files/write, not {first}")
    say(f'list-tools for "write a file" gives {first} first.')
    schemas = await ask(cast.bert, "dispatcher_get-tool-schema", names=[first])
    arguments = schemas["tools"][first]["inputSchema"]["properties"]
    say(f"get-tool-schema says what it takes: {', '.join(arguments)}.")


async def write_a_file(cast: Cast) -> None:
    say_step("Bert writes a file with it.")
    before = cast.stage.read(NOTE)
    arguments = {"path": NOTE, "text": "Buy milk"}
    await ask(
        cast.bert, "dispatcher_call-tool", name="files/write", arguments=arguments
    )
    after = cast.stage.read(NOTE)
    expect((before, after) == (None, "Buy milk"), "the file is on the disk")
    say(f"{NOTE} was not there before. The disk says now: {after!r}.")


async def meet_the_policy(cast: Cast) -> None:
    say_step("Ada tries to write where the policy says no.")
    before = cast.stage.read(KEPT)
    refused = await cast.ada.call_tool("files_write", {"path": KEPT, "text": ""})
    said = text_of(refused)
    expect(bool(refused.is_error), "the write is refused")
    expect("data/ is kept as it is" in said, "the refusal gives the policy's reason")
    expect(before == cast.stage.read(KEPT) != "", "the file is as it was")
    say(f"She is told: {said}")
    say(f"{KEPT} is as it was. Bert's way round, through call-tool, ends the same:")
    arguments = {"name": "files/write", "arguments": {"path": KEPT, "text": ""}}
    refused = await cast.bert.call_tool("dispatcher_call-tool", arguments)
    expect(bool(refused.is_error), "there is no way round the policy")
    expect(before == cast.stage.read(KEPT), "the file is still as it was")
    say(f"he is told: {text_of(refused)}")


async def switch_off_while_connected(cast: Cast) -> None:
    say_step("The operator switches an ability off while both are connected.")
    cast.bert_heard.clear()
    await switch(cast, "disable")
    gone = "files_delete" not in await names(cast.ada)
    expect(gone, "files_delete is gone from the listing")
    say("Both are told at once. Ada asks again: files_delete is not there any more.")
    try:
        await cast.ada.call_tool("files_delete", {"path": NOTE})
    except MCPError as error:
        say(f"She calls it all the same, and is told: {error}")
    else:
        raise StoryBroken("files_delete could still be called")
    arguments = {"name": "files/delete", "arguments": {"path": NOTE}}
    refused = await cast.bert.call_tool("dispatcher_call-tool", arguments)
    expect(bool(refused.is_error), "no other way leads to it")
    expect(cast.stage.read(NOTE) is not None, "the file is still there")
    say(f"So is Bert: {text_of(refused)}")


async def switch_on_again(cast: Cast) -> None:
    say_step("The operator switches it on again.")
    cast.bert_heard.clear()
    await switch(cast, "enable")
    await cast.ada.call_tool("files_delete", {"path": NOTE})
    expect(cast.stage.read(NOTE) is None, "the file is deleted")
    say(f"Ada, told once more, deletes {NOTE}; the disk says it is gone.")


async def look_it_up_and_undo(cast: Cast) -> None:
    say_step("That was a mistake. The operator looks it up, and puts it back.")
    say("$ abilities ledger list")
    record = json.loads(await cast.stage.run("ledger", "list", "--json"))
    for change in record["changes"]:
        words = ("id", "actor", "ability", "target", "action")
        say(" ".join(str(change[word]) for word in words))
    newest = record["changes"][0]
    expect(newest["action"] == "deleted", "the newest change is the deletion")
    say(f"$ abilities ledger rollback {newest['id']}")
    say((await cast.stage.run("ledger", "rollback", str(newest["id"]), "-y")).strip())
    expect(cast.stage.read(NOTE) == "Buy milk", "the file is back as it was")
    say(f"The disk says again: {cast.stage.read(NOTE)!r}. And the record is whole:")
    say("$ abilities ledger verify")
    say((await cast.stage.run("ledger", "verify")).splitlines()[0])


async def stop(*servers: Served) -> None:
    say_step("The operator stops the servers.")
    for served in servers:
        code = await served.stop()
        expect(code == 128 + signal.SIGTERM, f"a server ends in order, not with {code}")
    say("Both ended in order.")


async def switch(cast: Cast, word: str) -> None:
    """Toggle in a process of its own, and wait until both have heard."""
    async with cast.ada.listen(tools_list_changed=True) as changes:
        say(f"$ abilities {word} files/delete")
        await cast.stage.run(word, "files/delete")
        with anyio.fail_after(PATIENCE):
            await anext(aiter(changes))
            await cast.bert_heard.wait()


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that is expected to do well."""
    result = await client.call_tool(tool, arguments)
    expect(not result.is_error, f"{tool} does what it is asked: {text_of(result)}")
    return result.structured_content


def text_of(result: Any) -> str:
    return " ".join(part.text for part in result.content)


def expect(is_true: bool, what: str) -> None:  # noqa: FBT001 - a claim and its words
    if not is_true:
        raise StoryBroken(f"it is not so that {what}")


def say_step(title: str) -> None:
    sys.stdout.write(f"\n* {title}\n")


def say(sentence: str) -> None:
    told = fill(
        sentence,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
    )
    sys.stdout.write(f"{told}\n")
    sys.stdout.flush()
