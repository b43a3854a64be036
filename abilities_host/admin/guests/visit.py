"""Visit: what a page of a pack is given, which is less than a page of the host."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from abilities_host.admin.guests.words import Words
from abilities_host.admin.visit import Visit
from abilities_host.calls import Actor, Outcome
from abilities_host.errors import CallError
from abilities_host.pages.visit import Role

T = TypeVar("T")

CLIENT: Final = "admin"


class WriteWhileShown(CallError):
    """A page wanted to change something while it was only looked at."""

    code = "write_in_readonly"

    def __init__(self, ability: str) -> None:
        super().__init__(
            f"{ability!r} is not marked read-only, and showing a page changes nothing. "
            "Call it in an action of the page."
        )


class GuestVisit:
    """One request, as `abilities_host.pages.Visit` says.

    Neither host nor accounts, session or form tokens are to be had from it. It keeps
    mistakes away and is no sandbox: a pack is code with the host's rights.

    Args:
        visit: of the person.
        words: of the page.
        is_reading: whether the page is only shown.
    """

    def __init__(self, visit: Visit, words: Words, *, is_reading: bool) -> None:
        self._visit: Final = visit
        self._words: Final = words
        self._is_reading: Final = is_reading

    def __repr__(self) -> str:
        return f"Visit({self.name!r})"

    @property
    def name(self) -> str:
        """Of the account."""
        return self._visit.name

    @property
    def role(self) -> Role:
        """What the account may do now."""
        return self._visit.role.value

    @property
    def actor(self) -> Actor:
        """The person, with the scopes of the account."""
        return self._visit.actor

    @property
    def query(self) -> Mapping[str, str]:
        """Of the address."""
        return self._visit.query

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Of the page's path."""
        return self._visit.parameters

    @property
    def language(self) -> str:
        """One of the page's words that the browser asks for, or English."""
        return self._words.language

    def text(self, text: str, /, **values: object) -> str:
        """Say something in that language; see `Words.text`."""
        return self._words.text(text, **values)

    def find(self, protocol: type[T]) -> T | None:
        """Give a service, None without one."""
        return self._visit.find(protocol)

    async def call(self, ability: str, arguments: Any = None) -> Outcome:
        """Run an ability through the envelope, as the person.

        Raises:
            WriteWhileShown: when the page is only shown, and this may be a write.
        """
        host = self._visit.host
        if self._is_reading:
            found = host.registry.find_ability(ability)
            if found is not None and found.annotations.readonly is not True:
                raise WriteWhileShown(ability)
        return await host.execute(
            ability,
            arguments,
            actor=self.actor,
            session=self._visit.session.id,
            client=CLIENT,
        )

    async def note(self, action: str, target: str = "", **details: Any) -> None:
        """Record what no service records; nothing without a record."""
        await self._visit.note("setting", action, target, **details)
