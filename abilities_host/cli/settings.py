"""The commands ``set`` and ``unset``: change settings while hosts run."""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.cli.config import rows_of
from abilities_host.cli.exits import Refused
from abilities_host.cli.log import quieten_log
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, printable, say, say_json
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.errors import ConfigError, nearest
from abilities_host.ledger import Ledger

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="As 'abilities config' shows it.")
]
ValueArgument = Annotated[
    str,
    typer.Argument(
        metavar="VALUE", help="A list with commas or as JSON; true or false."
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option("--server", metavar="ID", help="Whose setting it is, such as 'team'."),
]


class SettingRefused(Refused):
    """Raised when a setting would not hold; nothing was changed."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem} Nothing was changed.")


class NotSet(Refused):
    """Raised for a setting that nobody has set in the store; guesses the one meant."""

    def __init__(self, key: str, known: "list[str]") -> None:
        super().__init__(f"{key!r} is not set in the store.{nearest(key, known)}")


def set_setting(
    key: KeyArgument,
    value: ValueArgument,
    config: ConfigOption = None,
    *,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set a setting in the store, for every running host."""
    session = login_session()

    async def work(host: "Host") -> dict[str, Any]:
        place = await keep(host, key, value, server, session)
        return facts_of(host.loaded, place)

    quieten_log()
    _tell(with_host(load(config), work), as_json=as_json)


def unset_setting(
    key: KeyArgument,
    config: ConfigOption = None,
    *,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget what was set; file, environment and flags say it again."""
    session = login_session()

    async def work(host: "Host") -> dict[str, Any]:
        place = _set_key(host, key, server)
        if place not in host.loaded.stored:
            raise NotSet(place, list(host.loaded.stored))
        await forget(host, place, session)
        return facts_of(host.loaded, place)

    quieten_log()
    _tell(with_host(load(config), work), as_json=as_json)


async def keep(
    host: "Host", key: str, value: str, server: str | None, session: str
) -> str:
    """Keep a setting, have the record say who did it, and wait until it holds here.

    Args:
        host: the running host.
        key: of the setting.
        value: as a person wrote it.
        server: whose it is, None for the host.
        session: of the command.

    Returns:
        The key as the store has it.

    Raises:
        SettingRefused: with key and what was expected; nothing was stored.
        LookupFailed: when there is no such server.
    """
    from abilities_host.config import stored_key, written_value  # noqa: PLC0415 - a slow import

    by = host.actor("cli").id
    try:
        place = stored_key(host.config, key, server)
        found = written_value(place, value)
        await host.adjustments.set(place, found, by=by, loaded=host.loaded)
    except ConfigError as error:
        raise SettingRefused(error.key, error.problem) from None
    await _note(host, "set", place, session, {"value": found})
    await host.refresh()
    return place


async def forget(host: "Host", key: str, session: str) -> None:
    """Forget a setting, have the record say who did it, and wait until it holds here.

    Args:
        host: the running host.
        key: as the store has it.
        session: of the command.
    """
    if await host.adjustments.unset(key):
        await _note(host, "unset", key, session, {})
    await host.refresh()


def facts_of(loaded: "LoadedConfig", key: str) -> dict[str, Any]:
    """Say what holds now.

    Args:
        loaded: the configuration in force.
        key: as the store has it.

    Returns:
        Key, value, where it comes from, and whether what was set is part of it.
    """
    rows = {row["key"]: row for row in rows_of(loaded)}
    is_set = key in loaded.stored
    row = rows.get(key) or {"key": key, "value": None, "source": "default"}
    return {**row, "set": loaded.stored[key] if is_set else None, "is_set": is_set}


def _set_key(host: "Host", key: str, server: str | None) -> str:
    """What was set may be forgotten even when it could not be set any more."""
    from abilities_host.config import stored_key  # noqa: PLC0415 - a slow import

    if server is None or server == host.config.server.id:
        own = key if server is None else f"server.{key.removeprefix('server.')}"
    else:
        own = f"servers.{server}.{key}"
    with suppress(ConfigError, LookupError):
        return stored_key(host.config, own)
    return own


async def _note(
    host: "Host", action: str, key: str, session: str, details: dict[str, Any]
) -> None:
    with suppress(LookupError):
        await host.services.find(Ledger).note(
            "setting",
            actor=host.actor("cli").id,
            action=action,
            target=key,
            session=session,
            details=details,
        )


def _tell(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(facts)
        return
    value = printable(json.dumps(facts["value"], ensure_ascii=False))
    said = f"{facts['key']} is {value} now, from: {facts['source']}."
    if facts["is_set"] and "store" not in facts["source"]:
        complain("warning", f"{said} What was set changes nothing here.")
    else:
        say(said)
