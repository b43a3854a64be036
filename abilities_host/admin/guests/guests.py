"""Guests: the pages of all packs of a host, as long as their packs are there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from starlette.exceptions import HTTPException

from abilities_host.admin.guests.guest import Guest
from abilities_host.admin.page import Page
from abilities_host.admin.paths import below, marks_of
from abilities_host.admin.visit import Visit
from abilities_host.host import Host


class Link(NamedTuple):
    """A page in the navigation.

    Attributes:
        path: where it leads.
        title: what it is called.
        language: of the title; empty for that of the frame.
        mark: the value of ``aria-current``; empty when it is not shown.
    """

    path: str
    title: str
    language: str
    mark: str


class Guests:
    """The pages of all packs of a host.

    Args:
        host: running; its packs have said by now which pages they add.
    """

    def __init__(self, host: Host) -> None:
        self._host: Final = host
        packs = {pack.identity: pack for pack in host.packs if not pack.is_copy}
        self._guests: Final = tuple(
            Guest(packs[identity], page)
            for identity, pages in host.admin_pages.items()
            for page in pages
        )
        self._revision = -1
        self._off: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Guest]:
        """Give every page, those of packs that are off too."""
        return iter(self._guests)

    async def check(self, guest: Guest) -> None:
        """Check that a page is there now.

        Args:
            guest: the page.

        Raises:
            HTTPException: when its pack is off, or was set aside.
        """
        await self._host.refresh()
        if not self._is_there(guest):
            raise HTTPException(404)

    def navigation(
        self, visit: Visit, current: Page
    ) -> Sequence[tuple[str, Sequence[Link]]]:
        """Give what the navigation leads to.

        Args:
            visit: of the person.
            current: what is shown.

        Returns:
            Name of each pack, and its pages that this person may see.
        """
        listed = [
            each
            for each in self._guests
            if each.is_listed and visit.role.covers(each.page.role)
            if self._is_there(each)
        ]
        marks = marks_of(current.path, [each.page.path for each in listed])
        found: dict[str, list[Link]] = {}
        for guest in listed:
            link = _link(guest, visit, marks[guest.page.path])
            found.setdefault(guest.pack.name, []).append(link)
        return tuple(found.items())

    def _is_there(self, guest: Guest) -> bool:
        pack = guest.pack
        return pack.is_healthy and pack.identity not in self._packs_off()

    def _packs_off(self) -> frozenset[str]:
        if self._revision != self._host.revision:
            revision = self._host.revision
            self._off, self._revision = _find_off(self._host), revision
        return self._off


def _find_off(host: Host) -> frozenset[str]:
    """A pack is off when all it has is; that a host only reads is no reason."""
    switches = replace(host.config.switches, read_only=False)
    denylist = host.denylist.with_switches(switches)
    abilities = host.registry.list_abilities()
    on = {each.pack for each in abilities if denylist.is_active(each)}
    return frozenset(each.pack for each in abilities) - on


def _link(guest: Guest, visit: Visit, mark: str) -> Link:
    title, language = guest.title(visit.accepted)
    other = "" if language == visit.texts.language else language
    return Link(below(guest.page.path), title, other, mark)
