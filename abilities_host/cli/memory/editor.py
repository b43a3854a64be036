"""Editor: the program in which a person fills in a form."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, TypeVar

from abilities_host.cli.exits import Interrupted, Refused
from abilities_host.cli.memory.form import BYTES, FormBroken
from abilities_host.cli.printing import complain
from abilities_host.cli.secret import Terminal
from abilities_host.errors import AbilitiesError, StartRefused, StoreError

T = TypeVar("T")

_AGAIN: Final = "Press Enter to edit it again, or type 'q' to leave it:"


class NoEditor(Refused):
    """Raised when no program could be started, or it ended with an error."""

    def __init__(self, command: str, problem: str) -> None:
        super().__init__(
            f"The editor {command!r} {problem}. Set VISUAL or EDITOR to one that "
            "works, or give the form with --file. Nothing was proposed."
        )


def fill_in(form: str, take: Callable[[str], T]) -> T | None:
    """Have a person edit a form until it can be taken.

    Args:
        form: at the start.
        take: makes something of the text; its errors are shown, and the person may
            mend what is wrong.

    Returns:
        What `take` returned, None when nothing was changed or the person gave up.

    Raises:
        NoEditor: when none works.
        NeedsPerson: when nobody can be asked.
        AbilitiesError: from `take`, once the person gave up or when the form is not to
            blame; the text is kept and its place told.
        Interrupted: after Ctrl+C.
    """
    # A folder that nobody else reads; editors put their own copies beside the file.
    file = Path(mkdtemp(prefix="abilities-")) / "guidance.toml"
    file.write_bytes(form.encode())
    try:
        taken = _fill_in(file, form, take)
    except AbilitiesError:
        if _is_changed(file, form):
            complain("note", f"your text is kept in {file}")
        else:
            _remove(file)
        raise
    _remove(file)
    return taken


def _fill_in(file: Path, form: str, take: Callable[[str], T]) -> T | None:
    while True:
        _edit(file)
        try:
            text = _read(file)
            return None if text == form else take(text)
        except (StoreError, StartRefused, Interrupted):
            raise
        except AbilitiesError as error:
            complain("error", error.sentence)
            if Terminal().ask(_AGAIN).strip().casefold() == "q":
                raise


def _edit(file: Path) -> None:
    usual = "notepad" if sys.platform == "win32" else "vi"
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or usual
    try:
        words = shlex.split(command, posix=sys.platform != "win32")
        ended = subprocess.run([*words, str(file)], check=False)  # noqa: S603 - the person's own choice
    except KeyboardInterrupt:
        raise Interrupted from None
    except (OSError, ValueError):
        raise NoEditor(command, "cannot be started") from None
    if ended.returncode:
        raise NoEditor(command, f"ended with {ended.returncode}")


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(BYTES + 1)
    except OSError:
        raise FormBroken("the editor left no file.") from None
    if len(content) > BYTES:
        raise FormBroken(f"it is larger than {BYTES // 1024} KiB.")
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise FormBroken("it is not UTF-8 text.") from None


def _is_changed(file: Path, form: str) -> bool:
    return file.is_file() and file.read_bytes() != form.encode()


def _remove(file: Path) -> None:
    with suppress(OSError):
        for each in file.parent.iterdir():
            each.unlink()
        file.parent.rmdir()
