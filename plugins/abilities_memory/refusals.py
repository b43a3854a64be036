"""Refusals: why the shelf does not take, change or give something."""

from abilities_host import CallError


class UnsuitableWording(CallError):
    """A text has a length or a character that it must not have."""

    code = "memory_unsuitable_wording"

    def __init__(self, field: str, problem: str, position: int | None = None) -> None:
        at = "" if position is None else f" at character {position + 1}"
        super().__init__(
            f"The {field} cannot be taken: {problem}{at}. Write it again without that.",
            field=field,
            position=position,
        )


class TooManyPending(CallError):
    """An actor has as many proposals waiting as it may have."""

    code = "memory_too_many_pending"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"{limit} proposals of this actor wait for a human already. Nothing was "
            "stored; ask for a review first: abilities memory review",
            limit=limit,
        )


class UnknownGuidance(CallError):
    """No guidance has this id."""

    code = "memory_unknown_guidance"

    def __init__(self, field: str = "id") -> None:
        super().__init__(
            f"No guidance has the {field} that was given. An id looks like gm-001.",
            field=field,
        )


class InvalidTransition(CallError):
    """A status cannot follow the one that guidance has."""

    code = "invalid_transition"

    def __init__(self, id_: str, old: str, new: str, allowed: tuple[str, ...]) -> None:
        may = f"It may become {' or '.join(allowed)}" if allowed else "It stays so"
        super().__init__(
            f"{id_} is {old} and cannot become {new}. {may}; another version of it "
            "is a new proposal.",
            id=id_,
            status=old,
        )
