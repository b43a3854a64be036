from pathlib import Path
from typing import Any

import pytest
from plugins.world import AGENT, declare, dispatch, pack_of, packs_of

from abilities_host import Call, RegistryView
from abilities_host.testing import RecordingRecorder, build_host

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
WRITES = {"readonly": False, "destructive": False}


async def add_inside(arguments: Any, call: Call) -> Any:
    outcome = await call.execute("notes/add", arguments)
    return {"code": outcome.code}


def register_notes(registry: RegistryView) -> None:
    declare(registry, "notes/read", input_schema=TEXT)
    declare(registry, "notes/add", input_schema=TEXT, annotations=WRITES)
    declare(registry, "notes/sly", input_schema=TEXT, execute_callback=add_inside)
    declare(registry, "notes/unsaid", input_schema=TEXT, annotations={})


NOTES = pack_of(register_notes)


@pytest.mark.parametrize("route", ["read-tool", "call-tool"])
async def test_both_routes_run_what_reads(tmp_path: Path, route: str) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        given = {"name": "notes_read", "arguments": '{"text": "flour"}'}
        outcome = await dispatch(host, route, AGENT, **given)

    assert (outcome.ability, outcome.unwrap()) == ("notes/read", {"text": "flour"})


@pytest.mark.parametrize("name", ["notes/add", "notes/unsaid"])
async def test_the_reading_route_runs_no_write(tmp_path: Path, name: str) -> None:
    recorder = RecordingRecorder()
    async with build_host(
        tmp_path, packs=packs_of(notes=NOTES), recorder=recorder
    ) as host:
        outcome = await dispatch(host, "read-tool", AGENT, name=name, arguments={})

    assert (outcome.status, outcome.code) == ("refused", "write_in_readonly")
    assert outcome.error is not None
    assert outcome.error.message == (
        f"Ability 'dispatcher/read-tool' is marked read-only, so the write {name!r} "
        "was refused."
    )
    assert [event.method for event in recorder.events] == ["refusal"]


async def test_what_the_operator_hardens_is_no_read_either(tmp_path: Path) -> None:
    async with build_host(
        tmp_path,
        packs=packs_of(notes=NOTES),
        config='treat_as_write = ["notes/read"]',
        recorder=RecordingRecorder(),
    ) as host:
        outcome = await dispatch(host, "read-tool", AGENT, name="notes/read")

    assert outcome.code == "write_in_readonly"


async def test_a_read_that_writes_inside_is_stopped_at_the_write(
    tmp_path: Path,
) -> None:
    async with build_host(
        tmp_path, packs=packs_of(notes=NOTES), recorder=RecordingRecorder()
    ) as host:
        outcome = await dispatch(host, "read-tool", AGENT, name="notes/sly")

    assert outcome.unwrap() == {"code": "write_in_readonly"}


async def test_the_reading_route_leads_to_no_other_route(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=packs_of(notes=NOTES)) as host:
        outcome = await dispatch(host, "read-tool", AGENT, name="dispatcher_call-tool")

    assert outcome.code == "ability_not_found"
