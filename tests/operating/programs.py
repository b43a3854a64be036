"""Programs of the machine that some tests need, and what to do without them."""

import os
import shutil
from typing import Final

_PATH: Final = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"
_NEEDED: Final = {
    "nginx": "test_behind_nginx.py",
    "systemd-analyze": "test_verified.py",
}


def program(name: str) -> str | None:
    """Find a program, also among those that are only for who looks after machines."""
    return shutil.which(name, path=_PATH)


def left_out() -> list[str]:
    """Give the files of this folder whose program is not here."""
    return [file for name, file in _NEEDED.items() if program(name) is None]


def told() -> list[str]:
    """Say which tests there are not, a sentence each."""
    return [
        f"not here: {name}, so tests/operating/{file} is left out"
        for name, file in _NEEDED.items()
        if program(name) is None
    ]
