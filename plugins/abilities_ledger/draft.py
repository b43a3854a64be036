"""Draft: an entry that has no number yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson

from abilities_host import Call
from abilities_host.ledger import Kind
from abilities_ledger.chain import COLUMNS, write_body


class Whose(NamedTuple):
    """Whose call an entry is about; every part may be empty.

    Attributes:
        call: id of the run.
        parent: id of the run around it.
        actor: id of who called.
        session: of the call.
        ability: what ran.
    """

    call: str = ""
    parent: str = ""
    actor: str = ""
    session: str = ""
    ability: str = ""


NOBODY: Final = Whose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry before it is appended; see `Entry` for what the parts mean.

    Attributes:
        whose: whose call it is about.
        is_listed: it stands for something done, and is found by `list_changes`.
    """

    kind: Kind
    whose: Whose = NOBODY
    is_listed: bool = False
    domain: str = ""
    target: str = ""
    action: str = ""
    result: str = ""
    real: str = ""
    partial: str = ""
    about: int | None = None
    before: bytes | None = None
    after: bytes | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def row(self, seq: int, at: int) -> dict[str, Any]:
        """Give the columns of the entry it becomes.

        Args:
            seq: its number.
            at: microseconds since 1970.

        Returns:
            Column to value, all but the hash.
        """
        values = (
            seq,
            at,
            int(self.is_listed),
            self.kind,
            *self.whose,
            self.domain,
            self.target,
            self.action,
            self.result,
            self.real,
            self.partial,
            self.about,
            self.before,
            self.after,
        )
        details = orjson.dumps(dict(self.details), option=orjson.OPT_SORT_KEYS)
        row: dict[str, Any] = dict(zip(COLUMNS, values, strict=True))
        row["body"] = write_body(details, values)
        return row


def of_call(call: Call) -> Whose:
    """Say whose call it is."""
    parent = call.parent.id if call.parent else ""
    return Whose(call.id, parent, call.actor.id, call.session, call.ability.name)
