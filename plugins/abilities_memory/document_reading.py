"""Document reading: JSON values become a document, or a sentence says why not."""

import binascii
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar, cast, get_args

from abilities_host.gate import Seal
from abilities_host.memory import Class, Proposal, Scope, State, Status, Topic, Type
from abilities_memory.cleaning import cleaned
from abilities_memory.document import (
    ENTRIES,
    FORMAT,
    TOPICS,
    VERSION,
    Document,
    DocumentTooNew,
    Entry,
    named,
)
from abilities_memory.places import Place, needed
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.topics import cleaned_topic
from abilities_memory.wording import RECALL_WORDS

T = TypeVar("T")

ID: Final = 200
"""Characters."""

TOLD: Final = 100
"""How many unknown names are told at most."""


_HASH: Final = re.compile("[0-9a-f]{64}")
_TOP: Final = ("format", "version", "guidance", "domains", "seals")
_SAYS: Final = (
    *("id", "type", "domain", "text", "rationale", "recall", "scope", "priority"),
    *("class", "rule", "supersedes", "status"),
)
# Of the place where it comes from; here it is as of the import.
_TELLS: Final = (
    *("source", "proposed_by", "proposed_at", "reviewed_by", "reviewed_at"),
    "duplicate_of",
)
_SCOPE: Final = ("site_wide", "post_id", "target")
_DOMAIN: Final = ("state", "always_on", "recall", "exclude", "rules", "decisions")
_SEAL: Final = ("kind", "id", "hash", "reviewer", "at", "signature")
SUMMARIES: Final = "session_summaries"


def read_document(raw: Any) -> Document:
    """Understand a document as a whole, or not at all.

    Args:
        raw: JSON values, from anybody.

    Returns:
        What is to be taken; nothing was taken yet.

    Raises:
        DocumentTooNew: when a later version wrote it.
        DocumentBroken: when any part of it cannot be taken; names the place, and never
            what stands there.
    """
    root = Place(raw)
    members = root.members()
    _check_form(members)
    unknown = Counter(map(named, members.keys() - {*_TOP, SUMMARIES}))
    entries = _entries(needed(members, "guidance", root), unknown)
    topics = _topics(members, unknown)
    _check_lists(members, entries)
    seals, strange = _seals(members, entries, unknown)
    return Document(
        entries=tuple(
            replace(entry, seal=seals.get(id_)) for id_, entry in entries.items()
        ),
        topics=topics,
        left_out=(*_strangers(members), *_tell(unknown), *strange),
    )


def _check_form(members: Mapping[str, Place]) -> None:
    if "format" in members:
        members["format"].one_of((FORMAT,))
    if "version" in members:
        version = members["version"].number()
        if version > VERSION:
            raise DocumentTooNew
        if version < 1:
            raise members["version"].broken("the version is none that ever was")


# --- guidance -----------------------------------------------------------------


