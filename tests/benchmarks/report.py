"""Report: the table that is printed, and the file that a program reads."""

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson
from benchmarks.row import HERE, Done, Goal, Measured

BUILD = Path(__file__).parents[2] / "build"
PACKAGES = (
    "abilities-host",
    "mcp",
    "fastmcp",
    "pydantic",
    "pluggy",
    "jsonschema",
    "jsonschema-rs",
    "aiosqlite",
    "uvicorn",
    "uvloop",
    "httptools",
    "orjson",
)
HEAD = (
    "work",
    "unit",
    HERE,
    "others (how much better here)",
    "first goal",
    "second goal",
)


def fresh_log() -> Path:
    """Begin the file that servers complain in."""
    BUILD.mkdir(exist_ok=True)
    log = BUILD / "bench.log"
    log.write_bytes(b"")
    return log


def report(done: Sequence[Done], *, is_quick: bool, seconds: float) -> None:
    """Print the table; write it to ``build/bench.md``, all of it to ``bench.json``.

    Args:
        done: every row.
        is_quick: whether less was measured.
        seconds: that the whole run took.
    """
    facts = {**_machine(), "quick": is_quick, "seconds": round(seconds, 1)}
    kind = "Quick" if is_quick else "Full"
    page = (
        f"{_table(done)}\nRemarks:\n\n{_remarks(done)}\n"
        f"{kind} run, {seconds:.0f} s; {_sentence(facts)}.\n"
    )
    sys.stdout.write(f"\n{page}")
    (BUILD / "bench.md").write_text(page, encoding="utf-8")
    rows = [_row(each) for each in done]
    written = orjson.dumps({**facts, "rows": rows}, option=orjson.OPT_INDENT_2)
    (BUILD / "bench.json").write_bytes(written + b"\n")


def _table(done: Sequence[Done]) -> str:
    lines = [HEAD, *map(_cells, done)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "".join(
        "| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in lines
    )


def _cells(done: Done) -> tuple[str, ...]:
    row, measured = done.row, done.measured
    if measured is None:
        return (row.name, row.unit, "failed, see above", "", "", "")
    others = [
        f"{who} {_number(figure)} ({_ratio(measured, who)})"
        for who, figure in measured.figures.items()
        if who != HERE
    ]
    return (
        row.name,
        row.unit,
        _number(measured.figures[HERE]) if HERE in measured.figures else "not measured",
        " · ".join(others),
        _goals(row.first, measured),
        _goals(row.second, measured),
    )


def _ratio(measured: Measured, who: str) -> str:
    ratio = measured.better_than(who)
    return "?" if ratio is None else f"{_number(ratio)}x"


def _goals(goals: Sequence[Goal], measured: Measured) -> str:
    words = {True: "met", False: "NOT met", None: "not measured"}
    return "; ".join(f"{goal.text}: {words[goal.is_met(measured)]}" for goal in goals)


def _number(figure: float) -> str:
    if figure >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"


def _remarks(done: Sequence[Done]) -> str:
    told = [
        f"- {each.row.name}: {each.measured.remark}\n"
        for each in done
        if each.measured and each.measured.remark
    ]
    return "".join(told)


def _row(done: Done) -> dict[str, Any]:
    row, measured = done.row, done.measured
    facts: dict[str, Any] = {"name": row.name, "unit": row.unit, "fault": done.fault}
    if measured is None:
        return facts
    goals = {
        column: {goal.text: goal.is_met(measured) for goal in goals}
        for column, goals in (("first", row.first), ("second", row.second))
    }
    return {
        **facts,
        "figures": measured.figures,
        "better": {w: measured.better_than(w) for w in measured.figures if w != HERE},
        "goals": goals,
        "remark": measured.remark,
        "spread": measured.spread,
    }


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [line for line in text.splitlines() if line.startswith("model name")]
    return names[0].partition(":")[2].strip() if names else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _sentence(facts: dict[str, Any]) -> str:
    load = f"{facts['load'][0]:.1f}" if facts["load"] else "unknown"
    packages = ", ".join(f"{name} {each}" for name, each in facts["packages"].items())
    return (
        f"{facts['processors']} x {facts['processor']}, load {load} at the end, "
        f"Python {facts['python']}; {packages}"
    )
