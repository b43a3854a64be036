"""What the later era deprecates, on the SDK alone: sampling, roots, protocol logging.

The host offers none of it, so these fixtures are answered before a call reaches it.
"""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.naming import as_suite
from conformance.schemas import NAME
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    EmptyResult,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)

from abilities_host.server.asking import Context
from abilities_host.server.builder import HostServer

PAUSE: Final = 0.05
EARLY: Final = "test_input_required_result_elicitation"

Answer = dict[str, Any]
Fixture = Callable[[Context], Awaitable[Answer]]

SAMPLE: Final = {
    "method": "sampling/createMessage",
    "params": {
        "messages": [
            {
                "role": "user",
                "content": {"type": "text", "text": "What is the capital of France?"},
            }
        ],
        "maxTokens": 100,
    },
}
ROOTS: Final = {"method": "roots/list", "params": {}}
ASK: Final = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "What is your name?",
        "requestedSchema": NAME,
    },
}


def add_deprecated(server: HostServer) -> None:
    """Have a server offer what the host does not."""
    add = server.add_request_handler
    add("logging/setLevel", SetLevelRequestParams, _nothing)
    add("resources/subscribe", SubscribeRequestParams, _nothing)
    add("resources/unsubscribe", UnsubscribeRequestParams, _nothing)
    # After the boundary that seals what a client brings back.
    server.middleware.insert(1, _answer)


async def _answer(ctx: Context, call_next: CallNext) -> HandlerResult:
    if ctx.method != "tools/call":
        return await call_next(ctx)
    name = as_suite(str((ctx.params or {}).get("name", "")))
    fixture = FIXTURES.get(name)
    if fixture is not None:
        return await fixture(ctx)
    is_early = name == EARLY and "requestState" not in (ctx.params or {})
    if is_early and isinstance(responses(ctx).get("user_name"), Mapping):
        return await _ask_first(ctx, call_next)
    return await call_next(ctx)


async def _ask_first(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put the question that the suite has answered already.

    The host takes no answer to a question that it never put, and one scenario answers
    at once, to see that keys which nobody asked for are ignored.
    """
    params = {**(ctx.params or {})}
    given = params.pop("inputResponses")
    asked_now = await call_next(replace(ctx, params=params))
    state = asked_now.get("requestState") if isinstance(asked_now, dict) else None
    answered = {**params, "inputResponses": given, "requestState": state}
    return await call_next(replace(ctx, params=answered))


async def _nothing(_ctx: Context, _params: Any) -> EmptyResult:
    return EmptyResult()


def said(text: str) -> Answer:
    return {"content": [{"type": "text", "text": text}], "resultType": "complete"}


def asked(state: str = "", **requests: Any) -> Answer:
    question = {"resultType": "input_required", "inputRequests": requests}
    return question | ({"requestState": state} if state else {})


def responses(ctx: Context) -> Mapping[str, Any]:
    given = (ctx.params or {}).get("inputResponses")
    return given if isinstance(given, Mapping) else {}


async def log(ctx: Context) -> Answer:
    for text in ("Tool execution started", "Tool processing data", "Tool completed"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await ctx.session.send_log_message(
                "info", text, related_request_id=ctx.request_id
            )
        await asyncio.sleep(PAUSE)
    return said("Logged.")


async def sample(ctx: Context) -> Answer:
    prompt = (ctx.params or {})["arguments"]["prompt"]
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = await ctx.session.create_message(
            [message], max_tokens=100, related_request_id=ctx.request_id
        )
    return said(f"LLM response: {result.content}")


async def need_capability(ctx: Context) -> Answer:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This needs sampling.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return said("There is sampling.")


async def sample_first(ctx: Context) -> Answer:
    answer = responses(ctx).get("capital_question")
    return said(str(answer)) if answer else asked(capital_question=SAMPLE)


async def list_roots_first(ctx: Context) -> Answer:
    answer = responses(ctx).get("client_roots")
    return said(str(answer)) if answer else asked(client_roots=ROOTS)


async def ask_everything(ctx: Context) -> Answer:
    wanted = {"user_name": ASK, "greeting": SAMPLE, "client_roots": ROOTS}
    given = responses(ctx)
    if wanted.keys() <= given.keys():
        return said(str(dict(given)))
    return asked("everything", **wanted)


async def ask_what_is_possible(ctx: Context) -> Answer:
    capabilities = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if capabilities and capabilities.sampling is not None:
        requests["capital_question"] = SAMPLE
    if capabilities and capabilities.elicitation is not None:
        requests["user_name"] = ASK
    done = not requests or requests.keys() <= responses(ctx).keys()
    return said("Done.") if done else asked(**requests)


FIXTURES: Final[Mapping[str, Fixture]] = {
    "test_tool_with_logging": log,
    "test_logging_tool": log,
    "test_sampling": sample,
    "test_missing_capability": need_capability,
    "test_input_required_result_sampling": sample_first,
    "test_input_required_result_list_roots": list_roots_first,
    "test_input_required_result_multiple_inputs": ask_everything,
    "test_input_required_result_capabilities": ask_what_is_possible,
}
