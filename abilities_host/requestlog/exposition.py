"""Exposition: metrics as the text that Prometheus reads, version 0.0.4."""

from collections.abc import Iterator
from typing import Final

from abilities_host.requestlog.metrics import Family, Metrics, Sample

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(metrics: Metrics) -> str:
    """Write everything that is counted.

    Args:
        metrics: of a host.

    Returns:
        Lines that end with a line feed; names are ASCII, and nothing in the value of
        a label can end its line or its quotes.
    """
    lines = (line for family in metrics.families() for line in _lines(family))
    return "".join(f"{line}\n" for line in lines)


def _lines(family: Family) -> Iterator[str]:
    said = family.help.replace("\\", r"\\").replace("\n", r"\n")
    yield f"# HELP {family.name} {said}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        yield _line(family.name, sample)


def _line(name: str, sample: Sample) -> str:
    end, names, values, value = sample
    pairs = zip(names, values, strict=True)
    labels = ",".join(f'{label}="{_escaped(text)}"' for label, text in pairs)
    shown = str(int(value)) if value.is_integer() else repr(value)
    return f"{name}{end}{{{labels}}} {shown}" if labels else f"{name}{end} {shown}"


def _escaped(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
