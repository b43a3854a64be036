"""What sends traces is an extra: its tests are there where it is installed."""

from abilities_host.requestlog.tracing import is_installed

collect_ignore = [] if is_installed() else ["test_exported.py"]
