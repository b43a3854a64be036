"""Targets now: what is there of the things that a write would change."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from abilities_host.admin.weight import shortened
from abilities_host.domain import MISSING, Domain, HidesSecrets, ShowsStates, State
from abilities_host.frozen import thaw
from abilities_host.host import Host
from abilities_host.jsontext import json_text
from abilities_host.masking import MASK, masked
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

SHOWN: Final = 5
ROOM: Final = 2_000
_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class TargetNow:
    """One target.

    Attributes:
        name: ``domain:name``.
        state: ``there``, ``missing``, ``binary`` or ``unknown``.
        text: as a person reads it, secrets hidden; empty where there is none.
        is_cut: there is more of it.
        size: in bytes, of what is no text.
    """

    name: str
    state: str
    text: str = ""
    is_cut: bool = False
    size: int = 0


async def targets_now(host: Host, names: Sequence[str]) -> list[TargetNow]:
    """Read the first few targets as they are now.

    Args:
        host: running.
        names: ``domain:name`` each; anything.

    Returns:
        The first five; what cannot be read within seconds is unknown.
    """
    found: list[TargetNow] = []
    deadline = asyncio.get_running_loop().time() + _SECONDS
    for name in names[:SHOWN]:
        try:
            async with asyncio.timeout_at(deadline):
                found.append(await _read(host, name))
        except LookupError:  # its pack is gone
            found.append(TargetNow(name, "unknown"))
        except Exception:  # a domain is code of a pack
            log.exception("%r cannot be read for a person", name)
            found.append(TargetNow(name, "unknown"))
    return found


async def _read(host: Host, name: str) -> TargetNow:
    domain_name, _, target = name.partition(":")
    domain = host.registry.get_domain(domain_name)
    target = domain.canonical(target)
    state = await domain.capture(target)
    if state is MISSING:
        return TargetNow(name, "missing")
    if isinstance(domain, HidesSecrets) and domain.is_secret(target):
        return TargetNow(name, "there", MASK)
    return await run_in_thread(partial(_shown, name, domain, state))


def _shown(name: str, domain: Domain, state: State) -> TargetNow:
    shown = domain.show(state) if isinstance(domain, ShowsStates) else state
    if isinstance(shown, bytes):
        try:
            shown = shown.decode()
        except UnicodeDecodeError:
            return TargetNow(name, "binary", size=len(shown))
    hidden = masked(thaw(shown))
    text = hidden if isinstance(hidden, str) else json_text(hidden)
    kept = shortened(text, ROOM)
    return TargetNow(name, "there", kept, is_cut=len(kept) < len(text))
