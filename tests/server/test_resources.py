"""Resources and their templates, through the SDK's own client of both eras."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import (
    ElicitRequestParams,
    ElicitResult,
    ResourceTemplateReference,
)
from server.shelf import ASKING, BOTH, EACH, EVERYWHERE, Over, error_of, reached, shelf
from server.shelf_pack import PIXEL
from server.world import (
    READ,
    Mode,
    ability,
    connected,
    described,
    pack,
    running,
    server_of,
)

from abilities_host import Actor, Veto
from abilities_host.cli.list import kind_of
from abilities_host.server.answers import told
from abilities_host.server.builder import build_server
from abilities_host.server.catalogue import PAGE
from abilities_host.server.listing import check_wire

KINDS = ("prompts", "resources", "tools")


def resource(uri: str, **changed: Any) -> dict[str, Any]:
    meta = {**READ, "mcp": {"type": "resource", "uri": uri}}
    return described(lambda: "read", **{"input_schema": None, "meta": meta, **changed})


@EVERYWHERE
async def test_resources_and_templates_are_listed_and_are_no_tools(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        capabilities = client.server_capabilities
        tools = [tool.name for tool in (await client.list_tools()).tools]
        listed = (await client.list_resources()).resources
        (template,) = (await client.list_resource_templates()).resource_templates
        called = await error_of(client.call_tool("shelf_today", {}))

    assert capabilities.resources is not None
    assert capabilities.resources.list_changed is True
    assert [name for name in tools if name.startswith("shelf")] == ["shelf_tool"]
    assert called[1] == "Unknown tool: shelf_today"
    names = "asking both broken bursting count failing picture today waiting"
    assert [str(one.uri) for one in listed] == [f"shelf://{n}" for n in names.split()]
    today = listed[-2]
    assert (today.name, today.title, today.description) == (
        "shelf/today",
        "Today",
        "The today.",
    )
    assert (today.mime_type, today.size) == ("text/markdown", 12)
    assert today.meta == {
        "abilities/name": "shelf/today",
        "abilities/category": "shelf",
    }
    assert template.uri_template == "shelf://notes/{number}/{+colour}"
    assert template.name == "shelf/note"


@EVERYWHERE
async def test_what_is_read_comes_as_text_as_json_or_as_bytes(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        read = {
            name: [
                part.model_dump(by_alias=True, exclude_none=True, mode="json")
                for part in (await client.read_resource(f"shelf://{name}")).contents
            ]
            for name in ("today", "count", "picture", "both")
        }

    assert read == {
        "today": [
            {
                "uri": "shelf://today",
                "mimeType": "text/markdown",
                "text": "Tea at four.",
            }
        ],
        "count": [
            {
                "uri": "shelf://count",
                "mimeType": "application/json",
                "text": '{"books":3}',
            }
        ],
        "picture": [{"uri": "shelf://picture", "mimeType": "image/png", "blob": PIXEL}],
        "both": [
            {"uri": "shelf://both", "mimeType": "text/plain", "text": "one"},
            {"uri": "shelf://two", "mimeType": "text/plain", "blob": PIXEL},
        ],
    }


@EACH
async def test_a_template_takes_its_arguments_from_the_address_and_checks_them(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async with reached(tmp_path, over, mode) as client:
        read = await client.read_resource("shelf://notes/7/blue")
        code, text, data = await error_of(client.read_resource("shelf://notes/0/blue"))

    assert getattr(read.contents[0], "text", "") == '{"number":7,"colour":"blue"}'
    assert (code, data["code"]) == (-32602, "ability_invalid_input")
    assert text.startswith("ability_invalid_input: Ability 'shelf/note' has invalid")
    assert "/number" in text


@EACH
async def test_what_is_not_there_is_told_the_way_of_each_era(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    uri = "shelf://notes/7"  # one part of the template is missing
    async with reached(tmp_path, over, mode) as client:
        missing = await error_of(client.read_resource(uri))

    code = -32602 if mode == "auto" else -32002
    assert missing == (code, "Resource not found", {"uri": uri})


@BOTH
async def test_a_resource_whose_arguments_are_all_optional_gets_none(
    tmp_path: Path, mode: Mode
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}
    given = resource("test://n", input_schema=schema, execute_callback=dict)
    async with connected(tmp_path, mode, pack(("test/n", given))) as (client, _):
        read = await client.read_resource("test://n")

    assert getattr(read.contents[0], "text", "") in ("{}", '{"n":3}')


@BOTH
async def test_what_is_off_or_not_allowed_is_as_if_it_were_not_there(
    tmp_path: Path, mode: Mode
) -> None:
    secret = resource("test://secret", requires="test:secret")
    packs = pack(("test/secret", secret), ("test/off", resource("test://off")))
    async with connected(tmp_path, mode, packs, config='disabled = ["test/off"]') as (
        client,
        host,
    ):
        listed = (await client.list_resources()).resources
        errors = [
            await error_of(client.read_resource(uri))
            for uri in ("test://secret", "test://off", "test://none")
        ]
        found = host.registry.has_ability("test/secret")

    assert (listed, found) == ([], True)
    assert len({(code, message) for code, message, _ in errors[1:]}) == 1


@BOTH
async def test_what_goes_wrong_is_an_error_without_what_nobody_may_see(
    tmp_path: Path, mode: Mode
) -> None:
    async with connected(tmp_path, mode, shelf()) as (client, _):
        failing = await error_of(client.read_resource("shelf://failing"))
        bursting = await error_of(client.read_resource("shelf://bursting"))
        broken = await error_of(client.read_resource("shelf://broken"))

    assert failing[0] == -32603
    assert "The shelf is empty." in failing[1]
    assert bursting[0] == -32603
    assert "a secret" not in str(bursting)
    assert broken[2] == told("invalid_content", broken[1], "failed")
    assert "its blob is not base64" in broken[1]


@ASKING
async def test_a_person_may_be_asked_before_something_is_read(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    async def yes(_context: Any, params: ElicitRequestParams) -> ElicitResult:
        assert params.message == "Open it?"
        return ElicitResult(action="accept", content={"confirm": True})

    async with reached(tmp_path, over, mode, elicitation_callback=yes) as client:
        read = await client.read_resource("shelf://asking")

    assert getattr(read.contents[0], "text", "") == "opened: True"


@BOTH
async def test_a_client_that_cannot_ask_is_told_what_is_needed(
    tmp_path: Path, mode: Mode
) -> None:
    async with connected(tmp_path, mode, shelf()) as (client, _):
        code, message, data = await error_of(client.read_resource("shelf://asking"))

    assert code == -32603
    assert data == told("needs_answer", message, "refused")
    assert message == "A person must answer, and this client cannot ask: Open it?"


@BOTH
async def test_many_resources_come_by_the_page_and_each_once(
    tmp_path: Path, mode: Mode
) -> None:
    count = PAGE + 7
    many = pack(*((f"test/r{n:03}", resource(f"test://{n:03}")) for n in range(count)))
    async with connected(tmp_path, mode, many) as (client, _):
        first = await client.list_resources()
        last = await client.list_resources(cursor=first.next_cursor)
        bad = await error_of(client.list_resources(cursor="17"))

    uris = [str(one.uri) for one in (*first.resources, *last.resources)]
    assert uris == [f"test://{number:03}" for number in range(count)]
    assert (len(first.resources), last.next_cursor) == (PAGE, None)
    assert bad == (-32602, "No page gave this cursor; begin without one.", None)


async def test_a_page_holds_no_more_bytes_than_a_listing_may_but_always_one(
    tmp_path: Path,
) -> None:
    long = {"description": "d" * 3000}
    few = pack(*((f"test/r{n}", resource(f"test://{n}", **long)) for n in range(5)))
    config = "[limits]\nlisting_bytes = 8000\n"
    async with connected(tmp_path, "auto", few, config=config) as (client, _):
        pages: list[int] = []
        cursor: str | None = None
        while not pages or cursor:
            page = await client.list_resources(cursor=cursor)
            pages.append(len(page.resources))
            cursor = page.next_cursor

    assert pages == [2, 2, 1]


async def test_a_client_of_the_later_era_hears_that_a_resource_has_gone(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path, "auto", shelf()) as (client, host):
        async with client.listen(resources_list_changed=True) as changes:
            host.registry.unregister_ability("shelf/today")
            with anyio.fail_after(10):
                await anext(aiter(changes))
        listed = (await client.list_resources(cache_mode="refresh")).resources

    assert "shelf://today" not in [str(one.uri) for one in listed]


async def test_a_client_of_the_earlier_era_hears_that_everything_has_gone(
    tmp_path: Path,
) -> None:
    heard: list[str] = []
    all_of_it = asyncio.Event()

    async def listen(message: Any) -> None:
        heard.append(getattr(message, "method", ""))
        if len(heard) == len(KINDS):
            all_of_it.set()

    async with connected(tmp_path, "legacy", shelf(), message_handler=listen) as (
        client,
        host,
    ):
        await client.list_resources()
        host.registry.remove_pack("local/shelf")
        with anyio.fail_after(10):
            await all_of_it.wait()

    assert sorted(heard) == [f"notifications/{kind}/list_changed" for kind in KINDS]


@EACH
async def test_an_argument_with_known_values_is_completed(
    tmp_path: Path, over: Over, mode: Mode
) -> None:
    template = ResourceTemplateReference(uri="shelf://notes/{number}/{+colour}")
    none = ResourceTemplateReference(uri="shelf://nothing/{a}")
    async with reached(tmp_path, over, mode) as client:
        known = await client.complete(template, {"name": "colour", "value": "r"})
        free = await client.complete(template, {"name": "number", "value": ""})
        unknown = await client.complete(none, {"name": "a", "value": ""})

    assert known.completion.values == ["red", "Rose"]
    assert (known.completion.total, known.completion.has_more) == (2, False)
    assert (free.completion.values, unknown.completion.values) == ([], [])


async def test_a_running_read_that_the_host_ends_is_answered(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    waiting = pack(("test/wait", resource("test://wait", execute_callback=wait)))
    async with running(tmp_path, waiting) as host:
        server = server_of(host)
        async with Client(server, mode="legacy") as client:
            reading = error_of(client.read_resource("test://wait"))
            answer = asyncio.create_task(reading)
            with anyio.fail_after(10):
                await started.wait()
            server.calls.cancel()
            code, message, _ = await answer

    assert code == -32603
    assert message.startswith("host_stopping: The host stopped while this ran.")


async def test_the_list_of_abilities_says_what_each_is(tmp_path: Path) -> None:
    async with running(tmp_path, shelf()) as host:
        names = ("shelf/today", "shelf/essay-prompt", "shelf/tool")
        kinds = [kind_of(host, host.registry.get_ability(name)) for name in names]

    assert kinds == ["resource", "prompt", "read"]


def test_the_wire_check_reads_the_notes_of_a_resource() -> None:
    said = {"type": "resource", "uri": "a://b", "annotations": {"priority": 5}}
    wrong = ability(meta={**READ, "mcp": said}, input_schema=None)
    said = {**said, "annotations": {"priority": 0.5, "audience": ["user"]}}
    right = ability(meta={**READ, "mcp": said}, input_schema=None)

    assert [fault.partition(": ")[2] for fault in check_wire(wrong)] == [
        "annotations.priority: Input should be less than or equal to 1"
    ] * 2
    assert check_wire(right) == []


@pytest.mark.parametrize("scopes", [frozenset({"read"}), frozenset()])
async def test_scopes_hold_for_resources(
    tmp_path: Path, scopes: frozenset[str]
) -> None:
    async with running(tmp_path, shelf()) as host:
        server = server_of(host, Actor("some", scopes=scopes))
        async with Client(server, mode="auto") as client:
            listed = (await client.list_resources()).resources

    assert bool(listed) is bool(scopes)


async def test_a_policy_is_asked_where_the_operator_takes_a_read_for_a_write(
    tmp_path: Path,
) -> None:
    one = ("test/one", resource("test://one"))
    stern = pack(one, before_write=lambda write: Veto(f"Not {write.ability.name}."))
    config = 'treat_as_write = ["test/one"]'
    async with connected(tmp_path, "auto", stern, config=config) as (client, _):
        code, message, data = await error_of(client.read_resource("test://one"))

    assert (code, data["code"]) == (-32603, "write_vetoed")
    assert "Not test/one." in message


@BOTH
async def test_a_server_that_breaks_says_so_and_keeps_the_reason_for_its_log(
    tmp_path: Path, mode: Mode
) -> None:
    def break_down(_ctx: Any) -> Actor:
        msg = "a secret"
        raise ValueError(msg)

    template = ResourceTemplateReference(uri="shelf://notes/{number}/{+colour}")
    async with running(tmp_path, shelf()) as host:
        server = build_server(host, authenticate=break_down)
        async with Client(server, mode=mode) as client:
            listed = await error_of(client.list_resources())
            read = await error_of(client.read_resource("shelf://today"))
            completed = await error_of(
                client.complete(template, {"name": "colour", "value": ""})
            )

    assert [error[0] for error in (listed, read, completed)] == [-32603] * 3
    assert listed[1].startswith("The listing failed; the host's log has ")
    assert read[1].startswith("The server failed. The host's log has ")
    assert read[2] == told("server_failed", read[1], "unknown")
    assert "secret" not in str((listed, read, completed))


@BOTH
async def test_a_refusal_of_the_protocol_is_passed_on(
    tmp_path: Path, mode: Mode
) -> None:
    def refuse(_ctx: Any) -> Actor:
        raise MCPError(-32602, "Not you.")

    async with running(tmp_path, shelf()) as host:
        server = build_server(host, authenticate=refuse)
        async with Client(server, mode=mode) as client:
            listed = await error_of(client.list_resources())
            read = await error_of(client.read_resource("shelf://today"))

    assert listed == read == (-32602, "Not you.", None)


async def test_a_resource_that_no_client_could_read_about_is_left_out(
    tmp_path: Path,
) -> None:
    said = {"type": "resource", "uri": "test://bad", "annotations": {"priority": 5}}
    bad = described(lambda: "", input_schema=None, meta={**READ, "mcp": said})
    packs = pack(("test/bad", bad), ("test/good", resource("test://good")))
    async with connected(tmp_path, "auto", packs) as (client, _):
        listed = (await client.list_resources()).resources

    assert [str(one.uri) for one in listed] == ["test://good"]
