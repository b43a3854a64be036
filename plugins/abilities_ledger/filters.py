"""Filters: which index leads to the entries wanted, and what is asked of each."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from abilities_host.ledger import Query

REAL: Final = "CASE WHEN v.seq > e.seq THEN v.real ELSE e.real END"
IS_ROLLED_BACK: Final = "CASE WHEN u.seq IS NULL THEN 0 ELSE 1 END"
IS_REVERSIBLE: Final = (
    "CASE WHEN e.kind = 'change' AND e.partial = '' "
    "AND (e.before IS NULL OR b.data IS NOT NULL) "
    "AND (e.after IS NULL OR a.data IS NOT NULL) THEN 1 ELSE 0 END"
)
JOINS: Final = (
    "LEFT JOIN ledger_verdict v ON v.call = e.call "
    "LEFT JOIN ledger_content b ON b.digest = e.before "
    "LEFT JOIN ledger_content a ON a.digest = e.after"
)

_BY_TEXT: Final = ("domain", "target", "session", "actor", "ability")
_LOOKED_AT: Final[Mapping[str, str]] = {
    # Written so that no index of its own tempts away from the one chosen.
    **{name: f"(e.{name} || '') = :{name}" for name in _BY_TEXT},
    "action": "e.action = :action",
    "result": f"COALESCE(NULLIF({REAL}, ''), e.result) = :result",
    "is_reversible": f"{IS_REVERSIBLE} = :is_reversible",
    "is_rolled_back": f"{IS_ROLLED_BACK} = :is_rolled_back",
    "start": "e.at + 0 >= :start",
    "end": "e.at + 0 < :end",
}


class _Path(NamedTuple):
    """An index, the narrower the earlier it is tried.

    Attributes:
        names: filters that it answers; all must be given.
        source: where the numbers come from.
    """

    names: tuple[str, ...]
    source: str = "ledger_entry"


_PATHS: Final = (
    _Path(("domain", "target")),
    _Path(("session",)),
    _Path(("actor",)),
    _Path(("ability",)),
    _Path(("domain",)),
    _Path(()),
)
_UNDONE: Final = _Path(("is_rolled_back",), "ledger_undone")


class Filters:
    """A query, as SQL; values are parameters and never stand in it.

    Args:
        query: which entries.

    Attributes:
        values: the filters that are given.
    """

    def __init__(self, query: Query) -> None:
        given = {each.name: getattr(query, each.name) for each in fields(query)}
        del given["limit"]
        self.values: Final = {k: v for k, v in given.items() if v is not None}
        self._path: Final = _choose(self.values)

    @property
    def is_searching(self) -> bool:
        """Whether more is asked than the index answers, so that many may not fit."""
        return bool(self.values.keys() - {"before", *self._path.names})

    def reach(self) -> str:
        """Give a statement for the part of the record that one page looks through.

        Returns:
            SQL with ``:look``; its row is lowest number, highest number and how many.
        """
        where = self._bounds()
        if self._path is not _UNDONE:
            where += self._of_path("")
        numbers = (
            f"SELECT seq FROM {self._path.source} "  # noqa: S608 - constants of this file
            f"{_where(where)} ORDER BY seq DESC LIMIT :look"
        )
        return f"SELECT min(seq), max(seq), count(*) FROM ({numbers})"  # noqa: S608

    def page(self) -> str:
        """Give what follows the columns in a statement for one page.

        Returns:
            SQL with ``:limit``; while `is_searching` with ``:floor`` and ``:ceiling``.
        """
        asked = self.values.keys() - {"before", *self._path.names}
        where = [*self._of_path("e."), *(_LOOKED_AT[name] for name in sorted(asked))]
        number = "u.seq" if self._path is _UNDONE else "e.seq"
        if self.is_searching:
            where.append(f"{number} BETWEEN :floor AND :ceiling")
        elif "before" in self.values:
            where.append(f"{number} < :before")
        return (
            f"FROM {self._tables()} {JOINS} {_where(where)} "
            f"ORDER BY {number} DESC LIMIT :limit"
        )

    def _tables(self) -> str:
        if self._path is _UNDONE:
            return "ledger_undone u JOIN ledger_entry e ON e.seq = u.seq"
        return "ledger_entry e LEFT JOIN ledger_undone u ON u.seq = e.seq"

    def _of_path(self, alias: str) -> list[str]:
        names = () if self._path is _UNDONE else self._path.names
        equal = [f"{alias}{name} = :{name}" for name in names]
        return [f"{alias}listed = 1", *equal]

    def _bounds(self) -> list[str]:
        bounds = []
        if "start" in self.values:
            bounds.append(f"seq >= ({lowest(self.values)})")
        # One upper bound only: of two, SQLite might start at the wrong one.
        if "before" in self.values:
            bounds.append("seq < :before")
        elif "end" in self.values:
            bounds.append(f"seq <= ({highest(self.values)})")
        return bounds


def lowest(window: Mapping[str, Any]) -> str:
    """Give a statement for the lowest number in a window of time.

    A clock may be set back, so that the order of numbers is not that of times: the
    numbers of a window are found by time, and then entries by number.

    Args:
        window: with `start`, `end` or both, which become parameters.

    Returns:
        SQL that gives NULL for an empty window.
    """
    # For a bare min(seq) SQLite would walk by number until it meets the time.
    return f"SELECT min(seq + 0) {_in_time(window)}"


def highest(window: Mapping[str, Any]) -> str:
    """Give a statement for the highest number in a window; see `lowest`."""
    return f"SELECT max(seq + 0) {_in_time(window)}"


def _in_time(window: Mapping[str, Any]) -> str:
    times = [("start", "at >= :start"), ("end", "at < :end")]
    asked = [sql for name, sql in times if name in window]
    return f"FROM ledger_entry {_where(['listed = 1', *asked])}"


def _choose(values: Mapping[str, Any]) -> _Path:
    """Few entries are ever undone, so their table is the narrowest way."""
    if values.get("is_rolled_back"):
        return _UNDONE
    return next(path for path in _PATHS if values.keys() >= set(path.names))


def _where(conditions: list[str]) -> str:
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""
