"""Options that every command has."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="PATH",
        help="The configuration file; by default searched for upwards from here.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
