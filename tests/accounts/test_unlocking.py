"""An account signs with a key that nothing but its secret opens."""

import json
import pickle
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from accounts.world import CHEAP, OTHER, SECRET, Clock
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from abilities_host.accounts import (
    AccountPublished,
    Accounts,
    Human,
    PublicKeysBroken,
    PublicKeysUnusable,
    Role,
    SealKeyBroken,
    SealKeyReplaced,
    WrongSecret,
    keys_beside,
)
from abilities_host.accounts.tables import FIND_KEY, MIGRATIONS, OWNER
from abilities_host.storage import Statement, Store
from abilities_host.storage.sqlite import open_sqlite

ANA = Human("ana", 0, Role.OPERATOR)
NO_KEY = Statement("DELETE FROM account_seal_key")


def accounts_of(store: Store, keys: Path | None = None) -> Accounts:
    return Accounts(store, cost=CHEAP, clock=Clock(), keys=keys)


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


async def test_an_unlocked_account_signs_and_its_public_half_is_outside_the_store(
    tmp_path: Path,
) -> None:
    keys = keys_beside(tmp_path / "state" / "s.anchor")
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store, keys)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        published = keys.read_text()
        ana = await accounts.unlock("ANA", SECRET)
        public = await accounts.public_keys()
        inside = await accounts_of(store).public_keys()

    signature = ana.sign(b"yes")
    assert keys.name == "s.anchor.keys"
    assert public == inside == {"ana": ana.public}
    assert json.loads(published) == {
        "keys": {"ana": ana.public.hex()},
        "roles": {"ana": "operator"},
    }
    assert keys.read_text() == published
    assert is_signed(public["ana"], signature, b"yes")
    assert not is_signed(public["ana"], signature, b"no")
    assert (ana.name, ana.failures) == ("ana", 0)


async def test_a_wrong_secret_unlocks_nothing(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)

        with pytest.raises(WrongSecret):
            await accounts.unlock("ana", OTHER)


async def test_an_account_from_before_gets_its_key_with_the_next_right_secret(
    tmp_path: Path,
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await store.migrate(OWNER, MIGRATIONS[:1])
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await store.write([NO_KEY])
        before = await accounts.public_keys()

        ana = await accounts.unlock("ana", SECRET)
        again = await accounts.unlock("ana", SECRET)

    assert before == {}
    assert again.public == ana.public


async def test_another_secret_opens_the_same_key_and_the_old_one_none(
    tmp_path: Path,
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        before = await accounts.unlock("ana", SECRET)
        await accounts.change_secret("ana", SECRET, OTHER)
        after = await accounts.unlock("ana", OTHER)

    assert after.public == before.public
    assert after.sign(b"yes") == before.sign(b"yes")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE account_seal_key SET private = zeroblob(48)",
        "UPDATE account_seal_key SET public = zeroblob(32)",
        "UPDATE account_seal_key SET nonce = zeroblob(3)",
        # The key of one account for that of another.
        """
        UPDATE account_seal_key SET (public, private, salt, nonce) =
            (SELECT public, private, salt, nonce FROM account_seal_key
             WHERE name = 'ben') WHERE name = 'ana'
        """,
    ],
)
async def test_a_key_that_somebody_changed_opens_with_no_secret(
    tmp_path: Path, change: str
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", SECRET, by=ANA)
        await store.write([Statement(change)])

        with pytest.raises(SealKeyBroken, match="'ana' does not open"):
            await accounts.unlock("ana", SECRET)
        with pytest.raises(SealKeyBroken):
            await accounts.change_secret("ana", SECRET, OTHER)


async def test_a_key_put_in_place_of_the_published_one_is_refused(
    tmp_path: Path,
) -> None:
    keys = tmp_path / "s.keys"
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store, keys)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        before = await accounts.public_keys()
        await store.write([NO_KEY])

        with pytest.raises(SealKeyReplaced, match="another seal key for 'ana'"):
            await accounts.unlock("ana", SECRET)
        after = await accounts.public_keys()

    assert after == before


async def test_a_role_raised_in_the_store_alone_does_not_count(tmp_path: Path) -> None:
    keys = tmp_path / "s.keys"
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store, keys)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", OTHER, by=ANA)
        await store.write([Statement("UPDATE account SET role = 'operator'")])
        raised = (
            await accounts.verify("ben", OTHER),
            await accounts.unlock("ben", OTHER),
        )
        believed = await accounts_of(store).verify("ben", OTHER)
        roles = [await accounts.roles()]
        await accounts.set_role("ben", Role.OPERATOR, by=ANA)
        given = await accounts.verify("ben", OTHER)
        await store.write([Statement("UPDATE account SET role = 'reviewer'")])
        roles.append(await accounts.roles())

    assert [each.role for each in (*raised, believed, given)] == [
        *(Role.REVIEWER, Role.REVIEWER),
        *(Role.OPERATOR, Role.OPERATOR),
    ]
    assert roles == [
        {"ana": Role.OPERATOR, "ben": Role.REVIEWER},
        {"ana": Role.REVIEWER, "ben": Role.REVIEWER},
    ]


