"""Trial: how a call ended that a person tried, as much of it as a page shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from abilities_host.admin.weight import weight_of
from abilities_host.calls import Change, Outcome
from abilities_host.domain import MISSING
from abilities_host.frozen import thaw
from abilities_host.jsontext import json_text

RESULT: Final = 20_000
MORE: Final = 5_000
CHANGES: Final = 50
TARGET: Final = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """How a call ended.

    Attributes:
        status: of the outcome.
        code: of the error, empty without one.
        message: of the error, likewise.
        more: what else the error says.
        result: as JSON, or as it is when it is a text; empty without one.
        is_cut: there is more of the result.
        changes: target and what became of it, of the first 50.
        flags: of the outcome.
        is_retryable: the same may go well later.
    """

    status: str
    code: str = ""
    message: str = ""
    more: str = ""
    result: str = ""
    is_cut: bool = False
    changes: tuple[tuple[str, str], ...] = ()
    flags: tuple[str, ...] = ()
    is_retryable: bool = False


def shown_outcome(outcome: Outcome) -> Shown:
    """Lay out how a call ended; may take long for a large result.

    Args:
        outcome: of the call.

    Returns:
        As much as a page has room for.
    """
    error = outcome.error
    whole = _written(outcome)
    result = cut(whole, RESULT)
    real = [change for change in outcome.changes if change.is_real]
    return Shown(
        status=outcome.status,
        code=outcome.code,
        message=cut(error.message, MORE) if error else "",
        more=cut(error.explanation, MORE) if error else "",
        result=result,
        is_cut=len(result) < len(whole),
        changes=tuple(_named(real[:CHANGES])),
        flags=tuple(sorted(outcome.flags)),
        is_retryable=outcome.retryable,
    )


def cut(text: str, size: int) -> str:
    """Cut a text by what it takes up in a page.

    Args:
        text: of anybody.
        size: bytes of HTML.

    Returns:
        The beginning of it, or all.
    """
    some = text[:size]
    sizes = accumulate(map(weight_of, some))
    return some[: sum(1 for each in sizes if each <= size)]


def _written(outcome: Outcome) -> str:
    if outcome.result is None and outcome.status != "ok":
        return ""
    if isinstance(outcome.result, str):
        return outcome.result
    return json_text(thaw(outcome.result))


def _named(changes: Iterable[Change]) -> Iterable[tuple[str, str]]:
    for change in changes:
        kind = "created" if change.before is MISSING else "changed"
        kind = "removed" if change.after is MISSING else kind
        yield cut(str(change.target), TARGET), kind
