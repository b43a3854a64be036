"""Parts: what all requests of the pages share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from abilities_host.accounts import Accounts
from abilities_host.admin.confirming import Confirmations
from abilities_host.admin.cookies import Cookies
from abilities_host.admin.frame import Frame
from abilities_host.admin.links import FirstLinks
from abilities_host.admin.sessions import Session, Sessions
from abilities_host.admin.streams import Streams
from abilities_host.admin.texts import Texts, texts_for
from abilities_host.host import Host
from abilities_host.ledger import Ledger

SESSION = "session"
VISITOR = "visitor"
TOLD = "told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What all requests share.

    Attributes:
        host: the running host.
        accounts: of its store.
        sessions: of people.
        links: for the first account.
        confirmations: who has shown the secret a moment ago.
        frame: the templates.
        streams: places for answers that go on.
    """

    host: Host
    accounts: Accounts
    sessions: Sessions
    links: FirstLinks
    confirmations: Confirmations
    frame: Frame
    streams: Streams

    def texts(self, request: Request) -> Texts:
        """Choose the language of a request."""
        return texts_for(request.headers.get("accept-language", ""))

    def cookies(self, request: Request) -> Cookies:
        """Give the cookies of a request."""
        return Cookies(request, self.host.config.http.public_url)

    async def session(self, request: Request) -> tuple[str, Session | None]:
        """Give the session of a request.

        Args:
            request: from a browser.

        Returns:
            The id that the browser has, and the session, None without a good one.

        Raises:
            StoreError: when the store cannot be used.
        """
        id_ = self.cookies(request).get(SESSION)
        return id_, await self.sessions.find(id_) if id_ else None

    def outside(
        self, request: Request, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        """Write a page for whoever is not signed in."""
        around: Mapping[str, Any] = {"site": self.host.config.title, "waiting": 0}
        texts = self.texts(request)
        return self.frame.page(template, {**around, **values}, texts, status=status)

    async def note(self, account: str, action: str, **details: str) -> None:
        """Record that somebody came or went; nothing without a record."""
        try:
            ledger = self.host.services.find(Ledger)
        except LookupError:
            return
        said = {**details, "by": "human"}
        await ledger.note(
            "access", actor=account, action=action, target="admin", details=said
        )


def address_of(request: Request) -> str:
    """Say where a request comes from, as far as that is known."""
    return request.client.host if request.client else ""
