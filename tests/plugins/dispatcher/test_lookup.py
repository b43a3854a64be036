from pathlib import Path

import jsonschema_rs
import pytest
from plugins.world import READER, declare, dispatch, dispatcher_pack, pack_of, packs_of

from abilities_host import RegistryView, exposed_name
from abilities_host.testing import build_host

LONG = "things/" + "long-" * 20 + "name"
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}}
TREE = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}],
    "$defs": {"leaf": {"$anchor": "leaf", "type": "string"}},
}


def register(registry: RegistryView) -> None:
    declare(registry, "things/count", description="Counts.", input_schema=NUMBER)
    declare(registry, "things/now", description="Tells the time.")
    declare(registry, "things/off")
    declare(registry, "things/save", annotations={"readonly": False})
    declare(registry, "things/say", input_schema={"type": "string"})
    declare(registry, "things/hum", input_schema={"type": "string", "default": "m"})
    declare(registry, "things/grow", input_schema=TREE)
    declare(registry, LONG, description="Has a long name.")


THINGS = pack_of(register)
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


async def test_schemas_come_under_the_names_they_were_asked_by(tmp_path: Path) -> None:
    packs = packs_of(things=THINGS)
    names = ["things/count", "things_now", exposed_name(LONG), "things/count"]
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await dispatch(host, "get-tool-schema", names=names)

    assert outcome.unwrap() == {
        "tools": {
            "things/count": {"description": "Counts.", "inputSchema": NUMBER},
            "things_now": {"description": "Tells the time.", "inputSchema": NOTHING},
            exposed_name(LONG): {
                "description": "Has a long name.",
                "inputSchema": NOTHING,
            },
        },
        "unavailable": [],
    }


async def test_off_unknown_and_not_visible_look_the_same(tmp_path: Path) -> None:
    config = 'disabled = ["things/off"]\n[server]\nexclude = ["things/now"]\n'
    names = ["things/off", "things/none", "things/save", "things/now", "things_off"]
    names += ["dispatcher/call-tool", "dispatcher_list-tools", "no name", ""]
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs, config=config) as host:
        outcome = await dispatch(host, "get-tool-schema", READER, names=names * 2)

    assert outcome.unwrap() == {"tools": {}, "unavailable": names}


async def test_a_tool_that_takes_no_object_is_shown_as_one(tmp_path: Path) -> None:
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await dispatch(
            host, "get-tool-schema", names=["things/say", "things/hum"]
        )

    tools = outcome.unwrap()["tools"]
    assert [tools[name]["inputSchema"] for name in tools] == [
        {
            "type": "object",
            "properties": {"input": {"type": "string"}},
            "required": ["input"],
        },
        {
            "type": "object",
            "properties": {"input": {"type": "string", "default": "m"}},
        },
    ]


async def test_references_of_a_wrapped_schema_lead_where_they_led(
    tmp_path: Path,
) -> None:
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await dispatch(host, "get-tool-schema", names=["things/grow"])

    shown = jsonschema_rs.validator_for(
        outcome.unwrap()["tools"]["things/grow"]["inputSchema"]
    )
    assert shown.is_valid({"input": ["a", ["b", []]]})
    assert not shown.is_valid({"input": ["a", [1]]})


@pytest.mark.parametrize("names", [[], ["x"] * 51, "things/count", [1], None], ids=repr)
async def test_names_beyond_the_schema_are_refused(
    tmp_path: Path, names: object
) -> None:
    async with build_host(tmp_path, packs=[dispatcher_pack()]) as host:
        outcome = await dispatch(host, "get-tool-schema", names=names)

    assert (outcome.status, outcome.code) == ("refused", "ability_invalid_input")
