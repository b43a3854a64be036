"""Origin: where somebody sits who sets a secret, as far as a program can tell."""

import os
import platform
import sys


def secret_origin() -> str:
    """Say where this command runs.

    Whoever starts the command can choose some of it: it informs, and proves nothing.

    Returns:
        Such as ``terminal /dev/pts/3, ssh from 192.0.2.7, ana on desk``, without what
        is not known.
    """
    parts = []
    if terminal := _terminal():
        parts.append(f"terminal {terminal}")
    if peer := os.environ.get("SSH_CONNECTION", "").split()[:1]:
        parts.append(f"ssh from {peer[0]}")
    parts.append(f"{_user()} on {platform.node() or 'a machine without a name'}")
    return ", ".join(parts)


if sys.platform == "win32":
    import getpass

    def _terminal() -> str:
        return "console"

    def _user() -> str:
        try:
            return getpass.getuser()
        except (OSError, ImportError, KeyError):
            return "somebody"
else:
    import pwd

    def _terminal() -> str:
        try:
            return os.ttyname(0)
        except OSError:
            return ""

    def _user() -> str:
        # Not from the environment, where everybody can write another name.
        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            return f"user {os.getuid()}"
