"""Keys: one key at a time from the terminal, without showing it."""

import os
import sys
import time
from contextlib import suppress
from typing import Final

END: Final = "end of input"
LOOK_SECONDS: Final = 0.25
"""How long nobody looks whether the window has another size."""

_NAMES: Final = {
    b"\x1b[A": "up",
    b"\x1bOA": "up",
    b"\x1b[B": "down",
    b"\x1bOB": "down",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\x1b[H": "home",
    b"\x1b[F": "end",
    b"\r": "\n",
}


def key_of(read: bytes) -> str:
    """Name the key that was pressed.

    Args:
        read: what the terminal gave at once.

    Returns:
        A character, or such as ``page down``; empty for a key without a name. Only
        the first of several counts: nobody has seen yet what follows from it.
    """
    if not read:
        return END
    if read[:1] == b"\x1b":
        return _NAMES.get(read, "")
    name = _NAMES.get(read[:1])
    return name or read.decode(errors="replace")[0]


if sys.platform == "win32":
    import msvcrt

    _CODES: Final = {
        "H": "up",
        "P": "down",
        "I": "page up",
        "Q": "page down",
        "G": "home",
        "O": "end",
    }

    class Keyboard:
        """The keys of the console, which come one by one anyway."""

        def take(self) -> None:
            """Have keys come one by one and unseen."""

        def release(self) -> None:
            """Leave the console as it was."""

        def forget(self) -> None:
            """Drop what was typed ahead."""
            while msvcrt.kbhit():
                msvcrt.getwch()

        def next(self) -> str | None:
            """Wait a moment for a key; None when there was none."""
            end = time.monotonic() + LOOK_SECONDS
            while not msvcrt.kbhit():
                if time.monotonic() > end:
                    return None
                time.sleep(LOOK_SECONDS / 10)
            key = msvcrt.getwch()
            if key in {"\x00", "\xe0"}:
                return _CODES.get(msvcrt.getwch(), "")
            if key == "\x03":
                raise KeyboardInterrupt
            return "\n" if key == "\r" else key
else:
    import select
    import termios

    _INPUT: Final = 0

    class Keyboard:
        """The keys of the terminal that standard input is."""

        def __init__(self) -> None:
            self._before: Final = termios.tcgetattr(_INPUT)

        def take(self) -> None:
            """Have keys come one by one and unseen."""
            single = termios.tcgetattr(_INPUT)
            single[3] &= ~(termios.ICANON | termios.ECHO)
            # Stopped with Ctrl+Z, the terminal would be left as it is now.
            unused = bytes([os.fpathconf(_INPUT, "PC_VDISABLE") & 0xFF])
            single[6][termios.VSUSP] = unused
            termios.tcsetattr(_INPUT, termios.TCSAFLUSH, single)

        def release(self) -> None:
            """Leave the terminal as it was."""
            with suppress(termios.error):  # it went away
                termios.tcsetattr(_INPUT, termios.TCSAFLUSH, self._before)

        def forget(self) -> None:
            """Drop what was typed ahead."""
            with suppress(termios.error):
                termios.tcflush(_INPUT, termios.TCIFLUSH)

        def next(self) -> str | None:
            """Wait a moment for a key; None when there was none."""
            if not select.select([_INPUT], [], [], LOOK_SECONDS)[0]:
                return None
            try:
                return key_of(os.read(_INPUT, 1024))
            except OSError:  # it went away
                return END
