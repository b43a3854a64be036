"""Ports: where this machine reaches what listens, and whether somebody does."""

import os
import socket

from abilities_host.server.exposure import LOCALHOST


def near(address: str) -> str:
    """Give where this machine reaches what listens on an address.

    Args:
        address: numbers, or ``localhost``.
    """
    known = {"0.0.0.0": LOCALHOST, "::": "::1", "localhost": LOCALHOST}  # noqa: S104 - looked up
    return known.get(address, address)


def is_free(address: str, port: int) -> bool:
    """Answer whether nobody listens at a port.

    Args:
        address: of this machine, as numbers.
        port: not 0.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        if os.name == "posix":  # elsewhere it would take a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
