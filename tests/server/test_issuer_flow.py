"""The SDK's own client finds the issuer, gets a token there, and is believed here."""

from collections.abc import Iterator

import httpx2
import pytest
from mcp.client.auth import OAuthFlowError
from server.issuer_client import Kept, login
from server.issuer_world import AUDIENCE, SCOPES, Issuer, issuing, settings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from abilities_host.server.issuer.issuer import Issuer as Verifier
from abilities_host.server.issuer.resource import (
    challenge,
    document_paths,
    resource_document,
)
from abilities_host.server.issuer.verdict import Believed


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


class Front:
    """The guard of a server: whoever is believed is told who they are."""

    def __init__(self, issuer: Issuer, resource: str = AUDIENCE) -> None:
        self._settings = settings(url=issuer.url)
        self._resource = resource
        self._verifier = Verifier(self._settings, audience=AUDIENCE)
        self.said: list[str] = []

    @property
    def app(self) -> Starlette:
        paths = document_paths(self._resource, "/mcp", is_first=True)
        documents = [Route(path, self._document) for path in paths]
        return Starlette(routes=[Route("/mcp", self._answer), *documents])

    async def _document(self, _request: Request) -> Response:
        return JSONResponse(resource_document(self._resource, self._settings))

    async def _answer(self, request: Request) -> Response:
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        verdict = await self._verifier.verify(shown) if shown else None
        if isinstance(verdict, Believed):
            return JSONResponse([verdict.actor.id, *sorted(verdict.actor.scopes)])
        error = "invalid_token" if verdict else ""
        said = challenge(
            self._resource,
            error=error,
            description=verdict.reason if verdict else "",
        )
        self.said.append(said)
        return Response(status_code=401, headers={"WWW-Authenticate": said})


async def ask(front: Front, kept: Kept) -> httpx2.Response:
    """Send one request as the SDK's client does; the issuer is on a real port."""
    wire = {
        "https://abilities.example.org": httpx2.ASGITransport(app=front.app),
    }
    async with httpx2.AsyncClient(auth=login(kept, AUDIENCE), mounts=wire) as http:
        return await http.get(AUDIENCE)


async def test_a_client_that_knows_nothing_gets_a_token_and_is_believed(
    issuer: Issuer,
) -> None:
    front, kept = Front(issuer), Kept()

    answer = await ask(front, kept)

    place = issuer.url.removeprefix("http://")
    assert answer.status_code == 200
    assert answer.json() == [f"{place}|ada", "read", "write"]
    assert kept.tokens is not None
    assert kept.tokens.scope == " ".join(sorted(SCOPES))
    assert issuer.asked["/register"] == issuer.asked["/token"] == 1


async def test_a_token_of_a_key_that_has_gone_is_exchanged_for_a_new_one(
    issuer: Issuer,
) -> None:
    kept = Kept()
    await ask(Front(issuer), kept)
    issuer.rotate("second")

    front = Front(issuer)
    answer = await ask(front, kept)

    assert answer.status_code == 200
    assert front.said[0].startswith('Bearer error="invalid_token"')
    assert issuer.asked["/register"] == 1
    assert issuer.asked["/token"] == 2


async def test_a_client_does_not_trust_the_description_of_another_server(
    issuer: Issuer,
) -> None:
    front = Front(issuer, AUDIENCE + "/other")

    with pytest.raises(OAuthFlowError, match="does not match"):
        await ask(front, Kept())

    assert issuer.asked == {}