async def test_a_role_is_published_before_there_is_a_key(tmp_path: Path) -> None:
    keys = tmp_path / "s.keys"
    async with open_sqlite(tmp_path / "s.db") as store:
        inside, accounts = accounts_of(store), accounts_of(store, keys)
        await accounts.migrate()
        await inside.add("ana", SECRET, by=None)
        await inside.add("ben", OTHER, by=ANA)
        await store.write([NO_KEY])

        await accounts.set_role("ben", Role.OPERATOR, by=ANA)

    assert json.loads(keys.read_text()) == {"keys": {}, "roles": {"ben": "operator"}}


async def test_a_name_of_another_store_is_not_given_again(tmp_path: Path) -> None:
    keys = tmp_path / "s.keys"
    for name in ("old", "new"):
        async with open_sqlite(tmp_path / f"{name}.db") as store:
            accounts = accounts_of(store, keys)
            await accounts.migrate()
            if name == "old":
                await accounts.add("ana", SECRET, by=None)
                continue
            with pytest.raises(
                AccountPublished, match="knows an account 'ana' that is"
            ):
                await accounts.add("Ana", SECRET, by=None)
            await accounts.add("ben", SECRET, by=None)
            listed = [each.name for each in await accounts.list()]

    assert listed == ["ben"]


async def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    keys, folder = tmp_path / "folder.keys", tmp_path / "file" / "s.keys"
    keys.mkdir()
    (tmp_path / "file").touch()
    async with open_sqlite(tmp_path / "s.db") as store:
        await accounts_of(store).migrate()
        for path in (keys, folder):
            with pytest.raises(PublicKeysUnusable, match="cannot be read or written: "):
                await accounts_of(store, path).add("ana", SECRET, by=None)
        listed = await accounts_of(store).list()

    assert listed == ()


async def test_what_is_published_is_not_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "outside"
    keys = folder / "s.keys"
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store, keys)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        before = keys.stat().st_ino
        await accounts.unlock("ana", SECRET)
        await accounts.set_role("ana", Role.OPERATOR, by=ANA)

    assert keys.stat().st_ino == before


@pytest.mark.parametrize(
    "written",
    [
        *("", "{}", "[]", "{"),
        '{"keys": {"ana": 1}, "roles": {}}',
        '{"keys": {}, "roles": {"ana": "root"}}',
    ],
)
async def test_a_damaged_file_of_public_keys_is_named(
    tmp_path: Path, written: str
) -> None:
    keys = tmp_path / "s.keys"
    keys.write_text(written)
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store, keys)
        await accounts.migrate()

        with pytest.raises(PublicKeysBroken, match="not a file of public seal keys"):
            await accounts.public_keys()


class _Beaten(Accounts):
    """Another process changes the secret right after it was found right."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, cost=CHEAP, clock=Clock())
        self.other = accounts_of(store)

    async def _verified(self, name: str, secret: str) -> tuple[Human, str]:
        verified = await super()._verified(name, secret)
        await self.other.change_secret("ana", SECRET, OTHER)
        return verified


@pytest.mark.parametrize("has_key", [True, False])
async def test_a_secret_that_was_just_changed_unlocks_nothing(
    tmp_path: Path, *, has_key: bool
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        if not has_key:
            await store.write([NO_KEY])

        with pytest.raises(WrongSecret):
            await _Beaten(store).unlock("ana", SECRET)


class Late:
    """A store in which another process makes the key right after none was found."""

    def __init__(
        self, store: Store, meanwhile: Callable[[], Awaitable[object]]
    ) -> None:
        self._store = store
        self._meanwhile = meanwhile

    @property
    def store(self) -> Store:
        return cast("Store", self)

    async def read(self, sql: str, parameters: Any = None) -> Any:
        rows = await self._store.read(sql, parameters)
        if sql == FIND_KEY:
            await self._meanwhile()
        return rows

    async def write(self, statements: Any) -> Any:
        return await self._store.write(statements)


async def test_a_key_made_while_the_secret_changes_keeps_its_secret(
    tmp_path: Path,
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await store.write([NO_KEY])
        late = accounts_of(Late(store, lambda: accounts.unlock("ana", SECRET)).store)

        with pytest.raises(WrongSecret):
            await late.change_secret("ana", SECRET, OTHER)
        assert (await accounts.unlock("ana", SECRET)).name == "ana"


async def test_an_unlocked_account_cannot_be_copied_into_a_file(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        ana = await accounts.unlock("ana", SECRET)

    with pytest.raises(TypeError, match="not to be stored"):
        pickle.dumps(ana)
