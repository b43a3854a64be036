"""A process that has imported everything and forks a child for each line it reads.

A child that must start, run and be killed hundreds of times costs a few milliseconds
so. Whoever reads the answers knows that a child is dead: its end was waited for.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from faults.jobs import JOBS


def serve() -> None:
    """Read one order a line and answer each with a line; at the end nobody is left."""
    children: set[int] = set()
    for line in sys.stdin:
        order = json.loads(line)
        if "job" in order:
            answer = _fork(order)
            children.add(answer)
        else:
            os.kill(order["pid"], order["signal"])
            answer = 0
            if order["signal"] == signal.SIGKILL or order["waits"]:
                answer = _end_of(order["pid"])
                children.discard(order["pid"])
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _fork(order: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    log = os.open(Path(order["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(log, number)
    os.close(0)
    try:
        JOBS[order["job"]](**order["arguments"])
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _end_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    serve()
