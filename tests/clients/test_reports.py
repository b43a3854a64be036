"""What `make clients` makes of what its clients tell."""

import json
from dataclasses import asdict
from typing import Any

import pytest
from clients.catalogue import CLIENTS, EVERY, Meeting
from clients.drivers.inspector import findings, judge
from clients.drivers.job import Report
from clients.drivers.openai_agents import is_strict
from clients.drivers.pydantic_ai_agent import Watch, of_one_type
from clients.meeting import DRIVERS, read_report
from clients.row import Met, Row, Shown, counted, make_row
from clients.table import BEGIN, END, between_markers, faults, markdown, merged
from clients.zoo_pack import PREFIX, ability_name
from schema.zoo import ZOO

from abilities_host.names import exposed_name
from abilities_host.schema.profiles import PROFILES

GENERIC = Meeting("generic", "auto", "http")
GEMINI = Meeting("gemini", "auto", "http")
COMPACT = Shown(frozenset({"dispatcher_call-tool"}), frozenset())
SHOWN = Shown(frozenset({"files_read", "files_list"}), frozenset({"zoo_a", "zoo_b"}))


def row_of(*reports: Report, meeting: Meeting = GENERIC) -> Row:
    met = [Met(each, SHOWN) for each in reports]
    return make_row("Some client", meeting, met, 2)


def report(*taken: str, **more: Any) -> Report:
    return Report("1.0", "2026-07-28", list(taken), **more)


def test_a_report_is_the_last_line_whatever_libraries_print() -> None:
    told = report("files_read", failed={"zoo_a": "no"})

    read = read_report(f"a banner\n{{}}\n\n{json.dumps(asdict(told))}\n")

    assert read == told


@pytest.mark.parametrize("printed", ["", "{", "[]", '{"other": 1}', "a banner"])
def test_whatever_else_a_driver_prints_is_an_error(printed: str) -> None:
    assert read_report(printed).error.startswith("it told nothing that can be read")


def test_a_client_is_good_when_it_takes_ours_and_loses_nothing() -> None:
    taken = ("files_read", "files_list", "zoo_a")
    told = report(*taken, failed={"zoo_b": "KeyError: b"})
    compact = Met(report("dispatcher_call-tool"), COMPACT)

    row = make_row("Some client", GENERIC, [Met(told, SHOWN), compact], 2)

    assert (row.own, row.zoo, row.lost) == ((3, 3), (1, 2), ())
    assert row.is_good


@pytest.mark.parametrize(
    "told",
    [
        report("files_read", "zoo_a", "zoo_b"),
        report("files_read", "zoo_a", "zoo_b", failed={"files_list": "no"}),
        report("files_read", "files_list", "zoo_a"),
        report("files_read", "files_list", "zoo_a", "zoo_b", error="it ended"),
    ],
    ids=["ours is lost", "ours is not taken", "another is lost", "it broke"],
)
def test_a_client_is_not_good_when(told: Report) -> None:
    assert not row_of(told).is_good


def test_a_tool_that_one_host_shows_and_one_report_refuses_is_not_taken() -> None:
    every = ("files_read", "files_list", "zoo_a", "zoo_b")

    row = row_of(report(*every), report(*every[:3], failed={"zoo_b": "no"}))

    assert (row.zoo, row.faults, row.lost) == ((1, 2), {"zoo_b": "no"}, ())


def test_a_tool_that_one_host_alone_is_robbed_of_is_lost() -> None:
    every = ("files_read", "files_list", "zoo_a", "zoo_b")

    row = row_of(report(*every), report(*every[1:]))

    assert (row.own, row.lost) == ((1, 2), ("files_read",))


def test_notes_are_counted_of_ours_and_of_the_zoo() -> None:
    notes = ["loose files_read", "loose zoo_a", "refused zoo_a", "loose zoo_b"]

    assert counted(notes) == ("loose 1 + 2", "refused 0 + 1")


def test_rows_that_say_the_same_of_several_profiles_are_one_line() -> None:
    told = report("files_read", "files_list", "zoo_a", "zoo_b")
    rows = [row_of(told, meeting=each) for each in (GENERIC, GEMINI)]

    how = ("2026-07-28", "http", "2 of 2", "2 of 2", "0", "")
    every, some = ("gemini", "generic"), ("gemini", "generic", "cursor")
    assert merged(rows, every) == [("Some client", "1.0", "every", *how)]
    named = "`generic`, `gemini`"
    assert merged(rows, some) == [("Some client", "1.0", named, *how)]