def _entries(place: Place, unknown: Counter[str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for item in place.items(ENTRIES):
        members = item.members()
        unknown.update(_others("guidance", members, (*_SAYS, *_TELLS)))
        entry = _entry(item, members, unknown)
        if found.setdefault(entry.id, entry) is not entry:
            raise members["id"].broken("the id was given before")
    return found


def _entry(item: Place, members: Mapping[str, Place], unknown: Counter[str]) -> Entry:
    proposal = Proposal(
        type=cast("Type", needed(members, "type", item).one_of(get_args(Type))),
        topic=needed(members, "domain", item).text(),
        text=needed(members, "text", item).text(),
        rationale=needed(members, "rationale", item).text(),
        recall=_words(members, "recall"),
        scope=_scope(members, unknown),
        priority=_given(members, "priority", Place.number, 0),
        class_=cast("Class", _choice(members, "class", get_args(Class))),
        rule=_rule(members),
        supersedes=_given(members, "supersedes", lambda at: at.text(ID), ""),
    )
    return Entry(
        id=_id(needed(members, "id", item)),
        proposal=_kept(item, lambda: cleaned(proposal)),
        status=cast("Status", _choice(members, "status", get_args(Status))),
    )


def _id(place: Place) -> str:
    found = place.text(ID)
    if not found or not found.isprintable():
        raise place.broken("the id is empty or has what nobody can see")
    return found


def _scope(members: Mapping[str, Place], unknown: Counter[str]) -> Scope:
    if "scope" not in members:
        return Scope()
    parts = members["scope"].members()
    unknown.update(_others("guidance.scope", parts, _SCOPE))
    return Scope(
        site_wide=_given(parts, "site_wide", Place.flag, default=True),
        post_id=_given(
            parts, "post_id", lambda at: None if at.value is None else at.number(), None
        ),
        target=_given(parts, "target", Place.text, ""),
    )


def _rule(members: Mapping[str, Place]) -> dict[str, Any] | None:
    place = members.get("rule")
    if place is None or place.value is None:
        return None
    place.members()
    return dict(place.value)


# --- topics and seals ---------------------------------------------------------


def _topics(members: Mapping[str, Place], unknown: Counter[str]) -> tuple[Topic, ...]:
    if "domains" not in members:
        return ()
    found: dict[str, Topic] = {}
    domains = members["domains"].members()
    if len(domains) > TOPICS:
        problem = f"there are {len(domains)} members and {TOPICS} may be"
        raise members["domains"].broken(problem)
    for name, place in domains.items():
        parts = place.members()
        unknown.update(_others("domains", parts, _DOMAIN))
        topic = _topic(name, place, parts)
        if found.setdefault(topic.name, topic) is not topic:
            raise place.broken("another spelling of the name was there before")
    return tuple(found.values())


def _topic(name: str, place: Place, parts: Mapping[str, Place]) -> Topic:
    topic = Topic(
        name=name,
        state=cast("State", _choice(parts, "state", get_args(State))),
        always_on=_given(parts, "always_on", Place.flag, default=False),
        recall=_words(parts, "recall"),
        exclude=_words(parts, "exclude"),
    )
    return _kept(place, lambda: cleaned_topic(topic))


def _check_lists(members: Mapping[str, Place], entries: Mapping[str, Entry]) -> None:
    """Check that every domain lists its own, and each in the list of its type."""
    domains = members["domains"].members() if "domains" in members else {}
    for place in domains.values():
        parts = place.members()
        for name in ("rules", "decisions"):
            if name not in parts:
                continue
            for item in parts[name].items(ENTRIES):
                entry = entries.get(item.text())
                is_fact = name == "decisions"
                if entry is None or (entry.proposal.type == "fact") is not is_fact:
                    raise item.broken("there is no guidance of this id and kind")


def _seals(
    members: Mapping[str, Place], entries: Mapping[str, Entry], unknown: Counter[str]
) -> tuple[dict[str, Seal], list[str]]:
    found: dict[str, Seal] = {}
    strange: list[str] = []
    for item in members["seals"].items(ENTRIES) if "seals" in members else ():
        parts = item.members()
        unknown.update(_others("seals", parts, _SEAL))
        seal = _seal(item, parts)
        if seal.kind != "guidance" or seal.id not in entries:
            strange.append(f"The seal of {named(seal.id)} is of nothing that is here.")
        elif found.setdefault(seal.id, seal) is not seal:
            raise parts["id"].broken("there is another seal of this id")
    return found, strange


def _seal(item: Place, parts: Mapping[str, Place]) -> Seal:
    hash_ = needed(parts, "hash", item)
    if not _HASH.fullmatch(hash_.text()):
        raise hash_.broken("the hash is not of 64 hexadecimal digits")
    return Seal(
        kind=needed(parts, "kind", item).text(ID),
        id=needed(parts, "id", item).text(ID),
        hash=hash_.text(),
        reviewer=needed(parts, "reviewer", item).text(ID),
        at=_at(needed(parts, "at", item)),
        signature=_signature(needed(parts, "signature", item)),
    )


def _at(place: Place) -> int:
    found = place.number()
    if not 0 <= found < 1 << 63:
        raise place.broken("the time is out of range")
    return found


def _signature(place: Place) -> bytes:
    try:
        return b64decode(place.text(ID), validate=True)
    except (binascii.Error, ValueError) as error:
        raise place.broken("the signature is not in Base64") from error


# --- parts --------------------------------------------------------------------


def _given(
    members: Mapping[str, Place], name: str, take: Callable[[Place], T], default: T
) -> T:
    return take(members[name]) if name in members else default


def _choice(members: Mapping[str, Place], name: str, choices: tuple[str, ...]) -> str:
    """Give one of some texts, the first of them when nobody says."""
    return _given(members, name, lambda at: at.one_of(choices), choices[0])


def _words(members: Mapping[str, Place], name: str) -> tuple[str, ...]:
    return _given(members, name, lambda at: at.texts(RECALL_WORDS), ())


def _kept(place: Place, clean: Callable[[], T]) -> T:
    try:
        return clean()
    except UnsuitableWording as error:
        said = error.message
        raise place.broken(said[0].lower() + said[1:].rstrip(".")) from error


def _others(
    owner: str, members: Mapping[str, Place], known: tuple[str, ...]
) -> Iterator[str]:
    yield from (f"{owner}.{named(name)}" for name in members if name not in known)


def _tell(unknown: Counter[str]) -> Iterator[str]:
    for name, count in sorted(unknown.items())[:TOLD]:
        yield f"'{name}' stays behind: nobody here knows it ({count} times)."
    if len(unknown) > TOLD:
        yield f"{len(unknown) - TOLD} other names stay behind likewise."


def _strangers(members: Mapping[str, Place]) -> Iterator[str]:
    if SUMMARIES in members:
        yield (
            f"'{SUMMARIES}' stays behind: each belongs to the record of the host on "
            "which it was written."
        )
