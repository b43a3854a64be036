"""Link: the address at which a person makes the first account in a browser."""

from typing import TYPE_CHECKING, Final

from abilities_host.cli.exits import Refused
from abilities_host.cli.proof import accounts_in, with_store
from abilities_host.cli.secret import Person

if TYPE_CHECKING:
    from abilities_host.config import HostConfig, LoadedConfig
    from abilities_host.storage.base import Store

_WORD: Final = "link"


class NotFirst(Refused):
    """Raised when somebody has an account already, who signs in with it."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"Somebody has an account already, and signs in with it at {address}. An "
            "operator makes further ones: abilities admin add NAME"
        )


class NoPages(Refused):
    """Raised when the pages are not served, or nobody knows where."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The pages cannot be reached by a link: {why}")


class NotWanted(Refused):
    """Raised when the person typed something else."""

    def __init__(self) -> None:
        super().__init__("No link was made.")


def make_link(loaded: "LoadedConfig", person: Person) -> str:
    """Make a link for the first account, when a person at a terminal wants one.

    Args:
        loaded: the configuration.
        person: who is asked.

    Returns:
        An address that works once, for a quarter of an hour.

    Raises:
        Refused: when there is an account, the pages are not served, or nobody wants it.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    address = pages_address(loaded.config)
    typed = person.ask(
        f"Whoever has the link can make the first account. Type '{_WORD}':"
    )
    if typed.strip() != _WORD:
        raise NotWanted
    return with_store(loaded, lambda store: _made(store, loaded, address))


def pages_address(config: "HostConfig") -> str:
    """Say where the pages are.

    Args:
        config: its ``[http]`` and ``[admin]``.

    Returns:
        Such as ``http://127.0.0.1:8765/admin``.

    Raises:
        NoPages: when they are not served, or the port is not known before.
    """
    http, admin = config.http, config.admin
    if not admin.enabled:
        raise NoPages("[admin] enabled is false.")
    if http.public_url and not admin.port:
        return f"{http.public_url}/admin"
    port = admin.port or http.port
    if not port:
        raise NoPages("[http] port is 0, so it is another at each start.")
    host = f"[{http.address}]" if ":" in http.address else http.address
    return f"http://{host}:{port}/admin"


async def _made(store: "Store", loaded: "LoadedConfig", address: str) -> str:
    from abilities_host.admin.links import FirstLinks  # noqa: PLC0415 - a slow import
    from abilities_host.admin.sessions import Sessions  # noqa: PLC0415 - same

    if await (await accounts_in(store, loaded)).list():
        raise NotFirst(address)
    await Sessions(store).migrate()
    return f"{address}/first?key={await FirstLinks(store).make()}"
