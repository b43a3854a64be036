"""The command line gives the same answers, as far as it asks for anything itself."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from matrix.cells import COMMANDS, NO_SERVER, Cell, walks
from matrix.reading import HIDDEN, seen, unlike
from matrix.reasons import REASONS
from matrix.site import Site
from matrix.surfaces import SURFACES
from matrix.walking import (
    cells_of,
    differing,
    expected,
    expected_before,
    lead_for,
    site_for,
)

from abilities_host import original_name
from abilities_host.cli.app import run

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level

    def command(site: Site, *words: str) -> tuple[int, str]:
        code = run([*words, "--config", str(site.config)])
        return code, capsys.readouterr().out

    yield command
    root.handlers = handlers
    root.setLevel(level)


def asked(site: Site, command: Run, method: str, params: Mapping[str, Any]) -> Any:
    """Ask with one command; give what it printed, as a client would read it."""
    if method == "tools/list":
        _, out = command(site, "list", "--json")
        return {"result": {"tools": json.loads(out)["abilities"]}}
    name = original_name(params["name"]) or params["name"]
    given = json.dumps(params["arguments"])
    code, out = command(site, "call", name, given, "--yes", "--json")
    printed = json.loads(out)
    error = printed["error"]
    assert (code == 0) == (error is None)
    if error is None:
        return {"result": {"structuredContent": printed["result"]}}
    return {"result": {"_meta": {"abilities/error": error}, "rest": printed}}


def walked(site: Site, command: Run, cells: list[Cell]) -> dict[Cell, str]:
    found = {}
    for cell in cells:
        surface, lead = SURFACES[cell.surface], lead_for(cell.reason)
        answer = asked(site, command, *surface.asks(lead, "target"))
        found[cell] = seen(surface, answer)
        if found[cell] in HIDDEN:
            twin = asked(site, command, *surface.asks(lead, "absent"))
            found[cell] += unlike(answer, twin)
    return found


@pytest.mark.parametrize(
    "reason", [reason for reason, door in walks() if door == COMMANDS]
)
def test_a_reason_has_one_answer_to_every_command(
    tmp_path: Path, command: Run, reason: str
) -> None:
    cells, how = cells_of(reason, COMMANDS, "new"), REASONS[reason]
    first = [cell for cell in cells if cell.surface in ("list", "call")]
    site = site_for(reason, tmp_path)

    before = walked(site, command, first)
    assert how.at_rest is not None
    how.at_rest(site, partial(command, site))
    after = walked(site, command, cells)

    assert {cell.server for cell in after} == {NO_SERVER}
    assert differing(before, expected_before) == {}
    assert differing(after, expected) == {}
