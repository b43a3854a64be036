"""A book knows at the next request what any process did, and never guesses."""

import ast
import asyncio
import inspect
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tokens.world import DAY, SECOND, START, World, opened

from abilities_host.errors import StoreError
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.tokens import Refusal, TokenBook, TokenRecord, Tokens, book
from abilities_host.tokens.tables import COUNT

MINUTE = 60 * SECOND

# Another process: makes, ends or replaces a token when it is told to.
OTHER = """
import asyncio, sys
from pathlib import Path
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.tokens import Tokens

async def main():
    async with open_sqlite(Path(sys.argv[1])) as store:
        tokens = Tokens(store)
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            action, name = line.split()
            if action == "create":
                done = await tokens.create(name, by="other")
            else:
                done = await getattr(tokens, action)(name, "other")
            print(done.value or "done", flush=True)

asyncio.run(main())
"""


class Counted(Tokens):
    """Tokens that count how often they are read."""

    reads = 0

    async def load(self) -> list[tuple[object, ...]]:
        self.reads += 1
        return await super().load()


async def test_a_token_is_found_until_it_ends(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", expires_at=START + DAY, by="cli")
        found = await world.book.find(made.value, START + DAY - 1)
        expired = await world.book.find(made.value, START + DAY)

    assert (found, expired) == (made.record, Refusal("expired"))


async def test_only_the_whole_secret_is_told_more_than_unknown(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        await world.tokens.revoke("bot", "cli")
        wrong = made.value[:-1] + ("A" if made.value[-1] != "A" else "B")
        other = f"abl_00000000{made.value[12:]}"
        answers = [
            await world.book.find(shown, START)
            for shown in (made.value, wrong, other, "", "token", made.value + "\n")
        ]

    assert answers == [Refusal("revoked"), *[Refusal("unknown")] * 5]


async def test_it_is_read_again_only_when_something_has_changed(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        tokens = Counted(store)
        await tokens.migrate()
        looked_up = TokenBook(tokens, store)
        made = await tokens.create("bot", by="cli")
        at = made.record.created_at
        await asyncio.gather(*(looked_up.find(made.value, at) for _ in range(20)))
        once = tokens.reads
        await store.write([Statement(COUNT)], bump=True)
        await looked_up.find("malformed", at)
        malformed = tokens.reads
        await looked_up.find(made.value, at)

    assert (once, malformed, tokens.reads) == (1, 1, 2)


async def test_what_another_process_does_holds_at_the_next_find(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", OTHER, str(tmp_path / "s.db")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        assert await child.stdout.readline() == b"ready\n"

        async def told(order: str) -> str:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(f"{order}\n".encode())
            return (await child.stdout.readline()).decode().strip()

        async def seen(value: str) -> str:
            found = await world.book.find(value, START)
            return found.reason if isinstance(found, Refusal) else found.name

        first = await told("create bot")
        made = await seen(first)
        second = await told("rotate bot")
        rotated = [await seen(first), await seen(second)]
        await told("revoke bot")
        revoked = [await seen(first), await seen(second)]
        await child.communicate(b"")

    assert (made, rotated) == ("bot", ["revoked", "bot"])
    assert revoked == ["revoked", "revoked"]


@asynccontextmanager
async def without_its_file(folder: Path) -> AsyncIterator[None]:
    """Take the store away, and put it back."""
    kept, away = folder / "s.db", folder / "away.db"
    await asyncio.to_thread(kept.rename, away)
    yield
    await asyncio.to_thread(away.rename, kept)


async def test_a_store_that_cannot_be_read_lets_nobody_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        async with without_its_file(tmp_path):
            for _ in range(2):
                with pytest.raises(StoreError) as caught:
                    await world.book.find(made.value, START)
        again = await world.book.find(made.value, START)

    assert again == made.record
    assert made.value[13:] not in f"{caught.value}{caplog.text}"


async def test_a_closed_store_lets_nobody_in_either(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        assert await world.book.find(made.value, START) == made.record

    with pytest.raises(StoreError):
        await world.book.find(made.value, START)


async def used(world: World) -> dict[str, int | None]:
    return {each.name: each.used_at for each in await world.tokens.list_tokens()}


async def test_uses_are_written_once_a_minute_and_tell_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        ids = {}
        for name in ("a", "b", "idle"):
            made = await world.tokens.create(name, by="cli")
            ids[name] = made.record.id
        await world.book.find(made.value, START)
        before = world.store.generation()
        for name in ("a", "b", "a"):
            world.clock.now += SECOND
            world.book.note_use(ids[name])
        world.book.note_use("stranger")
        await world.book.flush()
        first = await used(world)
        world.clock.now = START + MINUTE
        world.book.note_use(ids["a"])
        await world.book.flush()
        soon = await used(world)
        world.clock.now += 10 * SECOND
        world.book.note_use(ids["a"])
        world.book.note_use(ids["b"])
        await world.book.flush()
        later = await used(world)
        world.clock.now += SECOND
        world.book.note_use(ids["b"])
        await world.book.flush(is_last=True)
        await world.book.flush(is_last=True)
        last = await used(world)
        after = world.store.generation()

    assert first == {"a": START + 3 * SECOND, "b": START + 2 * SECOND, "idle": None}
    assert soon == first
    end = START + MINUTE + 10 * SECOND
    assert later == {"a": end, "b": end, "idle": None}
    assert last == {"a": end, "b": end + SECOND, "idle": None}
    assert before == after


async def test_a_use_that_cannot_be_stored_is_kept_and_a_gone_token_forgotten(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        made = [await world.tokens.create(name, by="cli") for name in ("a", "b")]
        await world.book.find(made[0].value, START)
        for each in made:
            world.book.note_use(each.record.id)
        async with without_its_file(tmp_path):
            with pytest.raises(StoreError):
                await world.book.flush()
        await world.store.write(
            [Statement("DELETE FROM client_token WHERE name = 'b'")], bump=True
        )
        await world.book.find(made[0].value, START)
        await world.book.flush()
        uses = await used(world)

    assert uses == {"a": START}


async def test_a_use_while_others_are_stored_is_not_lost(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        await world.book.find(made.value, START)
        world.book.note_use(made.record.id)
        storing = asyncio.create_task(world.book.flush())
        await asyncio.sleep(0)
        world.clock.now += SECOND
        world.book.note_use(made.record.id)
        await storing
        first = await used(world)
        await world.book.flush(is_last=True)
        second = await used(world)

    assert (first, second) == ({"bot": START}, {"bot": START + SECOND})


def test_a_secret_is_compared_in_one_way_only() -> None:
    """Known or not, every well-formed token is compared once, by digest."""
    tree = ast.parse(inspect.getsource(book))
    [find] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef) and node.name == "find"
    ]
    calls = [ast.unparse(node) for node in ast.walk(find) if isinstance(node, ast.Call)]
    equalities = [
        ast.unparse(node)
        for node in ast.walk(find)
        if isinstance(node, ast.Compare)
        and any(isinstance(each, ast.Eq | ast.NotEq) for each in node.ops)
    ]

    assert "compare_digest(digest_of(shown), kept.digest)" in calls
    assert "self._kept.get(public, self._nobody)" in calls
    assert equalities == ["state == 'live'"]


async def test_an_id_that_nobody_has_is_compared_with_something(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        shown = f"abl_00000000_{'A' * 43}"
        answer = await world.book.find(shown, START)
        made = await world.tokens.create("bot", by="cli")
        found = await world.book.find(made.value, START)

    assert answer == Refusal("unknown")
    assert isinstance(found, TokenRecord)
