"""Refused: why an undo is not done, each with its code and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any

from abilities_host import CallError

SHOWN = 2000
"""Characters of differences in an answer; the details have more."""


class UndoRefused(CallError):
    """Base of the reasons an undo is refused before it changes anything."""


class NotFound(UndoRefused):
    """There is no such change, or it is not the caller's to see."""

    code = "not_found"

    def __init__(self, seq: int) -> None:
        super().__init__(
            f"There is no change {seq} that you may see. List them with "
            "ledger/list-changes; those of others need the scope ledger:read-all."
        )


class AlreadyRolledBack(UndoRefused):
    """It was undone before."""

    code = "already_rolled_back"

    def __init__(self, seq: int, by: int) -> None:
        super().__init__(
            f"Change {seq} was undone already, by entry {by}. To bring it back, undo "
            "the change that undid it.",
            by=by,
        )


class NotReversible(UndoRefused):
    """The record holds nothing that could be put back."""

    code = "not_reversible"

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"Entry {seq} cannot be undone: {reason}.")


class PartialOnly(UndoRefused):
    """Not all of the state before is in the record."""

    code = "partial"

    def __init__(self, seq: int, target: str, reason: str) -> None:
        why = {
            "secret": "it holds a secret, which the record does not keep",
            "size": "it was larger than the record keeps ([limits] state_bytes)",
        }.get(reason, "part of it is missing")
        super().__init__(
            f"Change {seq} cannot be undone whole: of {target} only the digest is "
            f"kept, since {why}. Nothing was changed.",
            target=target,
            reason=reason,
        )


class NotKept(UndoRefused):
    """What is there now would be gone, since the record does not keep it."""

    code = "partial"

    def __init__(self, seq: int, target: str, reason: str) -> None:
        why = {
            "secret": "it holds a secret",
            "size": "it is larger than [limits] state_bytes",
        }.get(reason, "part of it cannot be kept")
        super().__init__(
            f"Change {seq} was not undone: of what {target} holds now the record would "
            f"keep only the digest, since {why}. Put it somewhere else first.",
            target=target,
            reason=reason,
        )


class BlobMissing(UndoRefused):
    """The state before was kept and has been removed."""

    code = "blob_missing"

    def __init__(self, seq: int, target: str) -> None:
        super().__init__(
            f"Change {seq} cannot be undone: the state of {target} was removed from "
            "the record. 'abilities ledger verify' says by whom.",
            target=target,
        )


class TargetDrifted(UndoRefused):
    """What is there now is not what the change left."""

    code = "target_drifted"

    def __init__(
        self, targets: Sequence[Mapping[str, Any]], newer: Sequence[int] = ()
    ) -> None:
        names = ", ".join(str(each["target"]) for each in targets[:3])
        more = f" and {len(targets) - 3} more" if len(targets) > 3 else ""  # noqa: PLR2004 - as many as named
        later = f" Undo the newer changes first: {list(newer)}." if newer else ""
        super().__init__(
            f"Changed since: {names}{more}. An undo would destroy that, so nothing "
            f"was done.{later} Force needs the scope ledger:force.",
            targets=list(targets),
            newer=list(newer),
        )
        self.explanation = _differences(targets)


def _differences(targets: Sequence[Mapping[str, Any]]) -> str:
    """Show what a model would have to see, as far as it is short."""
    shown = [
        f"{each['target']}\n{each['diff']}" for each in targets if each.get("diff")
    ]
    text = "\n\n".join(shown)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


class TooLarge(UndoRefused):
    """All states together are too large to be put back at once."""

    code = "undo_too_large"

    def __init__(self, seq: int, size: int, limit: int) -> None:
        super().__init__(
            f"Undoing {seq} would put back {size} bytes at once; {limit} is the limit. "
            "Undo its targets one at a time with only_target."
        )


class RollbackFailed(CallError):
    """Putting back failed; what was and was not done is in the details."""

    code = "rollback_failed"
    fault = "failed"

    def __init__(self, undone: Sequence[str], left: Sequence[str], reason: str) -> None:
        done = f"{len(undone)} of {len(undone) + len(left)} targets were put back"
        super().__init__(
            f"The undo failed: {reason}. {done}; the record shows what is true now.",
            undone=list(undone),
            not_undone=list(left),
        )
