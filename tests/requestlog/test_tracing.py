"""Spans of requests, told to a tracer that only remembers."""

from typing import Any

from opentelemetry import trace
from requestlog.log_world import record

from abilities_host.requestlog.tracing import Tracing

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


class Span(trace.NonRecordingSpan):
    """A span that remembers."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        parent = trace.get_current_span(options["context"]).get_span_context()
        context = trace.SpanContext(
            parent.trace_id or 1, 2, is_remote=False, trace_state=parent.trace_state
        )
        super().__init__(context)
        self.name = name
        self.attributes = dict(options["attributes"])
        self.status: tuple[Any, ...] = ()
        self.has_ended = False

    def set_attributes(self, attributes: Any) -> None:
        self.attributes |= attributes

    def set_status(self, *status: Any) -> None:
        self.status = status

    def end(self, end_time: int | None = None) -> None:
        self.has_ended = True


class Tracer:
    """Makes such spans."""

    def start_span(self, name: str, **options: Any) -> Span:
        return Span(name, options)


def test_a_span_says_what_the_log_says_and_no_more() -> None:
    tracing = Tracing(Tracer())
    spanned = tracing.begin("tools/call", "default", {"traceparent": PARENT})
    is_current = trace.get_current_span() is spanned.span
    tracing.end(spanned, record(status="failed", code="x", via=""))

    assert is_current
    assert trace.get_current_span() is trace.INVALID_SPAN
    assert spanned.trace == TRACE
    assert spanned.span.name == "tools/call"
    assert spanned.span.status == (trace.StatusCode.ERROR, "x")
    assert spanned.span.has_ended
    assert spanned.span.attributes == {
        "mcp.method.name": "tools/call",
        "abilities.server": "default",
        "abilities.ability": "files/read",
        "abilities.call": "c1",
        "abilities.status": "failed",
        "abilities.code": "x",
        "abilities.actor": "ci",
    }


def test_the_state_of_a_trace_goes_along_and_nonsense_is_no_parent() -> None:
    tracing = Tracing(Tracer())
    sent = {"traceparent": PARENT, "tracestate": "vendor=1"}
    whole = tracing.begin("ping", "default", sent)
    tracing.end(whole, record())
    long = tracing.begin("ping", "default", {**sent, "tracestate": "v=" + "x" * 600})
    tracing.end(long, record())
    none = tracing.begin("ping", "default", {"traceparent": "nonsense"})
    tracing.end(none, record())

    assert whole.span.get_span_context().trace_state.get("vendor") == "1"
    assert (long.trace, len(long.span.get_span_context().trace_state)) == (TRACE, 0)
    assert none.trace == f"{1:032x}"
    assert none.span.status == ()
