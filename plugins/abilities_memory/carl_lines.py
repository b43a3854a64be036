"""Carl lines: the first form of CARL, a manifest and a file for each domain."""

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final, NamedTuple

from abilities_memory.carl_files import CarlFolder
from abilities_memory.carl_json import take_decisions, take_staged
from abilities_memory.document import listed, named
from abilities_memory.gathering import Gathering
from abilities_memory.places import Place, needed

MANIFEST: Final = "manifest"
STAGING: Final = "staging.json"
DECISIONS: Final = "decisions"

_SETTINGS: Final = ("STATE", "ALWAYS_ON", "RECALL", "EXCLUDE")
_TRUE: Final = ("true", "yes", "1")
_RULE: Final = re.compile(r"(.+?)_RULE_(.+)")
# What CARL reads in another way, or writes for itself.
_ASIDE: Final[Mapping[str, str]] = {
    "context": "rules by how full the context is",
    "commands": "star-commands",
}
_OWN: Final = (MANIFEST, STAGING)


class _Pair(NamedTuple):
    key: str
    value: str


def take_lines(gathering: Gathering, folder: CarlFolder) -> None:
    """Take everything of a folder with a manifest.

    Args:
        gathering: what takes it.
        folder: that has a manifest.

    Raises:
        CarlUnreadable: when a part of it cannot be read.
        DocumentBroken: when a part of it is not as CARL writes it.
    """
    names = folder.names()
    domains = _take_manifest(gathering, folder.text(MANIFEST))
    found = list(_domain_files(gathering, names))
    for name in found:
        if what := _ASIDE.get(_key(_stem(name))):
            _leave_aside(gathering, what, folder.text(name))
        else:
            domain = domains.get(_key(_stem(name)))
            _take_rules(gathering, domain, name, folder.text(name))
    there = {_key(_stem(name)) for name in found}
    if lost := sorted(domains[key] for key in domains.keys() - there):
        gathering.leave(f"No file is there for these domains: {listed(lost)}.")
    if STAGING in names:
        root = Place(folder.json(STAGING), STAGING)
        take_staged(gathering, needed(root.members(), "proposals", root))
    if names.get(DECISIONS) == stat.S_IFDIR:
        _take_decisions(gathering, folder, domains)


def _take_manifest(gathering: Gathering, text: str) -> dict[str, str]:
    """Take how domains are set, and give each by the key of its file."""
    pairs, odd = _pairs(text)
    settings: dict[str, dict[str, str]] = {}
    strange: list[str] = []
    for key, value in pairs:
        domain, name = _setting(key)
        if not name:
            strange += [key] if value.casefold() not in ("", "false") else []
        elif domain.casefold() not in _ASIDE:
            settings.setdefault(domain, {})[name] = value
    if strange:
        found = listed(strange)
        gathering.leave(f"There is no counterpart to these settings: {found}.")
    _tell_odd(gathering, MANIFEST, odd)
    for domain, each in settings.items():
        gathering.domain(
            domain,
            is_active=each.get("STATE", "").casefold() in ("active", *_TRUE),
            always_on=each.get("ALWAYS_ON", "").casefold() in _TRUE,
            recall=each.get("RECALL", "").split(","),
            exclude=each.get("EXCLUDE", "").split(","),
        )
    return {_key(domain): domain for domain in settings}


def _setting(key: str) -> tuple[str, str]:
    """Give the domain and what is set of it, which is empty when nobody knows."""
    for name in _SETTINGS:
        # The one that switches all domains off is of none of them.
        if key.endswith(f"_{name}") and key != "GLOBAL_EXCLUDE":
            return key.removesuffix(f"_{name}"), name
    return key, ""


def _domain_files(gathering: Gathering, names: Mapping[str, int]) -> Iterator[str]:
    """Give the files with rules, and tell of the other names."""
    others: list[str] = []
    for name, type_ in names.items():
        suffix = PurePath(name).suffix.casefold()
        is_plain = suffix in ("", ".env") and not name.startswith(".")
        if type_ == stat.S_IFREG and is_plain and name not in _OWN:
            yield name
        elif name not in (*_OWN, DECISIONS) or type_ == stat.S_IFLNK:
            others.append(name)
    if others:
        found = listed(others)
        gathering.leave(f"Not read, being links or no files of domains: {found}.")


def _leave_aside(gathering: Gathering, what: str, text: str) -> None:
    found = (_RULE.fullmatch(pair.key) for pair in _pairs(text)[0])
    if names := list(dict.fromkeys(rule[1] for rule in found if rule)):
        gathering.leave(f"There is no counterpart to CARL's {what}: {listed(names)}.")


def _take_rules(gathering: Gathering, domain: str | None, name: str, text: str) -> None:
    pairs, odd = _pairs(text)
    if domain is None:
        domain = _stem(name).upper()
        gathering.leave(f"{named(name)} is in no manifest, so CARL does not use it.")
    for key, value in pairs:
        rule = _RULE.fullmatch(key)
        if rule is None or _key(rule[1]) != _key(_stem(name)):
            odd += 1
            continue
        gathering.rule(domain, f"rule {rule[2]}", value)
    _tell_odd(gathering, name, odd)


def _take_decisions(
    gathering: Gathering, folder: CarlFolder, domains: Mapping[str, str]
) -> None:
    with folder.folder(DECISIONS) as inner:
        for name, type_ in inner.names().items():
            stem = _stem(name)
            if type_ != stat.S_IFREG or PurePath(name).suffix != ".json":
                gathering.leave(f"Not read, being a link or no JSON: {named(name)}.")
                continue
            domain = domains.get(_key(stem), stem.upper())
            parts = Place(inner.json(name), named(name)).members()
            if "decisions" in parts:
                take_decisions(gathering, domain, parts["decisions"])
            if "archived" in parts:
                take_decisions(gathering, domain, parts["archived"], "archived")


def _pairs(text: str) -> tuple[list[_Pair], int]:
    """Give every setting, and how many lines are none."""
    pairs: list[_Pair] = []
    odd = 0
    for line in map(str.strip, text.splitlines()):
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            pairs.append(_Pair(key.strip(), value.strip()))
        elif line and not line.startswith("#"):
            odd += 1
    return pairs, odd


def _tell_odd(gathering: Gathering, name: str, odd: int) -> None:
    if odd:
        gathering.leave(f"Lines of {named(name)} that CARL does not use: {odd}.")


def _stem(name: str) -> str:
    return PurePath(name).stem


def _key(name: str) -> str:
    """Give what the name of a domain and that of its file have in common."""
    return re.sub("[-_ ]", "", name).casefold()
