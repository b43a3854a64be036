"""Packs: what was found, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from abilities_host.module import Module

PackState = Literal["found", "healthy", "set aside", "blocked"]


@dataclass(slots=True)
class Pack:
    """One plugin that contributes abilities or policy.

    Attributes:
        identity: ``distribution/entry-point``.
        name: the entry point's name; its table in the configuration.
        version: of the distribution, empty for a file.
        is_policy: found in the policy group, so required unless made optional.
        load: imports it; may take any time and raise anything.
        plugin: the module or object, once loaded.
        state: found, healthy, set aside or blocked.
        reason: why it is not healthy.
        namespaces: what it claimed.
        refused: sentences about abilities that were quarantined.
        modules: its optional parts.
        place: where it was found, empty for one that was given.
        is_copy: another pack of this identity was found first.
        refused_profiles: sentences about client profiles that were not added.
        refused_pages: sentences about pages for people that were not added.
    """

    identity: str
    name: str
    version: str
    is_policy: bool
    load: Callable[[], Any]
    plugin: Any = None
    state: PackState = "found"
    reason: str = ""
    namespaces: tuple[str, ...] = ()
    refused: list[str] = field(default_factory=list)
    modules: tuple[Module, ...] = ()
    place: str = ""
    is_copy: bool = False
    refused_profiles: list[str] = field(default_factory=list)
    refused_pages: list[str] = field(default_factory=list)

    @property
    def distribution(self) -> str:
        """The part of the identity before the slash."""
        return self.identity.partition("/")[0]

    @property
    def is_healthy(self) -> bool:
        """Whether it is loaded and kept."""
        return self.state == "healthy"

    def set_aside(self, reason: str) -> None:
        """Keep it out, with the reason that `doctor` shows."""
        self.state = "set aside"
        self.reason = reason


def local_pack(name: str, plugin: Any, *, is_policy: bool = False) -> Pack:
    """Make a pack of something already imported, for tests and embedding.

    Args:
        name: its name and namespace.
        plugin: module or object with hook implementations.
        is_policy: whether writes stop without it.

    Returns:
        A pack of the distribution ``local``.
    """
    return Pack(f"local/{name}", name, "", is_policy, lambda: plugin)
