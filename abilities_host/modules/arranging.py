"""Arranging: in which order modules start, and which of them may at all."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from abilities_host.errors import listed, nearest
from abilities_host.module import Module, is_pattern_in

ON: Final = "on"

Verdict = Literal["on", "off", "waiting", "unavailable", "set aside"]


class Arrangement(NamedTuple):
    """The modules of one pack, ready to be started.

    Attributes:
        order: every module, each after those it requires.
        faults: slug to the reason why a module is set aside.
    """

    order: tuple[Module, ...]
    faults: Mapping[str, str]


class Judgement(NamedTuple):
    """Whether a module may be active.

    Attributes:
        verdict: ``on`` when it may.
        why: the end of a sentence for all others.
    """

    verdict: Verdict
    why: str = ""


def arrange(modules: Sequence[Module], namespaces: tuple[str, ...]) -> Arrangement:
    """Put the modules of one pack in order, and find those that cannot be served.

    Args:
        modules: as declared, each slug once.
        namespaces: of the pack.

    Returns:
        The order; with one that lacks a requirement, requires itself in a circle or
        names abilities of others there is a reason, which harms only what requires it.
    """
    known = {module.slug: module for module in modules}
    faults = {
        slug: fault
        for slug, module in known.items()
        if (fault := _fault_of(module, known, namespaces))
    }
    placed: dict[str, Module] = {}
    for module in modules:
        _place(module, known, placed, frozenset())
    return Arrangement(tuple(placed.values()), faults)


def judge(
    arrangement: Arrangement,
    chosen: Mapping[str, bool],
    unavailable: Mapping[str, str],
) -> dict[str, Judgement]:
    """Say which modules may be active.

    Args:
        arrangement: of one pack.
        chosen: slug to on or off.
        unavailable: slug to the reason why a module cannot be started.

    Returns:
        A judgement for each slug: ``on`` for one that is chosen and available, and
        whose requirements all are on.
    """
    judged: dict[str, Judgement] = {}
    for module in arrangement.order:
        slug = module.slug
        if slug in arrangement.faults:
            judged[slug] = Judgement("set aside", arrangement.faults[slug])
        elif not chosen.get(slug, module.default_active):
            judged[slug] = Judgement("off")
        elif missing := [each for each in module.requires if not _is_on(judged, each)]:
            judged[slug] = Judgement("waiting", _waits(missing[0], judged))
        elif slug in unavailable:
            judged[slug] = Judgement("unavailable", unavailable[slug])
        else:
            judged[slug] = Judgement("on")
    return judged


def _is_on(judged: Mapping[str, Judgement], slug: str) -> bool:
    return judged[slug].verdict == ON


def _waits(slug: str, judged: Mapping[str, Judgement]) -> str:
    words = {"set aside": "was set aside", "waiting": "waits too"}
    verdict = judged[slug].verdict
    return f"it requires {slug!r}, which {words.get(verdict, f'is {verdict}')}"


def _fault_of(
    module: Module, known: Mapping[str, Module], namespaces: tuple[str, ...]
) -> str:
    for slug in module.requires:
        if slug not in known:
            hint = nearest(slug, known)
            return f"it requires {slug!r}, which its pack does not declare.{hint}"
    if circle := _circle(module.slug, known, (module.slug,)):
        return f"it requires itself: {' → '.join(circle)}"
    for pattern in module.abilities:
        if not is_pattern_in(pattern, namespaces):
            return (
                f"{pattern!r:.80} names no abilities of its pack, which has the "
                f"namespaces {listed(namespaces)}"
            )
    return ""


def _circle(
    start: str, known: Mapping[str, Module], path: tuple[str, ...]
) -> tuple[str, ...]:
    """Give the way from a module back to itself, empty when there is none."""
    seen, ways = set(path), [path]
    while ways:
        way = ways.pop()
        for slug in known[way[-1]].requires:
            if slug == start:
                return (*way, slug)
            if slug in known and slug not in seen:
                seen.add(slug)
                ways.append((*way, slug))
    return ()


def _place(
    module: Module,
    known: Mapping[str, Module],
    placed: dict[str, Module],
    above: frozenset[str],
) -> None:
    """Put a module after what it requires; a circle is cut where it closes."""
    if module.slug in placed or module.slug in above:
        return
    for slug in module.requires:
        if slug in known:
            _place(known[slug], known, placed, above | {module.slug})
    placed[module.slug] = module