def test_a_table_is_markdown_with_columns_of_one_width() -> None:
    row = row_of(report("files_read"))

    lines = markdown(merged([row], ["generic"])).splitlines()

    assert len(lines) == 3
    assert len({len(line) for line in lines}) == 1
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)


def test_faults_are_told_once_with_the_places() -> None:
    told = report("files_read", "zoo_a", failed={"zoo_b": "KeyError: b"})

    lines = faults([row_of(told), row_of(told, meeting=GEMINI)])

    places = "(generic/http/2026-07-28, gemini/http/2026-07-28)"
    assert lines == [
        f"Some client 1.0: zoo_b: KeyError: b {places}",
        f"Some client 1.0: files_list: lost {places}",
    ]


def test_a_table_takes_the_place_of_the_last_one() -> None:
    page = f"before\n{BEGIN}\n| old |\n{END}\nafter\n"

    changed = between_markers(page, "| new |\n")

    assert changed == f"before\n{BEGIN}\n| new |\n{END}\nafter\n"
    assert between_markers(changed, "| new |\n") == changed


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_one_place_for_the_table_is_left_alone(page: str) -> None:
    with pytest.raises(ValueError, match="<!-- clients"):
        between_markers(page, "")


FOUND = """\
Warning: tool "files_list"
  Path: outputSchema
  Issue: `type` is an array

Error: tool "zoo_a"
  Path: inputSchema.properties.x
  Issue: Bare `true` used where a schema object is expected.
"""


def test_only_errors_of_the_inspector_are_findings() -> None:
    [(tool, why)] = findings(FOUND).items()

    assert (tool, why.startswith("Path: inputSchema.properties.x")) == ("zoo_a", True)


def test_the_inspector_is_believed_when_its_exit_agrees_with_its_findings() -> None:
    listed = json.dumps({"tools": [{"name": "zoo_a"}, {"name": "files_list"}]})

    found, good = judge(6, listed, FOUND), judge(0, listed, "")

    assert (found.taken, list(found.failed)) == (["files_list"], ["zoo_a"])
    assert (good.taken, good.failed) == (["zoo_a", "files_list"], {})
    assert judge(6, listed, "").error.startswith("exit 6")
    assert judge(4, "", "unreachable").error == "exit 4: unreachable"
    assert judge(0, listed, FOUND).error.startswith("exit 0")


CLOSED = {"type": "object", "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({**CLOSED, "properties": {"a": {}}, "required": ["a"]}, True),
        ({**CLOSED, "properties": {"a": {}}}, False),
        ({"type": "object", "properties": {}}, False),
        ({"anyOf": [{"type": "object", "properties": {}}]}, False),
        ({"type": "string"}, True),
    ],
)
def test_the_strict_form_is_known_at_every_depth(schema: Any, expected: object) -> None:
    assert is_strict(schema) is expected


def test_a_list_of_types_is_told_to_the_model_as_the_first() -> None:
    schema = {"properties": {"a": {"type": ["null", "string"]}, "b": {"type": "null"}}}

    told = of_one_type({**schema, "anyOf": [{"type": ["integer", "null"]}]})

    properties = {"a": {"type": "string"}, "b": {"type": "null"}}
    assert told == {"properties": properties, "anyOf": [{"type": "integer"}]}


@pytest.mark.parametrize(
    ("is_called", "refused", "fault"),
    [
        (True, "", ""),
        (True, "not_found: There is no such file.", ""),
        (True, "callback_failed: It ended with an error.", "callback_failed: It ended"),
        (True, "Internal error", "Internal error"),
        (False, "", "the agent did not call it"),
    ],
)
def test_a_refusal_with_a_code_is_an_answer(
    is_called: object, refused: str, fault: str
) -> None:
    watch = Watch()
    watch.is_called, watch.refused = bool(is_called), refused

    assert watch.judge().startswith(fault)
    assert bool(watch.judge()) is bool(fault)


def test_every_client_has_a_driver_and_profiles_that_there_are() -> None:
    for client in CLIENTS:
        name = client.driver if "." in client.driver else f"{client.driver}.py"
        assert (DRIVERS / name).is_file()
        assert set(client.profiles) <= set(EVERY)
        assert {meeting.transport for meeting in client.meetings()} == set(
            client.transports
        )
    assert set(PROFILES) <= set(EVERY)


def test_every_animal_of_the_zoo_is_an_ability_of_its_own() -> None:
    names = {ability_name(title) for title in ZOO}

    assert len(names) == len(ZOO)
    assert all(exposed_name(name).startswith(PREFIX) for name in names)
