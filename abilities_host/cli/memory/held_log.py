"""Held log: what the log says while a screen is shown, told after it."""

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LINES: Final = 200


class _Held(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: Final[deque[logging.LogRecord]] = deque(maxlen=LINES)

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def held_log() -> Iterator[None]:
    """Keep the log off the terminal for as long as the block runs.

    Of more than 200 lines the last are told.
    """
    root, held = logging.getLogger(), _Held()
    handlers, root.handlers = root.handlers, [held]
    try:
        yield
    finally:
        root.handlers = handlers
        for record in held.records:
            for handler in handlers:
                if record.levelno >= handler.level:
                    handler.handle(record)
