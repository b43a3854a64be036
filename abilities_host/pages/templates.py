"""Templates: those of a pack, read from the folder that it brings."""

from collections.abc import Mapping
from typing import Final

SUFFIX: Final = ".html"


def read_templates(package: str, folder: str = "templates") -> Mapping[str, str]:
    """Read the templates of a package; blocks.

    Args:
        package: name of an importable package, such as ``__package__``.
        folder: in it; folders below are not looked into.

    Returns:
        Name of each file that ends in ``.html`` to its text.

    Raises:
        OSError: when there is no such folder.
        ModuleNotFoundError: when there is no such package.
    """
    from importlib.resources import files  # noqa: PLC0415 - a slow import

    return {
        each.name: each.read_text(encoding="utf-8")
        for each in sorted(files(package).joinpath(folder).iterdir(), key=str)
        if each.name.endswith(SUFFIX)
    }
