"""Token checks: what ``doctor`` says of the tokens of clients."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from abilities_host.cli.findings import Finding
from abilities_host.cli.token.duration import until
from abilities_host.cli.token.opened import with_tokens
from abilities_host.errors import AbilitiesError
from abilities_host.tokens import TokenRecord, Tokens, now
from abilities_host.tokens.moment import DAY

if TYPE_CHECKING:
    from abilities_host.config import HostConfig, LoadedConfig

STALE_DAYS: Final = 90
ABOUT: Final = "token"


def check_tokens(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Look at the tokens of a store.

    Args:
        loaded: the configuration; its host has started before.

    Yields:
        What is wrong with each, or that nothing is; nothing where there is no token.
    """
    try:
        records = with_tokens(loaded, _look)
    except AbilitiesError as error:
        yield Finding("warning", ABOUT, error.sentence)
        return
    yield from judge(records, loaded.config, now())


def judge(
    records: tuple[TokenRecord, ...], config: "HostConfig", at: int
) -> Iterator[Finding]:
    """Say what is wrong with tokens.

    Args:
        records: all of them.
        config: the configuration that holds now.
        at: microseconds since 1970.

    Yields:
        A finding for each thing, or one that nothing is wrong.
    """
    current = [each for each in records if not each.rotated_to]
    live = [each for each in current if each.state(at) == "live"]
    found = [
        *(_expired(each, at) for each in current if each.state(at) == "expired"),
        *(finding for each in live for finding in _judge_one(each, config, at)),
    ]
    if live and not found:
        sentence = f"Valid tokens of clients: {len(live)}; all are in use and end."
        found.append(Finding("ok", ABOUT, sentence))
    yield from found


def _judge_one(record: TokenRecord, config: "HostConfig", at: int) -> Iterator[Finding]:
    if record.role and config.scopes_of(record.role) is None:
        yield _unknown_role(record)
    if record.server and record.server not in {s.id for s in config.all_servers}:
        yield _unknown_server(record)
    if max(record.used_at or 0, record.created_at) < at - STALE_DAYS * DAY:
        yield _stale(record, at)
    if record.expires_at is None:
        yield _endless(record)


async def _look(tokens: Tokens) -> tuple[TokenRecord, ...]:
    return await tokens.list_tokens()


def _expired(record: TokenRecord, at: int) -> Finding:
    ago = until(record.expires_at, at)
    sentence = f"The token {_told(record)} expired {ago}; a client may still show it."
    return Finding("warning", ABOUT, sentence, _revoke(record))


def _stale(record: TokenRecord, at: int) -> Finding:
    used = f"was last used {until(record.used_at, at)}"
    if record.used_at is None:
        used = f"was never used, and made {until(record.created_at, at)}"
    sentence = f"The token {_told(record)} {used}."
    return Finding("warning", ABOUT, sentence, _revoke(record))


def _endless(record: TokenRecord) -> Finding:
    sentence = f"The token {_told(record)} never ends."
    fix = f"abilities token rotate {record.name} --expires 90d --grace 1d"
    return Finding("info", ABOUT, sentence, fix)


def _unknown_server(record: TokenRecord) -> Finding:
    sentence = (
        f"The token {_told(record)} is for the server {record.server!r}, which is not "
        "there, so it is good for nothing."
    )
    return Finding("warning", ABOUT, sentence, _revoke(record))


def _unknown_role(record: TokenRecord) -> Finding:
    sentence = (
        f"The token {_told(record)} has the role {record.role!r}, which [roles] does "
        "not describe, so it gives nothing."
    )
    return Finding("warning", ABOUT, sentence, _revoke(record))


def _told(record: TokenRecord) -> str:
    return f"{record.name} ({record.prefix})"


def _revoke(record: TokenRecord) -> str:
    return f"abilities token revoke {record.name}"
