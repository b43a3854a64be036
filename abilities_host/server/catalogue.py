"""Catalogue: the resources, templates and prompts of one server, by the page."""

import logging
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import orjson

from abilities_host.ability import Ability
from abilities_host.calls import Actor
from abilities_host.host import Host
from abilities_host.names import exposed_name
from abilities_host.server.eras import Era
from abilities_host.server.prompt import prompt_of
from abilities_host.server.resource import resource_of
from abilities_host.server.wire import find_fault

if TYPE_CHECKING:
    from mcp.server.caching import CacheableMethod

log = logging.getLogger(__name__)

PAGE: Final = 200
_CURSOR: Final = "after:"

Shelf = Literal["resources", "resourceTemplates", "prompts"]
"""As the protocol calls the field of its listing."""

METHODS: Final[Mapping[Shelf, "CacheableMethod"]] = {
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}


class Page(NamedTuple):
    """Some of what a caller can see.

    Attributes:
        items: in wire form.
        cursor: where the next page begins, None on the last.
    """

    items: list[dict[str, Any]]
    cursor: str | None


class BadCursor(ValueError):
    """Raised for a cursor that no page ever gave."""


class Found(NamedTuple):
    """A resource and what its address says.

    Attributes:
        ability: the resource.
        variables: of its template, as texts; empty for any other.
    """

    ability: Ability
    variables: Mapping[str, str]


def shelf_of(ability: Ability) -> Shelf | None:
    """Say where an ability is listed, None for a tool."""
    component = ability.component
    if component.kind == "resource":
        return "resourceTemplates" if component.template else "resources"
    return "prompts" if component.kind == "prompt" else None


def fault_of(ability: Ability, shelf: Shelf, era: Era) -> str:
    """Say why no client could be shown an ability, empty when every one can."""
    item = _FORMS[shelf](ability)
    return find_fault(METHODS[shelf], era, {shelf: [item]}, 2)


class Catalogue:
    """What is not a tool.

    A compact server shows it all the same: a client reads it on request only.

    Args:
        host: the running host.
        server: id of the server.
    """

    def __init__(self, host: Host, server: str) -> None:
        self._host: Final = host
        self._server: Final = server
        self._faults: Final[dict[tuple[str, Era], tuple[Ability, str]]] = {}

    async def page(
        self, shelf: Shelf, era: Era, actor: Actor, cursor: str | None
    ) -> Page:
        """Give some of what an actor can see.

        Args:
            shelf: what is listed.
            era: of the request.
            actor: who asks.
            cursor: of the page before, None for the first.

        Returns:
            At most `PAGE` items in the order of their keys, and no more bytes than a
            listing may have.

        Raises:
            BadCursor: for a cursor that no page gave.
            StoreUnreadable: when what is switched off cannot be read.
        """
        visible = await self._host.list_abilities(actor, self._server)
        listed = {
            key_of(ability): ability
            for ability in visible
            if shelf_of(ability) == shelf and not self._fault(ability, shelf, era)
        }
        keys = sorted(listed)
        start = _start(keys, cursor)
        items = self._fill([listed[key] for key in keys[start : start + PAGE]], shelf)
        end = start + len(items)
        return Page(items, f"{_CURSOR}{keys[end - 1]}" if end < len(keys) else None)

    def find_prompt(self, name: str) -> Ability | None:
        """Find a prompt by the name a client was shown; the envelope asks the rest."""
        return next((one for one in self._all("prompts") if key_of(one) == name), None)

    def find_resource(self, uri: str) -> Found | None:
        """Find what an address means; a whole address goes before a template.

        Args:
            uri: what a client sent.

        Returns:
            None when no ability has it; whether one is active and visible is not asked
            here, the envelope does.
        """
        for ability in self._all("resources"):
            if ability.component.uri == uri:
                return Found(ability, {})
        for ability in self._all("resourceTemplates"):
            template = ability.component.template
            values = template.match(uri) if template else None
            if values is not None:
                return Found(ability, values)
        return None

    def find_template(self, uri: str) -> Ability | None:
        """Find a template by its own text."""
        templates = self._all("resourceTemplates")
        return next((one for one in templates if key_of(one) == uri), None)

    async def may_see(self, ability: Ability, actor: Actor) -> bool:
        """Answer whether an actor would find an ability in a listing."""
        return ability in await self._host.list_abilities(actor, self._server)

    def _all(self, shelf: Shelf) -> Sequence[Ability]:
        registered = self._host.registry.list_abilities()
        on_shelf = [one for one in registered if shelf_of(one) == shelf]
        return sorted(on_shelf, key=key_of)

    def _fill(self, abilities: Sequence[Ability], shelf: Shelf) -> list[dict[str, Any]]:
        """One item is always given, or a listing could not get past it."""
        items: list[dict[str, Any]] = []
        left = self._host.config.limits.listing_bytes
        for ability in abilities:
            item = _FORMS[shelf](ability)
            left -= len(orjson.dumps(item))
            if left < 0 and items:
                break
            items.append(item)
        return items

    def _fault(self, ability: Ability, shelf: Shelf, era: Era) -> str:
        known = self._faults.get((ability.name, era))
        if known is None or known[0] is not ability:
            known = ability, fault_of(ability, shelf, era)
            if known[1]:
                log.warning("ability %s is not listed: %s", ability.name, known[1])
            self._faults[ability.name, era] = known
        return known[1]


def key_of(ability: Ability) -> str:
    """Give what a client names a resource or a prompt by."""
    return ability.component.uri or exposed_name(ability.name)


def _start(keys: Sequence[str], cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.startswith(_CURSOR):
        raise BadCursor
    return bisect_right(keys, cursor.removeprefix(_CURSOR))


_FORMS: Final[Mapping[Shelf, Callable[[Ability], dict[str, Any]]]] = {
    "resources": resource_of,
    "resourceTemplates": resource_of,
    "prompts": prompt_of,
}
