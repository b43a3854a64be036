"""Module: an optional part of a pack, which the operator switches on and off."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

from abilities_host.names import CATEGORY_SLUG
from abilities_host.site import Site

LIMIT: Final = 100
SLUG_LIMIT: Final = 64

Availability = bool | str
"""True, or the reason why a module cannot be started."""

AsksAvailability = Callable[[Site], Availability | Awaitable[Availability]]

Opens = Callable[[Site], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Module:
    """What a pack's `modules` hook returns one of for each optional part.

    Attributes:
        slug: lower-case words joined by single dashes, at most 64 characters.
        label: a short name for people.
        description: what is there when it is on, and what is missing otherwise.
        default_active: whether it is on until somebody chooses; taken once in the life
            of a store.
        requires: slugs of modules of the same pack that must be active.
        abilities: names or patterns with ``*`` and ``?`` in the pack's own namespaces;
            what they match is off while the module is not active.
        is_available: asked before each start; True, or the reason why not. It may be
            async; a plain one runs in a thread. None for always.
        open: gives what is entered to start the module and left to stop it, in one
            task. None when there is nothing to start.
    """

    slug: str
    label: str
    description: str
    default_active: bool = False
    requires: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()
    is_available: AsksAvailability | None = None
    open: Opens | None = None


def find_fault(modules: Sequence[Module]) -> str:
    """Say what is wrong with the form of a pack's modules.

    Args:
        modules: as a pack declared them; their fields may hold anything.

    Returns:
        A reason, or an empty string.
    """
    if fault := next(filter(None, map(_fault_of, modules)), ""):
        return fault
    slugs = [module.slug for module in modules]
    if twice := [slug for slug in slugs if slugs.count(slug) > 1]:
        return f"two of its modules have the slug {twice[0]!r}"
    if len(modules) > LIMIT:
        return f"it has {len(modules)} modules; {LIMIT} is the limit"
    return ""


def is_pattern_in(pattern: str, namespaces: tuple[str, ...]) -> bool:
    """Answer whether a pattern speaks of abilities of these namespaces only.

    Args:
        pattern: a name, or with ``*`` and ``?`` after the slash.
        namespaces: a pack's own.

    Returns:
        False also for what can be no pattern.
    """
    namespace, _, rest = pattern.partition("/")
    return namespace in namespaces and bool(re.fullmatch(r"[a-z0-9*?-]+", rest))


def _fault_of(module: Module) -> str:
    slug: object = module.slug
    if not (isinstance(slug, str) and _is_slug(slug)):
        return f"a slug must be lower-case words joined by dashes, not {slug!r:.80}"
    for name, (is_right, what) in _FIELDS.items():
        if not is_right(getattr(module, name)):
            return f"{name} of module {slug!r} must be {what}"
    return ""


def _is_slug(slug: str) -> bool:
    return len(slug) <= SLUG_LIMIT and bool(CATEGORY_SLUG.fullmatch(slug))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: object) -> bool:
    is_list = isinstance(value, list | tuple)
    return is_list and all(isinstance(each, str) for each in value)  # type: ignore[attr-defined]  # a list or a tuple


def _is_function(value: object) -> bool:
    return value is None or callable(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_FIELDS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "label": (_is_text, "a non-empty string"),
    "description": (_is_text, "a non-empty string"),
    "default_active": (_is_flag, "True or False"),
    "requires": (_are_texts, "a tuple of strings"),
    "abilities": (_are_texts, "a tuple of strings"),
    "is_available": (_is_function, "a function that takes a Site"),
    "open": (_is_function, "a function that takes a Site"),
}
