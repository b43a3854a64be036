"""Progress: a bar on a terminal for what takes long, nothing elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from abilities_host.ledger import Progress


@contextmanager
def shown_progress(what: str) -> Iterator[Progress | None]:
    """Show a bar on standard error while something is done.

    Args:
        what: is done, as one word.

    Yields:
        What is told how far it is; None where nobody looks.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import Progress as Bar  # noqa: PLC0415 - same

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
