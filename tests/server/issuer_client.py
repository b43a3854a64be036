"""A client of an issuer: it asks for a token as a person would have it do."""

from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

CALLBACK = "http://127.0.0.1:1/callback"


class Kept:
    """What a client remembers."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Follows the client's request to the issuer, and comes back with its answer."""

    def __init__(self) -> None:
        self._place = ""

    async def go(self, address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(address)
        assert answer.status_code == 302
        self._place = answer.headers["location"]

    async def come_back(self) -> AuthorizationCodeResult:
        said = {k: v[0] for k, v in parse_qs(urlsplit(self._place).query).items()}
        return AuthorizationCodeResult(
            code=said["code"], state=said["state"], iss=said["iss"]
        )


def login(kept: Kept, resource: str) -> OAuthClientProvider:
    """Authenticate as the SDK's client does, with a person at the browser."""
    person = Person()
    metadata = OAuthClientMetadata(
        client_name="test",
        redirect_uris=[AnyUrl(CALLBACK)],
        token_endpoint_auth_method="none",  # noqa: S106 - the name of a method
    )
    return OAuthClientProvider(resource, metadata, kept, person.go, person.come_back)
