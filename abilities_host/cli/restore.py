"""The command ``restore``: put a copy in the place of the store."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from abilities_host.accounts import Cost, Role, WrongSecret
from abilities_host.accounts.hashing import decoy, matches
from abilities_host.cli.comparison import compare
from abilities_host.cli.exits import Refused
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
    printable,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.proof import AsOption, chosen_name, prove, run_to_end
from abilities_host.cli.running import load, with_host
from abilities_host.cli.secret import Person, Terminal
from abilities_host.cli.session import login_session
from abilities_host.cli.standing import (
    Head,
    Standing,
    read_secret_hash,
    read_standing,
    read_standing_of_copy,
)
from abilities_host.errors import (
    AbilitiesError,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreNewer,
)

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

WORD: Final = "restore"
NOBODY: Final = "terminal"
"""Who restored a store when there was no account to ask."""

_UNUSABLE: Final = (StoreMissing, StoreCorrupt, StoreForeign, StoreNewer)
_FROM_COPY: Final = (
    "Who may restore is asked of the copy, since the store cannot be read. Go on only "
    "if you know where the copy comes from."
)
_SAME: Final = "it is the store itself. Name a copy of it."
_NO_ACCOUNTS: Final = "There is no account that could be asked for a secret."

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A copy made by 'abilities backup'.")
]


class NotConfirmed(Refused):
    """Raised when the person did not type the word that was asked for."""

    def __init__(self) -> None:
        super().__init__(f"This was not {WORD!r}, so nothing was restored.")


class NotRecorded(AbilitiesError):
    """Raised when the copy is in its place and nothing says so."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The copy is in the place of the store, but the record does not say so: "
            f"{reason} Until it does, 'abilities ledger verify' finds it changed."
        )


class Restored(NamedTuple):
    """What a restore did.

    Attributes:
        store: the store, which is the copy now.
        copy: the copy, which stays.
        kept: where the replaced store is, None when there was none.
        by: the account of who did it.
        old: the newest entry before.
        new: the newest entry of the copy.
    """

    store: Path
    copy: Path
    kept: Path | None
    by: str
    old: Head | None
    new: Head | None

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return {
            "store": str(self.store),
            "copy": str(self.copy),
            "kept": self.kept and str(self.kept),
            "by": self.by,
            "old": self.old and self.old.as_json(),
            "new": self.new and self.new.as_json(),
        }


