"""Secret: asked for at the terminal that a person sits at, and nowhere else."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from abilities_host.accounts import UnsuitableSecret
from abilities_host.accounts.hashing import SHORTEST, check_secret
from abilities_host.cli.exits import Interrupted, Refused
from abilities_host.cli.printing import complain_at_length, printable, wrapped

LINE_BYTES: Final = 4096
TRIES: Final = 3
_NOT_DUMPABLE: Final = (4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
_WARNING: Final = (
    "Type a secret only into a terminal that you opened yourself: a program that "
    "started this one could read it."
)


class NeedsPerson(Refused):
    """Raised when nobody can be asked at a terminal; nothing was changed."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"This needs a person at a terminal: {why} Nothing was changed. A secret "
            "is never taken from an argument, a variable, a file or a pipe."
        )


class Person(Protocol):
    """Whoever answers questions that only a person may answer."""

    def ask(self, prompt: str) -> str:
        """Ask for a line that may be seen.

        Args:
            prompt: what it is, such as ``Type 'restore' to go on:``.

        Returns:
            The line, without its end.

        Raises:
            NeedsPerson: when nobody can be asked.
            Interrupted: after Ctrl+C.
        """
        ...

    def ask_secret(self, prompt: str) -> str:
        """Ask for a secret, which is not shown.

        Args:
            prompt: whose it is, such as ``Secret of ana:``.

        Returns:
            The secret as it was typed.

        Raises:
            NeedsPerson: when nobody can be asked.
            Interrupted: after Ctrl+C.
        """
        ...


def ask_new_secret(person: Person, name: str) -> str:
    """Ask for a secret that somebody chooses, twice the same.

    Args:
        person: who chooses.
        name: the account it is for.

    Returns:
        A secret that can be taken.

    Raises:
        UnsuitableSecret: when three were not suitable, or not the same.
        NeedsPerson: when nobody can be asked.
        Interrupted: after Ctrl+C.
    """
    problem = ""
    for _ in range(TRIES):
        if problem:
            complain_at_length(wrapped(problem))
        prompt = f"New secret of {name}, at least {SHORTEST} characters:"
        secret = person.ask_secret(prompt)
        try:
            check_secret(secret)
        except UnsuitableSecret as error:
            problem = error.sentence
            continue
        if person.ask_secret("The same again:") == secret:
            return secret
        problem = "The two are not the same."
    raise UnsuitableSecret(f"{problem} That was try {TRIES} of {TRIES}.")


class Terminal:
    """The person at the controlling terminal; standard input is never asked instead.

    No check can tell a person from a program that types into a pseudo-terminal. What
    protects is that an agent does not know the secret.
    """

    def __init__(self) -> None:
        self._is_warned = False

    def ask(self, prompt: str) -> str:
        """Ask for a line that may be seen; see `Person.ask`."""
        return _asked(f"{printable(prompt)} ", is_hidden=False)

    def ask_secret(self, prompt: str) -> str:
        """Ask for a secret, which is not shown; see `Person.ask_secret`."""
        warning = "" if self._is_warned else f"{wrapped(_WARNING)}\n"
        self._is_warned = True
        return _asked(f"{warning}{printable(prompt)} ", is_hidden=True)


def _asked(prompt: str, *, is_hidden: bool) -> str:
    try:
        line = _ask(prompt, is_hidden=is_hidden)
    except KeyboardInterrupt:
        raise Interrupted from None
    except OSError as error:
        raise NeedsPerson(f"the terminal cannot be used ({error.strerror}).") from None
    except UnicodeDecodeError:
        # Without what was typed: it may be nearly the secret.
        raise NeedsPerson("what was typed is not UTF-8 text.") from None
    if len(line) > LINE_BYTES:
        raise NeedsPerson(f"a line has {LINE_BYTES} bytes at most.")
    return line


def typed_keys(next_key: Callable[[], str]) -> str:
    """Read a line key by key, as a console without lines gives them.

    Args:
        next_key: waits for one key.

    Returns:
        The line, as Backspace left it.

    Raises:
        KeyboardInterrupt: for Ctrl+C.
    """
    keys: list[str] = []
    while len(keys) <= LINE_BYTES and (key := next_key()) not in {"\r", "\n"}:
        if key == "\x03":
            raise KeyboardInterrupt
        if key == "\b":
            del keys[-1:]
        else:
            keys.append(key)
    return "".join(keys)


if sys.platform == "win32":
    import msvcrt

    def _ask(prompt: str, *, is_hidden: bool) -> str:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise NeedsPerson("standard input or error is not a console.")
        while msvcrt.kbhit():  # what was typed ahead
            msvcrt.getwch()
        for character in prompt:
            msvcrt.putwch(character)
        try:
            return typed_keys(msvcrt.getwch if is_hidden else msvcrt.getwche)
        finally:
            msvcrt.putwch("\n")
else:
    import termios

    def _ask(prompt: str, *, is_hidden: bool) -> str:
        try:
            with _terminal() as terminal:
                if not is_hidden:
                    return _typed(terminal, prompt)
                _close_memory()
                with _hidden(terminal):
                    return _typed(terminal, prompt)
        except termios.error as error:  # is no OSError, and says the same
            raise OSError(*error.args) from None

    @contextmanager
    def _terminal() -> Iterator[int]:
        flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC
        try:
            terminal = os.open("/dev/tty", flags)
        except OSError:
            raise NeedsPerson("this process has none.") from None
        try:
            _check_foreground(terminal)
            yield terminal
        finally:
            os.close(terminal)

    def _check_foreground(terminal: int) -> None:
        if os.tcgetpgrp(terminal) != os.getpgrp():
            raise NeedsPerson("this process runs in the background.")
        if not (os.isatty(0) and os.isatty(2)):
            raise NeedsPerson("standard input or error is not the terminal.")

    @contextmanager
    def _hidden(terminal: int) -> Iterator[None]:
        before = termios.tcgetattr(terminal)
        hidden = termios.tcgetattr(terminal)
        hidden[3] &= ~(termios.ECHO | termios.ECHOE | termios.ECHOK | termios.ECHONL)
        # Stopped with Ctrl+Z and gone on with, the terminal would show what is typed.
        unused = bytes([os.fpathconf(terminal, "PC_VDISABLE") & 0xFF])
        for name in ("VSUSP", "VDSUSP"):
            if hasattr(termios, name):
                hidden[6][getattr(termios, name)] = unused
        # Flushing drops what was typed ahead, perhaps by another program.
        termios.tcsetattr(terminal, termios.TCSAFLUSH, hidden)
        try:
            yield
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
            os.write(terminal, b"\n")

    def _typed(terminal: int, prompt: str) -> str:
        os.write(terminal, prompt.encode())
        line = b""
        # Ctrl+D in the middle of a line hands over what was typed so far.
        while not line.endswith(b"\n") and len(line) <= LINE_BYTES:
            piece = os.read(terminal, LINE_BYTES)
            if not piece:
                raise NeedsPerson("the input ended.")
            line += piece
        return line.removesuffix(b"\n").decode()

    def _close_memory() -> None:
        """Keep other programs of this user from reading this one's memory (Linux)."""
        prctl = getattr(ctypes.CDLL(None), "prctl", None)
        if prctl is not None:
            prctl(*_NOT_DUMPABLE)
