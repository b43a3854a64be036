"""Reading: what an answer comes down to, in the words of the table."""

import json
from collections.abc import Mapping
from typing import Any, Final

from matrix.guard import REASON
from matrix.surfaces import Surface, is_found
from matrix.target import ANSWER

Answer = Mapping[str, Any]
_GUARD: Final = "plugins_dir/guard"


HIDDEN: Final = ("absent", "ability_not_found")
"""What is true only if nothing but the name tells the answer from one for nothing."""


def seen(surface: Surface, answer: Answer) -> str:
    """Say what a caller sees.

    Args:
        surface: how it asked.
        answer: what came back.

    Returns:
        A word of the table; a longer text for what is in none.
    """
    for outside in ("http", "start"):
        if outside in answer:
            return str(answer[outside])
    if surface.finds:
        return "found" if is_found(answer) else "absent"
    return _code_of(answer)


def unlike(answer: Answer, twin: Answer) -> str:
    """Say in what an answer differs from the one about what nobody registered.

    Args:
        answer: about what is there.
        twin: to the same request with another name.

    Returns:
        Both; empty when nothing but the name tells them apart.
    """
    said, expected = _text(answer).replace("target", "absent"), _text(twin)
    return "" if said == expected else f", {said} instead of {expected}"


def _text(answer: Answer) -> str:
    return json.dumps(_masked(answer), sort_keys=True)


def _masked(node: Any) -> Any:
    """Leave the ids of calls out, which are never the same."""
    if isinstance(node, Mapping):
        hidden = {"abilities/call", "call"}
        return {k: "…" if k in hidden else _masked(v) for k, v in node.items()}
    return [_masked(each) for each in node] if isinstance(node, list) else node


def _code_of(answer: Answer) -> str:
    if "error" in answer:
        return _code_of_error(answer["error"])
    result, text = answer["result"], _text(answer)
    told = result.get("_meta", {}).get("abilities/error")
    told = told or result.get("structuredContent")
    if isinstance(told, Mapping) and "code" in told:
        is_told_why = _GUARD in text and REASON in text
        is_mute = told["code"] == "write_vetoed" and not is_told_why
        return f"{told['code']}{', and not told why' if is_mute else ''}"
    return "answered" if ANSWER in text else f"something else: {text}"


def _code_of_error(error: Mapping[str, Any]) -> str:
    """What is not there has no code of its own: the protocol has its own words."""
    data = error.get("data") or {}
    if "code" in data:
        return _code_of({"result": {"_meta": {"abilities/error": data}, **error}})
    words = error["message"]
    is_unknown = words.startswith(("Unknown tool", "Unknown prompt", "Resource not"))
    return "ability_not_found" if is_unknown else f"something else: {words}"
