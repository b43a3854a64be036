"""Why the gate did not take a decision; nothing was changed."""

from abilities_host.errors import CallError


class StaleHash(CallError):
    """What is there now is not what the person saw."""

    code = "stale_hash"

    def __init__(self, kind: str, id_: str) -> None:
        super().__init__(
            f"{kind} {id_} is not what was shown any more, so the decision was not "
            "taken. Look at it again.",
            kind=kind,
            id=id_,
        )


class NotTrusted(CallError):
    """The person's key is not that of an account which is on."""

    code = "not_trusted"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The account {name!r} is off, or its key is not the published one. "
            "Nothing was decided.",
            account=name,
        )
