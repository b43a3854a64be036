from pathlib import Path
from typing import Any

import pytest
from server.world import running

from abilities_host.config import HostConfig
from abilities_host.server.spec import ServerSpec, compose_description


def config(**values: Any) -> HostConfig:
    return HostConfig.model_validate(values)


def test_the_description_is_bounded() -> None:
    assert compose_description(config(summary="s" * 2000)) == f"{'s' * 199}…"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, ""),
        ({"summary": "For notes."}, "For notes."),
        ({"summary": "For\nnotes. ", "context": "Ours."}, "For notes."),
    ],
)
def test_the_description_is_the_summary_on_one_line(
    values: dict[str, str], text: str
) -> None:
    assert compose_description(config(**values)) == text


async def test_a_spec_is_made_from_the_configuration(tmp_path: Path) -> None:
    text = 'title = "Ours"\n[server]\nid = "work"\ncompact = true\n'

    async with running(tmp_path, config=text) as host:
        spec = ServerSpec.from_host(host)

    assert (spec.id, spec.title, spec.is_compact) == ("work", "Ours", True)
    assert spec.version


@pytest.mark.parametrize(
    ("is_compact", "exposed"),
    [
        (False, ["core/get-site-info", "files/write"]),
        (True, ["dispatcher/call-tool", "dispatcher/list-tools"]),
    ],
)
def test_a_server_exposes_either_everything_or_what_leads_to_it(
    *, is_compact: bool, exposed: list[str]
) -> None:
    spec = ServerSpec(id="x", title="X", version="1", is_compact=is_compact)
    names = [
        "core/get-site-info",
        "dispatcher/call-tool",
        "dispatcher/list-tools",
        "dispatcher/other",
        "files/write",
    ]

    assert [name for name in names if spec.exposes(name)] == exposed
