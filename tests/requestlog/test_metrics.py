"""Metrics: what is counted, and the text that Prometheus reads."""

import re

from hypothesis import given
from hypothesis import strategies as st
from requestlog.log_world import record

from abilities_host.requestlog.exposition import metrics_text
from abilities_host.requestlog.log import RequestLog
from abilities_host.requestlog.metrics import BUCKETS, Metrics

LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
UNESCAPED = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parsed(text: str) -> Samples:
    """Read the text as Prometheus does; anything else in it is an error."""
    found: Samples = {}
    assert text.endswith("\n")
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP|TYPE) [a-z_]+ .+", line)
            continue
        match = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)", line)
        assert match is not None, line
        pairs, end = [], 0
        for label in LABEL.finditer(match[2] or ""):
            assert label.start() == end
            end = label.end()
            value = re.sub(r"\\.", lambda m: UNESCAPED[m[0]], label[2])
            pairs.append((label[1], value))
        assert end == len(match[2] or "")
        assert (match[1], tuple(pairs)) not in found
        found[match[1], tuple(pairs)] = float(match[3])
    return found


def test_everything_that_is_counted_is_in_the_text() -> None:
    log = RequestLog(metrics=Metrics({"version": "1.2"}))
    log.metrics.sessions["default"] = lambda: 3
    log.metrics.begin("default")
    log.metrics.begin("default")
    log.metrics.end("default")
    log.note(record(micros=20_000, repaired=2))
    log.note(record(micros=20_000))
    log.refused(401)
    log.token_refused("expired")

    found = parsed(metrics_text(log.metrics))

    server, method = ("server", "default"), ("method", "tools/call")
    ability = ("ability", "files/read")
    labels = (server, method, ability, ("status", "ok"), ("code", ""))
    nothing = [("server", ""), ("method", ""), ("ability", "")]
    refused = (*nothing, ("status", "refused"), ("code", "http_401"))
    duration = "abilities_request_duration_seconds"
    buckets: Samples = {
        (f"{duration}_bucket", (server, method, ("le", f"{bound:g}"))): count
        for bound, count in zip(BUCKETS, [0] * 4 + [2] * 11, strict=True)
    }
    expected: Samples = {
        ("abilities_requests_total", labels): 2,
        ("abilities_requests_total", refused): 1,
        **buckets,
        (f"{duration}_bucket", (server, method, ("le", "+Inf"))): 2,
        (f"{duration}_sum", (server, method)): 0.04,
        (f"{duration}_count", (server, method)): 2,
        ("abilities_requests_in_flight", (server,)): 1,
        ("abilities_repaired_arguments_total", (server, ability)): 2,
        ("abilities_tokens_refused_total", (("reason", "expired"),)): 1,
        ("abilities_sessions", (server,)): 3,
        ("abilities_log_dropped_total", ()): 0,
        ("abilities_build_info", (("version", "1.2"),)): 1,
    }
    assert found == expected


@given(st.text(), st.text())
def test_no_label_can_end_its_line_or_its_quotes(ability: str, code: str) -> None:
    metrics = Metrics()
    metrics.note(record(ability=ability, code=code))

    [labels] = [
        dict(labels)
        for name, labels in parsed(metrics_text(metrics))
        if name == "abilities_requests_total"
    ]

    told = [text.encode("utf-8", "replace").decode() for text in (ability, code)]
    assert [labels["ability"], labels["code"]] == told


def test_combinations_of_labels_are_bounded_and_nothing_is_lost() -> None:
    metrics = Metrics(limit=3)
    for number in range(10):
        name = f"a/b{number}"
        metrics.note(record(ability=name, method=name, server=name, repaired=1))
        metrics.tokens_refused.add((name,))

    found = parsed(metrics_text(metrics))

    def of(name: str) -> list[float]:
        return [value for (each, _), value in found.items() if each == name]

    assert of("abilities_requests_total") == [1, 1, 1, 7]
    assert of("abilities_request_duration_seconds_count") == [1, 1, 1, 7]
    assert of("abilities_repaired_arguments_total") == [1, 1, 1, 7]
    assert of("abilities_tokens_refused_total") == [1, 1, 1, 7]
    others = tuple((name, "other") for name in ("server", "ability"))
    assert found["abilities_repaired_arguments_total", others] == 7
