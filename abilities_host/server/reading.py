"""Reading: resources and prompts, as the protocol lists, reads and completes them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from mcp import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteRequestParams,
    GetPromptRequestParams,
    InputResponseRequestParams,
    PromptReference,
    ReadResourceRequestParams,
)

from abilities_host.ability import Ability
from abilities_host.calls import Outcome
from abilities_host.errors import InvalidInput
from abilities_host.server import answers
from abilities_host.server.adapter import listing_failed, logged
from abilities_host.server.asking import Context
from abilities_host.server.calling import Calling, Unanswered, shown
from abilities_host.server.catalogue import BadCursor, Catalogue, Shelf
from abilities_host.server.eras import LEGACY, era_of
from abilities_host.server.noting import note_missing
from abilities_host.server.prompt import prompt_result
from abilities_host.server.resource import BadContent, contents_of
from abilities_host.server.texts import typed

COMPLETIONS: Final = 100
URI_SHOWN: Final = 4_096
NOT_FOUND: Final = -32002
"""Code of the earlier era for a resource that is not there."""

Result = dict[str, Any]


class Reading:
    """Turns requests for resources and prompts into runs, for one server.

    Args:
        catalogue: what the server has.
        calling: runs what is read.
    """

    def __init__(self, catalogue: Catalogue, calling: Calling) -> None:
        self._catalogue: Final = catalogue
        self._calling: Final = calling

    async def list_shelf(self, ctx: Context, shelf: Shelf) -> Result:
        """Give one page of what the caller can see.

        Args:
            ctx: of the request.
            shelf: what is listed.

        Returns:
            The listing's own fields.

        Raises:
            MCPError: for a cursor that no page gave, or when it cannot be said now.
        """
        cursor = (ctx.params or {}).get("cursor")
        era = era_of(ctx.protocol_version)
        try:
            actor = self._calling.authenticate(ctx)
            page = await self._catalogue.page(shelf, era, actor, cursor)
        except BadCursor as error:
            message = "No page gave this cursor; begin without one."
            raise MCPError(INVALID_PARAMS, message) from error
        except Exception as error:
            raise listing_failed(error) from error
        more = {"nextCursor": page.cursor} if page.cursor else {}
        return {shelf: page.items, **more, "resultType": "complete"}

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> Result:
        """Read what an address means.

        Args:
            ctx: of the request.
            params: the address, and a person's answer if one was asked.

        Returns:
            A finished result.

        Raises:
            MCPError: when there is nothing that the caller may see, or it failed.
        """
        found = self._catalogue.find_resource(params.uri)
        ability, variables = found or (None, {})
        ended = await self._settle(ctx, params, ability, variables)
        if ability is None or ended is None:
            _not_found(ctx, params.uri)
        if isinstance(ended, dict):
            return ended
        contents = _checked(ability, lambda: contents_of(ability, params.uri, ended))
        return {"contents": contents, "resultType": "complete"}

    async def get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> Result:
        """Get the messages of a prompt.

        Args:
            ctx: of the request.
            params: name, arguments, and a person's answer if one was asked.

        Returns:
            A finished result.

        Raises:
            MCPError: when there is nothing that the caller may see, or it failed.
        """
        ability = self._catalogue.find_prompt(params.name)
        ended = await self._settle(ctx, params, ability, params.arguments or {})
        if ability is None or ended is None:
            note_missing()
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {shown(params.name)}")
        if isinstance(ended, dict):
            return ended
        era, outcome, prompt = era_of(ctx.protocol_version), ended, ability
        result: Result = _checked(prompt, lambda: prompt_result(era, prompt, outcome))
        return result

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> Result:
        """Complete an argument whose schema lists its values; others have none.

        Args:
            ctx: of the request.
            params: prompt or template, the argument, and how it begins.

        Returns:
            A finished result with at most `COMPLETIONS` values.
        """
        ability = self._completed(params)
        values: Sequence[str] = ()
        if ability is not None and await self._may_see(ctx, ability):
            values = _values(ability, params.argument.name, params.argument.value)
        some = list(values[:COMPLETIONS])
        more = {"total": len(values), "hasMore": len(values) > len(some)}
        return {"completion": {"values": some, **more}, "resultType": "complete"}

    def _completed(self, params: CompleteRequestParams) -> Ability | None:
        if isinstance(params.ref, PromptReference):
            return self._catalogue.find_prompt(params.ref.name)
        return self._catalogue.find_template(params.ref.uri)

    async def _may_see(self, ctx: Context, ability: Ability) -> bool:
        try:
            actor = self._calling.authenticate(ctx)
            return await self._catalogue.may_see(ability, actor)
        except Exception as error:
            raise listing_failed(error) from error

    async def _settle(
        self,
        ctx: Context,
        params: InputResponseRequestParams,
        ability: Ability | None,
        texts: Mapping[str, str],
    ) -> Outcome | Result | None:
        """Run it to a good end or a question; anything else is an error."""
        run: Awaitable[Outcome | Result | None]
        if ability is None:
            run = self._calling.miss(ctx)
        else:
            arguments = typed(ability.input_schema, texts)
            run = self._calling.run(ctx, params, ability.name, arguments)
        # What is stopped is answered with a tool's refusal, which only has `isError`.
        ended = await self._calling.calls.run(cast("Awaitable[Any]", _guarded(run)))
        if isinstance(ended, dict) and ended.get("isError"):
            raise MCPError(INTERNAL_ERROR, ended["content"][0]["text"])
        if isinstance(ended, Outcome) and not ended.is_ok:
            raise _failure(ended)
        return cast("Outcome | Result | None", ended)


async def _guarded(run: Awaitable[Any]) -> Any:
    try:
        return await run
    except MCPError:
        raise
    except Unanswered as error:
        data = answers.told("needs_answer", str(error), "refused")
        raise MCPError(INTERNAL_ERROR, str(error), data) from error
    except Exception as error:
        reference = logged("a read", error)
        message = f"The server failed. The host's log has {reference}."
        data = answers.told("server_failed", message, "unknown")
        raise MCPError(INTERNAL_ERROR, message, data) from error


def _failure(outcome: Outcome) -> MCPError:
    """The error of a run, with the same facts as a tool's result."""
    result = answers.failure(outcome)
    is_input = isinstance(outcome.error, InvalidInput)
    code = INVALID_PARAMS if is_input else INTERNAL_ERROR
    data = result["_meta"]["abilities/error"]
    return MCPError(code, result["content"][0]["text"], data)


def _not_found(ctx: Context, uri: str) -> NoReturn:
    note_missing()
    is_legacy = era_of(ctx.protocol_version) == LEGACY
    code = NOT_FOUND if is_legacy else INVALID_PARAMS
    data = {"uri": answers.clean(uri[:URI_SHOWN])}
    raise MCPError(code, "Resource not found", data)


def _checked(ability: Ability, write: Callable[[], Any]) -> Any:
    try:
        return write()
    except BadContent as error:
        reference = logged(f"the answer of {ability.name}", error)
        message = (
            f"{ability.name!r} gave something that is no {ability.component.kind}: "
            f"{error}. The host's log has {reference}."
        )
        data = answers.told("invalid_content", message, "failed")
        raise MCPError(INTERNAL_ERROR, message, data) from error


def _values(ability: Ability, argument: str, start: str) -> list[str]:
    properties: Mapping[str, Any] = ability.shown_input_schema.get("properties", {})
    schema = properties.get(argument)
    known = schema.get("enum", ()) if isinstance(schema, Mapping) else ()
    texts = [value for value in known if isinstance(value, str)]
    return [text for text in texts if text.casefold().startswith(start.casefold())]
