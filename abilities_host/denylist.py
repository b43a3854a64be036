"""DenyList: what is active, and why; the one resolver that every path asks."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import Final

from abilities_host.ability import Ability

_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an ability is active.

    Attributes:
        is_active: the answer.
        why: what decided, for the operator; a caller is never told.
    """

    is_active: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What the configuration says; names or patterns with ``*`` and ``?``.

    Attributes:
        disabled: never active, whatever else says so.
        enabled: active although a default step turned them off.
        read_only: no write is active.
        kill_switch: no server has anything active; calls in the process go on.
        treat_as_write: taken for writes whatever their author says.
    """

    disabled: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()
    read_only: bool = False
    kill_switch: bool = False
    treat_as_write: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerView:
    """What one server exposes.

    Attributes:
        id: the server's id.
        enabled: its own kill switch; False for nothing at all.
        include: lists of patterns; a name must match one of each list.
        exclude: patterns that are left out whatever is included.
        categories: of which it exposes abilities; none for all.
        requires: a scope without which an actor finds nothing; empty for none.
    """

    id: str
    enabled: bool = True
    include: tuple[tuple[str, ...], ...] = (("*",),)
    exclude: tuple[str, ...] = ()
    categories: frozenset[str] = frozenset()
    requires: str = ""


Holds = Callable[[Ability], bool]
"""Whether an ability waits for a person, as it was known at one moment."""

ReadHolds = Callable[[], Awaitable[Holds]]


IsOff = Callable[[Ability], str]
"""Which module keeps an ability off, as it was at one moment; empty for none."""


def _holds_nothing(_: Ability) -> bool:
    return False


def _nothing_is_off(_: Ability) -> str:
    return ""


async def hold_nothing() -> Holds:
    """Give what holds no ability back."""
    return _holds_nothing


_ON: Final = Decision(is_active=True, why="on: nothing turns it off")


class DenyList:
    """Decides what is active; immutable, a change makes a new one.

    The order: the floor of the configuration, what waits for a person, modules, the
    kill switch, run-time choices, `enabled` of the configuration, default steps, on. A
    server can only take away.

    Args:
        switches: what the configuration says.
        choices: run-time toggles, name or pattern to on or off. An exact name beats a
            pattern; of patterns the one with more literal characters, then the deny.
        defaults_off: names that default steps turned off.
        holds: says what waits for a person, whatever else says that it is on.
        is_off: says what belongs to a module that is not active.
    """

    def __init__(
        self,
        switches: Switches,
        choices: Mapping[str, bool] | None = None,
        defaults_off: frozenset[str] = frozenset(),
        holds: Holds = _holds_nothing,
        is_off: IsOff = _nothing_is_off,
    ) -> None:
        self.switches = switches
        self.choices = dict(choices or {})
        self.defaults_off = defaults_off
        self._holds = holds
        self._is_off = is_off
        self._disabled = _Patterns(switches.disabled)
        self._enabled = _Patterns(switches.enabled)
        self._hardened = _Patterns(switches.treat_as_write)
        self._hardens = bool(switches.treat_as_write)
        self._wild_choices = _Patterns(sorted(self.choices, key=self._rank))
        self._answers: dict[tuple[str, str], _Answer] = {}

    def __repr__(self) -> str:
        return f"DenyList({self.switches!r}, {len(self.choices)} choices)"

    def with_state(
        self, choices: Mapping[str, bool], defaults_off: frozenset[str]
    ) -> "DenyList":
        """Make one with other run-time choices and default steps.

        Args:
            choices: name or pattern to on or off.
            defaults_off: names that default steps turned off.

        Returns:
            A new deny-list with the same switches.
        """
        return DenyList(self.switches, choices, defaults_off, self._holds, self._is_off)

    def with_switches(self, switches: Switches) -> "DenyList":
        """Make one for a changed configuration.

        Args:
            switches: what the configuration says now.

        Returns:
            A new deny-list with the same run-time choices and default steps.
        """
        return DenyList(
            switches, self.choices, self.defaults_off, self._holds, self._is_off
        )

    def with_holds(self, holds: Holds) -> "DenyList":
        """Make one that knows anew what waits for a person.

        Args:
            holds: answers for each ability, always the same.

        Returns:
            A new deny-list with everything else as it is here.
        """
        return DenyList(
            self.switches, self.choices, self.defaults_off, holds, self._is_off
        )

    def with_modules(self, is_off: IsOff) -> "DenyList":
        """Make one that knows anew which modules are not active.

        Args:
            is_off: answers for each ability, always the same.

        Returns:
            A new deny-list with everything else as it is here.
        """
        return DenyList(
            self.switches, self.choices, self.defaults_off, self._holds, is_off
        )

    def decide(self, ability: Ability, server: ServerView | None = None) -> Decision:
        """Say whether an ability is active, and why.

        Args:
            ability: a registered ability; what was said of its earlier names holds.
            server: the exposing server, None inside the process.

        Returns:
            The decision, with the reason for the operator.
        """
        names = (ability.name, *ability.renamed_from)
        return (
            self._floor(ability, names)
            or self._held(ability)
            or self._without_module(ability)
            or self._killed(server)
            or self._left_out(ability, names, server)
            or self._chosen(names)
            or self._switched_on(names)
            or self._default(names)
            or _ON
        )

    def is_active(self, ability: Ability, server: ServerView | None = None) -> bool:
        """Answer whether an ability is active; quick, every call asks.

        Args:
            ability: a registered ability.
            server: the exposing server, None inside the process.

        Returns:
            The same as `decide`.
        """
        key = (ability.name, server.id if server else "")
        known = self._answers.get(key)
        # A name may be registered again, and a server's view replaced.
        if known and known.ability is ability and known.server is server:
            return known.is_active
        if len(self._answers) >= _REMEMBERED:
            self._answers.clear()
        answer = self.decide(ability, server).is_active
        self._answers[key] = _Answer(ability, server, answer)
        return answer

    def is_write(self, ability: Ability) -> bool:
        """Answer whether policy is asked before the ability runs.

        Args:
            ability: a registered ability.

        Returns:
            True unless its author marked it read-only and the operator did not harden
            it; never for a route, which changes nothing itself.
        """
        if ability.is_write or ability.is_route:
            return not ability.is_route
        if not self._hardens:
            return False
        names = (ability.name, *ability.renamed_from)
        return self._hardened.find(names) is not None

    def filter_active(
        self, abilities: Iterable[Ability], server: ServerView | None = None
    ) -> tuple[Ability, ...]:
        """Keep the active ones.

        Args:
            abilities: registered abilities.
            server: the exposing server, None inside the process.

        Returns:
            Those that are active, in the same order.
        """
        return tuple(each for each in abilities if self.is_active(each, server))

    def unknown(self, names: Iterable[str]) -> list[str]:
        """Find what was written for abilities that do not exist.

        Args:
            names: every registered name.

        Returns:
            The names and patterns of switches and choices that match none of them.
        """
        known = frozenset(names)
        said = self.switches
        written = (*said.disabled, *said.enabled, *said.treat_as_write, *self.choices)
        return [
            pattern
            for pattern in dict.fromkeys(written)
            if pattern not in known and not any(map(_matcher(pattern), known))
        ]

    def _rank(self, pattern: str) -> tuple[int, bool]:
        literal = sum(character not in "*?" for character in pattern)
        return (-literal, self.choices[pattern])

    def _floor(self, ability: Ability, names: tuple[str, ...]) -> Decision | None:
        if pattern := self._disabled.find(names):
            return _off(f"configuration: disabled has {pattern!r}")
        if self.switches.read_only and self.is_write(ability):
            return _off("configuration: read_only is true and this is a write")
        return None

    def _held(self, ability: Ability) -> Decision | None:
        if self._holds(ability):
            return _off("its definition changed and waits for a person")
        return None

    def _without_module(self, ability: Ability) -> Decision | None:
        why = self._is_off(ability)
        return _off(why) if why else None

    def _killed(self, server: ServerView | None) -> Decision | None:
        if server is None:
            return None
        if self.switches.kill_switch:
            return _off("configuration: kill_switch is true")
        return None if server.enabled else _off(f"server {server.id!r} is off")

    def _left_out(
        self, ability: Ability, names: tuple[str, ...], server: ServerView | None
    ) -> Decision | None:
        if server is None:
            return None
        if server.categories and ability.category not in server.categories:
            return _off(f"server {server.id!r} has not its category")
        if pattern := _server_patterns(server.exclude).find(names):
            return _off(f"server {server.id!r} excludes {pattern!r}")
        if all(_server_patterns(layer).find(names[:1]) for layer in server.include):
            return None
        return _off(f"server {server.id!r} does not include it")

    def _chosen(self, names: tuple[str, ...]) -> Decision | None:
        name, *earlier = names
        exact = [name] if name in self.choices else []
        exact = exact or [each for each in earlier if each in self.choices]
        # Several earlier names may disagree: the deny wins.
        found = min(exact, key=self.choices.__getitem__, default=None)
        found = found or self._wild_choices.find(names)
        if found is None:
            return None
        is_on = self.choices[found]
        return Decision(is_on, f"toggle: {found!r} is {'on' if is_on else 'off'}")

    def _switched_on(self, names: tuple[str, ...]) -> Decision | None:
        if pattern := self._enabled.find(names):
            why = f"configuration: enabled has {pattern!r}"
            return Decision(is_active=True, why=why)
        return None

    def _default(self, names: tuple[str, ...]) -> Decision | None:
        is_off = not self.defaults_off.isdisjoint(names)
        return _off("default step: off until somebody turns it on") if is_off else None


@dataclass(frozen=True, slots=True)
class _Answer:
    ability: Ability
    server: ServerView | None
    is_active: bool


class _Patterns:
    """Names are looked up; only what has a wildcard is tried one by one, in order."""

    __slots__ = ("exact", "wild")

    def __init__(self, patterns: Iterable[str]) -> None:
        written = tuple(patterns)
        self.wild = tuple(each for each in written if "*" in each or "?" in each)
        self.exact = frozenset(written).difference(self.wild)

    def find(self, names: tuple[str, ...]) -> str | None:
        for name in names:
            if name in self.exact:
                return name
        for pattern in self.wild:
            if any(map(_matcher(pattern), names)):
                return pattern
        return None


@lru_cache(maxsize=64)
def _server_patterns(patterns: tuple[str, ...]) -> _Patterns:
    return _Patterns(patterns)


def _off(why: str) -> Decision:
    return Decision(is_active=False, why=why)


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Callable[[str], "re.Match[str] | None"]:
    # translate() backtracks never; its character classes are not part of a pattern.
    return re.compile(translate(pattern.replace("[", "[[]"))).match
