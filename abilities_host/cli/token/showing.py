"""Showing: a token once with its value, and ever after without."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from abilities_host.cli.printing import (
    say,
    show_table,
)
from abilities_host.cli.token.duration import until
from abilities_host.connecting import client_settings
from abilities_host.jsontext import json_text
from abilities_host.tokens import Change, TokenRecord

if TYPE_CHECKING:
    from abilities_host.config import HostConfig

_HEADERS: Final = ("NAME", "PREFIX", "MAY", "SERVER", "EXPIRES", "LAST USE", "STATE")


def record_json(record: TokenRecord, now: int) -> dict[str, Any]:
    """Write a record for a program.

    Args:
        record: of the token.
        now: microseconds since 1970.

    Returns:
        What may be known of it, every moment in microseconds since 1970.
    """
    return {
        **asdict(record),
        "scopes": list(record.scopes),
        "prefix": record.prefix,
        "state": record.state(now),
    }


def show_value(change: Change, config: "HostConfig") -> None:
    """Print a new token, this once, and what a client needs to show it.

    Args:
        change: that made it.
        config: the configuration.
    """
    record, end = change.record, "never ends"
    if record.expires_at is not None:
        end = f"ends {until(record.expires_at, record.created_at)}"
    say(f"The token {record.name} is made: {rights(record)}; it {end}.")
    say("It is shown this once, and nobody can look it up:\n")
    say(change.value)
    say("\nThe configuration of an MCP client:\n")
    say(json_text(client_settings(change, config)))


def rights(record: TokenRecord) -> str:
    """Say what a token may do.

    Args:
        record: of the token.

    Returns:
        Its role and its scopes.
    """
    role = [f"role {record.role}"] if record.role else []
    return ", ".join([*role, *record.scopes]) or "nothing"


def show_records(records: Iterable[TokenRecord], now: int) -> None:
    """Print tokens as a table.

    Args:
        records: of them.
        now: microseconds since 1970.
    """
    show_table(_HEADERS, [_row(record, now) for record in records])


def _row(record: TokenRecord, now: int) -> tuple[str, ...]:
    return (
        record.name,
        record.prefix,
        rights(record),
        record.server or "every",
        until(record.expires_at, now),
        until(record.used_at, now),
        record.state(now),
    )
