"""The table: what a caller sees for each reason, wherever it asks."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Seen(NamedTuple):
    """What becomes of a request.

    Attributes:
        finds: what a listing, a search, a schema and a completion show.
        runs: what a run, a read and a prompt are answered with.
    """

    finds: str
    runs: str


class Row(NamedTuple):
    """What a reason means, each a key of `SEEN`.

    Attributes:
        http: over HTTP, in a session that was open before and in a new one.
        stdio: in a session that was open before.
        start: to a process that starts for a new session over stdio.
        process: on the command line and inside the process, past every server.
    """

    http: str
    stdio: str
    start: str
    process: str


SEEN: Final[Mapping[str, Seen]] = {
    "as before": Seen("found", "answered"),
    "hidden": Seen("absent", "ability_not_found"),
    "denied": Seen("found", "ability_invalid_permissions"),
    "vetoed": Seen("found", "write_vetoed"),
    "stopped": Seen("found", "policy_missing"),
    "not let in": Seen("401 invalid_token", "401 invalid_token"),
    "out of scope": Seen("403 insufficient_scope", "403 insufficient_scope"),
    "foreign page": Seen("403 origin_not_allowed", "403 origin_not_allowed"),
    "not this host": Seen("421 host_not_allowed", "421 host_not_allowed"),
    "not served": Seen("404", "404"),
    "not started": Seen("start refused", "start refused"),
    "never": Seen("nothing", "nothing"),
}

_HIDDEN: Final = Row("hidden", "hidden", "hidden", "hidden")
_NOT_HERE: Final = Row("hidden", "hidden", "hidden", "as before")
_OFF: Final = Row("not served", "hidden", "not started", "as before")

TABLE: Final[Mapping[str, Row]] = {
    "unknown": _HIDDEN,
    "disabled in the file": _HIDDEN,
    "disabled at run time": _HIDDEN,
    "off by a default step": _HIDDEN,
    "module off": _HIDDEN,
    "definition held": _HIDDEN,
    "read_only": _HIDDEN,
    "scope missing": _HIDDEN,
    "not included": _NOT_HERE,
    "excluded": _NOT_HERE,
    "category not served": _NOT_HERE,
    "server off": _OFF,
    "kill switch": _OFF,
    "scope of the server missing": Row(
        "out of scope", "hidden", "not started", "as before"
    ),
    "permission denied": Row(*["denied"] * 4),
    "vetoed": Row(*["vetoed"] * 4),
    "policy missing": Row(*["stopped"] * 4),
    "token expired": Row("not let in", "never", "never", "never"),
    "token revoked": Row("not let in", "never", "never", "never"),
    "token rotated": Row("not let in", "never", "never", "never"),
    "token of another server": Row("not let in", "never", "never", "never"),
    "wrong host": Row("not this host", "never", "never", "never"),
    "wrong origin": Row("foreign page", "never", "never", "never"),
}

HARDENED: Final = ("read_only", "vetoed", "policy missing")
"""Only writes know these, so the operator takes all that is asked for as writes."""
