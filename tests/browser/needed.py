"""What the tests in a real browser need of the machine, and what to do without it."""

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Find the browser of the machine; none is ever downloaded."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def is_here() -> bool:
    """Answer whether there is a browser, and what drives it."""
    return chromium() is not None and find_spec("playwright") is not None


def checkers() -> Path | None:
    """Give the folder of `make .venv-node/.browser`, None when it was not made.

    ``node_modules`` in it has axe-core and html-validate; ``node.txt`` says which Node
    runs them.
    """
    folder = ROOT / ".venv-node" / "browser"
    return folder if (folder / "node.txt").is_file() else None


def told() -> Iterator[str]:
    """Say which tests there are not, a sentence each."""
    if find_spec("playwright") is None:
        yield "not here: playwright, so tests/browser is left out"
    elif chromium() is None:
        yield "not here: chromium, so tests/browser is left out"
    elif checkers() is None:
        yield (
            "not here: axe-core and html-validate, so pages are not checked with them; "
            "make .venv-node/.browser"
        )
