"""A pack with everything a pack may have, as docs/how-to/write-a-pack.md shows it."""

# -- start head --
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from abilities_host import (
    MISSING,
    AbilityFailed,
    Call,
    Changes,
    Declaration,
    DefaultStep,
    Denied,
    Drifted,
    RegistryView,
    State,
    hookimpl,
    run_in_thread,
)


@hookimpl
def declare_pack() -> Declaration:
    return Declaration(namespaces=("bookmarks",), requires_packages=("packaging>=24",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category(
        "bookmarks", label="Bookmarks", description="Addresses worth keeping."
    )


# -- end head --
# -- start domain --
class Shelf:
    """One file for each bookmark."""

    name = "bookmarks"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def canonical(self, target: str) -> str:
        name = target.strip().lower()
        if re.fullmatch(r"[a-z0-9-]{1,64}", name):
            return name
        raise ValueError("a bookmark's name is letters, digits and dashes")

    async def capture(self, target: str) -> State:
        return await run_in_thread(lambda: self.read(target))

    async def restore(self, target: str, expected: State, state: State) -> None:
        await run_in_thread(lambda: self._restore(target, expected, state))

    def read(self, name: str) -> State:
        file = self.folder / f"{name}.url"
        return file.read_text() if file.exists() else MISSING

    def write(self, name: str, state: State) -> None:
        self.folder.mkdir(exist_ok=True)
        file = self.folder / f"{name}.url"
        if state is MISSING:
            file.unlink(missing_ok=True)
        else:
            file.write_text(state)

    def _restore(self, name: str, expected: State, state: State) -> None:
        current = self.read(name)
        if current != expected:
            raise Drifted(current)
        self.write(name, state)


# -- end domain --
# -- start result --
Name = Annotated[str, Field(pattern="^[A-Za-z0-9-]{1,64}$")]


@dataclass
class Bookmark:
    """What the abilities give back."""

    name: str
    url: str


# -- end result --


# -- start permission --
def may_save(arguments: Mapping[str, Any]) -> bool | Denied:
    if str(arguments["url"]).startswith("https:"):
        return True
    return Denied("not https", public="Only https addresses are kept.")


# -- end permission --
# -- start verify --
def verify(shelf: Shelf, arguments: Mapping[str, Any]) -> dict[str, Any]:
    state = shelf.read(shelf.canonical(arguments["name"]))
    return {"exists": state is not MISSING}


# -- end verify --
# -- start register --
@hookimpl
def register_abilities(registry: RegistryView) -> None:
    shelf = Shelf(registry.folder / registry.settings.get("folder", "bookmarks"))
    registry.register_domain(shelf)
    register_read(registry, shelf)
    register_writes(registry, shelf)


# -- end register --
# -- start read --
def register_read(registry: RegistryView, shelf: Shelf) -> None:
    @registry.ability(
        "bookmarks/get",
        label="Get bookmark",
        category="bookmarks",
        permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}},
    )
    def get(name: Name) -> Bookmark:
        """Gives the address that is kept under a name."""
        name = shelf.canonical(name)
        url = shelf.read(name)
        if url is MISSING:
            raise AbilityFailed(f"There is no bookmark {name!r}.", code="no_bookmark")
        return Bookmark(name, url)


# -- end read --
# -- start write --
WRITES = {"readonly": False, "destructive": False, "idempotent": True}


def register_writes(registry: RegistryView, shelf: Shelf) -> None:
    @registry.ability(
        "bookmarks/save",
        label="Save bookmark",
        category="bookmarks",
        requires="bookmarks:write",
        permission_callback=may_save,
        changes=Changes("bookmarks", targets=lambda arguments: [arguments["name"]]),
        verify_callback=lambda arguments: verify(shelf, arguments),
        meta={"annotations": WRITES},
    )
    def save(name: Name, url: str) -> Bookmark:
        """Keeps an address under a name, in the place of an earlier one."""
        name = shelf.canonical(name)
        shelf.write(name, url)
        return Bookmark(name, url)

    register_unnamed(registry, shelf)


# -- end write --
def register_unnamed(registry: RegistryView, shelf: Shelf) -> None:
    """Register the abilities whose targets are known only while they run."""

    # -- start touch --
    @registry.ability(
        "bookmarks/forget",
        label="Forget bookmarks",
        category="bookmarks",
        requires="bookmarks:write",
        permission_callback=lambda: True,
        changes=Changes("bookmarks"),
        meta={"annotations": {**WRITES, "destructive": True}},
    )
    async def forget(word: str, *, call: Call) -> list[str]:
        """Forgets every bookmark whose address holds a word; gives their names."""
        found = await run_in_thread(partial(names_with, shelf, word))
        for name in found:
            await call.touch("bookmarks", name)
            await run_in_thread(partial(shelf.write, name, MISSING))
        return found

    # -- end touch --
    # -- start created --
    @registry.ability(
        "bookmarks/keep",
        label="Keep address",
        category="bookmarks",
        requires="bookmarks:write",
        permission_callback=may_save,
        changes=Changes("bookmarks"),
        meta={"annotations": {**WRITES, "idempotent": False}},
    )
    async def keep(url: str, *, call: Call) -> Bookmark:
        """Keeps an address under a new name, which it gives back."""
        name = await run_in_thread(partial(make_new, shelf, url))
        try:
            await call.created("bookmarks", name)
        except Exception:
            await run_in_thread(partial(shelf.write, name, MISSING))
            raise
        return Bookmark(name, url)

    # -- end created --


def names_with(shelf: Shelf, word: str) -> list[str]:
    """Find the names of bookmarks whose address holds a word."""
    files = sorted(shelf.folder.glob("*.url"))
    return [file.stem for file in files if word in file.read_text()]


def make_new(shelf: Shelf, url: str) -> str:
    """Keep an address under the first free number."""
    shelf.folder.mkdir(exist_ok=True)
    number = 1
    while (shelf.folder / f"new-{number}.url").exists():
        number += 1
    with (shelf.folder / f"new-{number}.url").open("x") as file:
        file.write(url)
    return f"new-{number}"


# -- start steps --
@hookimpl
def default_steps() -> list[DefaultStep]:
    return [DefaultStep(1, off=("bookmarks/forget",))]


# -- end steps --
