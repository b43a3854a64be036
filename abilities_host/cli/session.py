"""Session: one for each terminal login, so that its calls belong together."""

import os
from hashlib import sha256
from pathlib import Path

_STARTED = 19
"""Place of the start time in a Linux process status, after the name."""


def login_session() -> str:
    """Name the session of this terminal login.

    Returns:
        ``cli-`` and 16 characters; the same for each command of one login.
    """
    leader = _leader()
    parts = (os.environ.get("USER", ""), str(leader), _start_of(leader))
    return f"cli-{sha256(' '.join(parts).encode()).hexdigest()[:16]}"


def _leader() -> int:
    # Windows has no sessions: there the calls of one shell belong together.
    return os.getsid(0) if hasattr(os, "getsid") else os.getppid()


def _start_of(process: int) -> str:
    """Numbers of processes come again; with the time of the start they do not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:  # no Linux, or the leader has gone
        return ""
    return status.rpartition(")")[2].split()[_STARTED]
