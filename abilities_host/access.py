"""Access: what the permission bits of a file let other users do."""

import os
import stat


def others_may_write(status: os.stat_result) -> bool:
    """Answer whether group or world may write a file or folder.

    Args:
        status: from `os.stat`.

    Returns:
        False on Windows too, which has no such bits: every file there would show as
        writable by all.
    """
    mask = stat.S_IWGRP | stat.S_IWOTH
    return os.name == "posix" and bool(status.st_mode & mask)
