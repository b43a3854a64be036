"""Tracing: a span of OpenTelemetry for each request, where an operator asked for it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from abilities_host.errors import StartRefused
from abilities_host.requestlog.record import Record
from abilities_host.requestlog.traceparent import HEADER, STATE, trace_of

EXTRA: Final = "otel"
END_MILLISECONDS: Final = 2_000
_NEEDED: Final = (
    "opentelemetry.sdk.trace",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
)
_STATES: Final = 512  # characters of a state of a trace, as W3C bounds it


class TracesMissing(StartRefused):
    """Raised when traces are wanted and what sends them is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "[requests] traces = true needs what sends traces, and that is not "
            f"installed. Install the extra {EXTRA!r}: pip install "
            f"'abilities-host[{EXTRA}]'; or set traces = false."
        )


class Spanned(NamedTuple):
    """A request that is traced.

    Attributes:
        span: of OpenTelemetry.
        token: puts back what was current before.
        trace: id of the trace, 32 hexadecimal digits.
    """

    span: Any
    token: Any
    trace: str


class Tracing:
    """Makes spans; arguments, results and names that a client made up are in none.

    Args:
        tracer: of OpenTelemetry.
        close: sends what is left and ends; blocks.
    """

    def __init__(self, tracer: Any, close: Callable[[], object] = lambda: None) -> None:
        from opentelemetry import context, trace  # noqa: PLC0415 - only where it is wanted
        from opentelemetry.trace.propagation import tracecontext  # noqa: PLC0415 - same

        self.close: Final = close
        self._tracer: Final = tracer
        self._trace: Final = trace
        self._context: Final = context
        self._propagator: Final = tracecontext.TraceContextTextMapPropagator()

    def begin(self, method: str, server: str, sent: Mapping[str, Any]) -> Spanned:
        """Begin the span of a request; it is current until it ends.

        Args:
            method: of the protocol.
            server: id.
            sent: ``traceparent`` and ``tracestate``, as the client sent them.

        Returns:
            What `end` needs.
        """
        trace = self._trace
        span = self._tracer.start_span(
            method,
            context=self._parent(sent),
            kind=trace.SpanKind.SERVER,
            attributes={"mcp.method.name": method, "abilities.server": server},
        )
        token = self._context.attach(trace.set_span_in_context(span))
        return Spanned(span, token, f"{span.get_span_context().trace_id:032x}")

    def end(self, spanned: Spanned, record: Record) -> None:
        """End a span.

        Args:
            spanned: from `begin`.
            record: what the log keeps.
        """
        span, trace = spanned.span, self._trace
        self._context.detach(spanned.token)
        said = {"ability": record.ability, "via": record.via, "call": record.call}
        said |= {"status": record.status, "code": record.code, "actor": record.actor}
        span.set_attributes({f"abilities.{k}": v for k, v in said.items() if v})
        if record.status in ("failed", "unknown", "error"):
            span.set_status(trace.StatusCode.ERROR, record.code)
        span.end()

    def _parent(self, sent: Mapping[str, Any]) -> Any:
        if not trace_of(sent.get(HEADER)):
            return None
        carrier = {HEADER: sent[HEADER]}
        state = sent.get(STATE)
        if isinstance(state, str) and len(state) <= _STATES:
            carrier[STATE] = state
        return self._propagator.extract(carrier)


def open_tracing(
    version: str, find: Callable[[str], object | None] = find_spec
) -> Tracing:
    """Begin to send traces where the ``OTEL_*`` variables say; blocks.

    Args:
        version: of the host.
        find: finds an installed module.

    Returns:
        What makes spans; close it at the end.

    Raises:
        TracesMissing: when the extra is not installed.
    """
    if not is_installed(find):
        raise TracesMissing
    sdk, export = (import_module(name) for name in _NEEDED)
    batches = import_module("opentelemetry.sdk.trace.export")
    resources = import_module("opentelemetry.sdk.resources")
    said = {"service.name": "abilities-host", "service.version": version}
    # What the variables say goes before.
    resource = resources.Resource(said).merge(resources.OTELResourceDetector().detect())
    # Whoever opened it closes it, in bounded time; the end of the process must not.
    provider = sdk.TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(batches.BatchSpanProcessor(export.OTLPSpanExporter()))

    def close() -> None:
        provider.force_flush(END_MILLISECONDS)
        provider.shutdown()

    return Tracing(provider.get_tracer("abilities-host", version), close)


def is_installed(find: Callable[[str], object | None] = find_spec) -> bool:
    """Answer whether the extra is there.

    Args:
        find: finds an installed module.

    Returns:
        Whether traces can be sent.
    """
    try:
        return all(find(name) is not None for name in _NEEDED)
    except ModuleNotFoundError:  # not even the package around it
        return False
