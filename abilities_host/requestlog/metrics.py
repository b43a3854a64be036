"""Metrics: what is counted of requests while a host runs, with bounded labels."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from abilities_host.requestlog.record import Record

COMBINATIONS: Final = 1_000
OTHER: Final = "other"
BUCKETS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
"""Upper bounds in seconds."""

_MICROSECONDS: Final = 1e6

V = TypeVar("V")
Labels = tuple[str, ...]
Sample = tuple[str, tuple[str, ...], Labels, float]
"""What comes after the name, names and values of the labels, and the value."""


class Family(NamedTuple):
    """All samples of one name.

    Attributes:
        name: of the metric.
        kind: ``counter``, ``gauge`` or ``histogram``.
        help: a sentence.
        samples: in the order to show.
    """

    name: str
    kind: str
    help: str
    samples: tuple[Sample, ...]


class _Labelled(Generic[V]):
    """Values by their labels, of which there are only so many.

    Args:
        name: of the metric.
        help_: a sentence.
        labels: names of the labels.
        limit: combinations of labels; all beyond are counted as ``other``.
    """

    def __init__(
        self, name: str, help_: str, labels: Labels, *, limit: int = COMBINATIONS
    ) -> None:
        self._name: Final = name
        self._help: Final = help_
        self._labels: Final = labels
        self._limit: Final = limit
        self._values: Final[dict[Labels, V]] = {}

    def _bounded(self, labels: Labels) -> Labels:
        is_known = labels in self._values or len(self._values) < self._limit
        return labels if is_known else _others(labels)


class Counter(_Labelled[int]):
    """Numbers that only grow, by their labels."""

    def add(self, labels: Labels, count: int = 1) -> None:
        """Count.

        Args:
            labels: values of the labels, in their order.
            count: how many, at least 0.
        """
        labels = self._bounded(labels)
        self._values[labels] = self._values.get(labels, 0) + count

    def family(self) -> Family:
        """Give what was counted."""
        samples = (
            ("", self._labels, labels, float(count))
            for labels, count in self._values.items()
        )
        return Family(self._name, "counter", self._help, tuple(samples))


class Histogram(_Labelled["_Spread"]):
    """How long requests took, by their labels."""

    def add(self, labels: Labels, seconds: float) -> None:
        """Take one duration.

        Args:
            labels: values of the labels, in their order.
            seconds: how long.
        """
        spread = self._values.get(labels)
        if spread is None:
            spread = self._values.setdefault(self._bounded(labels), _Spread())
        spread.counts[bisect_left(BUCKETS, seconds)] += 1
        spread.total += seconds

    def family(self) -> Family:
        """Give the buckets, added up as Prometheus reads them."""
        samples = (
            sample
            for labels, spread in self._values.items()
            for sample in self._samples(labels, spread)
        )
        return Family(self._name, "histogram", self._help, tuple(samples))

    def _samples(self, labels: Labels, spread: "_Spread") -> Iterator[Sample]:
        names, below = (*self._labels, "le"), 0
        for bound, count in zip((*BUCKETS, None), spread.counts, strict=True):
            below += count
            shown = "+Inf" if bound is None else f"{bound:g}"
            yield "_bucket", names, (*labels, shown), float(below)
        yield "_sum", self._labels, labels, spread.total
        yield "_count", self._labels, labels, float(below)


class _Spread:
    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0


_REQUESTS: Final = (
    "abilities_requests_total",
    "Requests that have ended, also those refused before the protocol.",
    ("server", "method", "ability", "status", "code"),
)
_SECONDS: Final = (
    "abilities_request_duration_seconds",
    "How long requests took.",
    ("server", "method"),
)
_REPAIRED: Final = (
    "abilities_repaired_arguments_total",
    "Places in arguments that were mended.",
    ("server", "ability"),
)
_TOKENS: Final = (
    "abilities_tokens_refused_total",
    "Tokens that were shown and refused.",
    ("reason",),
)


class Metrics:
    """What a host counts; the lists of labels are bounded.

    Args:
        build: names and values that say what runs.
        limit: combinations of labels of one metric.

    Attributes:
        in_flight: server to requests that are answered now.
        sessions: server to a function that counts its open sessions.
        dropped: counts requests that the log did not keep.
        tokens_refused: by the reason.
    """

    def __init__(
        self, build: dict[str, str] | None = None, *, limit: int = COMBINATIONS
    ) -> None:
        self.in_flight: Final[dict[str, int]] = {}
        self.sessions: Final[dict[str, Callable[[], int]]] = {}
        self.dropped: Callable[[], int] = int
        self.tokens_refused: Final = Counter(*_TOKENS, limit=limit)
        self._build: Final = build or {}
        self._requests: Final = Counter(*_REQUESTS, limit=limit)
        self._seconds: Final = Histogram(*_SECONDS, limit=limit)
        self._repaired: Final = Counter(*_REPAIRED, limit=limit)

    def note(self, record: Record) -> None:
        """Count a request.

        Args:
            record: of a request that has ended.
        """
        server, method = record.server, record.method
        self._requests.add(
            (server, method, record.ability, record.status, record.code), record.times
        )
        if method:
            self._seconds.add((server, method), record.micros / _MICROSECONDS)
        if record.repaired:
            self._repaired.add((server, record.ability), record.repaired)

    def begin(self, server: str) -> None:
        """Note that a request has come."""
        self.in_flight[server] = self.in_flight.get(server, 0) + 1

    def end(self, server: str) -> None:
        """Note that a request has ended, well or not."""
        self.in_flight[server] -= 1

    def families(self) -> tuple[Family, ...]:
        """Give everything that is counted, each name once."""
        return (
            self._requests.family(),
            self._seconds.family(),
            _gauge(
                "abilities_requests_in_flight",
                "Requests that are answered now.",
                self.in_flight,
            ),
            self._repaired.family(),
            self.tokens_refused.family(),
            _gauge(
                "abilities_sessions",
                "Sessions that clients have open.",
                {server: count() for server, count in self.sessions.items()},
            ),
            self._dropped_family(),
            self._build_family(),
        )

    def _dropped_family(self) -> Family:
        name = "abilities_log_dropped_total"
        said = "Requests that the log did not keep."
        return Family(name, "counter", said, (("", (), (), float(self.dropped())),))

    def _build_family(self) -> Family:
        names, values = tuple(self._build), tuple(self._build.values())
        said = "What runs; the value is always 1."
        sample = ("", names, values, 1.0)
        return Family("abilities_build_info", "gauge", said, (sample,))


def _gauge(name: str, help_: str, values: dict[str, int]) -> Family:
    samples = (("", ("server",), (key,), float(n)) for key, n in values.items())
    return Family(name, "gauge", help_, tuple(samples))


def _others(labels: Labels) -> Labels:
    return (OTHER,) * len(labels)
