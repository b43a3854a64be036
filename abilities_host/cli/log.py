"""Log: what the host says of itself while a command runs, on standard error."""

import logging

from abilities_host.cli.printing import complain, complain_at_length


def set_up_log(*, is_verbose: bool) -> None:
    """Send the log to standard error, harmless to print.

    Args:
        is_verbose: also information, and whole tracebacks; else one line for each
            warning.
    """
    root = logging.getLogger()
    root.handlers = [_Lines(is_verbose=is_verbose)]
    root.setLevel(logging.INFO if is_verbose else logging.WARNING)


def quieten_log() -> None:
    """Leave warnings out, for a command that says the same in its own words."""
    root = logging.getLogger()
    root.setLevel(logging.ERROR if root.level == logging.WARNING else root.level)


class _Lines(logging.Handler):
    def __init__(self, *, is_verbose: bool) -> None:
        super().__init__()
        self._is_verbose = is_verbose

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        reason = f": {type(error).__name__}: {error}" if error else ""
        complain(record.levelname.lower(), record.getMessage() + reason)
        if self._is_verbose and record.exc_info:
            complain_at_length(logging.Formatter().formatException(record.exc_info))
