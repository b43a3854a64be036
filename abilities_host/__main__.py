"""The command line, started as ``python -m abilities_host``."""

from abilities_host.cli import main

main()
