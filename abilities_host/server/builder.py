"""Builder: a server of the SDK's lower level that speaks both eras."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)

from abilities_host.host import Host
from abilities_host.loading import DISTRIBUTION
from abilities_host.requestlog.log import RequestLog
from abilities_host.server.adapter import Adapter
from abilities_host.server.answers import with_null
from abilities_host.server.asking import Context
from abilities_host.server.calling import Authenticate, Calling, SessionOf
from abilities_host.server.catalogue import METHODS, Catalogue, Shelf
from abilities_host.server.choosing import profile_of
from abilities_host.server.eras import has_structure
from abilities_host.server.instructions import Instructions
from abilities_host.server.listing import Listing
from abilities_host.server.notices import Notices
from abilities_host.server.observing import Observing
from abilities_host.server.reading import Reading
from abilities_host.server.running import RunningCalls
from abilities_host.server.spec import SpecNow, following

LISTING_TTL_MS: Final = 5_000
LONGEST_QUESTION: Final = 86_400.0
"""Seconds; as much as `limits.question_seconds` may say."""
HANDSHAKES: Final = ("initialize", "server/discover")

Handler = Callable[[Context, Any], Awaitable[dict[str, Any]]]


class HostServer(Server[None]):
    """A server that tells its clients of changes.

    Args:
        spec: gives what the server is now.
        listing: what it shows.
        notices: who tells the clients.
        calls: what it runs.

    Attributes:
        id: of the server.
        listing: what it shows, and why something is missing there.
        calls: what it runs now.
        listening: the streams of the later era that wait for changes.
    """

    def __init__(
        self,
        spec: SpecNow,
        listing: Listing,
        notices: Notices,
        calls: RunningCalls,
    ) -> None:
        self._spec: Final = spec
        now = spec()
        self.id: Final = now.id
        self.listing: Final = listing
        self.calls: Final = calls
        self.listening: Final = ListenHandler(notices.bus)
        hint = CacheHint(ttl_ms=LISTING_TTL_MS, scope="private")
        super().__init__(
            DISTRIBUTION,
            version=now.version,
            title=now.title,
            description=now.description or None,
            lifespan=notices.serving,
            cache_hints={
                **dict.fromkeys(("tools/list", *METHODS.values()), hint),
                "resources/read": CacheHint(ttl_ms=0, scope="private"),
            },
            get_tool_input_schema=self._find_schema,
            on_list_tools=_list_nothing,
            on_subscriptions_listen=self.listening,
        )
        self.add_notification_handler(
            "notifications/initialized", NotificationParams, notices.collect
        )

    def follow(self) -> None:
        """Take over what the configuration says now of what clients are told first."""
        now = self._spec()
        self.title, self.description = now.title, now.description or None

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Say that the listing may change; no transport of the SDK does by itself."""
        return super().create_initialization_options(
            notification_options
            or NotificationOptions(
                tools_changed=True, resources_changed=True, prompts_changed=True
            ),
            experimental_capabilities,
            extensions,
        )

    def _find_schema(self, tool: str) -> Mapping[str, Any] | None:
        """Headers are checked by it: they may tell of nothing that is not seen."""
        from abilities_host.server.guards import caller_now  # noqa: PLC0415 - over HTTP only

        exposed, caller = self.listing.find(tool), caller_now()
        if exposed is None or caller is None:
            return None
        is_seen = self.listing.may_see(exposed.ability, caller.actor)
        return exposed.tool["inputSchema"] if is_seen else None


def build_server(
    host: Host,
    server: str = "",
    *,
    authenticate: Authenticate,
    session: SessionOf | None = None,
    requests: RequestLog | None = None,
) -> HostServer:
    """Expose a host as a server, for any transport of the SDK.

    Args:
        host: the running host.
        server: id of the server; empty for the first.
        authenticate: gives the actor of a request; whatever it raises is a refusal.
        session: gives the session of a request; by default this process's own.
        requests: is told of every request.

    Returns:
        A server that can be run once.

    Raises:
        StartRefused: when there is none of that id.
    """
    spec = following(host, server)
    listing = Listing(host, spec)
    session = session or (lambda _ctx, _actor: host.session)
    calling = Calling(host, spec().id, authenticate, session)
    adapter = Adapter(
        listing, calling, lambda ctx: profile_of(ctx, spec().profile, host.profiles)
    )
    built = HostServer(spec, listing, Notices(host), calling.calls)
    built.add_request_handler("tools/call", CallToolRequestParams, adapter.call_tool)
    _add_reading(built, Reading(Catalogue(host, built.id), calling))
    # How long a question lives the host itself decides, by what it is set to then.
    security = RequestStateSecurity.ephemeral(ttl=LONGEST_QUESTION)
    # The SDK's tracing is left out: without an exporter it only costs.
    built.middleware[:] = [
        *([Observing(requests, built.id, authenticate)] if requests else []),
        RequestStateBoundary(security, default_audience=built.id),
        _Finish(adapter, Instructions(host, spec)),
    ]
    return built


def _add_reading(server: HostServer, reading: Reading) -> None:
    add = server.add_request_handler
    for shelf, method in METHODS.items():
        add(method, PaginatedRequestParams, _lister(reading, shelf))
    add("resources/read", ReadResourceRequestParams, reading.read_resource)
    add("prompts/get", GetPromptRequestParams, reading.get_prompt)
    add("completion/complete", CompleteRequestParams, reading.complete)


def _lister(reading: Reading, shelf: Shelf) -> Handler:
    async def list_shelf(ctx: Context, _params: Any) -> dict[str, Any]:
        return await reading.list_shelf(ctx, shelf)

    return list_shelf


async def _list_nothing(
    _ctx: Context, _params: PaginatedRequestParams | None
) -> ListToolsResult:
    """Let the SDK make the frame of a listing; `_Finish` puts the tools in."""
    return ListToolsResult(tools=[])


class _Finish:
    """Puts into results what the SDK would take long over, lose, or know too early."""

    def __init__(self, adapter: Adapter, instructions: Instructions) -> None:
        self._adapter = adapter
        self._instructions = instructions

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method in HANDSHAKES:
            return {**result, "instructions": await self._instructions.text()}
        if ctx.method == "tools/list":
            return {**result, "tools": await self._adapter.list_tools(ctx)}
        is_call = ctx.method == "tools/call" and has_structure(ctx.protocol_version)
        return with_null(result) if is_call else result
