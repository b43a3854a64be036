"""Issuing: the token that a person asks for, checked against what is there."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from abilities_host.calls import Actor
from abilities_host.errors import LookupFailed, nearest
from abilities_host.tokens import Change, TokenError, Tokens

if TYPE_CHECKING:
    from abilities_host.accounts import Accounts
    from abilities_host.config import HostConfig
    from abilities_host.host import Host

ASKED_INSIDE: Final = ("ledger:force", "ledger:read-all", "memory:read-all", "operator")
"""Scopes that no ability names, but that are asked for inside calls or by pages."""

HOST: Final = "host"
"""Who does what the host does by itself, in the record."""


class Desk(Protocol):
    """Where tokens are made and ended, and who does it."""

    @property
    def host(self) -> "Host":
        """The running host."""

    @property
    def tokens(self) -> Tokens:
        """Of its store."""

    @property
    def accounts(self) -> "Accounts":
        """Of its store."""

    @property
    def actor(self) -> str:
        """Id of who does it."""

    async def note(self, change: Change) -> Change:
        """Have the record say who did what, and give the same."""


class NameTaken(TokenError):
    """Raised when the record could not tell a token from somebody else."""

    def __init__(self, name: str, whose: str) -> None:
        super().__init__(
            f"{name!r} is {whose}, and the record could not tell the two apart. "
            "Choose another name."
        )


class UnknownScope(TokenError):
    """Raised when nothing here asks for a scope; guesses the one meant."""

    def __init__(self, scope: str, known: Iterable[str]) -> None:
        super().__init__(
            f"Nothing here asks for the scope {scope!r}.{nearest(scope, known)} Give "
            "it all the same with --force."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The token that a person asks for.

    Attributes:
        name: what it shall be called.
        scopes: what it may do.
        role: what else.
        server: the one it is for, empty for every one.
        expires_at: when it ends, None for never.
        is_forced: scopes are taken although nothing asks for them.
    """

    name: str
    scopes: tuple[str, ...]
    role: str
    server: str
    expires_at: int | None
    is_forced: bool

    async def make(self, desk: Desk) -> Change:
        """Make it, and have it recorded.

        Args:
            desk: where.

        Returns:
            What was made, with its value.

        Raises:
            LookupFailed: for a role or a server that is not there.
            TokenError: for a scope that nothing asks for, a name that is taken, or
                when it cannot be made.
            StoreError: when it cannot be stored or recorded.
        """
        await self._check(desk)
        change = await desk.tokens.create(
            self.name,
            scopes=self.scopes,
            role=self.role,
            server=self.server,
            expires_at=self.expires_at,
            by=desk.actor,
        )
        return await desk.note(change)

    async def _check(self, desk: Desk) -> None:
        config = desk.host.config
        self._check_role(config)
        self._check_server(config)
        if not self.is_forced:
            self._check_scopes(desk.host)
        self._check_name(config)
        for account in await desk.accounts.list():
            if account.name == self.name:
                raise NameTaken(self.name, "the account of a person")

    def _check_name(self, config: "HostConfig") -> None:
        actors = config.actors
        surfaces = {"stdio": actors.stdio, "cli": actors.cli, "http": actors.http}
        for surface, actor in surfaces.items():
            if actor.id == self.name:
                raise NameTaken(self.name, f"the id of [actors.{surface}]")
        if self.name == HOST:
            raise NameTaken(self.name, "what the record calls the host itself")

    def _check_role(self, config: "HostConfig") -> None:
        if self.role and config.scopes_of(self.role) is None:
            raise LookupFailed("role", self.role, roles_of(config))

    def _check_server(self, config: "HostConfig") -> None:
        ids = [server.id for server in config.all_servers]
        if self.server and self.server not in ids:
            raise LookupFailed("server", self.server, ids)

    def _check_scopes(self, host: "Host") -> None:
        known = _scopes_asked_for(host)
        for scope in self.scopes:
            granted = Actor("", scopes=frozenset({scope}))
            if scope not in known and not any(map(granted.may, known)):
                raise UnknownScope(scope, sorted(known))


def roles_of(config: "HostConfig") -> list[str]:
    """List the roles that a token can have.

    Args:
        config: the configuration.

    Returns:
        Those that come with the host, and its own.
    """
    from abilities_host.config.network import BUILT_IN_ROLES  # noqa: PLC0415 - a slow import

    return sorted({*BUILT_IN_ROLES, *config.roles})


def _scopes_asked_for(host: "Host") -> set[str]:
    config = host.config
    granted = (config.scopes_of(role) or () for role in roles_of(config))
    return {
        *ASKED_INSIDE,
        *(ability.requires for ability in host.registry.list_abilities()),
        *(server.requires for server in config.all_servers if server.requires),
        *(scope for scopes in granted for scope in scopes),
    }
