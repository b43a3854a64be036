"""Adapter: the tools of a server, as the protocol lists and calls them."""

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolRequestParams

from abilities_host.errors import CallError
from abilities_host.schema.profiles import Profile
from abilities_host.server import answers
from abilities_host.server.asking import Context
from abilities_host.server.calling import Calling, Unanswered, shown
from abilities_host.server.eras import era_of
from abilities_host.server.listing import Exposed, Listing

log = logging.getLogger(__name__)


class Adapter:
    """Turns requests into calls and outcomes into results, for one server.

    Args:
        listing: the server's tools.
        calling: runs what is called.
        profile: chooses that of a request.
    """

    def __init__(
        self, listing: Listing, calling: Calling, profile: Callable[[Context], Profile]
    ) -> None:
        self._listing: Final = listing
        self._calling: Final = calling
        self._profile: Final = profile

    async def list_tools(self, ctx: Context) -> list[Mapping[str, Any]]:
        """Give what the caller can see, finished.

        Args:
            ctx: of the request.

        Returns:
            One page.

        Raises:
            MCPError: when it cannot be said now.
        """
        if ctx.params and ctx.params.get("cursor") is not None:
            raise MCPError(INVALID_PARAMS, "The listing is one page; send no cursor.")
        try:
            actor = self._calling.authenticate(ctx)
            era = era_of(ctx.protocol_version)
            return await self._listing.tools(era, actor, self._profile(ctx))
        except Exception as error:
            raise listing_failed(error) from error

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> dict[str, Any]:
        """Run what the caller means and write how it ended.

        Args:
            ctx: of the request.
            params: name, arguments, and a person's answer if one was asked.

        Returns:
            A finished result; refusals and failures are results that say so.

        Raises:
            MCPError: for a tool that this caller cannot see, which is the same for
                off, unknown and not visible; and for a session that cannot be one.
        """
        try:
            era = era_of(ctx.protocol_version)
            exposed = self._listing.find(params.name, era, self._profile(ctx))
            result = None
            if exposed is not None:
                calls = self._calling.calls
                result = await calls.run(self._run(ctx, params, exposed))
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the earlier era would show its text
            reference = logged("a call", error)
            message = f"The server failed. The host's log has {reference}."
            return answers.refusal("server_failed", message)
        if result is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shown(params.name)}")
        return result

    async def _run(
        self, ctx: Context, params: CallToolRequestParams, exposed: Exposed
    ) -> dict[str, Any] | None:
        name, shape = exposed.ability.name, exposed.shape
        given = shape.unwrap(params.arguments)
        try:
            ended = await self._calling.run(ctx, params, name, given)
        except Unanswered as error:
            return answers.refusal("needs_answer", str(error))
        if ended is None or isinstance(ended, dict):
            return ended
        shape = self._listing.shape_behind(exposed, ended.ability)
        return answers.answer(era_of(ctx.protocol_version), ended, shape)


def listing_failed(error: Exception) -> MCPError:
    """Say that a listing cannot be given now.

    Args:
        error: the reason.

    Returns:
        The error to raise; what is not meant for clients is in the log only.
    """
    if isinstance(error, MCPError):
        return error
    if isinstance(error, CallError):
        return MCPError(INTERNAL_ERROR, error.message)
    message = f"The listing failed; the host's log has {logged('a listing', error)}."
    return MCPError(INTERNAL_ERROR, message)


def logged(what: str, error: Exception) -> str:
    """Log an error and give the id under which it is found."""
    reference = secrets.token_hex(8)
    log.error("%s failed, reference %s", what, reference, exc_info=error)
    return reference
