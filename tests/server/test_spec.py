from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from server.world import running

from abilities_host.config import HostConfig, ServerSettings
from abilities_host.errors import StartRefused
from abilities_host.server.spec import ServerSpec, compose_description, following


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
    ("compact", "exposed"),
    [
        ("off", ["core/get-site-info", "files/write"]),
        ("on", ["dispatcher/call-tool", "dispatcher/list-tools"]),
        (
            "split",
            ["dispatcher/call-tool", "dispatcher/list-tools", "dispatcher/read-tool"],
        ),
    ],
)
def test_a_server_exposes_either_everything_or_what_leads_to_it(
    compact: str, exposed: list[str]
) -> None:
    settings = ServerSettings.model_validate({"compact": compact})
    spec = ServerSpec.of(HostConfig(), settings)
    names = [
        "core/get-site-info",
        "dispatcher/call-tool",
        "dispatcher/list-tools",
        "dispatcher/other",
        "dispatcher/read-tool",
        "files/write",
    ]

    assert [name for name in names if spec.exposes(name)] == exposed


async def test_a_server_that_is_not_there_is_refused_with_the_nearest(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, config='[[servers]]\nid = "team"\n') as host:
        with pytest.raises(StartRefused) as refused:
            ServerSpec.from_host(host, "taem")

    assert str(refused.value) == ("There is no server 'taem'. Did you mean 'team'?")


async def test_a_followed_server_is_what_the_file_says_now(tmp_path: Path) -> None:
    text = '[[servers]]\nid = "team"\ntitle = "One"\n'
    async with running(tmp_path, config=text) as host:
        now = following(host, "team")
        titles = [now().title]
        for title in ("Two", None):
            further = () if title is None else (ServerSettings(id="team", title=title),)
            config = host.config.model_copy(update={"servers": further})
            host.adopt(replace(host.loaded, config=config))
            titles.append(now().title)

    assert titles == ["One", "Two", "Two"]
