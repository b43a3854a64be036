"""Opened: the tokens of a store, alone or with a host that keeps the record."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from abilities_host.accounts import Accounts
from abilities_host.cli.proof import with_store
from abilities_host.cli.running import with_host
from abilities_host.cli.session import login_session
from abilities_host.ledger import Ledger
from abilities_host.tokens import Change, Tokens

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host
    from abilities_host.storage.base import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where tokens are made and ended.

    Attributes:
        host: started for this command.
        tokens: of its store.
        accounts: of its store.
        session: of the terminal login.
    """

    host: "Host"
    tokens: Tokens
    accounts: Accounts
    session: str

    @property
    def actor(self) -> str:
        """Id of who does it."""
        return self.host.actor("cli").id

    async def note(self, change: Change) -> Change:
        """Have the record say who did what; without a ledger nobody asks.

        Args:
            change: that was made.

        Returns:
            The same.

        Raises:
            StoreError: when it cannot be recorded.
        """
        with suppress(LookupError):
            await self.host.services.find(Ledger).note(
                "access",
                actor=self.actor,
                action=change.action,
                target=change.record.name,
                session=self.session,
                details=change.details,
            )
        return change


def with_tokens(loaded: "LoadedConfig", work: Callable[[Tokens], Awaitable[T]]) -> T:
    """Open the store, work with its tokens, and close it.

    Args:
        loaded: the configuration.
        work: what is done.

    Returns:
        What `work` returned.

    Raises:
        AbilitiesError: from the store or from `work`, or after Ctrl+C.
    """

    async def with_all(store: "Store") -> T:
        tokens = Tokens(store)
        await tokens.migrate()
        return await work(tokens)

    return with_store(loaded, with_all)


def at_desk(loaded: "LoadedConfig", work: Callable[[Desk], Awaitable[T]]) -> T:
    """Start a host, change its tokens, and stop it; others on the store go on.

    Args:
        loaded: the configuration.
        work: what is done.

    Returns:
        What `work` returned.

    Raises:
        AbilitiesError: from the start or from `work`, or after Ctrl+C.
    """
    from abilities_host.storage.sqlite import open_sqlite  # noqa: PLC0415 - a slow import

    session = login_session()

    async def run(host: "Host") -> T:
        async with open_sqlite(loaded.store_path) as store:
            desk = Desk(host, Tokens(store), Accounts(store), session)
            await desk.tokens.migrate()
            await desk.accounts.migrate()
            return await work(desk)

    return with_host(loaded, run)
