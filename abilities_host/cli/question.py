"""Question: a person at the terminal is asked, and says yes or no."""

import os
import sys

from abilities_host.cli.printing import printable
from abilities_host.threads import run_in_thread

_ANSWER_BYTES = 4096
_YES = frozenset({b"y", b"yes"})


async def ask_person(question: str) -> bool:
    """Ask on the terminal; only ``y`` and ``yes`` mean yes.

    Args:
        question: any text.

    Returns:
        Whether the person agreed; the end of the input does not agree.
    """

    def ask() -> bytes:
        sys.stderr.write(f"{printable(question)} [y/N] ")
        sys.stderr.flush()
        # Not through sys.stdin: a thread that waits inside it blocks the exit.
        return os.read(sys.stdin.fileno(), _ANSWER_BYTES)

    answer = b""
    try:
        answer = await run_in_thread(ask)
    finally:
        if not answer.endswith(b"\n"):  # Ctrl+C and Ctrl+D leave the line open
            sys.stderr.write("\n")
    return answer.strip().lower() in _YES
