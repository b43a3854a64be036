"""What the peers share: how each is started, and the transport it is asked for."""

import argparse
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn


def parse() -> argparse.Namespace:
    """Read how many tools to offer, and the port; without one it is stdio.

    One that records writes is told where, and whether each has its own commit.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--abilities", type=int, default=3)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--database", type=Path, default=Path())
    parser.add_argument("--apart", action="store_true")
    return parser.parse_args()


def serve(app: Callable[..., Any], port: int) -> None:
    """Serve an application as fast as uvicorn can, with every default else."""
    gc.collect()
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_level="warning", access_log=False
    )
    uvicorn.Server(config).run()
