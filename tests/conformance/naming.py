"""The names of the suite, which have underscores, and those of the host."""

import re
from typing import Final

# As long as one another, so that no length that was announced changes.
_OF_SUITE: Final = re.compile(rb'(?<=")(?:test_|json_schema)\w*(?=")')
_OF_HOST: Final = re.compile(rb'(?<=")(?:test_|json_schema-)[\w-]*(?=")')


def as_host(name: str) -> str:
    """Give the host's name: only its first underscore parts two words."""
    head, found, tail = name.partition("_")
    return f"{head}{found}{tail.replace('_', '-')}"


def as_suite(name: str) -> str:
    """Give the suite's name."""
    return name.replace("-", "_")


def to_host(body: bytes) -> bytes:
    """Write what the suite sent with the host's names."""
    return _OF_SUITE.sub(lambda found: as_host(found[0].decode()).encode(), body)


def to_suite(line: bytes) -> bytes:
    """Write what the host sent with the suite's names."""
    return _OF_HOST.sub(lambda found: as_suite(found[0].decode()).encode(), line)
