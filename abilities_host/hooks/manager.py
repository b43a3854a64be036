"""Manager: the only code that touches pluggy; one method for each hook."""

import asyncio
import inspect
import logging
import re
import sys
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, TypeVar, cast

import pluggy

from abilities_host.calls import (
    Ask,
    Call,
    Evaluation,
    Outcome,
    ProposedWrite,
    RecordedWrite,
    Veto,
)
from abilities_host.deadline import until
from abilities_host.declaration import Declaration, DefaultStep
from abilities_host.errors import PackError, nearest
from abilities_host.hooks import NAME, specs
from abilities_host.hooks.implementation import Implementation, ends_the_task
from abilities_host.hooks.packs import Pack
from abilities_host.hooks.steps import in_time, shown
from abilities_host.hooks.veto import ask_all
from abilities_host.module import Module, find_fault
from abilities_host.pages import Page
from abilities_host.schema.profiles import Profile
from abilities_host.site import Site
from abilities_host.view import RegistryView

log = logging.getLogger(__name__)

T = TypeVar("T")

_ASKED: Final = (
    "before_write",
    "after_execute",
    "evaluate_write",
    "on_proposal",
    "rerank",
)
"""Hooks of a running host; their implementations are kept in calling order."""


class HookManager:
    """The packs of one host and what they implement.

    Args:
        seconds: for one pass over a hook, and for each registration hook.
        is_traced: print every hook call to standard error.

    Attributes:
        seconds: for each pass and registration that begins from now on.
    """

    def __init__(self, *, seconds: float, is_traced: bool = False) -> None:
        self.seconds = seconds
        self._is_traced: Final = is_traced
        self._plugins: Final = pluggy.PluginManager(NAME)
        self._plugins.add_hookspecs(specs)
        self._frozen: dict[str, tuple[Implementation, ...]] = {}
        self._freeze()
        self.missing_policy: tuple[str, ...] = ()

    # --- taking packs in and out ----------------------------------------------

    def add(self, pack: Pack) -> None:
        """Take a loaded pack's hooks in.

        Args:
            pack: with its plugin loaded.

        Raises:
            PackError: when its plugin is in already, or has a hook that does not exist,
                takes an argument that does not exist, or is a wrapper; it is out again.
        """
        taken = self._plugins.list_name_plugin()
        if any(plugin is pack.plugin for _, plugin in taken):
            reason = "its entry point leads to the same object as another pack's"
            raise PackError(pack.identity, "loading hooks", reason)
        try:
            self._plugins.register(pack.plugin, name=pack.identity)
            self._check_hooks(pack)
        except PackError:
            self.remove(pack)
            raise
        except Exception as error:
            self.remove(pack)
            raise PackError(pack.identity, "loading hooks", _first(error)) from error
        self._freeze()

    def remove(self, pack: Pack) -> None:
        """Take a pack's hooks out, if they are in."""
        if self._plugins.has_plugin(pack.identity):
            self._plugins.unregister(name=pack.identity)
        self._freeze()

    def implements(self, pack: Pack, hook: str) -> bool:
        """Answer whether a pack implements a hook."""
        return bool(self._of(pack, hook))

    def _check_hooks(self, pack: Pack) -> None:
        known = [name for name in vars(self._plugins.hook) if not name.startswith("_")]
        specified = [name for name in known if getattr(specs, name, None)]
        for caller in self._plugins.get_hookcallers(pack.plugin) or []:
            if not caller.has_spec():
                hint = nearest(caller.name, specified)
                reason = f"there is no hook {caller.name!r}.{hint}"
                raise PackError(pack.identity, "loading hooks", reason)
            for found in caller.get_hookimpls():
                if found.plugin is pack.plugin and (
                    reason := _objection(caller.name, found)
                ):
                    reason = f"{caller.name} {reason}"
                    raise PackError(pack.identity, "loading hooks", reason)

    def _freeze(self) -> None:
        """Keep tuples in calling order, so that a call asks pluggy nothing."""
        names = {id(plugin): name for name, plugin in self._plugins.list_name_plugin()}
        self._frozen = {
            hook: tuple(
                self._implementation(hook, names[id(found.plugin)], found)
                for found in reversed(getattr(self._plugins.hook, hook).get_hookimpls())
            )
            for hook in _ASKED
        }

    def _implementation(
        self, hook: str, pack: str, found: pluggy.HookImpl
    ) -> Implementation:
        return Implementation(pack, found, partial(self._trace, hook))

    # --- hooks of one pack, while it is loaded --------------------------------

    async def declare_pack(self, pack: Pack) -> Declaration:
        """Ask a pack what it claims.

        Returns:
            Its declaration; by default its own name with dashes.

        Raises:
            PackError: when the hook fails, hangs or returns something else.
        """
        own = re.sub(r"[^a-z0-9-]", "-", pack.name.lower())
        default = Declaration(namespaces=(own,))
        answer = await self._call_one(pack, "declare_pack", {})
        if answer is None:
            return default
        if not isinstance(answer, Declaration):
            reason = f"it returned {type(answer).__name__}, not a Declaration"
            raise PackError(pack.identity, "declare_pack", reason)
        for field in ("namespaces", "requires_packages"):
            if not _are_strings(getattr(answer, field)):
                reason = f"{field} must be a tuple of strings, such as ('notes',)"
                raise PackError(pack.identity, "declare_pack", reason)
        return answer

    async def modules(self, pack: Pack) -> tuple[Module, ...]:
        """Ask a pack for its optional parts.

        Raises:
            PackError: when it fails, hangs, or names none that can be: what would be
                off is then not known.
        """
        found = await self._list_of(Module, pack, "modules")
        if fault := find_fault(found):
            raise PackError(pack.identity, "modules", fault)
        return tuple(found)

    async def register_categories(self, pack: Pack, view: RegistryView) -> None:
        """Let a pack register its categories."""
        await self._call_one(pack, "register_categories", {"registry": view})

    async def register_abilities(self, pack: Pack, view: RegistryView) -> None:
        """Let a pack register its abilities."""
        await self._call_one(pack, "register_abilities", {"registry": view})

    async def open_pack(
        self, pack: Pack, site: Site
    ) -> AbstractAsyncContextManager[None] | None:
        """Ask a pack what it keeps open.

        Returns:
            What is to be entered, not entered yet; None for nothing.

        Raises:
            PackError: when the hook fails, hangs or returns something else.
        """
        answer = await self._call_one(pack, "open_pack", {"site": site})
        if answer is None or isinstance(answer, AbstractAsyncContextManager):
            return answer
        reason = f"it returned {type(answer).__name__}, not an async context manager"
        raise PackError(pack.identity, "open_pack", reason)

    async def default_steps(self, pack: Pack) -> Sequence[DefaultStep]:
        """Ask a pack for its numbered default steps."""
        return await self._list_of(DefaultStep, pack, "default_steps")

    async def client_profiles(self, pack: Pack) -> Sequence[Profile]:
        """Ask a pack for further client families."""
        return await self._list_of(Profile, pack, "client_profiles")

    async def admin_pages(self, pack: Pack) -> Sequence[Page]:
        """Ask a pack for its pages for people."""
        return await self._list_of(Page, pack, "admin_pages")

    async def _list_of(self, kind: type[T], pack: Pack, hook: str) -> Sequence[T]:
        answer = await self._call_one(pack, hook, {})
        found: Sequence[T] = [] if answer is None else answer
        if not _are(found, kind):
            reason = f"it must return a list of {kind.__name__}"
            raise PackError(pack.identity, hook, reason)
        return found

    def has_args_filter(self, pack: str) -> bool:
        """Answer whether a pack changes the arguments of its own abilities."""
        plugin = self._plugins.get_plugin(pack)
        found = self._plugins.hook.filter_ability_args.get_hookimpls()
        return any(each.plugin is plugin for each in found)

    def filter_ability_args(
        self, pack: str, name: str, arguments: dict[str, Any]
    ) -> Mapping[str, Any] | None:
        """Let a pack's own filter change its own ability; no other is ever asked."""
        plugin = self._plugins.get_plugin(pack)
        for found in self._plugins.hook.filter_ability_args.get_hookimpls():
            if plugin is not None and found.plugin is plugin:
                given = {"name": name, "arguments": arguments}
                answer = found.function(*[given[key] for key in found.argnames])
                self._trace(f"filter_ability_args {name}", pack, answer)
                return cast("Mapping[str, Any] | None", answer)  # the registry looks
        return None

    # --- hooks of a running host ----------------------------------------------

    async def before_write(self, write: ProposedWrite) -> Veto | Ask | None:
        """Ask every pack about a write.

        Args:
            write: what is proposed.

        Returns:
            A veto with the plugin's name, a question, or None.
        """
        if self.missing_policy:
            reason = "a required plugin is missing or unhealthy"
            return Veto(reason, plugin=self.missing_policy[0], code="policy_missing")
        return await ask_all(self._frozen["before_write"], write, self.seconds)

    def after_execute(self, call: Call, outcome: Outcome) -> Awaitable[None] | None:
        """Tell every pack how a run ended; what fails is logged.

        Args:
            call: the run.
            outcome: how it ended.

        Returns:
            What is to be awaited; None when no pack wants to know.
        """
        observers = self._frozen["after_execute"]
        return self._tell_all(observers, call, outcome) if observers else None

    async def _tell_all(
        self, observers: Sequence[Implementation], call: Call, outcome: Outcome
    ) -> None:
        given = {"call": call, "outcome": outcome}
        for implementation in observers:
            await self._tell(implementation, given)

    async def evaluate_write(
        self, write: RecordedWrite
    ) -> list[tuple[str, Evaluation]]:
        """Ask every pack what really came of a recorded write.

        Args:
            write: from the record.

        Returns:
            Identity of the pack and its answer, for those that gave one.
        """
        answers = []
        for implementation in self._frozen["evaluate_write"]:
            answer = await self._tell(implementation, {"write": write})
            if isinstance(answer, Evaluation):
                answers.append((implementation.pack, answer))
        return answers

    async def on_proposal(self, ids: tuple[str, ...], waiting: int) -> None:
        """Tell every pack that something new waits for a human; see the hook."""
        given = {"ids": ids, "waiting": waiting}
        for implementation in self._frozen["on_proposal"]:
            await self._tell(implementation, given)

    async def rerank(self, query: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Let packs reorder or drop found names.

        Args:
            query: what was searched.
            names: best first.

        Returns:
            Some of the same names, each once.
        """
        for implementation in self._frozen["rerank"]:
            answer = await self._tell(implementation, {"query": query, "names": names})
            if isinstance(answer, list | tuple):
                kept = [name for name in answer if isinstance(name, str)]
                names = tuple(name for name in dict.fromkeys(kept) if name in names)
        return names

    async def _tell(
        self, implementation: Implementation, given: Mapping[str, Any]
    ) -> Any:
        deadline = asyncio.get_running_loop().time() + self.seconds
        try:
            return await until(deadline, implementation(given))
        except BaseException as error:
            if ends_the_task(error):
                raise
            log.exception("a hook of %s failed", implementation.pack)
            return None

    # --- shared ---------------------------------------------------------------

    def _of(self, pack: Pack, hook: str) -> list[Implementation]:
        found = getattr(self._plugins.hook, hook).get_hookimpls()
        return [
            self._implementation(hook, pack.identity, each)
            for each in found
            if each.plugin is pack.plugin
        ]

    async def _call_one(self, pack: Pack, hook: str, given: Mapping[str, Any]) -> Any:
        answer = None
        for implementation in self._of(pack, hook):
            work = partial(implementation, given)
            answer = await in_time(pack, hook, self.seconds, work)
        return answer

    def _trace(self, hook: str, pack: str, answer: object) -> None:
        if self._is_traced:
            line = f"hook {hook} -> {pack}: {shown(answer)}"
            print(line, file=sys.stderr)  # noqa: T201 - this is what the switch is for


def _objection(hook: str, found: pluggy.HookImpl) -> str:
    if found.wrapper or found.hookwrapper:
        return "is a wrapper; a wrapper could swallow a veto"
    is_async = inspect.iscoroutinefunction(found.function)
    if is_async and hook == "filter_ability_args":
        return "is async, but registering does not wait; write a plain def"
    return ""


def _are_strings(value: object) -> bool:
    return _are(value, str)


def _are(value: object, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, kind) for v in value)


def _first(error: Exception) -> str:
    return " ".join(line.strip() for line in str(error).splitlines() if line.strip())
