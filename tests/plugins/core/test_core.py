from pathlib import Path
import abilities_core
from abilities_host.calls import Actor
from abilities_host.hooks.packs import Pack
from abilities_host.testing import build_host

CORE = Pack("abilities-host/core", "core", "0.1.0", False, lambda: abilities_core)
async def test_x(tmp_path: Path):
    async with build_host(tmp_path, packs=[CORE]) as host:
        print(host.packs)
        for n in ("site","user","environment"):
            o=await host.execute(f"core/get-{n}-info", actor=Actor("a"))
            print(o)
        assert 0
