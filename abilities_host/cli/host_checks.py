"""Host checks: what ``doctor`` sees in a host that has started."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from abilities_host.cli.findings import Finding
from abilities_host.errors import listed, nearest
from abilities_host.frozen import thaw
from abilities_host.names import exposed_name
from abilities_host.schema.projection import LeftOut, project

if TYPE_CHECKING:
    from abilities_host.hooks.packs import Pack
    from abilities_host.host import Host


def check_host(host: "Host") -> Iterator[Finding]:
    """Look at a started host: record, packs, policy, switches, abilities.

    Args:
        host: started.

    Yields:
        What was seen.
    """
    yield Finding("ok", "start", "The host starts and its store opens.")
    yield from _check_record(host)
    for pack in host.packs:
        yield from _check_pack(pack)
    yield from _check_pack_names(host)
    yield from _check_policy(host)
    yield from _check_switches(host)
    yield from _check_names(host)
    yield from _check_wire(host)
    yield from _check_profiles(host)


def _check_record(host: "Host") -> Iterator[Finding]:
    if host.has_recorder:
        yield Finding("ok", "ledger", "Every write is recorded.")
    elif host.config.ledger.required:
        sentence = "Nothing keeps the record of writes: every write is refused."
        yield Finding("error", "ledger", sentence, "abilities plugins")
    else:
        sentence = (
            "Writes are not recorded: there is no ledger, and [ledger] required is "
            "false. What an agent changes cannot be looked up or undone."
        )
        yield Finding("warning", "ledger", sentence)


def _check_pack(pack: "Pack") -> Iterator[Finding]:
    if pack.state == "blocked":
        yield Finding("info", "pack", f"{pack.identity} is blocked: {pack.reason}.")
    elif pack.is_copy:
        sentence = f"{pack.identity} was set aside at {pack.reason}."
        fix = f"{sys.executable} -m pip uninstall {pack.distribution}"
        yield Finding("warning", "pack", sentence, fix)
    elif not pack.is_healthy:
        sentence = f"{pack.identity} was set aside at {pack.reason}"
        fix = f'mend it, or write [plugins] blocked = ["{pack.identity}"]'
        yield Finding("error", "pack", sentence, fix)
    else:
        yield Finding("ok", "pack", f"{pack.identity} {pack.version or '(a file)'}")
    for sentence in pack.refused:
        yield Finding("error", "ability", f"Quarantined: {sentence}")
    for sentence in pack.refused_profiles:
        yield Finding("error", "profile", sentence, "abilities plugins")
    for sentence in pack.refused_pages:
        yield Finding("error", "page", sentence, "abilities plugins")


def _check_pack_names(host: "Host") -> Iterator[Finding]:
    """The name of a pack is also that of its settings and of its modules."""
    named: defaultdict[str, list[Pack]] = defaultdict(list)
    for pack in host.packs:
        if not pack.is_copy and pack.state != "blocked":
            named[pack.name].append(pack)
    for name, packs in named.items():
        if len(packs) > 1:
            places = listed(f"{pack.identity} ({pack.place})" for pack in packs)
            sentence = f"{len(packs)} packs are called {name!r}: {places}."
            fix = f'remove one, or write [plugins] blocked = ["{packs[-1].identity}"]'
            yield Finding("warning", "pack", sentence, fix)


def _check_policy(host: "Host") -> Iterator[Finding]:
    for plugin in host.hooks.missing_policy:
        sentence = f"Required plugin {plugin} is not healthy: every write is refused."
        yield Finding("error", "policy", sentence, "abilities plugins")


def _check_switches(host: "Host") -> Iterator[Finding]:
    config = host.config
    if config.read_only:
        yield Finding("info", "switches", "read_only is true: every write is off.")
    if config.kill_switch or not config.server.enabled:
        yield Finding("warning", "switches", "The server is off: no client is served.")
    names = [ability.name for ability in host.registry.list_abilities()]
    for name in host.denylist.unknown(names):
        sentence = f"No ability is called {name!r}.{nearest(name, names)}"
        is_choice = name in host.denylist.choices
        fix = f"abilities enable --forget '{name}'" if is_choice else "abilities config"
        yield Finding("warning", "switches", sentence, fix)
    packs = {pack.name for pack in host.packs}
    for name in config.packs:
        if name not in packs:
            sentence = f"[packs.{name}] belongs to no pack.{nearest(name, packs)}"
            yield Finding("warning", "configuration", sentence, "abilities plugins")


def _check_names(host: "Host") -> Iterator[Finding]:
    tools: defaultdict[str, list[str]] = defaultdict(list)
    for ability in host.registry.list_abilities():
        tools[exposed_name(ability.name)].append(ability.name)
    for tool, names in tools.items():
        if len(names) > 1:
            sentence = f"{listed(names)} would all be the tool {tool}."
            yield Finding("error", "ability", sentence, "rename all but one")


def _check_wire(host: "Host") -> Iterator[Finding]:
    from abilities_host.server.listing import check_wire  # noqa: PLC0415 - a slow import

    abilities = host.registry.list_abilities()
    problems = [
        f"Clients cannot be shown {ability.name}: {problem}"
        for ability in abilities
        for problem in check_wire(ability)
    ]
    yield from (Finding("error", "ability", problem) for problem in problems)
    if not problems:
        sentence = f"{len(abilities)} abilities can be shown to clients of both eras."
        yield Finding("ok", "abilities", sentence)


def _check_profiles(host: "Host") -> Iterator[Finding]:
    """What no server can be set to, and what one family alone cannot be shown."""
    from abilities_host.config.unknown import unknown_profiles  # noqa: PLC0415 - a slow import

    for unknown in unknown_profiles(host.config, host.profiles):
        yield Finding("error", "profile", unknown.sentence, unknown.fix)
    for ability in host.registry.list_abilities():
        for profile in host.profiles.values():
            made = project(thaw(ability.input_schema), profile)
            if isinstance(made, LeftOut):
                sentence = (
                    f"Clients of the profile {profile.name} are not shown "
                    f"{ability.name!r}: {made.reason}."
                )
                yield Finding("warning", "profile", sentence)
