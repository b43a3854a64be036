"""Awaited: what a person decides on, laid out in parts so that all of it is read."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from functools import lru_cache
from typing import Any, Final

from abilities_host.admin.weight import weight_of
from abilities_host.jsontext import json_text, readable

DEFINITION: Final = "definition"
WRITE: Final = "write"
PART: Final = 30_000
"""Bytes of HTML that are shown at once."""

_ARGUMENTS: Final = 12_000  # bytes of HTML; longer ones are only in the whole
_LINE: Final = 1_000  # characters; a longer one goes on in the next
_COMPARED: Final = 4_000_000  # pairs of lines
_CONTEXT: Final = 3
_TICKET: Final = ("ability", "actor", "arguments", "targets", "guidance")


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines under a heading.

    Attributes:
        heading: foreign text; empty for the only thing there is.
        is_new: nothing was there before.
        is_diff: the first character of each line says what became of it.
        lines: foreign text.
    """

    heading: str
    lines: tuple[str, ...]
    is_new: bool = False
    is_diff: bool = False


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a person decides on.

    Attributes:
        parts: all of it, in the order in which it is read; at least one.
        facts: of a change of definitions or a write that can be read, else empty.
    """

    parts: tuple[tuple[Section, ...], ...]
    facts: Mapping[str, Any]


@lru_cache(maxsize=4)
def laid_out(kind: str, canonical: bytes) -> Awaited:
    """Lay out what a person decides on; may take long where it is large.

    Args:
        kind: name of the kind.
        canonical: what an approval is about.

    Returns:
        Everything in it: the definitions of a change as differences, else as it is.
    """
    text = canonical.decode(errors="replace")
    said = _read(text)
    if kind == DEFINITION and _is_change(said):
        sections: Iterable[Section] = map(_compared, said["abilities"])
        facts = {key: str(said[key]) for key in ("pack", "version_was", "version")}
    else:
        sections = [Section("", _cut_lines(readable(text)))]
        facts = _ticket(said) if kind == WRITE and _is_ticket(said) else {}
    return Awaited(tuple(_parts(sections)), facts)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_change(said: Any) -> bool:
    if not isinstance(said, dict) or not isinstance(said.get("abilities"), list):
        return False
    has_versions = {"pack", "version_was", "version"} <= said.keys()
    return has_versions and all(
        isinstance(each, dict)
        and isinstance(each.get("new"), dict)
        and "ability" in each
        for each in said["abilities"]
    )


def _is_ticket(said: Any) -> bool:
    if not isinstance(said, dict) or not said.keys() >= {*_TICKET}:
        return False
    return isinstance(said["targets"], list) and isinstance(said["guidance"], list)


def _ticket(said: Mapping[str, Any]) -> dict[str, Any]:
    count = said.get("targets_count")
    arguments = readable(str(said["arguments"]))
    return {
        "ability": str(said["ability"]),
        "actor": str(said["actor"]),
        "arguments": arguments if weight_of(arguments) <= _ARGUMENTS else "",
        # A ticket has the beginning of what is long, and that is no JSON.
        "is_cut": _read(str(said["arguments"])) is None,
        "targets": [str(each) for each in said["targets"]],
        "targets_count": count if isinstance(count, int) else len(said["targets"]),
        "guidance": [str(each) for each in said["guidance"]],
        "expires_at": _moment(said.get("expires_at")),
    }


def _moment(written: Any) -> int | None:
    """Read a time as microseconds since 1970; None when it is none."""
    try:
        return int(datetime.fromisoformat(str(written)).timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        return None


def _compared(pair: Mapping[str, Any]) -> Section:
    new, old = _cut_lines(json_text(pair["new"])), pair.get("old")
    name = str(pair["ability"])
    if old is None:
        return Section(
            name, tuple(f"+{line}" for line in new), is_new=True, is_diff=True
        )
    lines = _difference(_cut_lines(json_text(old)), new)
    return Section(name, tuple(lines), is_diff=True)


def _difference(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if len(old) * len(new) > _COMPARED:  # it would take minutes
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    lines = unified_diff(old, new, lineterm="", n=_CONTEXT)
    # The first two only say which is which.
    yield from (line for place, line in enumerate(lines) if place > 1)


def _cut_lines(text: str) -> tuple[str, ...]:
    return tuple(
        line[start : start + _LINE]
        for line in text.split("\n")
        for start in range(0, max(1, len(line)), _LINE)
    )


def _parts(sections: Iterable[Section]) -> Iterator[tuple[Section, ...]]:
    part: list[Section] = []
    room = PART
    for section in sections:
        for some in _pieces(section):
            weight = sum(map(weight_of, (some.heading, *some.lines)))
            if part and weight > room:
                yield tuple(part)
                part, room = [], PART
            part.append(some)
            room -= weight
    yield tuple(part)


def _pieces(section: Section) -> Iterator[Section]:
    """Cut a section where it alone would be too much."""
    lines: list[str] = []
    room = PART
    for line in section.lines:
        weight = weight_of(line)
        if lines and weight > room:
            yield _with(section, lines)
            lines, room = [], PART
        lines.append(line)
        room -= weight
    yield _with(section, lines)


def _with(section: Section, lines: Iterable[str]) -> Section:
    return Section(
        section.heading, tuple(lines), is_new=section.is_new, is_diff=section.is_diff
    )
