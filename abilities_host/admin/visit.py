"""Visit: one request of a person whose session is good."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from abilities_host.accounts import Role
from abilities_host.admin.sessions import Session
from abilities_host.admin.streams import Streams
from abilities_host.admin.texts import Texts
from abilities_host.calls import Actor
from abilities_host.errors import LookupFailed
from abilities_host.host import Host
from abilities_host.ledger import Ledger
from abilities_host.ledger.entry import Kind

T = TypeVar("T")

_SCOPES_AS = {Role.OPERATOR: "operator", Role.REVIEWER: "viewer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a page is given.

    Attributes:
        host: the running host.
        session: of the person.
        role: what the account may do now.
        texts: the words, in a language that the browser asks for.
        query: of the address; the last value of each name.
        parameters: of the page's path.
        streams: places for answers that go on.
        token: gives the token of a form, by its address and what it shows.
        accepted: the browser's header ``Accept-Language``; anything.
    """

    host: Host
    session: Session
    role: Role
    texts: Texts
    query: Mapping[str, str]
    parameters: Mapping[str, Any]
    streams: Streams
    token: Callable[..., str]
    accepted: str = ""

    @property
    def name(self) -> str:
        """Of the account."""
        return self.session.account

    @property
    def actor(self) -> Actor:
        """The person, for calls through the envelope and for the record."""
        scopes = self.host.config.scopes_of(_SCOPES_AS[self.role]) or ()
        return Actor(self.name, "human", frozenset(scopes))

    def find(self, protocol: type[T]) -> T | None:
        """Give a service that a pack or the host offers, None without one.

        Args:
            protocol: under which it is offered.
        """
        try:
            return self.host.services.find(protocol)
        except LookupError:
            return None

    def need(self, protocol: type[T], name: str) -> T:
        """Give a service that there must be.

        Args:
            protocol: under which it is offered.
            name: what the person calls it.

        Raises:
            LookupFailed: when no healthy pack offers it.
        """
        found = self.find(protocol)
        if found is None:
            raise LookupFailed("service", name, [])
        return found

    async def note(
        self, kind: Kind, action: str, target: str = "", **details: Any
    ) -> None:
        """Record what no service records by itself; nothing without a record.

        Args:
            kind: setting, access or restore.
            action: one word.
            target: what it was done to.
            details: JSON values, no secrets.
        """
        ledger = self.find(Ledger)
        if ledger is not None:
            await ledger.note(
                kind,
                actor=self.name,
                action=action,
                target=target,
                session=self.session.id,
                details={**details, "by": "human"},
            )
