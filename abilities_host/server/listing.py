"""Listing: what one server shows, in wire form, built once per change."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from abilities_host.ability import Ability
from abilities_host.calls import Actor
from abilities_host.host import Host
from abilities_host.names import exposed_name, original_name
from abilities_host.schema.profiles import GENERIC, Profile
from abilities_host.server.catalogue import fault_of, shelf_of
from abilities_host.server.eras import ERAS, MODERN, Era
from abilities_host.server.projecting import show_to
from abilities_host.server.spec import SpecNow
from abilities_host.server.tool import Shape, shape_of, tool_of
from abilities_host.server.wire import find_fault

log = logging.getLogger(__name__)

REMEMBERED: Final = 64
_BATCH: Final = 20


@dataclass(frozen=True, slots=True)
class Exposed:
    """One ability as this server's clients see it in one era.

    Attributes:
        ability: the record it was made of.
        shape: how its values are wrapped.
        tool: its finished wire form.
        size: bytes of the wire form.
        fault: why it cannot be listed; empty when it can.
    """

    ability: Ability
    shape: Shape
    tool: Mapping[str, Any]
    size: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Page:
    revision: int
    tools: list[Mapping[str, Any]] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def check_wire(ability: Ability) -> list[str]:
    """Check that every client could read an ability in a listing.

    One tool that it cannot read makes a client lose the whole listing.

    Args:
        ability: a registered ability; no host is needed.

    Returns:
        One sentence for each era in which it could not be listed.
    """
    faults = {era: _fault_of(ability, era) for era in ERAS}
    return [f"{era}: {fault}" for era, fault in faults.items() if fault]


class Listing:
    """The tools of one server.

    Args:
        host: the running host.
        spec: gives the server as it is now.
    """

    def __init__(self, host: Host, spec: SpecNow) -> None:
        self._host: Final = host
        self._spec: Final = spec
        self._id: Final = spec().id
        self._exposed: Final[dict[tuple[str, Era, str], Exposed]] = {}
        self._pages: Final[dict[tuple[Era, str, frozenset[str]], _Page]] = {}
        self._shortened: Final[dict[str, str]] = {}
        self._seen_version = -1
        self._building: Final = asyncio.Lock()

    @property
    def left_out(self) -> Mapping[str, str]:
        """Ability name to the reason it is not listed although it is active."""
        pages = self._pages.values()
        return {name: why for page in pages for name, why in page.left_out.items()}

    def find(
        self, tool: str, era: Era = MODERN, profile: Profile = GENERIC
    ) -> Exposed | None:
        """Find the ability behind a tool name.

        Whether it is active and visible is not asked here; the envelope does.

        Args:
            tool: what a client sent.
            era: the era of the call.
            profile: of the client.

        Returns:
            None for a name that this server lists for nobody.
        """
        name = original_name(tool) or self._original_of_shortened(tool)
        ability = self._host.registry.find_ability(name) if name else None
        if ability is None or not self._shows(ability):
            return None
        exposed = self._expose(ability, era, profile)
        return None if exposed.fault else exposed

    def may_see(self, ability: Ability, actor: Actor) -> bool:
        """Answer whether an actor could see an ability when that was last looked at.

        Args:
            ability: a registered one.
            actor: who asks.

        Returns:
            What a listing would show; whether it may be run the envelope says.
        """
        view = self._host.server_view(self._id)
        is_let_in = not view.requires or actor.may(view.requires)
        is_active = self._host.denylist.is_active(ability, view)
        return is_let_in and is_active and actor.may(ability.requires)

    def shape_behind(self, exposed: Exposed, name: str) -> Shape:
        """Give the shape of a result: what a route led to may give content.

        Args:
            exposed: what was called.
            name: of the ability that ran.

        Returns:
            The shape of what was called, for content where content came.
        """
        if not exposed.ability.is_route:
            return exposed.shape
        ran = self._host.registry.find_ability(name)
        is_content = ran is not None and ran.component.gives_content
        return replace(exposed.shape, gives_content=is_content)

    async def tools(
        self, era: Era, actor: Actor, profile: Profile = GENERIC
    ) -> list[Mapping[str, Any]]:
        """Give the finished tools that an actor can see.

        Args:
            era: the era of the request.
            actor: who asks.
            profile: of the client.

        Returns:
            One page, by name; not to be changed.

        Raises:
            StoreUnreadable: when what is switched off cannot be read.
        """
        await self._host.refresh()
        page = self._current(era, actor, profile)
        if page is None:
            async with self._building:
                page = self._current(era, actor, profile)
                page = page or await self._build(era, actor, profile)
        return page.tools

    def _shows(self, ability: Ability) -> bool:
        return ability.component.kind == "tool" and self._spec().exposes(ability.name)

    def _current(self, era: Era, actor: Actor, profile: Profile) -> _Page | None:
        page = self._pages.get((era, profile.name, actor.scopes))
        is_current = page is not None and page.revision == self._host.revision
        return page if is_current else None

    async def _build(self, era: Era, actor: Actor, profile: Profile) -> _Page:
        abilities = await self._host.list_abilities(actor, self._id)
        page, size = _Page(self._host.revision), 0
        for number, ability in enumerate(sorted(abilities, key=_tool_name)):
            if number % _BATCH == 0:
                await asyncio.sleep(0)  # a long listing must not stall the calls
            if not self._shows(ability):
                continue
            exposed = self._expose(ability, era, profile)
            fault = exposed.fault or self._overflow(size + exposed.size)
            if fault:
                page.left_out[ability.name] = fault
            else:
                page.tools.append(exposed.tool)
                size += exposed.size
        _warn_of_count(profile, len(page.tools))
        self._keep((era, profile.name, actor.scopes), page)
        return page

    def _keep(self, key: tuple[Era, str, frozenset[str]], page: _Page) -> None:
        known = self.left_out
        for name, reason in page.left_out.items():
            if known.get(name) != reason:
                log.warning("ability %s is not listed: %s", name, reason)
        if len(self._pages) >= REMEMBERED:
            self._pages.clear()
        self._pages[key] = page

    def _overflow(self, size: int) -> str:
        limit = self._host.config.limits.listing_bytes
        if size <= limit:
            return ""
        return (
            f"the listing is full at limits.listing_bytes = {limit}; raise it, switch "
            "abilities off, or make the server compact"
        )

    def _expose(self, ability: Ability, era: Era, profile: Profile) -> Exposed:
        key = (ability.name, era, profile.name)
        known = self._exposed.get(key)
        if known is None or known.ability is not ability:
            known = self._exposed[key] = self._made(ability, era, profile)
        return known

    def _made(self, ability: Ability, era: Era, profile: Profile) -> Exposed:
        is_write = self._host.denylist.is_write(ability)
        tool, shape = tool_of(ability, era, is_write=is_write), shape_of(ability, era)
        tool, shape, fault = show_to(profile, ability, tool, shape, self._id)
        fault = fault or _fault(tool, era) or self._clash(ability, tool["name"])
        size = 0 if fault else len(orjson.dumps(tool))
        return Exposed(ability, shape, tool, size, fault)

    def _clash(self, ability: Ability, tool: str) -> str:
        """A tool name stays with the ability that had it first."""
        owner = original_name(tool) or self._original_of_shortened(tool)
        if owner == ability.name:
            return ""
        return f"its tool name {tool!r} belongs to {owner!r}; choose a shorter name"

    def _original_of_shortened(self, tool: str) -> str | None:
        registry = self._host.registry
        if registry.version != self._seen_version:
            self._seen_version = registry.version
            profiles = self._host.profiles.values()
            limits = {each.name_budget(self._id) for each in profiles}
            for ability in registry.list_abilities():
                for shown in {exposed_name(ability.name, each) for each in limits}:
                    if original_name(shown) is None:
                        self._shortened.setdefault(shown, ability.name)
        return self._shortened.get(tool)


def _warn_of_count(profile: Profile, count: int) -> None:
    if profile.tools is not None and count > profile.tools:
        log.warning(
            "%d tools are listed, and clients of the profile %s take %d: switch some "
            "off, or set [server] compact = true",
            count,
            profile.name,
            profile.tools,
        )


def _tool_name(ability: Ability) -> str:
    return exposed_name(ability.name)


def _fault_of(ability: Ability, era: Era) -> str:
    shelf = shelf_of(ability)
    if shelf is not None:
        return fault_of(ability, shelf, era)
    return _fault(tool_of(ability, era, is_write=ability.is_write), era)


def _fault(tool: Mapping[str, Any], era: Era) -> str:
    from mcp.shared.inbound import find_invalid_x_mcp_header  # noqa: PLC0415 - a slow import

    fault = find_fault("tools/list", era, {"tools": [tool]}, 2)
    return fault or find_invalid_x_mcp_header(tool["inputSchema"]) or ""
