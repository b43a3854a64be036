"""Offered: the built-in profiles with those that packs add."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType, UnionType
from typing import Any, Final, Literal, get_args, get_origin

from abilities_host.errors import AbilitiesError
from abilities_host.schema.profiles import AUTO, PROFILE_NAME, PROFILES, Profile

LIMIT: Final = 32
"""Profiles that all packs of a host may add together."""

_TEXT: Final = 256
_MEMBERS: Final = 256
_SHORTEST_NAME: Final = 12
_LONGEST_NAME: Final = 128
_SHOWN: Final = 80
_TOOL: Final = "Files_read-2"
_KEY: Final = "Name_0.a-b" * 6


class ProfileRefused(AbilitiesError):
    """Raised when a pack's profile cannot be added; the pack itself is kept.

    Attributes:
        pack: the pack's identity.
        profile: the name of what it offered.
        reason: what is wrong with it.
    """

    def __init__(self, pack: str, profile: object, reason: str) -> None:
        self.pack = pack
        self.profile = profile
        self.reason = reason
        shown = repr(profile)[:_SHOWN]
        super().__init__(f"Pack {pack!r}: profile {shown} was not added: {reason}.")


class OfferedProfiles:
    """The profiles of one host: the built-in ones first, and then in order.

    A name that is taken stays with the profile that had it first.
    """

    def __init__(self) -> None:
        self._profiles: Final = dict(PROFILES)
        self._owners: Final[dict[str, str]] = {}

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """Name to profile, not to be changed."""
        return MappingProxyType(dict(self._profiles))

    def add(self, pack: str, offered: Sequence[Profile]) -> list[str]:
        """Add what a pack offers, as far as it can be added.

        Args:
            pack: identity of the pack.
            offered: any number of profiles, however made.

        Returns:
            One sentence for each that was refused, and for all that were too many.
        """
        room = LIMIT - len(self._owners)
        refused = []
        for profile in offered[:room]:
            try:
                self._add(pack, profile)
            except ProfileRefused as error:
                refused.append(error.sentence)
        if len(offered) > room:
            reason = f"a host takes {LIMIT} profiles of packs at most, and no more"
            refused.append(ProfileRefused(pack, offered[room].name, reason).sentence)
        return refused

    def _add(self, pack: str, profile: Profile) -> None:
        fault = fault_of(profile) or self._clash(profile.name)
        if fault:
            raise ProfileRefused(pack, profile.name, fault)
        self._profiles[profile.name] = profile
        self._owners[profile.name] = pack

    def _clash(self, name: str) -> str:
        if name not in self._profiles:
            return ""
        owner = self._owners.get(name)
        whose = f"of pack {owner!r}" if owner else "built in"
        return f"there is one of this name already, {whose}; choose another name"


def fault_of(profile: Profile) -> str:
    """Say why a profile cannot be used, whoever made it and how.

    Args:
        profile: its fields may hold anything.

    Returns:
        The end of a sentence; empty when nothing is wrong.
    """
    for field in fields(Profile):
        if not _fits(getattr(profile, field.name), field.type):
            return f"its {field.name} must be {_written(field.type)}"
    return _unfit_name(profile) or _unfit_size(profile) or _unfit_pattern(profile)


def _fits(value: object, kind: Any) -> bool:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin in (frozenset, tuple):
        return isinstance(value, origin) and all(_fits(v, parts[0]) for v in value)
    return type(value) is kind  # true is no count


def _written(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else re.sub(r"\w+\.", "", str(kind))


def _unfit_name(profile: Profile) -> str:
    if profile.name == AUTO:
        return f"{AUTO} means that none is set; choose another name"
    if not PROFILE_NAME.fullmatch(profile.name):
        return "its name must be 1 to 64 lower-case letters, digits and dashes"
    return ""


def _unfit_size(profile: Profile) -> str:
    sizes = (profile.keywords or (), profile.unknown, profile.names)
    texts = (profile.clients, profile.property_key, profile.tool_name)
    if any(len(each) > _MEMBERS for each in sizes):
        return f"its keywords, unknown and names have {_MEMBERS} members at most"
    if any(len(each) > _TEXT for each in texts):
        return f"its texts have {_TEXT} characters at most"
    if not _SHORTEST_NAME <= profile.tool_name_limit <= _LONGEST_NAME:
        return f"its tool_name_limit is from {_SHORTEST_NAME} to {_LONGEST_NAME}"
    if profile.tools is not None and profile.tools < 1:
        return "its tools must be 1 or more; None means that no limit is known"
    return ""


def _unfit_pattern(profile: Profile) -> str:
    """What the host makes of names must be taken, or nothing could be shown."""
    for field, made in (("tool_name", _TOOL), ("property_key", _KEY[:59])):
        pattern = getattr(profile, field)
        try:
            takes = re.search(pattern, made) is not None
        except (re.error, OverflowError, RecursionError):
            return f"its {field} is no regular expression"
        if not takes:
            return f"its {field} refuses names such as {made!r}, which the host makes"
    return ""
