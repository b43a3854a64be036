"""Carl JSON: the second form of CARL, one file, and the JSON files of the first."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from abilities_host.memory import Status
from abilities_memory.document import ENTRIES, listed, named
from abilities_memory.gathering import Gathering
from abilities_memory.places import Place, needed

WORDS: Final = 1_000
"""How many words a domain may have; most have a dozen."""

_TOP: Final = ("version", "last_modified", "config", "domains", "staging")
_DOMAIN: Final = ("state", "always_on", "recall", "exclude", "rules", "decisions")
_STATUSES: Final[Mapping[str, Status]] = {
    "archived": "archived",
    "rejected": "rejected",
}


def take_carl_json(gathering: Gathering, raw: Any) -> None:
    """Take everything of a ``carl.json``.

    Args:
        gathering: what takes it.
        raw: JSON values.

    Raises:
        DocumentBroken: when a part of it is not as CARL writes it.
    """
    root = Place(raw)
    parts = root.members()
    if others := [name for name in parts if name not in _TOP]:
        gathering.leave(f"Nobody here knows these of carl.json: {listed(others)}.")
    for name, place in needed(parts, "domains", root).members().items():
        _take_domain(gathering, name, place)
    if "staging" in parts:
        take_staged(gathering, parts["staging"])
    for sentence in _config(parts["config"].members() if "config" in parts else {}):
        gathering.leave(sentence)


def take_decisions(
    gathering: Gathering, domain: str, place: Place, status: Status | None = None
) -> None:
    """Take a list of decisions.

    Args:
        gathering: what takes them.
        domain: in CARL's spelling.
        place: the list.
        status: of all of them; None when each says.

    Raises:
        DocumentBroken: when it is not as CARL writes it.
    """
    for item in place.items(ENTRIES):
        parts = item.members()
        said = _text(parts, "status")
        gathering.decision(
            domain,
            f"decision {_label(parts)}",
            needed(parts, "decision", item).text(),
            _text(parts, "rationale"),
            _words(parts, "recall"),
            status=status or _STATUSES.get(said, "pending"),
        )


def take_staged(gathering: Gathering, place: Place) -> None:
    """Take a list of proposals that wait, or that somebody said no to.

    Args:
        gathering: what takes them.
        place: the list.

    Raises:
        DocumentBroken: when it is not as CARL writes it.
    """
    for item in place.items(ENTRIES):
        parts = item.members()
        name = "proposed_domain" if "proposed_domain" in parts else "domain"
        gathering.rule(
            needed(parts, name, item).text(),
            f"proposal {_label(parts)}",
            needed(parts, "rule_text", item).text(),
            _text(parts, "rationale"),
            status=_STATUSES.get(_text(parts, "status"), "pending"),
        )


def _take_domain(gathering: Gathering, name: str, place: Place) -> None:
    parts = place.members()
    if others := [each for each in parts if each not in _DOMAIN]:
        gathering.leave(f"Nobody here knows these of {named(name)}: {listed(others)}.")
    gathering.domain(
        name,
        # What CARL does not find active it does not use.
        is_active="state" in parts and parts["state"].value in ("active", "true", True),
        always_on="always_on" in parts and parts["always_on"].flag(),
        recall=_words(parts, "recall"),
        exclude=_words(parts, "exclude"),
    )
    for item in parts["rules"].items(ENTRIES) if "rules" in parts else ():
        rule = item.members()
        text = needed(rule, "text", item).text()
        gathering.rule(name, f"rule {_label(rule)}", text)
    if "decisions" in parts:
        take_decisions(gathering, name, parts["decisions"])


def _config(parts: Mapping[str, Place]) -> Iterator[str]:
    for name, place in parts.items():
        if name == "context_brackets":
            names = [key for key, each in place.members().items() if _has_rules(each)]
            what = "rules by how full the context is"
        elif name == "commands":
            names = list(place.members())
            what = "star-commands"
        else:
            names, what = [name] if place.value else [], "settings"
        if names:
            yield f"There is no counterpart to CARL's {what}: {listed(names)}."


def _has_rules(place: Place) -> bool:
    rules = place.members().get("rules")
    return rules is not None and bool(rules.value)


def _label(parts: Mapping[str, Place]) -> str:
    place = parts.get("id")
    if place is None or place.value is None:
        return "without a number"
    return place.text() if isinstance(place.value, str) else str(place.number())


def _text(parts: Mapping[str, Place], name: str) -> str:
    place = parts.get(name)
    return "" if place is None or place.value is None else place.text()


def _words(parts: Mapping[str, Place], name: str) -> tuple[str, ...]:
    """Give a list of words, also when they are written in one text."""
    place = parts.get(name)
    if place is None or place.value is None:
        return ()
    if isinstance(place.value, str):
        return tuple(place.value.split(","))
    return place.texts(WORDS)
