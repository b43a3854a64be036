"""Tally: what became of every call, and whether that could be."""

from collections import Counter
from dataclasses import dataclass
from time import monotonic, perf_counter_ns
from typing import Final

from benchmarks.soak.answer import Answer
from benchmarks.soak.faults import Faults
from benchmarks.soak.keys import Key
from benchmarks.soak.lived import Lived
from benchmarks.soak.service import Service
from benchmarks.soak.site import DEFAULT, TEAM
from benchmarks.soak.switch import Seen
from benchmarks.soak.switches import Sure, Switches

from abilities_host.requestlog.durations import Durations

PERCENTS: Final = (50, 95, 99)
_MILLI: Final = 1_000


@dataclass(frozen=True, slots=True)
class Sent:
    """A call under way.

    Attributes:
        kind: of call, as its times are shown.
        path: of the server.
        key: what was shown.
        lived: the process that was asked.
        may_be: whether the key's scopes are enough.
        is_routed: whether it goes through the dispatcher; None where that is all one.
        is_switched: whether it is of the ability that is switched.
        was_over: whether the key had ended for good.
        seen: each switch, as it was.
        clock: nanoseconds.
        at: seconds that grow.
    """

    kind: str
    path: str
    key: Key
    lived: Lived
    may_be: bool
    is_routed: bool | None
    is_switched: bool
    was_over: bool
    seen: tuple[Seen, Seen, Seen]
    clock: int
    at: float


class Tally:
    """Judges calls.

    Args:
        service: the host.
        switches: what is switched meanwhile.
        faults: are told what could not be.

    Attributes:
        counts: kind of answer to how many.
    """

    def __init__(self, service: Service, switches: Switches, faults: Faults) -> None:
        self.counts: Final[Counter[str]] = Counter()
        self._times: Final[dict[str, Durations]] = {}
        self._service: Final = service
        self._switches: Final = switches
        self._faults: Final = faults

    def send(
        self,
        kind: str,
        path: str,
        key: Key,
        *,
        may_be: bool = True,
        is_routed: bool | None = None,
        is_switched: bool = False,
    ) -> Sent:
        """Note that a call is sent; see `Sent`."""
        self.counts["sent"] += 1
        seen = self._switches.look()
        lived, over, clock = self._service.now, key.is_over, perf_counter_ns()
        flags = (may_be, is_routed, is_switched, over)
        return Sent(kind, path, key, lived, *flags, seen, clock, monotonic())

    def end(self, sent: Sent, answer: Answer) -> Answer:
        """Judge how a call ended.

        Args:
            sent: the call.
            answer: what came.

        Returns:
            The same answer.
        """
        self.counts[answer.kind] += 1
        if answer.kind == "ok":
            micros = (perf_counter_ns() - sent.clock) // 1_000
            self._times.setdefault(sent.kind, Durations()).add(micros)
        if problem := self._problem(sent, answer):
            after = monotonic() - sent.at
            where = f"{sent.kind} of {sent.key.name} at {sent.path}, {after:.3f} s"
            self._faults.add(problem, f"{where}: {answer.kind} {answer.detail}")
        return answer

    def table(self) -> str:
        """Give the times of each kind of call in columns."""
        lines = [f"{'call':24}{'number':>9}   p50 ms   p95 ms   p99 ms"]
        for kind, times in sorted(self._times.items()):
            shown = [(times.percentile(each) or 0) / _MILLI for each in PERCENTS]
            figures = "".join(f"{each:9.1f}" for each in shown)
            lines.append(f"{kind:24}{len(times):9,}{figures}")
        return "\n".join(lines)

    def _problem(self, sent: Sent, answer: Answer) -> str:
        sure = self._switches.between(sent.seen)
        match answer.kind:
            case "ok":
                return _problem_of_good(sent, sure)
            case "unauthorised":
                return "" if sent.key.is_ending else "a good token was refused"
            case "gone":
                is_right = sent.path == TEAM and sure.team is not True
                is_right = is_right or self._has_ended(sent)
                return "" if is_right else "a server was off while on"
            case "broken" | "stopped":
                is_right = self._has_ended(sent)
                return "" if is_right else "a call was lost while nothing stopped"
            case "unlisted" | "refused":
                is_right = _may_refuse(sent, answer, sure)
                return "" if is_right else "refused although all was on"
            case _:
                return "a strange answer"

    def _has_ended(self, sent: Sent) -> bool:
        return self._service.is_ending or sent.lived is not self._service.now


def _problem_of_good(sent: Sent, sure: Sure) -> str:
    if sent.was_over:
        return "served after the token's end"
    if not sent.may_be:
        return "served without the scope"
    if sent.is_switched and sure.ability is False:
        return "served while the ability was off"
    if sent.path == TEAM and sure.team is False:
        return "served while the server was off"
    is_compact = sure.compact if sent.path == DEFAULT else False
    is_known = sent.is_routed is not None and is_compact is not None
    if is_known and sent.is_routed != is_compact:
        return "served a tool that is not listed"
    return ""


def _may_refuse(sent: Sent, answer: Answer, sure: Sure) -> bool:
    if not sent.may_be or (sent.is_switched and sure.ability is not True):
        return True
    if sent.path == TEAM and sure.team is not True:
        return True
    if answer.kind == "refused" or sent.is_routed is None:
        return False
    is_compact = sure.compact if sent.path == DEFAULT else False
    return is_compact is None or is_compact != sent.is_routed
