"""What another process sets while a host starts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from abilities_host import Site, hookimpl
from abilities_host.adjustments import Adjustments
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import local_pack
from abilities_host.opening import open_host
from abilities_host.testing import write_config

KEY = "servers.team.enabled"


class Meanwhile:
    """A pack that sets something when it opens, as another process might."""

    def __init__(self, loaded: LoadedConfig) -> None:
        self._loaded = loaded

    @hookimpl
    @asynccontextmanager
    async def open_pack(self, site: Site) -> AsyncIterator[None]:
        settings = Adjustments(site.store)
        value = False
        await settings.set(KEY, value, by="ann", loaded=self._loaded)
        yield


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedConfig:
    path = write_config(tmp_path / "host", '[[servers]]\nid = "team"\n')
    return load_config(path, environ={}, cwd=tmp_path)


async def test_a_kill_switch_that_is_set_while_the_host_starts_holds(
    loaded: LoadedConfig,
) -> None:
    packs = [local_pack("meanwhile", Meanwhile(loaded))]
    async with open_host(loaded, packs=packs, finds_packs=False) as host:
        seen = host.config.servers[0].enabled, host.server_view("team").enabled

    assert seen == (False, False)
