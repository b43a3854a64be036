"""Tokens are made, replaced and ended in the store, and nothing there is a secret."""

import asyncio
from pathlib import Path

import pytest
from tokens.world import DAY, HOUR, START, opened

from abilities_host.config import HostConfig
from abilities_host.errors import LookupFailed
from abilities_host.storage.base import Statement
from abilities_host.tokens import (
    Change,
    InvalidEnd,
    InvalidGrace,
    InvalidScope,
    InvalidTokenName,
    Refusal,
    TokenEnded,
    TokenExists,
    TokenRecord,
    TooManyTokens,
    actor_of,
)
from abilities_host.tokens.shape import digest_of
from abilities_host.tokens.tables import LIMIT


async def test_a_token_is_kept_as_a_hash_with_all_that_may_be_known(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        before = world.store.generation()
        change = await world.tokens.create(
            "ci-bot",
            scopes=["write", "read", "read"],
            role="viewer",
            server="team",
            expires_at=START + DAY,
            by="cli",
        )
        after = world.store.generation()
        listed = await world.tokens.list_tokens()
        [(digest,)] = await world.store.read("SELECT digest FROM client_token")

    record = TokenRecord(
        id=change.record.id,
        name="ci-bot",
        scopes=("read", "write"),
        role="viewer",
        server="team",
        created_at=START,
        created_by="cli",
        expires_at=START + DAY,
    )
    assert (change.action, change.record, listed) == ("created", record, (record,))
    assert (digest, after) == (digest_of(change.value), before + 1)
    assert record.prefix == f"abl_{record.id}" == change.value[:12]


def content_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("s.db*"))


