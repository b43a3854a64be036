"""Failures: what a person reads when a request did not end well."""

import logging
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abilities_host.admin.parts import Parts
from abilities_host.errors import StoreError

log = logging.getLogger(__name__)

_BROKEN: Final = 500
_UNAVAILABLE: Final = 503
_SLOW: Final = 504
_OURS: Final = ("bearer", "foreign", "token")


class Failures:
    """Turns what was raised into a page without details; the log has them.

    Args:
        app: what serves.
        parts: shared by all requests.
    """

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app: Final = app
        self._parts: Final = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_started = False

        async def send_noting(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        except Exception as error:
            if is_started:
                raise
            status, key = _told(error)
            if status == _BROKEN:
                log.exception("a page for people failed")
            page = self._parts.outside(
                Request(scope), "error.html", status=status, problem=key
            )
            await page(scope, receive, send)


def _told(error: Exception) -> tuple[int, str]:
    if isinstance(error, HTTPException):
        what = error.detail if error.detail in _OURS else error.status_code
        return error.status_code, f"error.{what}"
    if isinstance(error, StoreError):
        log.warning("the store cannot be used", exc_info=error)
        return _UNAVAILABLE, f"error.{_UNAVAILABLE}"
    if isinstance(error, TimeoutError):
        return _SLOW, f"error.{_SLOW}"
    return _BROKEN, f"error.{_BROKEN}"
