"""Record: what the ledger says at the end, as far as clients were told of it."""

from typing import Final, NamedTuple

from abilities_host.ledger import Entry
from abilities_host.storage import Store
from abilities_ledger.book import Book

DOMAIN: Final = "files"
_PAGE: Final = "WHERE seq > :after ORDER BY seq LIMIT 5000"


class Changed(NamedTuple):
    """One change of a file.

    Attributes:
        since: number of the entry that says what was there; it orders the changes of
            one file, which is locked from there on.
        call: id of the run.
        target: path of the file.
        before: digest.
        after: digest.
    """

    since: int
    call: str
    target: str
    before: bytes | None
    after: bytes | None


class Record:
    """What is kept of the entries, page by page: there may be a million.

    Attributes:
        changes: of files.
        of_call: id of a run to its one change.
        ended: ids of the runs that ended well.
        undone: ids of the runs that undid something.
        entries: how many there are.
    """

    def __init__(self) -> None:
        self.changes: Final[list[Changed]] = []
        self.of_call: Final[dict[str, Changed]] = {}
        self.ended: Final[set[str]] = set()
        self.undone: Final[set[str]] = set()
        self.entries = 0
        self._since: Final[dict[tuple[str, str], int]] = {}

    @classmethod
    async def read(cls, store: Store) -> "Record":
        """Read the whole record of a store."""
        record, book, after = cls(), Book(store), 0
        while page := await book.select(_PAGE, {"after": after}):
            for entry in page:
                record.add(entry)
            after = page[-1].seq
        return record

    def add(self, entry: Entry) -> None:
        """Take the next entry."""
        self.entries += 1
        match entry.kind:
            case "intent":
                for domain, target, *_ in entry.details["targets"]:
                    if domain == DOMAIN:
                        self._since[entry.call, target] = entry.seq
            case "touch":
                self._since.setdefault((entry.call, entry.target), entry.seq)
            case "change" if entry.domain == DOMAIN:
                self._change(entry)
            case "outcome" if entry.result == "ok":
                self.ended.add(entry.call)
            case "rollback" if entry.action == "undone":
                self.undone.add(entry.call)

    def explain(self) -> tuple[dict[str, bytes | None], list[str]]:
        """Follow every file from change to change.

        Returns:
            What each must hold now, and a path for each gap on the way.
        """
        now: dict[str, bytes | None] = {}
        gaps = []
        for change in sorted(self.changes, key=lambda each: each.since):
            if now.get(change.target) != change.before:
                gaps.append(change.target)
            now[change.target] = change.after
        return now, gaps

    def _change(self, entry: Entry) -> None:
        since = self._since.pop((entry.call, entry.target), entry.seq)
        before, after = entry.before, entry.after
        change = Changed(since, entry.call, entry.target, before, after)
        self.changes.append(change)
        self.of_call[entry.call] = change
