"""What the tests of recording stand in: notes as files, and a pack that writes them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import abilities_ledger
from abilities_host import (
    MISSING,
    Actor,
    Ask,
    Call,
    Changes,
    Drifted,
    NeedsInput,
    ProposedWrite,
    RegistryView,
    State,
    Veto,
    hookimpl,
    run_in_thread,
)
from abilities_host.calls import Outcome
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Entry, Ledger
from abilities_host.storage import Store
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.testing import build_host
from abilities_ledger.book import Book
from abilities_ledger.tables import MIGRATIONS, OWNER

ANN = Actor("ann", "human", frozenset({"read", "write", "ledger:*"}))
BOB = Actor("bob", "agent", frozenset({"read", "write"}))
TEXT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "text": {"type": "string"},
        "password": {"type": "string"},
    },
    "required": ["id"],
}


@asynccontextmanager
async def open_book(folder: Path, name: str = "store.db") -> AsyncIterator[Book]:
    """Open a real store with nothing but the tables of the record."""
    await run_in_thread(lambda: folder.mkdir(mode=0o700, parents=True, exist_ok=True))
    await run_in_thread(lambda: folder.chmod(0o700))
    async with open_sqlite(folder / name) as store:
        await store.migrate(OWNER, MIGRATIONS)
        yield Book(store)


def ledger_pack() -> Pack:
    identity = "abilities-host/ledger"
    return Pack(
        identity, "ledger", "0.1.0", is_policy=False, load=lambda: abilities_ledger
    )


class Notes:
    """A domain of files in one folder, so that several processes share it."""

    name = "notes"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_broken = False
        # Stands still where it is told to; `reached` says that it does.
        self.stops_at: set[str] = set()
        self.reached = asyncio.Event()

    def canonical(self, target: str) -> str:
        if not target or "/" in target:
            msg = "a note has a plain name"
            raise ValueError(msg)
        return target.lower()

    async def capture(self, target: str) -> State:
        if self.is_broken:
            raise OSError
        await self._stop("capture")
        return await run_in_thread(lambda: self.read(target))

    async def restore(self, target: str, expected: State, state: State) -> None:
        current = await self.capture(target)
        if current != expected:
            raise Drifted(current)
        await run_in_thread(lambda: self.put(target, state))
        await self._stop("restored")

    async def _stop(self, where: str) -> None:
        if where in self.stops_at:
            self.reached.set()
            await asyncio.Event().wait()

    def is_secret(self, target: str) -> bool:
        return target.startswith("secret")

    def read(self, target: str) -> State:
        try:
            return (self.folder / target).read_text()
        except FileNotFoundError:
            return MISSING

    def put(self, target: str, state: State) -> None:
        if state is MISSING:
            (self.folder / target).unlink(missing_ok=True)
        else:
            (self.folder / target.lower()).write_text(state)


class Desk:
    """A pack of notes whose abilities end in every way there is."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.notes = Notes(folder)
        self.answer: Veto | Ask | None = None
        self.vetoes_touch = False
        self.allows = True
        self.facts: Any = None
        self.reached = self.notes.reached
        self.go_on = asyncio.Event()
        self.in_thread = threading.Event()
        self.thread_may_end = threading.Event()

    # --- hooks ---

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("notes", label="Notes", description="Notes.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_domain(self.notes)
        named = Changes("notes", targets=lambda arguments: [arguments["id"]])
        found = Changes("notes")
        for name, execute, changes, more in (
            ("put", self.put, named, {}),
            ("put-again", self.put, named, {"idempotent": True}),
            ("checked", self.put, named, {}),
            ("remove", self.remove, named, {}),
            ("nothing", self.nothing, named, {}),
            ("fail-after", self.fail_after, named, {}),
            ("stand", self.stand, named, {}),
            ("wait", self.wait, named, {}),
            ("wait-touched", self.wait_touched, found, {}),
            ("hang", self.hang, named, {}),
            ("ask", self.ask, named, {}),
            ("lie", self.lie, named, {}),
            ("touch", self.touch, found, {}),
            ("create", self.create, found, {}),
            ("made", self.made, named, {}),
            ("outer", self.outer, found, {}),
            ("outer-wait", self.outer_wait, found, {}),
            ("plain", self.nothing, None, {}),
        ):
            self._register(registry, name, execute, changes, more)

    def _register(
        self,
        registry: RegistryView,
        name: str,
        execute: Any,
        changes: Changes | None,
        notes: dict[str, bool],
    ) -> None:
        more: dict[str, Any] = {}
        if name == "lie":
            more = {"output_schema": {"type": "string"}}
        if name in ("checked", "plain"):
            more = {"verify_callback": lambda arguments: self.facts}
        registry.register_ability(
            f"notes/{name}",
            label=name,
            description=f"Does {name}.",
            category="notes",
            input_schema=TEXT,
            execute_callback=execute,
            permission_callback=lambda: self.allows,
            changes=changes,
            time_limit=1.0 if name == "hang" else None,
            meta={"annotations": {"readonly": False, **notes}},
            **more,
        )

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> Veto | Ask | None:
        if self.vetoes_touch and write.targets:
            return Veto("not this one", rule="r7")
        return self.answer

    # --- abilities ---

    async def put(self, arguments: dict[str, Any]) -> str:
        await self._write(arguments)
        return "done"

    async def remove(self, arguments: dict[str, Any]) -> str:
        await run_in_thread(lambda: self.notes.put(arguments["id"], MISSING))
        return "done"

    async def nothing(self, arguments: dict[str, Any]) -> str:
        return "done"

    async def fail_after(self, arguments: dict[str, Any]) -> str:
        await self._write(arguments)
        msg = "and then it failed"
        raise RuntimeError(msg)

    async def stand(self, arguments: dict[str, Any]) -> str:
        self.reached.set()
        await self.go_on.wait()
        return "done"

    async def wait_touched(self, arguments: dict[str, Any], call: Call) -> str:
        await call.touch("notes", arguments["id"])
        return await self.wait(arguments)

    async def wait(self, arguments: dict[str, Any]) -> str:
        await self._write(arguments)
        self.reached.set()
        await self.go_on.wait()
        return "done"

    def hang(self, arguments: dict[str, Any]) -> str:
        self.in_thread.set()
        self.thread_may_end.wait()
        self.notes.put(arguments["id"], arguments["text"])
        return "done"

    async def ask(self, arguments: dict[str, Any], call: Call) -> str:
        if call.answer is None:
            raise NeedsInput("Really?")
        await self._write(arguments)
        return "done"

    async def lie(self, arguments: dict[str, Any]) -> int:
        await self._write(arguments)
        return 7

    async def touch(self, arguments: dict[str, Any], call: Call) -> str:
        await call.touch("notes", arguments["id"])
        await self._write(arguments)
        return "done"

    async def create(self, arguments: dict[str, Any], call: Call) -> str:
        await self._write(arguments)
        await call.created("notes", arguments["id"])
        return "done"

    async def made(self, arguments: dict[str, Any], call: Call) -> str:
        await self._write(arguments)
        call.made("notes", arguments["id"], arguments["text"])
        await self._write({**arguments, "text": "by somebody else"})
        return "done"

    async def outer(self, arguments: dict[str, Any], call: Call) -> str:
        inner = await call.execute("notes/put", arguments)
        return str(inner.unwrap())

    async def outer_wait(self, arguments: dict[str, Any], call: Call) -> str:
        await self.touch({**arguments, "id": "outer"}, call)
        await call.touch("notes", arguments["id"])
        inner = await call.execute("notes/wait", arguments)
        return str(inner.unwrap())

    async def _write(self, arguments: dict[str, Any]) -> None:
        await run_in_thread(lambda: self.notes.put(arguments["id"], arguments["text"]))


class Room(NamedTuple):
    """A running host with a record and the desk."""

    host: Host
    desk: Desk
    book: Book

    async def run(
        self, name: str, id_: str = "a", text: str = "x", **more: Any
    ) -> Outcome:
        actor = more.pop("actor", ANN)
        arguments = {"id": id_, "text": text, **more}
        return await self.host.execute(
            f"notes/{name}", arguments, actor=actor, session="s1", client="test"
        )

    async def entries(self, after: int = 0) -> list[Entry]:
        return await self.book.select(
            "WHERE seq > :after ORDER BY seq LIMIT 1000", {"after": after}
        )

    @property
    def ledger(self) -> Ledger:
        return self.host.services.find(Ledger)


@asynccontextmanager
async def open_room(
    folder: Path,
    config: str = "",
    *,
    packs: Sequence[Any] = (),
    desk: Desk | None = None,
) -> AsyncIterator[Room]:
    desk = desk or Desk(folder / "notes")
    async with build_host(
        folder / "host",
        packs=[ledger_pack(), ("notes", desk), *packs],
        config="[ledger]\nrequired = true\n" + config,
    ) as host:
        assert [pack.refused for pack in host.packs if pack.refused] == []
        store: Store = host._store  # noqa: SLF001 - the tests look at the rows
        yield Room(host, desk, Book(store))


def brief(entry: Entry) -> tuple[str, ...]:
    """Give what one line of a test says of an entry."""
    words = (entry.kind, entry.target, entry.action, entry.result, entry.real)
    flags = entry.details.get("flags") or []
    return tuple(word for word in (*words, entry.partial, *flags) if word)
