"""Arguments in every protocol version, as they are on the wire; rows I-26 to I-32."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from server.wire_world import EVERY, VERSIONS, text_in, wired
from server.world import described, pack

import abilities_dispatcher
from abilities_host import Call, Outcome
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.schema.profiles import Profile

POST = {"title": "MCP TEST", "status": "draft"}
POSTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "post": {"type": "object", "additionalProperties": True},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
    },
}
SECRET = "hunter2-" * 4


def once(value: Any) -> str:
    return json.dumps(value)


def twice(value: Any) -> str:
    return json.dumps(json.dumps(value))


class Taken:
    """An ability that keeps what it was called with, and the outcomes of its runs."""

    def __init__(self, schema: Any = POSTED) -> None:
        self.arguments: list[Any] = []
        self.outcomes: list[Outcome] = []
        take = described(self.arguments.append, input_schema=schema)

        def after_execute(call: Call, outcome: Outcome) -> None:
            if call.ability.name == "test/take":
                self.outcomes.append(outcome)

        self.pack: Pack = pack(("test/take", take), after_execute=after_execute)

    @property
    def repaired(self) -> list[tuple[str, ...]]:
        return [outcome.repaired for outcome in self.outcomes]


COMPACT = "[server]\ncompact = true"
CALL = "dispatcher_call-tool"


def dispatcher() -> Pack:
    found = local_pack("dispatcher", abilities_dispatcher)
    found.identity = "abilities-host/dispatcher"
    return found


@EVERY
@pytest.mark.parametrize("written", [once, twice])
async def test_i26_an_object_or_list_that_came_as_its_text_is_read(
    tmp_path: Path, version: str, written: Any
) -> None:
    """I-26: encoded once or twice; what may be a text is left as it is."""
    taken = Taken()
    sent = {"post": written(POST), "tags": written(["a"]), "note": once(POST)}
    async with wired(tmp_path, version, taken.pack) as wire:
        result = await wire.call("test_take", sent)

    assert not result.get("isError")
    assert taken.arguments == [{"post": POST, "tags": ["a"], "note": once(POST)}]
    assert taken.repaired == [("/post decoded", "/tags decoded")]


@EVERY
@pytest.mark.parametrize("written", [once, twice])
async def test_i26_so_are_the_arguments_of_call_tool(
    tmp_path: Path, version: str, written: Any
) -> None:
    """I-26: the object of a dispatcher is what clients send as text most often."""
    taken = Taken()
    sent = [written({"post": POST}), {"post": written(POST)}, {"post": POST}]
    packs = (taken.pack, dispatcher())
    async with wired(tmp_path, version, *packs, config=COMPACT) as wire:
        for given in sent:
            await wire.call(CALL, {"name": "test/take", "arguments": given})

    assert taken.arguments == [{"post": POST}] * 3
    assert taken.repaired == [("/ decoded",), ("/post decoded",), ()]


MALFORMED = ['{"title": ', "{title: 1}", "{'title': 1}", "{}}", "undefined", "[1]", "7"]


@EVERY
async def test_i27_what_is_malformed_is_refused_and_nothing_is_run(
    tmp_path: Path, version: str
) -> None:
    """I-27: a guess, or `{}` in its place, would have run."""
    taken = Taken()
    texts = [*MALFORMED, once(twice(POST))]
    async with wired(tmp_path, version, taken.pack) as wire:
        errors = [await wire.error("test_take", {"post": text}) for text in texts]

    said = [(error["code"], error["path"], error["expected"]) for error in errors]
    assert said == [("ability_invalid_input", "/post", "an object")] * len(texts)
    assert taken.arguments == []
    assert taken.repaired == [()] * len(texts)


@EVERY
async def test_i27_so_are_malformed_arguments_of_call_tool(
    tmp_path: Path, version: str
) -> None:
    """I-27: the tool that it leads to is not even begun."""
    taken = Taken()
    texts = [*MALFORMED, once(twice(POST))]
    packs = (taken.pack, dispatcher())
    async with wired(tmp_path, version, *packs, config=COMPACT) as wire:
        errors = [
            await wire.error(CALL, {"name": "test/take", "arguments": text})
            for text in texts
        ]

    said = [(error["code"], error["path"], error["expected"]) for error in errors]
    assert said == [("ability_invalid_input", "/arguments", "an object")] * len(texts)
    assert (taken.arguments, taken.outcomes) == ([], [])


NONE: list[Any] = [None, {}]
EMPTY: list[Any] = [None, [], {}]
NOTHING: list[dict[str, Any]] = [
    {},
    {"arguments": None},
    {"arguments": {}},
    {"arguments": []},
    {"arguments": "{}"},
]


@EVERY
@pytest.mark.parametrize("schema", [None, POSTED, {"type": "object"}])
async def test_i29_object_null_list_and_absent_are_one_where_nothing_is_required(
    tmp_path: Path, version: str, schema: Any
) -> None:
    """I-29: through the dispatcher, with a schema and without."""
    taken = Taken(schema)
    packs = (taken.pack, dispatcher())
    async with wired(tmp_path, version, *packs, config=COMPACT) as wire:
        for given in NOTHING:
            result = await wire.call(CALL, {"name": "test/take", **given})
            assert not result.get("isError"), result

    nothing: Any = None if schema is None else {}
    assert taken.arguments == [nothing] * len(NOTHING)


@EVERY
async def test_i29_arguments_may_be_left_out_of_a_call(
    tmp_path: Path, version: str
) -> None:
    """I-29: the protocol lets a client send none, and `{}`."""
    taken = Taken(None)
    async with wired(tmp_path, version, taken.pack) as wire:
        results = [await wire.call("test_take", given) for given in NONE]

    assert [result.get("isError", False) for result in results] == [False, False]
    assert taken.arguments == [None, None]


@EVERY
async def test_i29_so_are_they_below_the_root(tmp_path: Path, version: str) -> None:
    """I-29: an object that requires nothing may be sent as null or as `[]`."""
    taken = Taken()
    async with wired(tmp_path, version, taken.pack) as wire:
        for below in EMPTY:
            await wire.call("test_take", {"post": below})

    assert taken.arguments == [{"post": {}}] * 3
    assert taken.repaired == [("/post emptied",), ("/post emptied",), ()]


@EVERY
async def test_i29_where_something_is_required_nothing_is_not_enough(
    tmp_path: Path, version: str
) -> None:
    """I-29: nothing is made up for what is missing."""
    taken = Taken(POSTED | {"required": ["note"]})
    async with wired(tmp_path, version, taken.pack) as wire:
        errors = [await wire.error("test_take", given) for given in NONE]

    assert [error["expected"] for error in errors] == ["a value for 'note'"] * 2
    assert taken.arguments == []


ROOTS: list[tuple[Any, Any, Any]] = [
    ({"type": "string", "description": "Who."}, "Ann", 7),
    ({"type": "array", "items": {"type": "integer"}}, [1, 2], ["x"]),
    ({"type": "integer", "default": 5}, 3, "x"),
]


@EVERY
@pytest.mark.parametrize(("schema", "good", "bad"), ROOTS)
async def test_i30_a_root_that_is_no_object_travels_under_input(
    tmp_path: Path, version: str, schema: Any, good: Any, bad: Any
) -> None:
    """I-30: MCP wants an object; the error names the place as it was sent."""
    taken = Taken(schema)
    async with wired(tmp_path, version, taken.pack) as wire:
        shown = (await wire.tools())["test_take"]["inputSchema"]
        await wire.call("test_take", {"input": good})
        error = await wire.error("test_take", {"input": bad})

    assert shown["type"] == "object"
    assert shown["properties"]["input"].items() >= schema.items()
    assert shown.get("required", []) == ([] if "default" in schema else ["input"])
    assert taken.arguments == [good]
    assert error["path"].startswith("/input")
    assert error["details"]["problems"][0]["path"] == error["path"]


@pytest.mark.parametrize("profile", ["generic", "anthropic", "openai", "gemini"])
async def test_i30_the_place_is_named_as_it_was_sent_in_every_profile(
    tmp_path: Path, profile: str
) -> None:
    """I-30: who wrapped the value makes no difference to who reads the error."""
    taken = Taken({"type": "array", "items": {"type": "integer"}})
    config = f'[server]\nprofile = "{profile}"'
    async with wired(tmp_path, VERSIONS[-1], taken.pack, config=config) as wire:
        error = await wire.error("test_take", {"input": [1, "x"]})

    assert (error["path"], error["expected"]) == ("/input/1", "an integer")
    assert taken.arguments == []


@EVERY
async def test_i30_a_default_of_such_a_root_holds_when_nothing_is_sent(
    tmp_path: Path, version: str
) -> None:
    """I-30: the default is kept."""
    taken = Taken({"type": "integer", "default": 5})
    async with wired(tmp_path, version, taken.pack) as wire:
        for given in NONE:
            await wire.call("test_take", given)

    assert taken.arguments == [5, 5]


CALLED = {"name": "test_take"}
NO_IDS: list[Any] = [1.5, True, None, [], {}]
IDS: list[Any] = [str(UUID(int=7)), "", "7", 0, 7, 2**53]


@EVERY
async def test_i31_the_id_of_a_request_comes_back_as_it_was(
    tmp_path: Path, version: str
) -> None:
    """I-31: a text stays a text, also one that is a UUID or looks like a number."""
    async with wired(tmp_path, version, Taken().pack) as wire:
        answers = [await wire.send("tools/call", CALLED, id_) for id_ in IDS]

    assert [answer["id"] for answer in answers] == IDS
    assert [type(answer["id"]) for answer in answers] == [type(id_) for id_ in IDS]
    assert all("result" in answer for answer in answers)


@EVERY
async def test_i31_what_has_an_id_of_another_kind_is_not_run(
    tmp_path: Path, version: str
) -> None:
    """I-31: the protocol has texts and whole numbers only; null is none either.

    Up to 2025-11-25 the SDK takes such a request for a notification, and answers none.
    """
    taken = Taken()
    async with wired(tmp_path, version, taken.pack) as wire:
        replies = [await wire.post("tools/call", CALLED, id_) for id_ in NO_IDS]
        tools = await wire.tools()

    is_newest = version == VERSIONS[-1]
    assert {reply.status for reply in replies} == {400 if is_newest else 202}
    assert taken.arguments == []
    assert set(tools) == {"test_take"}


FAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {"type": "integer"}},
        "kind": {"enum": ["page", "post"]},
        "deep": {
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 3}},
            "required": ["n"],
        },
        "password": {"type": "string", "format": "password", "maxLength": 4},
    },
    "required": ["kind"],
}


@EVERY
async def test_i32_errors_name_path_expected_and_received_and_no_value(
    tmp_path: Path, version: str
) -> None:
    """I-32: an array that was refused as "not object" left nothing to act on."""
    taken = Taken(FAULTS)
    sent = {
        "list": SECRET,
        "kind": SECRET,
        "deep": {"n": 1},
        "password": SECRET,
        "extra": SECRET,
    }
    async with wired(tmp_path, version, taken.pack) as wire:
        result = await wire.call("test_take", sent)

    error = result["_meta"]["abilities/error"]
    problems = error["details"]["problems"]
    told = [(p["path"], p["expected"], p["received"]) for p in problems]
    assert told == [
        ("", "only list, kind, deep, password", "string"),
        ("/deep/n", "at least 3", "integer"),
        ("/kind", "one of 'page', 'post'", "string"),
        ("/list", "an array", "string"),
        ("/password", "at most 4 characters long", "string"),
    ]
    assert (error["path"], error["expected"]) == told[0][:2]
    assert error["retryable"] is False
    assert text_in(result).split("\n")[1:] == [
        f"- {problem['path'] or '/'}: {problem['message']}" for problem in problems
    ]
    assert SECRET not in json.dumps(result)
    assert taken.arguments == []


@EVERY
async def test_i32_of_very_many_faults_sixteen_are_told(
    tmp_path: Path, version: str
) -> None:
    """I-32: an answer with each of ten thousand places helps nobody."""
    taken = Taken(FAULTS)
    sent = {"kind": "page", "list": [SECRET] * 10_000}
    async with wired(tmp_path, version, taken.pack) as wire:
        result = await wire.call("test_take", sent)

    error = result["_meta"]["abilities/error"]
    assert len(error["details"]["problems"]) == 16
    assert text_in(result).count("\n") == 16
    assert (error["path"], error["expected"]) == ("/list/0", "an integer")
    assert len(json.dumps(result)) < 10_000


@EVERY
async def test_i32_an_ability_that_takes_nothing_says_so(
    tmp_path: Path, version: str
) -> None:
    """I-32: also where there is no schema to name a place in."""
    taken = Taken(None)
    async with wired(tmp_path, version, taken.pack) as wire:
        error = await wire.error("test_take", {"a": SECRET})

    assert error == {
        "code": "ability_missing_input_schema",
        "status": "refused",
        "message": "Ability 'test/take' takes no arguments; send none.",
        "retryable": False,
        "path": "",
        "expected": "no arguments",
    }


NUMBERS = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "text": {"type": ["integer", "string"]},
    },
}


@pytest.mark.parametrize("is_known", [True, False])
async def test_numbers_in_texts_are_read_only_for_clients_known_to_send_them(
    tmp_path: Path,
    is_known: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    taken = Taken(NUMBERS)
    numeric = Profile("numeric", "For the test.", numbers_in_strings=is_known)
    family = pack(name="family", client_profiles=lambda: [numeric])
    config = '[server]\nprofile = "numeric"'
    async with wired(tmp_path, VERSIONS[-1], taken.pack, family, config=config) as wire:
        result = await wire.call("test_take", {"n": "5", "text": "5"})

    assert taken.arguments == ([{"n": 5, "text": "5"}] if is_known else [])
    assert taken.repaired == [("/n number",) if is_known else ()]
    assert result.get("isError", False) is not is_known


async def test_a_repair_is_told_once_for_an_ability_a_client_and_a_kind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken = Taken()
    sent: list[Mapping[str, Any]] = [
        {"post": once(POST)},
        {"post": once(POST), "tags": "[]"},
        {"post": None},
    ]
    async with wired(tmp_path, VERSIONS[-2], taken.pack) as wire:
        with caplog.at_level(logging.DEBUG, "abilities_host.repairs"):
            for arguments in sent:
                await wire.call("test_take", arguments)

    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert [each for each in told if "repaired" in each[1]] == [
        ("INFO", "test/take: repaired /post decoded from 'test'"),
        ("DEBUG", "test/take: repaired /post decoded, /tags decoded from 'test'"),
        ("INFO", "test/take: repaired /post emptied from 'test'"),
    ]


async def test_what_is_refused_all_the_same_was_not_repaired(tmp_path: Path) -> None:
    taken = Taken()
    async with wired(tmp_path, VERSIONS[-1], taken.pack) as wire:
        error = await wire.error("test_take", {"post": once(POST), "note": 7})

    assert error["path"] == "/note"
    assert taken.repaired == [()]
