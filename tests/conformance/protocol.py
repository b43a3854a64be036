"""What the later era deprecates, on the SDK alone: sampling, roots, protocol logging.

The host offers none of it, so these fixtures are answered beside it: see `library`.
"""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from conformance.schemas import NAME
from mcp import MCPError
from mcp.server import Server
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    EmptyResult,
    RequestParams,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)

from abilities_host.server.asking import Context

PAUSE: Final = 0.05

Answer = dict[str, Any]
Fixture = Callable[[Context], Awaitable[Answer]]

NOTHING: Final[Mapping[str, type[RequestParams]]] = {
    "logging/setLevel": SetLevelRequestParams,
    "resources/subscribe": SubscribeRequestParams,
    "resources/unsubscribe": UnsubscribeRequestParams,
}
"""Methods that are answered with an empty result."""

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


def build_library() -> Server[Any]:
    """Make a server of the protocol library that offers what the host does not."""
    server: Server[Any] = Server("conformance-library")
    add = server.add_request_handler
    add("tools/call", CallToolRequestParams, _answer)
    for method, params in NOTHING.items():
        add(method, params, _nothing)
    return server


def is_for_library(message: Mapping[str, Any]) -> bool:
    """Whether a request asks for what the host does not offer."""
    method = message.get("method")
    if method == "tools/call":
        return (message.get("params") or {}).get("name") in FIXTURES
    return method in NOTHING


async def _answer(ctx: Context, params: CallToolRequestParams) -> Answer:
    return await FIXTURES[params.name](ctx)


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