def restore_store(
    file: FileArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Put a copy in the store's place; a person must agree."""
    loaded = load(config)
    restored = put_back(loaded, file.expanduser(), as_, person=Terminal())
    entry = record_restore(loaded, restored)
    if as_json:
        say_json({**restored.as_json(), "entry": entry})
    else:
        _show(restored, entry)


def put_back(
    loaded: "LoadedConfig", copy: Path, as_: str | None, *, person: Person
) -> Restored:
    """Check a copy, have a person agree, and put it in the place of the store.

    Args:
        loaded: the configuration.
        copy: the copy; it stays where it is.
        as_: whose secret is asked for.
        person: who is asked.

    Returns:
        What was done.

    Raises:
        StoreError: when the copy is not whole, or the store is in use.
        AccountError: when it is not the person of that account, or not yet.
        NotConfirmed: when there is no account and the person does not agree.
        NeedsPerson: when nobody can be asked.
    """
    from abilities_host.storage.facts import check_backup  # noqa: PLC0415 - slow imports
    from abilities_host.storage.restore import restore_backup  # noqa: PLC0415 - same
    from abilities_host.storage.usage import take_alone  # noqa: PLC0415 - same

    facts = check_backup(copy)
    if facts.path == loaded.store_path.resolve():
        raise StoreError(facts.path, _SAME)
    with _taken(facts.path, loaded.store_path) as taken:
        check_backup(taken)
        new = run_to_end(lambda: read_standing_of_copy(taken))
        old = _standing_of_store(loaded.store_path)
        with closing(take_alone(loaded.store_path)):
            complain_at_length(compare(loaded.store_path, facts.path, old, new))
        by = _agreed(loaded, taken, (old, new), as_, person)
        kept = restore_backup(taken, loaded.store_path)
    return Restored(loaded.store_path, facts.path, kept, by, old.head, new.head)


@contextmanager
def _taken(copy: Path, store: Path) -> Iterator[Path]:
    """Give a copy of the copy, in a protected folder.

    What a person agreed to is then what is put back, whoever can write the copy.
    """
    from abilities_host.storage.faults import store_faults  # noqa: PLC0415 - slow

    with ExitStack() as stack:
        with store_faults(store):
            backups = store.parent / "backups"
            backups.mkdir(mode=0o700, exist_ok=True)
            folder = TemporaryDirectory(prefix=".restore-", dir=backups)
            taken = Path(stack.enter_context(folder)) / copy.name
            shutil.copyfile(copy, taken)
        yield taken


def record_restore(loaded: "LoadedConfig", restored: Restored) -> int | None:
    """Have the record say that the store was replaced, with the old and the new head.

    Args:
        loaded: the configuration.
        restored: what was done.

    Returns:
        The number of the entry, None when no pack keeps a record.

    Raises:
        NotRecorded: when there is a record and it could not be told.
    """
    session = login_session()
    try:
        return with_host(loaded, lambda host: _note(host, restored, session))
    except AbilitiesError as error:
        raise NotRecorded(error.sentence) from error


async def _note(host: "Host", restored: Restored, session: str) -> int | None:
    from abilities_host.ledger import Ledger  # noqa: PLC0415 - a slow import

    try:
        ledger: Ledger = host.services.find(Ledger)
    except LookupError:
        return None
    return await ledger.note(
        "restore",
        actor=restored.by,
        action="restored",
        session=session,
        details={
            "old": restored.old and restored.old.as_json(),
            "new": restored.new and restored.new.as_json(),
            "kept": restored.kept and restored.kept.name,
        },
    )


def _standing_of_store(path: Path) -> Standing:
    from abilities_host.storage.sqlite import open_sqlite  # noqa: PLC0415 - a slow import

    async def read() -> Standing:
        async with open_sqlite(path, create=False) as store:
            return await read_standing(store.read)

    try:
        return run_to_end(read)
    except _UNUSABLE as error:
        return Standing(problem=f"It cannot be read: {error.problem}")


def _agreed(
    loaded: "LoadedConfig",
    copy: Path,
    standings: tuple[Standing, Standing],
    as_: str | None,
    person: Person,
) -> str:
    """Have a person agree; only an operator where there is an account."""
    old, new = standings
    if old.has_accounts:
        return prove(loaded, person, old.accounts, as_, role=Role.OPERATOR).name
    if old.problem and new.has_accounts:
        complain_at_length(wrapped(_FROM_COPY))
        name = chosen_name(new.accounts, as_, Role.OPERATOR)
        return _proved_by_copy(copy, name, person)
    complain_at_length(_NO_ACCOUNTS)
    if person.ask(f"Type {WORD!r} to go on:") != WORD:
        raise NotConfirmed
    return NOBODY


def _proved_by_copy(copy: Path, name: str, person: Person) -> str:
    """A copy counts no failures: whoever has it could try elsewhere as well."""
    secret = person.ask_secret(f"Secret of {name} in the copy:")
    if not matches(secret, read_secret_hash(copy, name) or decoy(Cost())):
        raise WrongSecret
    return name


def _show(restored: Restored, entry: int | None) -> None:
    say(f"The store is now what the copy is: {printable(str(restored.store))}")
    if restored.kept:
        say(f"The one before is kept as\n  {printable(str(restored.kept))}")
    if entry is None:
        complain("warning", "no pack keeps a record, so nothing records this.")
    else:
        say(f"Entry {entry} of the record says so.")
    say("Hosts can be started again.")
