"""Pages: what the host answers beside its servers, for machines that look after it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from abilities_host.config import ServerSettings
from abilities_host.errors import StoreUnreadable
from abilities_host.host import Host
from abilities_host.requestlog.log import RequestLog
from abilities_host.server.gatekeeper import Gatekeeper
from abilities_host.server.guards import bearer_of, refusal

OPERATOR: Final = "operator"

Document = Callable[[str], Mapping[str, Any] | None]


def no_document(_path: str) -> None:
    """Say nothing, where no issuer gives tokens."""


class Pages:
    """Health, readiness, metrics and where tokens come from.

    Args:
        host: the running host.
        gatekeeper: says who may read the metrics.
        document: gives what a path under ``/.well-known`` says, None for nothing.
        requests: counts.
    """

    def __init__(
        self,
        host: Host,
        gatekeeper: Gatekeeper,
        document: Document,
        requests: RequestLog,
    ) -> None:
        self._host: Final = host
        self._gatekeeper: Final = gatekeeper
        self._document: Final = document
        self._requests: Final = requests

    @property
    def routes(self) -> list[Route]:
        """What is answered where; to GET and HEAD only."""
        return [
            Route("/healthz", self._health),
            Route("/readyz", self._readiness),
            Route("/metrics", self._metrics),
            Route("/.well-known/{rest:path}", self._well_known),
        ]

    async def _health(self, _request: Request) -> Response:
        """Alive: whoever looks after the process leaves it alone."""
        return _answer(is_ok=not self._host.is_stopping)

    async def _readiness(self, _request: Request) -> Response:
        """Able to answer: whoever shares requests out may send some here."""
        try:
            await self._host.refresh()
        except StoreUnreadable:
            return _answer(is_ok=False)
        is_off = self._host.config.kill_switch or self._host.is_stopping
        return _answer(is_ok=not is_off)

    async def _metrics(self, request: Request) -> Response:
        shown = bearer_of(request.scope)
        # As at the first server, whose tokens an outside issuer can make.
        place = ServerSettings(id=self._host.config.server.id, requires=OPERATOR)
        admitted = await self._gatekeeper.admit(shown, place)
        if isinstance(admitted, Response):
            return admitted
        from abilities_host.requestlog.exposition import CONTENT_TYPE, metrics_text  # noqa: PLC0415 - few ask

        text = metrics_text(self._requests.metrics)
        return Response(text, media_type=CONTENT_TYPE)

    async def _well_known(self, request: Request) -> Response:
        said = self._document(request.url.path)
        return refusal(404, "Not found.") if said is None else JSONResponse(said)


def _answer(*, is_ok: bool) -> Response:
    return JSONResponse({"ok": is_ok}, status_code=200 if is_ok else 503)
