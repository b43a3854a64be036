"""Answers: how a run ended, as the finished result that a client reads."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from abilities_host.calls import Form, Outcome, Status
from abilities_host.errors import (
    CallError,
    Fault,
    InvalidInput,
    InvalidOutput,
    listed,
)
from abilities_host.frozen import thaw
from abilities_host.results import text_mirror
from abilities_host.server.eras import Era
from abilities_host.server.tool import INPUT, Shape
from abilities_host.server.wire import find_fault

TEXT_LIMIT: Final = 80_000
DETAILS_BYTES: Final = 16_384
QUESTION: Final = "confirm"

QUESTION_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        QUESTION: {"type": "boolean", "title": "Go ahead?"},
        "comment": {"type": "string", "title": "Comment", "maxLength": 2000},
    },
    "required": [QUESTION],
}

_RETRYABLE: Final = "The same call may succeed later."
_UNKNOWN: Final = (
    "It is not known what was changed. Read the facts before you try again."
)
_UNVERIFIED: Final = (
    "It ran, but its result could not be verified. Read the facts before you use it."
)


class InvalidContent(CallError):
    """A tool gave content blocks that no client could read."""

    code = "invalid_content"
    fault: Fault = "failed"

    def __init__(self, problem: str) -> None:
        super().__init__(f"It gave content that no client could read: {problem}")


def answer(era: Era, outcome: Outcome, shape: Shape) -> dict[str, Any]:
    """Write how a run ended.

    Args:
        era: the era of the call.
        outcome: any but an open question.
        shape: how the ability's values are wrapped.

    Returns:
        A finished tool result: the text mirror and structured content, or an error
        that a model can act on.
    """
    return _success(era, outcome, shape) if outcome.is_ok else failure(outcome, shape)


def failure(outcome: Outcome, shape: Shape | None = None) -> dict[str, Any]:
    """Write why a run did not end well.

    Args:
        outcome: neither good nor an open question.
        shape: how the ability's values are wrapped, None where they are not.

    Returns:
        A finished tool result that is an error.
    """
    error = outcome.error or CallError("The call did not end well.")
    is_wrapped = shape is not None and shape.wraps_input
    root = f"/{INPUT}" if is_wrapped and isinstance(error, InvalidInput) else ""
    lines = [*_reason(error, root), *_facts(outcome)]
    said = told(error.code, _message(error, root), outcome.status)
    said["retryable"] = outcome.retryable
    if error.argument is not None:
        said |= {"path": root + error.argument, "expected": error.expected}
    if details := _details(error, root):
        said["details"] = details
    return _error("\n".join(lines), {**_meta(outcome), "abilities/error": said})


def refusal(code: str, message: str, status: Status) -> dict[str, Any]:
    """Write an error of the server itself.

    Args:
        code: a stable word for programs.
        message: a sentence that says what to do.
        status: whether anything may have been changed.

    Returns:
        A finished tool result.
    """
    error = {"abilities/error": told(code, message, status)}
    return _error(f"{code}: {message}", error)


def told(code: str, message: str, status: Status) -> dict[str, Any]:
    """Write what every error says to programs.

    Args:
        code: a stable word for programs.
        message: a sentence that says what to do.
        status: whether anything may have been changed.

    Returns:
        JSON values; it is not to be tried again, unless that is written over.
    """
    return {
        "code": code,
        "status": status,
        "message": clean(cut(message)),
        "retryable": False,
    }


def question(outcome: Outcome, rounds: int) -> dict[str, Any]:
    """Write a question to a person, for the era in which the client asks it.

    Args:
        outcome: an open question.
        rounds: how many times a person has been asked in this call, with this one.

    Returns:
        A finished result; the answer comes with the client's next try.
    """
    key, schema = form_of(outcome)
    form = {
        "mode": "form",
        "message": clean(cut(outcome.question)),
        "requestedSchema": schema,
    }
    return {
        "resultType": "input_required",
        "inputRequests": {key: {"method": "elicitation/create", "params": form}},
        "requestState": f"{rounds}:{key}:{outcome.state}",
    }


def form_of(outcome: Outcome) -> Form:
    """Give what a person is asked to fill in; by default a yes or no."""
    asked = outcome.form or Form(QUESTION, QUESTION_SCHEMA)
    return Form(asked.key, thaw(asked.schema))


def with_null(result: dict[str, Any]) -> dict[str, Any]:
    """Put back the null that serialising a result leaves out.

    A client that was shown an output schema takes a missing result for a broken one.

    Args:
        result: a finished tool result as it left the SDK's models.

    Returns:
        The same, with null as structured content where the text says null.
    """
    content = result.get("content")
    if "structuredContent" in result or result.get("isError") or not content:
        return result
    is_null = content[0].get("text") == "null"
    return {**result, "structuredContent": None} if is_null else result


def cut(text: str, limit: int = TEXT_LIMIT) -> str:
    """Cut a text that would fill a model's window, and say so.

    Args:
        text: any text.
        limit: longest text in characters that is left alone.

    Returns:
        The text, or its beginning up to the end of a line and how to get the rest.
    """
    if len(text) <= limit:
        return text
    end = text.rfind("\n", limit // 2, limit)
    end = limit if end < 0 else end
    return (
        f"{text[:end]}\n\n[Cut here: {end:,} of {len(text):,} characters. Ask for "
        "less: use this ability's paging or narrow the request.]"
    )


def clean(text: str) -> str:
    """Replace what cannot be written as UTF-8, so that no answer is lost over it."""
    return text.encode("utf-8", "replace").decode()


def _success(era: Era, outcome: Outcome, shape: Shape) -> dict[str, Any]:
    if shape.gives_content:
        return _content(era, outcome)
    text = text_mirror(outcome.result, outcome.wire)
    shown = cut(text)
    content = [_text(shown)]
    if "verify_failed" in outcome.flags:
        content.append(_text(_UNVERIFIED))
    result: dict[str, Any] = {
        "content": content,
        "resultType": "complete",
        "_meta": _meta(outcome),
    }
    if shown is text or shape.declares_output:
        result["structuredContent"] = shape.structured(era, outcome.result)
    return result


def _content(era: Era, outcome: Outcome) -> dict[str, Any]:
    """Send blocks as they are; one that no client could read is never sent."""
    blocks = outcome.result if isinstance(outcome.result, list) else [outcome.result]
    blocks = [_text(block) if isinstance(block, str) else block for block in blocks]
    result = {"content": blocks, "resultType": "complete", "_meta": _meta(outcome)}
    problem = find_fault("tools/call", era, result, 0)
    if not problem:
        return result
    error = InvalidContent(problem)
    return failure(outcome._replace(status="failed", error=error))


def _error(text: str, meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": [_text(cut(text))],
        "isError": True,
        "resultType": "complete",
        "_meta": meta,
    }


def _reason(error: CallError, root: str) -> list[str]:
    """Say what is wrong, each place of the arguments on a line of its own."""
    if not isinstance(error, InvalidInput | InvalidOutput):
        more = [error.explanation] if error.explanation else []
        return [f"{error.code}: {error.message}", *more]
    head = error.message.partition(": ")[0]
    return [f"{error.code}: {head}:", *(f"- {each}" for each in _places(error, root))]


def _message(error: CallError, root: str) -> str:
    if not root or not isinstance(error, InvalidInput):
        return error.message
    head = error.message.partition(": ")[0]
    return f"{head}: {'; '.join(_places(error, root))}"


def _places(error: InvalidInput | InvalidOutput, root: str) -> list[str]:
    return [f"{root + p['path'] or '/'}: {p['message']}" for p in error.problems]


def _facts(outcome: Outcome) -> list[str]:
    if outcome.changes:
        targets = listed(str(change.target) for change in outcome.changes)
        return [f"It did change {targets}."]
    if outcome.retryable:
        return [_RETRYABLE]
    return [_UNKNOWN] if outcome.status == "unknown" else []


def _details(error: CallError, root: str) -> Any:
    if not isinstance(error, InvalidInput | InvalidOutput):
        return _fitting(error.details)
    problems = [{**p, "path": root + p["path"]} for p in error.problems]
    while problems and not _fitting({"problems": problems}):
        problems.pop()
    return {"problems": problems}


def _fitting(details: Mapping[str, Any]) -> Any:
    try:
        wire = orjson.dumps(details)
    except TypeError:
        return None
    return orjson.loads(wire) if len(wire) <= DETAILS_BYTES else None


def _meta(outcome: Outcome) -> dict[str, Any]:
    meta: dict[str, Any] = {"abilities/call": outcome.call}
    if outcome.flags:
        meta["abilities/flags"] = sorted(outcome.flags)
    if outcome.verified is not None:
        meta["abilities/verified"] = outcome.verified
    return meta


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": clean(text)}
