"""Installed: copies of distributions, and protocol packages that do not fit."""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

HOST: Final = "abilities-host"
PROTOCOL: Final = ("mcp", "mcp-types", "anyio", "pydantic", "starlette")
"""What a session is made of: parts of two versions end it with no word of why."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Installed:
    """One copy of a distribution.

    Attributes:
        name: canonical.
        version: as its metadata says.
        place: the folder it lies in.
        requires: its requirements.
        sources: the folder of an editable installation, None for all others.
    """

    name: str
    version: str
    place: Path
    requires: tuple[str, ...] = ()
    sources: Path | None = None

    def __str__(self) -> str:
        return f"{self.version or '(no version)'} in {self.place}"


@dataclass(frozen=True, slots=True)
class Misfit:
    """One thing that is wrong with what is installed.

    Attributes:
        sentence: what, with places and versions.
        fix: the command that mends it.
    """

    sentence: str
    fix: str


def find_misfits(
    found: Sequence[Installed], imported: Mapping[str, Path]
) -> list[Misfit]:
    """Find what is there twice, from elsewhere, or of a version that does not fit.

    Args:
        found: every copy of the packages in question, in the order of the search path.
        imported: from which folder Python imports each of them.

    Returns:
        What is wrong, most serious first; nothing for a sound installation.
    """
    copies: defaultdict[str, list[Installed]] = defaultdict(list)
    for each in found:
        copies[each.name].append(each)
    used = {name: those[0] for name, those in copies.items()}
    misfits = [_twice(those) for those in copies.values() if len(those) > 1]
    for owner in used.values():
        place = imported.get(owner.name, owner.place)
        if owner.sources is None and place != owner.place:
            misfits.append(_elsewhere(owner, place))
        for requirement in _requirements(owner, used):
            other = used[canonicalize_name(requirement.name)]
            if not _fits(requirement, other):
                misfits.append(_unfit(owner, requirement, other))
    return misfits


def look_for_misfits() -> list[Misfit]:
    """Look at the protocol packages of this Python; it blocks for milliseconds.

    Returns:
        What is wrong with them.
    """
    return find_misfits(find_installed(), find_imported())


def find_imported(names: Iterable[str] = PROTOCOL) -> dict[str, Path]:
    """Find from which folder Python imports packages, without importing them.

    Args:
        names: of distributions whose package is called like them.

    Returns:
        Name to folder, for those that are regular packages.
    """
    places: dict[str, Path] = {}
    for name in names:
        spec = find_spec(name.replace("-", "_"))
        if spec is not None and spec.has_location and spec.origin:
            places[name] = Path(spec.origin).resolve().parent.parent
    return places


def find_installed(names: Iterable[str] = (HOST, *PROTOCOL)) -> list[Installed]:
    """Read which copies of some distributions there are; it blocks for milliseconds.

    Args:
        names: of distributions.

    Returns:
        Every copy, each place once, in the order of the search path.
    """
    found = [_read(each) for name in names for each in distributions(name=name)]
    return without_shadows(found)


def without_shadows(found: Iterable[Installed]) -> list[Installed]:
    """Leave out what is no second copy: the same place, or one's own source folder.

    Args:
        found: copies, in the order of the search path.

    Returns:
        Those that are installed apart from each other.
    """
    kept: list[Installed] = []
    for each in found:
        if not any(_is_same(each, other) for other in kept):
            kept.append(each)
    return kept


def place_of(distribution: Distribution) -> Path:
    """Give the folder that a distribution lies in, with links followed."""
    return Path(str(distribution.locate_file(""))).resolve()


def sources_of(distribution: Distribution) -> Path | None:
    """Give the folder of an editable installation, None for any other."""
    try:
        said = json.loads(distribution.read_text("direct_url.json") or "{}")
        if not said.get("dir_info", {}).get("editable"):
            return None
        return Path(url2pathname(urlsplit(said["url"]).path)).resolve()
    except (ValueError, KeyError, AttributeError, TypeError):
        return None


def _read(distribution: Distribution) -> Installed:
    headers = _headers(distribution)
    return Installed(
        canonicalize_name(next(iter(headers["Name"]), "")),
        next(iter(headers["Version"]), ""),
        place_of(distribution),
        tuple(headers["Requires-Dist"]),
        sources_of(distribution),
    )


def _headers(distribution: Distribution) -> defaultdict[str, list[str]]:
    """Read the head of the metadata only; the rest is a long description."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO")
    head, _, _ = (text or "").replace("\r\n", "\n").partition("\n\n")
    headers: defaultdict[str, list[str]] = defaultdict(list)
    for line in head.splitlines():
        name, colon, value = line.partition(": ")
        if colon and not line.startswith((" ", "\t")):
            headers[name].append(value.strip())
    return headers


def _is_same(one: Installed, other: Installed) -> bool:
    if one.name != other.name:
        return False
    if one.place == other.place:
        return True
    return _lies_in(one.place, other.sources) or _lies_in(other.place, one.sources)


def _lies_in(place: Path, sources: Path | None) -> bool:
    """Answer whether metadata lies where editable sources are, such as in src."""
    return sources is not None and sources in (place, place.parent)


def _requirements(owner: Installed, among: Container[str]) -> Iterator[Requirement]:
    for text in owner.requires:
        named = _NAME.match(text)
        if named is None or canonicalize_name(named[0]) not in among:
            continue
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue  # its own author's matter; nobody else reads it
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement


def _fits(requirement: Requirement, other: Installed) -> bool:
    return requirement.specifier.contains(other.version, prereleases=True)


def _twice(copies: Sequence[Installed]) -> Misfit:
    name, first, *others = copies[0].name, *copies
    rest = " and ".join(map(str, others))
    sentence = f"{name} is installed {len(copies)} times: {first} is used, not {rest}."
    return Misfit(sentence, f"{sys.executable} -m pip uninstall {name}")


def _elsewhere(owner: Installed, place: Path) -> Misfit:
    sentence = f"{owner.name} is imported from {place}, and installed is {owner}."
    return Misfit(sentence, f"remove {place / owner.name.replace('-', '_')}")


def _unfit(owner: Installed, requirement: Requirement, other: Installed) -> Misfit:
    needed = f"{canonicalize_name(requirement.name)}{requirement.specifier}"
    sentence = (
        f"{owner.name} {owner.version} needs {needed}, and {other} is what is used."
    )
    return Misfit(sentence, f"{sys.executable} -m pip install '{needed}'")
