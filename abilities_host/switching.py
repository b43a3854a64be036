"""Switching: which abilities a person means who switches a pattern or a pack."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from abilities_host.ability import Ability
from abilities_host.denylist import DenyList, Switches
from abilities_host.errors import AbilitiesError, LookupFailed

if TYPE_CHECKING:
    from abilities_host.hooks.packs import Pack
    from abilities_host.host import Host


class SwitchRefused(AbilitiesError):
    """Base of what cannot be switched; nothing was changed."""


class PackHasNone(SwitchRefused):
    """Raised for a pack that serves no abilities; nothing was changed."""

    def __init__(self, pack: str, reason: str) -> None:
        because = f": {reason.rstrip('.')}" if reason else ""
        super().__init__(
            f"The pack {pack!r} has no abilities to switch{because}. [plugins] blocked "
            "keeps a pack out from the next start on."
        )


class PackAmbiguous(SwitchRefused):
    """Raised when packs of two distributions have one name."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(f"{name!r} may be {' or '.join(map(repr, names))}.")


def pack_to_switch(host: "Host", name: str) -> "Pack":
    """Find the pack that a person means.

    Args:
        host: the running host.
        name: of the pack, or its identity.

    Returns:
        One that serves abilities.

    Raises:
        LookupFailed: when there is none.
        SwitchRefused: when there are two, or it has nothing to switch.
    """
    packs = [pack for pack in host.packs if not pack.is_copy]
    found = [pack for pack in packs if name in (pack.identity, pack.name)]
    if not found:
        known = [each for pack in packs for each in (pack.name, pack.identity)]
        raise LookupFailed("pack", name, known)
    if len(found) > 1:
        raise PackAmbiguous(name, [pack.identity for pack in found])
    if not (found[0].is_healthy and found[0].namespaces):
        raise PackHasNone(found[0].identity, found[0].reason)
    return found[0]


def matched(host: "Host", patterns: Sequence[str]) -> list[Ability]:
    """Find what patterns mean; the one resolver says it.

    Args:
        host: the running host.
        patterns: names, or patterns such as ``files/*``.

    Returns:
        The abilities, on or off.
    """
    only = DenyList(Switches(disabled=tuple(patterns)))
    abilities = host.registry.list_abilities()
    return [ability for ability in abilities if not only.is_active(ability)]
