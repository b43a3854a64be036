"""Comparison: what somebody should know before a copy replaces the store."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from abilities_host.accounts import Account
from abilities_host.cli.printing import printable, wrapped
from abilities_host.cli.standing import Head, Standing
from abilities_host.errors import listed

_KEPT: Final = "It stays in the store as it is now, which is kept aside."


def compare(store: Path, copy: Path, old: Standing, new: Standing) -> str:
    """Say what would be lost.

    Args:
        store: the store.
        copy: the copy.
        old: how far the store has come.
        new: how far the copy has.

    Returns:
        Lines for a person.
    """
    losses = [_loss(old, new)]
    if not old.problem:
        names = _changed_accounts(old.accounts, new.accounts)
        losses += [f"{title}: {each}." for title, each in names if each != listed(())]
    return "\n".join(
        [
            *_stage("The store", store, old.problem or _told(old.head)),
            *_stage("The copy", copy, _told(new.head)),
            *(wrapped(printable(loss)) for loss in losses),
        ]
    )


def _stage(title: str, path: Path, sentence: str) -> Iterator[str]:
    yield title
    yield f"  {printable(str(path))}"
    yield wrapped(printable(sentence), "  ")


def _told(head: Head | None) -> str:
    return f"Its newest entry is {head}." if head else "No write is recorded in it."


def _loss(old: Standing, new: Standing) -> str:
    if old.problem or old.head is None:
        return f"Lost is what only the store holds. {_KEPT}"
    if new.head is None or new.head.record != old.head.record:
        return f"Lost is the whole record: the copy has another one. {_KEPT}"
    first, last = new.head.seq + 1, old.head.seq
    if first > last:
        return "No entry of the record is lost."
    which = f"entry {last}" if first == last else f"entries {first} to {last}"
    return f"Lost of the record: {which}, and what they speak of. {_KEPT}"


def _changed_accounts(
    old: Iterable[Account], new: Iterable[Account]
) -> Iterator[tuple[str, str]]:
    """A copy may bring back a secret that somebody else knows, or bring a stranger."""
    before = {account.name: account for account in old}
    after = {account.name: account for account in new}
    both = before.keys() & after.keys()
    changed = (name for name in both if _differ(before[name], after[name]))
    yield "Accounts that are lost", listed(sorted(before.keys() - after.keys()))
    yield (
        "Accounts that only the copy has",
        listed(sorted(after.keys() - before.keys())),
    )
    yield (
        "Accounts that become what they were, with their secret of then",
        listed(sorted(changed)),
    )


def _differ(one: Account, other: Account) -> bool:
    return (one.secret_at, one.disabled_at) != (other.secret_at, other.disabled_at)
