"""Telling: one guidance, as a person reads it before deciding."""

import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from typing import Final

from abilities_host.cli.ledger.values import moment, target_of
from abilities_host.cli.memory.painting import (
    Line,
    Style,
    has_colour,
    laid_out,
    painted,
)
from abilities_host.jsontext import json_text
from abilities_host.memory import Guidance, Impact, Review
from abilities_host.memory.wording import difference, kind_of, scope_of

MARGIN: Final = "  | "
"""Before each row of foreign text, so that it cannot pass for a heading of ours."""

_ADVICE: Final = "There is none: this is advice, and nothing stops a write for it."
_MARKS: Final[dict[str, Style]] = {"+": "added", "-": "removed", "@": "dim"}


def told(review: Review) -> list[Line]:
    """Tell everything a person is to see of guidance.

    Args:
        review: of it.

    Returns:
        Lines; what others wrote is behind a margin.
    """
    guidance = review.guidance
    return [
        Line(f"{guidance.id}  {kind_of(guidance)}, {guidance.status}", "bold"),
        *_facts(review),
        *_block("TEXT", guidance.text),
        *_block("WHY", guidance.rationale),
        *_alike(review.duplicates),
        *_replaced(review),
        *_rule(review),
    ]


def show_lines(lines: Iterable[Line], *, to_errors: bool = False) -> None:
    """Print lines, folded to the width of the terminal or to 80 columns elsewhere.

    Args:
        lines: any.
        to_errors: to standard error, since standard output is for a program.
    """
    stream = sys.stderr if to_errors else sys.stdout
    colour = has_colour(stream)
    for row in laid_out(lines, get_terminal_size().columns):
        stream.write(f"{painted(row, has_colour=colour)}\n")
    stream.flush()


def quoted(text: str, style: Style = "") -> Iterator[Line]:
    """Put foreign text behind a margin.

    Args:
        text: any, of one or more lines.
        style: of each line.
    """
    for line in text.split("\n"):
        yield Line(line, style, MARGIN)


def _facts(review: Review) -> Iterator[Line]:
    guidance = review.guidance
    proposed = f"{moment(guidance.proposed_at)} by {guidance.proposed_by}"
    facts = {
        "topic": guidance.topic,
        "proposed": f"{proposed}, {guidance.source.replace('_', ' ')}",
        "decided": _decided(guidance),
        "about": scope_of(guidance.scope),
        "recall": ", ".join(guidance.recall),
        "priority": str(guidance.priority) if guidance.priority else "",
        "class": guidance.class_,
        "hash": review.hash,
    }
    for name, value in facts.items():
        if value:
            yield Line(value, margin=f"{name:<9} ", hangs=True)


def _decided(guidance: Guidance) -> str:
    if guidance.reviewed_at is None:
        return ""
    return f"{moment(guidance.reviewed_at)} by {guidance.reviewed_by}"


def _block(title: str, text: str) -> Iterator[Line]:
    yield from _title(title)
    yield from quoted(text)


def _title(title: str, style: Style = "bold") -> Iterator[Line]:
    yield Line("")
    yield Line(title, style)


def _alike(others: Iterable[Guidance]) -> Iterator[Line]:
    for place, other in enumerate(others):
        if not place:
            yield from _title("SAYS NEARLY THE SAME AS")
        yield Line(f"{other.id}, {other.status}", margin="  ")
        yield from quoted(other.text)


def _replaced(review: Review) -> Iterator[Line]:
    old, new = review.supersedes, review.guidance
    if not new.supersedes:
        return
    is_ = old.status if old else "not there any more"
    yield from _title(f"IN PLACE OF {new.supersedes}, which is {is_}")
    if old is None:
        return
    for line in difference(old, new):
        yield Line(line, _MARKS.get(line[:1], ""), MARGIN)


def _rule(review: Review) -> Iterator[Line]:
    rule = review.guidance.rule
    yield from _title("RULE")
    if rule is None:
        yield Line(_ADVICE, margin="  ")
    else:
        yield from quoted(json_text(dict(rule)))
    if review.problem:
        yield from _title("ITS RULE CANNOT BE ENFORCED", "warning")
        yield Line(review.problem, margin="  ")
        yield Line("Approved, it stops every write that it covers.", margin="  ")
    elif rule is not None:
        yield from _impact("WOULD HAVE STOPPED", review.forbids)
    if review.supersedes is not None and review.supersedes.rule is not None:
        yield from _impact("WOULD NOT BE STOPPED ANY MORE", review.releases)


def _impact(title: str, impact: Impact | None) -> Iterator[Line]:
    yield from _title(title)
    if impact is None:
        yield Line("Nobody knows: there is no record to look it up in.", margin="  ")
        return
    days = f"in the last {impact.days} days"
    count = f"{impact.count:,} change{'' if impact.count == 1 else 's'}"
    at_least = "at least " if impact.is_cut else ""
    what = f"{at_least}{count} {days}" if impact.count else f"nothing {days}"
    more = "; not all of the time was looked at" if impact.is_cut else ""
    yield Line(f"{what}{more}", margin="  ")
    for entry in impact.examples:
        target = target_of(entry) or entry.target
        done = f"{moment(entry.at)} {entry.actor}: {entry.ability} {target}"
        yield Line(f"{entry.seq}  {done}", "dim", MARGIN)
