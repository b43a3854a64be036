"""Record: what the log keeps of one request."""

from typing import Final, Literal, NamedTuple

Status = Literal["ok", "refused", "failed", "unknown", "input_required", "error"]

STATUSES: Final[tuple[Status, ...]] = (
    "ok",
    "refused",
    "failed",
    "unknown",
    "input_required",
    "error",
)
MICROSECONDS: Final = 1_000_000
DROPPED: Final = "log_dropped"


class Record(NamedTuple):
    """What is kept of one request; never its arguments, its result or a secret.

    Attributes:
        at: when it came, microseconds since 1970.
        surface: ``http`` or ``stdio``.
        server: id of the server, empty when none was reached.
        method: of the protocol, ``other`` for one that there is not, empty for what
            was refused before.
        ability: what ran, also behind a route; empty for none.
        via: the route, such as ``call-tool``.
        actor: who asked, empty when nobody knows.
        client: what the client calls itself, cleaned.
        status: how it ended.
        code: the error's code, empty for none.
        micros: how long it took, in microseconds.
        bytes_in: size of the body, or of the parameters as JSON.
        bytes_out: size of the result as JSON, without the protocol's frame.
        request: the client's id of the request, as text, cleaned.
        era: of the protocol.
        repaired: places that were mended in the arguments.
        session: id of the session, made by the host.
        trace: W3C trace id, empty for none.
        call: id of the run, as in the ledger; empty for none.
        times: how many requests this is; more than one only for refusals before the
            protocol, which are counted by the second.
    """

    at: int
    surface: str
    server: str
    method: str
    ability: str
    via: str
    actor: str
    client: str
    status: Status
    code: str
    micros: int
    bytes_in: int
    bytes_out: int
    request: str
    era: str
    repaired: int
    session: str
    trace: str
    call: str
    times: int = 1

    @property
    def is_good(self) -> bool:
        """Whether it ended as it should, or with a question."""
        return self.status in ("ok", "input_required")


class Counted(NamedTuple):
    """What is only counted, by the second.

    Attributes:
        second: since 1970.
        surface: where it came, empty for nowhere.
        server: id, empty for none.
        code: what it was.
    """

    second: int
    surface: str
    server: str
    code: str

    def record(self, count: int, status: Status = "refused") -> Record:
        """Make a record without a method.

        Args:
            count: how many.
            status: how they ended.

        Returns:
            The record.
        """
        return Record(
            at=self.second * MICROSECONDS,
            surface=self.surface,
            server=self.server,
            method="",
            ability="",
            via="",
            actor="",
            client="",
            status=status,
            code=self.code,
            micros=0,
            bytes_in=0,
            bytes_out=0,
            request="",
            era="",
            repaired=0,
            session="",
            trace="",
            call="",
            times=count,
        )
