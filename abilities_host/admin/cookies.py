"""Cookies: their names and attributes, which depend on how the pages are reached."""

from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import Response

from abilities_host.admin.paths import ROOT

LIMIT: Final = 3_000


class Cookies:
    """The cookies of one request; browsers tell no ports apart, so their names do.

    Args:
        request: from the browser.
        public_url: how the host is reached, empty for the address itself.
    """

    def __init__(self, request: HTTPConnection, public_url: str) -> None:
        self._request: Final = request
        scheme = urlsplit(public_url).scheme if public_url else ""
        self._is_secure: Final = "https" in (scheme, request.scope.get("scheme"))
        _, port = request.scope.get("server") or ("", 0)
        prefix = "__Host-" if self._is_secure else ""
        self._prefix: Final = f"{prefix}abilities-admin-{port}"

    def get(self, what: str) -> str:
        """Give the value of one, empty without it or when it is too long."""
        value = self._request.cookies.get(self._name(what), "")
        return value if len(value) <= LIMIT else ""

    def put(self, response: Response, what: str, value: str) -> None:
        """Have the browser keep one until it is closed."""
        response.set_cookie(
            self._name(what),
            value,
            # The prefix is only taken with the path of the whole site.
            path="/" if self._is_secure else ROOT,
            secure=self._is_secure,
            httponly=True,
            samesite="strict",
        )

    def drop(self, response: Response, what: str) -> None:
        """Have the browser forget one."""
        response.delete_cookie(
            self._name(what),
            path="/" if self._is_secure else ROOT,
            secure=self._is_secure,
            httponly=True,
            samesite="strict",
        )

    def _name(self, what: str) -> str:
        return f"{self._prefix}-{what}"
