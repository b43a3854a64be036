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
from abilities_host.server.eras import era_of, has_structure
from abilities_host.server.listing import Exposed, Listing
from abilities_host.server.noting import note_missing

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
            tools = await self._listing.tools(era, actor, self._profile(ctx))
            return tools if has_structure(ctx.protocol_version) else _earliest(tools)
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
            profile = self._profile(ctx)
            exposed = self._listing.find(params.name, era, profile)
            result = None
            if exposed is None:
                await self._calling.miss(ctx)
            else:
                calls = self._calling.calls
                result = await calls.run(self._run(ctx, params, exposed, profile))
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the earlier era would show its text
            reference = logged("a call", error)
            message = f"The server failed. The host's log has {reference}."
            return answers.refusal("server_failed", message, "unknown")
        if result is None:
            note_missing()
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shown(params.name)}")
        return result

    async def _run(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        exposed: Exposed,
        profile: Profile,
    ) -> dict[str, Any] | None:
        name, shape = exposed.ability.name, exposed.shape
        given = shape.unwrap(params.arguments)
        try:
            ended = await self._calling.run(ctx, params, name, given, profile)
        except Unanswered as error:
            return answers.refusal("needs_answer", str(error), "refused")
        if ended is None or isinstance(ended, dict):
            return ended
        shape = self._listing.shape_behind(exposed, ended.ability)
        result = answers.answer(era_of(ctx.protocol_version), ended, shape)
        if not has_structure(ctx.protocol_version):
            result.pop("structuredContent", None)
        return result


def _earliest(tools: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Leave out what clients of the earliest versions may stumble over."""
    return [
        {key: value for key, value in tool.items() if key != "outputSchema"}
        for tool in tools
    ]


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
