"""Issuer: somebody else who says who a caller is, by a signed token."""

import logging
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Final, Self

from abilities_host.config.network import IssuerSettings
from abilities_host.errors import StartRefused
from abilities_host.server.issuer.addresses import is_secure
from abilities_host.server.issuer.claims import actor_of
from abilities_host.server.issuer.discovery import load_keys
from abilities_host.server.issuer.fetching import Fetch, fetch_document
from abilities_host.server.issuer.keyring import Keyring
from abilities_host.server.issuer.keys import Keys
from abilities_host.server.issuer.remembered import Remembered
from abilities_host.server.issuer.token import (
    check_shape,
    check_times,
    read_claims,
    read_head,
)
from abilities_host.server.issuer.verdict import (
    Believed,
    Disbelieved,
    NotBelieved,
    Reason,
)

log = logging.getLogger(__name__)


class Issuer:
    """Checks the tokens of one issuer for one server.

    Args:
        settings: of the issuer; `url` is not empty.
        audience: the server's own address, which tokens must be meant for where the
            settings name no audience.
        clock: seconds since 1970.
        fetch: reads an address of the issuer; it is called in a thread.
        keyring: that another server's has already.

    Raises:
        StartRefused: when the settings cannot be used safely.
    """

    def __init__(
        self,
        settings: IssuerSettings,
        *,
        audience: str,
        clock: Callable[[], float] = time.time,
        fetch: Fetch = fetch_document,
        keyring: Keyring | None = None,
    ) -> None:
        self._settings: Final = settings
        self._audience: Final = _checked(settings, settings.audience or audience)
        self._clock: Final = clock
        load = partial(load_keys, settings, fetch)
        self._keyring: Final = keyring or Keyring(load, clock)
        self._remembered: Final = Remembered()
        plain = settings.url.rstrip("/")
        self._names: Final = frozenset({plain, f"{plain}/"})

    @property
    def problem(self) -> str:
        """Why the keys could not be read the last time; empty when they could."""
        return self._keyring.problem

    def at(self, audience: str) -> Self:
        """Make one for a further server, with the same keys.

        Args:
            audience: that server's address.

        Returns:
            One that believes tokens for that server alone, unless the settings name
            an audience for all.
        """
        return type(self)(
            self._settings,
            audience=audience,
            clock=self._clock,
            keyring=self._keyring,
        )

    async def verify(self, token: str) -> Believed | Disbelieved:
        """Check a token; the first one reads the issuer's keys.

        Args:
            token: what a client shows, whatever it is.

        Returns:
            Whom it stands for, or why not. The same token again costs a hash.
        """
        try:
            check_shape(token)
            return await self._verdict(token, sha256(token.encode()).digest())
        except NotBelieved as error:
            log.info("a token of the issuer was refused: %s", error.reason)
            return Disbelieved(error.reason)

    async def _verdict(self, token: str, digest: bytes) -> Believed:
        if (known := self._known(digest)) is not None:
            return known
        head = read_head(token, self._settings.algorithms)
        keys = await self._keyring.current()
        if keys.find(head.key, head.algorithm) is None:
            keys = await self._keyring.renewed()
        believed = self._judge(token, head.key, head.algorithm, keys)
        self._remembered.keep(digest, believed, keys)
        return believed

    def _known(self, digest: bytes) -> Believed | None:
        keys = self._keyring.settled
        if keys is None:
            return None
        return self._remembered.find(digest, keys, self._clock())

    def _judge(
        self, token: str, name: str | None, algorithm: str, keys: Keys
    ) -> Believed:
        key = keys.find(name, algorithm)
        if key is None:
            # It may be a new one that the issuer cannot tell of now.
            raise NotBelieved(Reason.UNREACHABLE if self.problem else Reason.KEY)
        claims = read_claims(
            token, key, algorithm, issuers=self._names, audience=self._audience
        )
        ends = check_times(claims, self._clock())
        return Believed(actor_of(claims, self._settings), ends)


def _checked(settings: IssuerSettings, audience: str) -> str:
    if not settings.url or not audience:
        raise StartRefused(
            "[http.issuer] needs url, the issuer's name, and an audience: give it one, "
            "or set public_url of [http], the address that clients use."
        )
    if not settings.algorithms:
        raise StartRefused(
            "[http.issuer] algorithms is empty: no token could be right."
        )
    for name, address in (("url", settings.url), ("keys", settings.keys)):
        if address and not is_secure(address):
            raise StartRefused(
                f"[http.issuer] {name} must begin with https: whoever sits between "
                "could put keys of their own in place of the issuer's."
            )
    return audience