async def test_no_secret_is_in_the_file_the_repr_or_the_details(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("ci-bot", by="cli")
        again = await world.tokens.rotate("ci-bot", "cli", 60)

    kept = await asyncio.to_thread(content_of, tmp_path)
    told = "".join(f"{each!r}{each.details}{each.record}" for each in (made, again))
    for value in (made.value, again.value):
        assert value[13:].encode() not in kept
        assert value[13:] not in told
        assert digest_of(value).hex() not in told
    assert again.details == {
        "id": again.record.id,
        "scopes": [],
        "role": "",
        "server": "",
        "expires_at": None,
        "ended": [made.record.id],
    }


@pytest.mark.parametrize(
    "name", ["", "Bot", "-bot", ".bot", "a b", "a" * 65, "é", "abl_bot", "bot\n", "a/b"]
)
async def test_a_name_that_can_be_none_is_refused_and_not_repeated(
    tmp_path: Path, name: str
) -> None:
    async with opened(tmp_path) as world:
        with pytest.raises(InvalidTokenName) as caught:
            await world.tokens.create(name, by="cli")
        listed = await world.tokens.list_tokens()

    assert listed == ()
    assert caught.value.sentence.startswith("A token's name is 1 to 64 characters")


@pytest.mark.parametrize(
    "scopes", [["Read"], ["a b"], [""], ["a:"], ["a" * 201], ["x"] * 101]
)
async def test_what_can_be_no_scope_is_refused(
    tmp_path: Path, scopes: list[str]
) -> None:
    async with opened(tmp_path) as world:
        with pytest.raises(InvalidScope):
            await world.tokens.create("bot", scopes=scopes, by="cli")


async def test_a_name_belongs_to_one_valid_token(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = await world.tokens.create("bot", expires_at=START + DAY, by="ana")
        with pytest.raises(TokenExists, match="There is a token 'bot' already"):
            await world.tokens.create("bot", by="cli")
        with pytest.raises(InvalidEnd):
            await world.tokens.create("late", expires_at=START, by="cli")
        world.clock.now += DAY
        second = await world.tokens.create("bot", by="ben")
        states = [
            (each.id, each.state(world.clock.now), each.revoked_by)
            for each in await world.tokens.list_tokens()
        ]

    assert states == [
        (first.record.id, "revoked", "ben"),
        (second.record.id, "live", ""),
    ]


async def test_a_revoked_token_is_refused_and_its_name_free(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        before = world.store.generation()
        ended = await world.tokens.revoke("bot", "ana")
        after = world.store.generation()
        found = await world.book.find(made.value, START)
        with pytest.raises(TokenEnded):
            await world.tokens.revoke("bot", "ana")
        again = await world.tokens.create("bot", by="cli")
        kept = await world.book.find(again.value, START)

    assert (ended.action, ended.ended, after) == (
        "revoked",
        (made.record.id,),
        before + 1,
    )
    assert found == Refusal("revoked")
    assert kept == again.record


async def test_one_of_two_is_revoked_by_its_prefix_and_both_by_the_name(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        old = await world.tokens.create("bot", by="cli")
        world.clock.now += 1
        new = await world.tokens.rotate("bot", "cli", 3600)
        by_prefix = await world.tokens.revoke(f"abl_{old.record.id}", "cli")
        world.clock.now += 1
        newer = await world.tokens.rotate(new.record.id, "cli", 3600)
        by_name = await world.tokens.revoke("bot", "cli")

    assert by_prefix.ended == (old.record.id,)
    assert by_name.ended == (new.record.id, newer.record.id)


async def test_an_unknown_token_is_guessed_and_a_pasted_one_not_repeated(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("build-bot", by="cli")
        stranger = f"abl_00000000_{made.value[13:]}"
        with pytest.raises(LookupFailed) as guessed:
            await world.tokens.revoke("build-bto", "cli")
        with pytest.raises(LookupFailed) as pasted:
            await world.tokens.revoke(stranger, "cli")
        with pytest.raises(InvalidTokenName) as half:
            await world.tokens.rotate(made.value[:-1], "cli")
        whole = await world.tokens.revoke(made.value, "cli")

    assert str(guessed.value) == (
        "There is no token 'build-bto'. Did you mean 'build-bot'?"
    )
    assert str(pasted.value) == "There is no token '00000000'."
    assert made.value[13:20] not in str(half.value)
    assert whole.ended == (made.record.id,)


async def test_a_rotation_ends_the_old_token_now_or_after_the_grace(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        first = await world.tokens.create(
            "bot", scopes=["read"], role="viewer", server="s", by="cli"
        )
        second = await world.tokens.rotate("bot", "ana", 3600)
        values = [first.value, second.value]
        in_grace = [await world.book.find(v, START + HOUR - 1) for v in values]
        at_its_end = [await world.book.find(v, START + HOUR) for v in values]
        third = await world.tokens.rotate("bot", "ben")
        values.append(third.value)
        at_once = [await world.book.find(v, START) for v in values]

    assert all(isinstance(each, TokenRecord) for each in in_grace)
    assert at_its_end == [Refusal("expired"), second.record]
    assert at_once == [Refusal("revoked"), Refusal("revoked"), third.record]
    assert second.record == TokenRecord(
        id=second.record.id,
        name="bot",
        scopes=("read",),
        role="viewer",
        server="s",
        created_at=START,
        created_by="ana",
        rotated_from=first.record.id,
    )


async def test_a_rotation_gives_the_same_length_of_life_or_another(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        await world.tokens.create("bot", expires_at=START + 30 * DAY, by="cli")
        world.clock.now += 29 * DAY
        same = await world.tokens.rotate("bot", "cli", 7 * 86_400)
        world.clock.now += DAY
        other = await world.tokens.rotate("bot", "cli", expires_at=START + 40 * DAY)
        ends = [each.expires_at for each in await world.tokens.list_tokens()]

    assert same.record.expires_at == START + 59 * DAY
    assert other.record.expires_at == START + 40 * DAY
    # The first would have ended before its grace.
    assert ends == [START + 30 * DAY, START + 59 * DAY, START + 40 * DAY]


async def test_what_has_ended_is_not_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.tokens.create("bot", expires_at=START + DAY, by="cli")
        for grace in (-1, 7 * 86_400 + 1):
            with pytest.raises(InvalidGrace, match="for 7 days at most"):
                await world.tokens.rotate("bot", "cli", grace)
        with pytest.raises(InvalidEnd):
            await world.tokens.rotate("bot", "cli", expires_at=START)
        world.clock.now += DAY
        with pytest.raises(TokenEnded, match="'bot' has ended already"):
            await world.tokens.rotate("bot", "cli")
        [left] = await world.tokens.list_tokens()

    assert (left.rotated_to, left.revoked_at) == ("", None)


FILL = """
    INSERT INTO client_token
        (id, digest, name, scopes, role, server, created_at, created_by, expires_at)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
    SELECT 'x' || i, x'00', 'n' || i, '', '', '', i, 'cli', :until FROM n
"""


async def test_there_is_room_for_so_many_and_those_that_ended_make_it(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        fill = {"count": LIMIT - 1, "until": START + DAY}
        await world.store.write([Statement(FILL, fill)])
        last = await world.tokens.create("last", by="cli")
        with pytest.raises(TooManyTokens, match="There are 10,000 valid tokens"):
            await world.tokens.create("more", by="cli")
        with pytest.raises(TooManyTokens):
            await world.tokens.rotate("last", "cli")
        still = await world.book.find(last.value, START)
        await world.tokens.revoke("n7", "cli")
        more = await world.tokens.create("more", by="cli")
        records = await world.tokens.list_tokens()

    names = {each.name for each in records}
    assert still == last.record
    assert (len(records), "n7" in names, "n8" in names) == (LIMIT, False, True)
    assert more.record in records


def config(**roles: list[str]) -> HostConfig:
    return HostConfig.model_validate({"roles": roles})


async def test_an_actor_has_the_scopes_of_the_token_and_of_its_role_now(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        made = [
            await world.tokens.create(name, scopes=["notes:read"], role=role, by="cli")
            for name, role in (("plain", ""), ("audit", "auditor"))
        ]

    def scopes(change: Change, config: HostConfig) -> tuple[str, str, set[str]]:
        actor = actor_of(change.record, config)
        return actor.id, actor.kind, set(actor.scopes)

    plain, audit = made
    with_role = config(auditor=["ledger:read"], **{"": ["write"]})
    assert scopes(plain, with_role) == ("plain", "agent", {"notes:read"})
    both = {"notes:read", "ledger:read"}
    assert scopes(audit, with_role) == ("audit", "agent", both)
    assert scopes(audit, config()) == ("audit", "agent", {"notes:read"})


def test_a_token_serves_every_server_or_the_one_it_is_bound_to() -> None:
    base = {"id": "x", "name": "x", "scopes": (), "role": "", "created_by": ""}
    free = TokenRecord(**base, server="", created_at=0)  # type: ignore[arg-type]  # texts
    bound = TokenRecord(**base, server="a", created_at=0)  # type: ignore[arg-type]  # texts

    assert [free.serves("a"), bound.serves("a"), bound.serves("b")] == [
        True,
        True,
        False,
    ]


async def test_a_change_that_cannot_be_stored_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        made = await world.tokens.create("bot", by="cli")
        await world.store.write(
            [
                Statement(
                    "CREATE TRIGGER full BEFORE UPDATE ON client_token "
                    "BEGIN SELECT RAISE(ABORT, 'full'); END"
                )
            ]
        )
        with pytest.raises(Exception, match="full"):
            await world.tokens.rotate("bot", "cli")
        listed = await world.tokens.list_tokens()
        found = await world.book.find(made.value, START)

    assert (listed, found) == ((made.record,), made.record)
