"""Recorder: a record of writes that a test can read, and break."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from abilities_host.calls import Call, Outcome
from abilities_host.domain import State, Target

Method = Literal["intent", "before", "outcome", "refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvent:
    """One row of the record.

    Attributes:
        method: what the recorder was asked to keep.
        ability: name of the ability the call runs.
        call: id of the run.
        via: the route it came by, else empty.
        targets: spelt ``domain:name``, in the order of the locks.
        status: of the outcome, empty before there is one.
        code: of the outcome's error, empty when there is none.
    """

    method: Method
    ability: str
    call: str
    via: str = ""
    targets: tuple[str, ...] = ()
    status: str = ""
    code: str = ""


class RecorderFailed(Exception):
    """Raised by a `RecordingRecorder` where the test wants it to fail."""

    def __init__(self, method: Method) -> None:
        self.method = method
        super().__init__(f"the test's recorder fails at {method!r}")


class RecordingRecorder:
    """Keeps the record in a list; a stand-in for the ledger.

    Args:
        fails_at: methods that raise `RecorderFailed` and keep nothing.

    Attributes:
        events: what was kept, in order.
        outcomes: the outcomes and refusals themselves, in order.
        fails_at: may be changed while the host runs.
    """

    def __init__(self, *, fails_at: Iterable[Method] = ()) -> None:
        self.events: list[RecordedEvent] = []
        self.outcomes: list[Outcome] = []
        self.fails_at: set[Method] = set(fails_at)

    async def intent(self, call: Call, before: Mapping[Target, State]) -> None:
        """Keep that a write is about to run."""
        self._keep("intent", call, before)

    async def before(self, call: Call, target: Target, state: State) -> None:  # noqa: ARG002 - a Recorder is given the state
        """Keep that one more target was touched."""
        self._keep("before", call, (target,))

    async def outcome(self, call: Call, outcome: Outcome) -> None:
        """Keep how a write ended."""
        self._keep_end("outcome", call, outcome)

    async def refusal(self, call: Call, outcome: Outcome) -> None:
        """Keep a denial or veto."""
        self._keep_end("refusal", call, outcome)

    def _keep(self, method: Method, call: Call, targets: Iterable[Target]) -> None:
        self._check(method)
        self.events.append(
            RecordedEvent(
                method=method,
                ability=call.ability.name,
                call=call.id,
                via=call.via,
                targets=tuple(str(target) for target in targets),
            )
        )

    def _keep_end(self, method: Method, call: Call, outcome: Outcome) -> None:
        self._check(method)
        self.outcomes.append(outcome)
        self.events.append(
            RecordedEvent(
                method=method,
                ability=call.ability.name,
                call=call.id,
                via=call.via,
                targets=tuple(str(change.target) for change in outcome.changes),
                status=outcome.status,
                code=outcome.code,
            )
        )

    def _check(self, method: Method) -> None:
        if method in self.fails_at:
            raise RecorderFailed(method)
