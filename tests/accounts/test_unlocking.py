"""An account signs with a key that nothing but its secret opens."""

import pickle
from pathlib import Path

import pytest
from accounts.world import CHEAP, OTHER, SECRET, Clock
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from abilities_host.accounts import (
    Accounts,
    Human,
    PublicKeysBroken,
    SealKeyBroken,
    SealKeyReplaced,
    WrongSecret,
    keys_beside,
)
from abilities_host.accounts.sealkey import SealKey
from abilities_host.accounts.tables import MIGRATIONS, OWNER
from abilities_host.storage import Statement, Store
from abilities_host.storage.sqlite import open_sqlite

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
    assert (
        published == keys.read_text() == f'{{"keys":{{"ana":"{ana.public.hex()}"}}}}\n'
    )
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
        await accounts.add("ben", SECRET, by=Human("ana", 0))
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


@pytest.mark.parametrize("written", ["", "{}", "[]", '{"keys": {"ana": 1}}', "{"])
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


async def test_a_key_made_while_the_secret_changes_keeps_its_secret(
    tmp_path: Path,
) -> None:
    class Late(Accounts):
        """Another process makes the key right after this one found none."""

        async def _find_key(self, name: str) -> SealKey | None:
            found = await super()._find_key(name)
            await accounts.unlock("ana", SECRET)
            return found

    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = accounts_of(store)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await store.write([NO_KEY])
        late = Late(store, cost=CHEAP, clock=Clock())

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
