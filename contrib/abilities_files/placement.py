"""Placement: putting whole contents in place, or nothing at all."""

import errno
import os
import secrets
import stat
from contextlib import suppress

from abilities_files.handle import Handle
from abilities_files.refusals import (
    Changed,
    HardLinked,
    NotEmpty,
)
from abilities_files.spot import Spot, is_file, is_folder

NEW_FILE_MODE = 0o644

_NO_LINKS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
)


def put_contents(
    spot: Spot, data: bytes, *, over: os.stat_result | None, mode: int | None = None
) -> int:
    """Write a file so that everybody sees all of it or none of it.

    The bytes go to a file of another name in the same folder, are made durable, and
    only then get the name. Owner, access lists and extended attributes are those of a
    new file.

    Args:
        spot: where.
        data: the whole contents.
        over: status of the file that is replaced, None when nothing may be there.
        mode: permission bits; None keeps those of `over`, and gives a new file 0o644
            less the process's mask.

    Returns:
        The permission bits it got.

    Raises:
        Exists: when nothing should have been there.
        Changed: when the file is not the one `over` told of.
        HardLinked: when the file has another name.
        AbilityFailed: when it may not be replaced.
    """
    if over is not None:
        check_single(spot, over)
        mode = permission_bits(over) if mode is None else mode
    part = f".abilities-{secrets.token_hex(8)}.part"
    try:
        mode = _fill(spot.handle, part, data, mode)
        if over is None:
            _publish(spot, part)
        else:
            check_unchanged(spot, over)
            spot.handle.replace(part, spot.handle, spot.name)
    except BaseException:
        with suppress(OSError):
            spot.handle.remove_file(part)
        raise
    spot.handle.sync()
    return mode


def make_folder(spot: Spot, mode: int | None = None) -> int:
    """Make a folder.

    Args:
        spot: where; nothing may be there.
        mode: permission bits, None for 0o755 less the process's mask.

    Returns:
        The permission bits it got.

    Raises:
        Exists: when something is there.
        AbilityFailed: when it may not be made.
    """
    spot.check(None)
    spot.handle.make_folder(spot.name)
    status = spot.get_status()
    if mode is not None:
        status = set_folder_mode(spot, mode, status)
    spot.handle.sync()
    return permission_bits(status)


def set_folder_mode(spot: Spot, mode: int, status: os.stat_result) -> os.stat_result:
    """Set the permission bits of a folder.

    Args:
        spot: where it is.
        mode: permission bits.
        status: of the folder that is meant.

    Returns:
        Its status afterwards.

    Raises:
        Changed: when it is not the folder that `status` told of.
    """
    try:
        inner = spot.handle.enter(spot.name)
    except (FileNotFoundError, NotADirectoryError):
        raise Changed(spot.path) from None
    with inner:
        if _identity(inner.status()) != _identity(status):
            raise Changed(spot.path)
        inner.set_mode(mode)
        return inner.status()


def remove(spot: Spot, status: os.stat_result) -> None:
    """Remove a file or an empty folder.

    Args:
        spot: where.
        status: of what is removed.

    Raises:
        HardLinked: when the file has another name.
        NotEmpty: when the folder holds something.
        Changed: when it is not what `status` told of.
    """
    check_single(spot, status)
    check_unchanged(spot, status)
    if is_folder(status):
        spot.handle.remove_folder(spot.name)
    else:
        spot.handle.remove_file(spot.name)
    spot.handle.sync()


def move(
    source: Spot,
    destination: Spot,
    status: os.stat_result,
    over: os.stat_result | None,
) -> None:
    """Give a file or an empty folder another path.

    Args:
        source: where it is.
        destination: where it shall be.
        status: of what is moved.
        over: status of the file it replaces, None when nothing may be there.

    Raises:
        Exists: when nothing should have been at the destination.
        AbilityFailed: when one of the two may not be changed.
    """
    check_single(source, status)
    check_unchanged(source, status)
    if over is None:
        _move_to_new(source, destination, status)
    else:
        check_single(destination, over)
        check_unchanged(destination, over)
        source.handle.replace(source.name, destination.handle, destination.name)
    destination.handle.sync()
    source.handle.sync()


def check_single(spot: Spot, status: os.stat_result) -> None:
    """Check that a change cannot be seen under another name.

    Args:
        spot: where it is.
        status: of what would be changed.

    Raises:
        HardLinked: when the file has another name.
        NotEmpty: when the folder holds something.
    """
    if is_file(status):
        if status.st_nlink > 1:
            raise HardLinked(spot.path)
        return
    with spot.handle.enter(spot.name) as inner:
        if inner.list_names(1):
            raise NotEmpty(spot.path)


def check_unchanged(spot: Spot, status: os.stat_result) -> None:
    """Check that what is there is still what was looked at.

    Args:
        spot: where.
        status: from the look before.

    Raises:
        Changed: when it is gone, is another thing or has other contents.
    """
    try:
        now = spot.handle.lstat(spot.name)
    except FileNotFoundError:
        raise Changed(spot.path) from None
    if _identity(now) != _identity(status):
        raise Changed(spot.path)


def permission_bits(status: os.stat_result) -> int:
    """Give the permission bits that a state keeps.

    Args:
        status: of a file or a folder.

    Returns:
        Nine bits of a file, all twelve of a folder; a file that runs as its owner is
        never made again.
    """
    bits = stat.S_IMODE(status.st_mode)
    return bits if is_folder(status) else bits & 0o777


def _fill(handle: Handle, part: str, data: bytes, mode: int | None) -> int:
    bits = NEW_FILE_MODE if mode is None else 0o600
    descriptor = handle.create_file(part, bits)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
        return permission_bits(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _publish(spot: Spot, part: str) -> None:
    """Give the finished file its name, unless something has it."""
    spot.check(None)
    try:
        spot.handle.link(part, spot.handle, spot.name)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim(spot)
        spot.handle.replace(part, spot.handle, spot.name)
    else:
        spot.handle.remove_file(part)


def _claim(spot: Spot) -> None:
    """Take a name where hard links do not exist: an empty file stands for a moment."""
    os.close(spot.handle.create_file(spot.name, 0o600))


def _move_to_new(source: Spot, destination: Spot, status: os.stat_result) -> None:
    """Move without overwriting, whoever else may be making the same name."""
    if is_folder(status):
        destination.handle.make_folder(destination.name)
        source.handle.replace(source.name, destination.handle, destination.name)
        return
    try:
        source.handle.link(source.name, destination.handle, destination.name)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim(destination)
        source.handle.replace(source.name, destination.handle, destination.name)
        return
    try:
        source.handle.remove_file(source.name)
    except OSError:
        destination.handle.remove_file(destination.name)
        raise


def _identity(status: os.stat_result) -> tuple[int, ...]:
    identity = status.st_dev, status.st_ino, status.st_mode
    if is_folder(status):
        return identity
    # Anybody can set the time of change back, but not that of the status.
    return *identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns
