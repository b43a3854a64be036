"""The reasons: what makes an ability be refused, and how each comes true."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from matrix.site import SCOPES, Site
from matrix.target import WORDS
from matrix.world import ACTOR, World

from abilities_host import DefaultStep
from abilities_host.storage import Statement

PACK: Final = "plugins_dir/target"
STEP: Final = DefaultStep(1, tuple(f"target/{word}" for word in WORDS))

Happens = Callable[[World], Awaitable[object]]
AtRest = Callable[[Site, Callable[..., object]], object]
"""Given the site of a host that does not run, and the command line."""


@dataclass(frozen=True)
class Reason:
    """How a reason comes true.

    Attributes:
        happens: to a host that runs; None where it cannot.
        at_rest: to one that does not, None where that is the same as never.
        settings: of the configuration from the start.
    """

    happens: Happens | None
    at_rest: AtRest | None = None
    settings: Mapping[str, Any] | None = None


def _written(**settings: Any) -> Reason:
    return Reason(
        lambda world: world.change(**settings),
        lambda site, _command: site.change(**settings),
    )


def _flagged(word: str) -> Reason:
    return Reason(
        lambda world: world.flag(word), lambda site, _command: site.flag(word)
    )


async def _unregister(world: World) -> None:
    for word in WORDS:
        world.host.registry.unregister_ability(f"target/{word}")


async def _hold(world: World) -> None:
    async def read() -> Callable[[Any], bool]:
        return lambda ability: ability.namespace == "target"

    await world.host.hold(read)


async def _switch_module_off(world: World) -> None:
    modules = world.host.modules
    await modules.choose(f"{PACK}/all", is_on=False, by="me")


async def _expire(world: World) -> None:
    sql = "UPDATE client_token SET expires_at = created_at + 1"
    await world.store.write([Statement(sql)], bump=True)


async def _rotate(world: World) -> None:
    await world.tokens.rotate(ACTOR, "me")


async def _bind_elsewhere(world: World) -> None:
    for server in world.shown.tokens:
        other = "second" if server.startswith("first") else "first"
        made = await world.tokens.create(
            f"for-{server}", role="matrix", server=other, by="me"
        )
        world.shown.tokens[server] = made.value


async def _call_another_name(world: World) -> None:
    world.shown.host = b"evil.example"


async def _come_from_a_page(world: World) -> None:
    world.shown.others = ((b"origin", b"https://evil.example"),)


HARDENED: Final = 'treat_as_write = ["target/*"]'
MISSING: Final = 'required = ["abilities-host/nobody"]'

REASONS: Final[Mapping[str, Reason]] = {
    "unknown": Reason(_unregister, lambda site, _command: site.flag("gone")),
    "disabled in the file": _written(top='disabled = ["target/*"]'),
    "disabled at run time": Reason(
        lambda world: world.host.toggles.set("target/*", state=False, by="me"),
        lambda _site, command: command("disable", "target/*"),
    ),
    "off by a default step": Reason(
        lambda world: world.host.toggles.apply_steps(
            PACK, [STEP], frozenset({"target"})
        ),
        lambda site, _command: site.flag("stepped"),
    ),
    "module off": Reason(
        _switch_module_off,
        lambda _site, command: command("modules", "disable", "target/all"),
    ),
    "definition held": Reason(
        _hold,
        lambda site, _command: site.flag("changed"),
        {"plugins": 'changed_definitions = "hold"'},
    ),
    "read_only": Reason(
        lambda world: world.change(top=f"{HARDENED}\nread_only = true"),
        lambda site, _command: site.change(top=f"{HARDENED}\nread_only = true"),
        {"top": HARDENED},
    ),
    "scope missing": _written(scopes=SCOPES[:2]),
    "not included": _written(server='include = ["open/*", "dispatcher/*"]'),
    "excluded": _written(server='exclude = ["target/*"]'),
    "category not served": _written(server='categories = ["open", "dispatcher"]'),
    "server off": _written(server="enabled = false"),
    "kill switch": _written(top="kill_switch = true"),
    "scope of the server missing": _written(server='requires = "team:in"'),
    "permission denied": _flagged("denied"),
    "vetoed": Reason(
        lambda world: world.flag("vetoed"),
        lambda site, _command: site.flag("vetoed"),
        {"top": HARDENED},
    ),
    "policy missing": Reason(
        None,
        lambda site, _command: site.change(plugins=MISSING),
        {"top": HARDENED},
    ),
    "token expired": Reason(_expire),
    "token revoked": Reason(lambda world: world.tokens.revoke(ACTOR, "me")),
    "token rotated": Reason(_rotate),
    "token of another server": Reason(_bind_elsewhere),
    "wrong host": Reason(_call_another_name),
    "wrong origin": Reason(_come_from_a_page),
}
