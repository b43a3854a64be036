"""Switches: the state of abilities as a person saw it, and how it is changed."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from abilities_host.ability import Ability
from abilities_host.admin.form import Form
from abilities_host.admin.page import Done
from abilities_host.admin.visit import Visit
from abilities_host.config import stored_key
from abilities_host.errors import InvalidName, LookupFailed
from abilities_host.host import Host
from abilities_host.modules.standing import Standing
from abilities_host.switching import matched, pack_to_switch
from abilities_host.toggles import NAME_LIMIT

CHOICES: Final = {"on": True, "off": False, "default": None}
_SAID: Final = 100


def seen_of(host: Host, patterns: Iterable[str]) -> str:
    """Write what a person sees of a switch, so that another state is noticed.

    Args:
        host: the running host.
        patterns: what is switched.

    Returns:
        A hash of the choices for these patterns, and of what is on.
    """
    patterns = list(patterns)
    choices = [host.denylist.choices.get(pattern) for pattern in patterns]
    is_active = host.denylist.is_active
    states = sorted((a.name, is_active(a)) for a in matched(host, patterns))
    return sha256(repr((patterns, choices, states)).encode()).hexdigest()[:32]


async def switch(visit: Visit, form: Form, choice: str) -> Done:
    """Switch what a form names: a pack, or an ability or a pattern.

    Args:
        visit: of the person, an operator.
        form: with ``pack`` or ``pattern``, and what was seen of it.
        choice: on, off or default.

    Returns:
        What the person is told.

    Raises:
        LookupFailed: when there is none.
        InvalidName: when it is no pattern.
        SeenOther: when somebody has switched it meanwhile.
    """
    host = visit.host
    await host.refresh()
    called, patterns = _named(host, form)
    form.check_seen(seen_of(host, patterns))
    for pattern in patterns:
        await host.toggles.set(pattern, CHOICES[choice], by=visit.name)
        await visit.note("setting", f"switched {choice}", pattern)
    await host.refresh()
    return _told(host, called, patterns, choice)


def _named(host: Host, form: Form) -> tuple[str, list[str]]:
    if name := form.get("pack"):
        pack = pack_to_switch(host, name)
        return pack.identity, [f"{each}/*" for each in pack.namespaces]
    name = form.get("pattern")
    if len(name) > NAME_LIMIT:
        raise InvalidName(name[:NAME_LIMIT])
    if not (name in host.denylist.choices or matched(host, [name])):
        raise LookupFailed("ability", name, _names(host.registry.list_abilities()))
    return name, [name]


def _names(abilities: Iterable[Ability]) -> list[str]:
    return [ability.name for ability in abilities]


def _told(host: Host, called: str, patterns: list[str], choice: str) -> Done:
    """Say also when something else keeps them as they were."""
    found, wanted = matched(host, patterns), CHOICES[choice]
    other = [a for a in found if wanted not in (None, host.decide(a).is_active)]
    values: dict[str, Any] = {"name": called[:_SAID]}
    if other:
        why = host.decide(other[0]).why
        values |= {"count": len(other), "why": why[: 2 * _SAID]}
        return Done(f"tools.stays.{choice}", values)
    return Done(f"tools.done.{choice}", values)


def seen_of_module(standing: Standing) -> str:
    """Write what a person sees of a module.

    Args:
        standing: of it.
    """
    return f"{'on' if standing.is_on else 'off'}-{standing.state}-{standing.by}"


async def switch_module(visit: Visit, form: Form, *, is_on: bool) -> Done:
    """Switch the module that a form names.

    Args:
        visit: of the person, an operator.
        form: with ``module``, and what was seen of it.
        is_on: on or off.

    Returns:
        What the person is told.

    Raises:
        LookupFailed: when there is none.
        SeenOther: when somebody has switched it meanwhile.
    """
    host, name = visit.host, form.get("module")
    await host.refresh()
    known = {each.name: each for each in host.modules.list()}
    if name not in known:
        raise LookupFailed("module", name, list(known))
    form.check_seen(seen_of_module(known[name]))
    word = "on" if is_on else "off"
    await host.modules.choose(name, is_on=is_on, by=visit.name)
    await visit.note("setting", f"switched {word}", f"module {name}")
    await host.refresh()
    await host.modules.settle()
    now = {each.name: each.state for each in host.modules.list()}.get(name, "gone")
    return Done("tools.module.done", {"name": known[name].short, "state": now})


async def set_setting(visit: Visit, key: str, value: Any, server: str = "") -> None:
    """Keep a setting in the store, and wait until it holds here.

    Args:
        visit: of the person, an operator.
        key: of the setting; of a server only its last part.
        value: a JSON value; None to forget what was set.
        server: id of a server, empty for the host.

    Raises:
        ConfigError: with key and what was expected; nothing was stored.
        LookupFailed: when there is no such server.
    """
    host = visit.host
    place = stored_key(host.config, key, server or None)
    if value is not None:
        await host.adjustments.set(place, value, by=visit.name, loaded=host.loaded)
        await visit.note("setting", "set", place, value=value)
    elif await host.adjustments.unset(place):
        await visit.note("setting", "unset", place)
    await host.refresh()
