"""Process: a server under measurement, its processor time, its memory, its end."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent
PATIENCE = 7_200.0
STOP_SECONDS = 10.0
PROCESSORS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

Process = subprocess.Popen[bytes]


@contextmanager
def started(
    arguments: Sequence[str], log: Path, under: Sequence[str] = ()
) -> Iterator[Process]:
    """Start a Python process with pipes, on every processor, and end it.

    One that serves no longer than it may is killed, so that nobody waits for ever.

    Args:
        arguments: after the interpreter's name.
        log: the file that its standard error is added to.
        under: a command that runs it, such as one that traces.

    Yields:
        The process.
    """
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [*under, sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
        )
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        if PROCESSORS:  # this one may have been pinned
            os.sched_setaffinity(process.pid, PROCESSORS)
        yield process
    finally:
        watchdog.cancel()
        _end(process)


def pin(pid: int, *, first: bool) -> None:
    """Keep servers and what asks them on processors of their own, where possible.

    Args:
        pid: of a process; its threads move too.
        first: the first processor, which is the servers'; else the last.
    """
    if len(PROCESSORS) < 2:
        return
    processor = PROCESSORS[0] if first else PROCESSORS[-1]
    for thread in _threads(pid):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(thread, {processor})


@contextmanager
def on_every_processor() -> Iterator[None]:
    """Let this process use all of them, for rows in which it is the one that works."""
    if len(PROCESSORS) < 2:
        yield
        return
    before = os.sched_getaffinity(0)
    _keep_on(set(PROCESSORS))
    try:
        yield
    finally:
        _keep_on(before)


def _keep_on(processors: set[int]) -> None:
    for thread in _threads(os.getpid()):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(thread, processors)


def _threads(pid: int) -> list[int]:
    folder = Path(f"/proc/{pid}/task")
    return [int(thread.name) for thread in folder.iterdir()]


def cpu_seconds(pid: int) -> float:
    """Give the processor time that all threads of a process have taken.

    Args:
        pid: of a living process.

    Returns:
        Seconds; to the nanosecond on Linux, elsewhere as ``ps`` prints them.
    """
    threads = list(Path(f"/proc/{pid}/task").glob("*/schedstat"))
    if threads:
        return sum(int(_read(each).split()[0]) for each in threads) / 1e9
    return _seconds(_ps(pid, "cputime"))


def resident_kb(pid: int) -> int:
    """Give the memory of a process that is not swapped out, in kB."""
    status = _read(Path(f"/proc/{pid}/status"), "")
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return int(_ps(pid, "rss"))


def open_files(pid: int) -> int:
    """Count the descriptors of a process; 0 where that cannot be seen."""
    folder = Path(f"/proc/{pid}/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def threads_of(pid: int) -> int:
    """Count the threads of a process; 0 where that cannot be seen."""
    folder = Path(f"/proc/{pid}/task")
    return len(list(folder.iterdir())) if folder.exists() else 0


def _environment() -> Mapping[str, str]:
    kept = {key: value for key, value in os.environ.items() if "ABILITIES" not in key}
    return {**kept, "PYTHONPATH": str(TESTS), "PYTHONWARNINGS": "ignore"}


def _read(path: Path, gone: str = "0") -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:  # the thread has ended, or there is no such system
        return gone


def _ps(pid: int, column: str) -> str:
    command = ["ps", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def _seconds(text: str) -> float:
    """Read ``[[days-]hours:]minutes:seconds``."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds + 86_400 * int(days or 0)


def _end(process: Any) -> None:
    with suppress(BrokenPipeError):  # it died with something unread
        process.stdin.close()
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
