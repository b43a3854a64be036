"""Unit: the file by which systemd runs a host as a user of its own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from abilities_host.errors import ConfigError

HOMES: Final = (Path("/home"), Path("/root"), Path("/run/user"))
STOPPED: Final = (130, 143)
HOPELESS: Final = (2, 4)

_RESERVED: Final = 1024
_SPECIAL: Final = frozenset(" \"'\\;#")
_NEVER_RUN: Final = frozenset("\"'\\")

_UNIT: Final = """\
# Written by 'abilities install systemd'. Put changes of your own beside it, with
# 'systemctl edit'.
[Unit]
Description=Host for abilities
After=network.target
RequiresMountsFor={mounts}

[Service]
Type=exec
User={user}
ExecStart={command}
UMask=0077
Restart=on-failure
RestartSec=5
# What a person must mend is not tried again.
RestartPreventExitStatus={hopeless}
# A signal ends it within a second, with the last write recorded.
SuccessExitStatus={stopped}
KillMode=mixed
TimeoutStopSec=10

# What it may write, besides a /tmp of its own.
ProtectSystem=strict
ReadWritePaths={writable}
ProtectHome={homes}
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes

# What it may become, and ask the kernel for.
NoNewPrivileges=yes
CapabilityBoundingSet={capabilities}
AmbientCapabilities={capabilities}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""


@dataclass(frozen=True, slots=True)
class Service:
    """What a unit must say of one host.

    Attributes:
        user: as whom it runs.
        command: the program, as an absolute path, and its arguments.
        writable: folders it may write in, absolute.
        readable: further files and folders it needs, absolute.
        port: where it listens.
    """

    user: str
    command: tuple[str, ...]
    writable: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    port: int = 0


def unit_text(service: Service) -> str:
    """Write the unit.

    Args:
        service: the host.

    Returns:
        The text of a file such as ``abilities.service``.

    Raises:
        ConfigError: names the path that no unit can hold.
    """
    writable = _outermost(service.writable)
    needed = (*writable, *service.readable, Path(service.command[0]))
    is_at_home = any(path.is_relative_to(home) for path in needed for home in HOMES)
    is_reserved = 0 < service.port < _RESERVED
    return _UNIT.format(
        mounts=_words(writable),
        user=service.user,
        command=_command(service.command),
        hopeless=_words(HOPELESS),
        stopped=_words(STOPPED),
        writable=_words(writable),
        homes="read-only" if is_at_home else "yes",
        capabilities="CAP_NET_BIND_SERVICE" if is_reserved else "",
    )


def _outermost(folders: Iterable[Path]) -> list[Path]:
    """Leave out what lies in another one of them."""
    distinct = list(dict.fromkeys(folders))
    return [
        each
        for each in distinct
        if not any(other in each.parents for other in distinct)
    ]


def _command(words: tuple[str, ...]) -> str:
    program, *arguments = words
    if _NEVER_RUN.intersection(program):
        raise ConfigError(program, "has a quote or backslash: systemd never runs it.")
    # A variable would be put in place of what begins with '$'; not in the program.
    return " ".join(
        [_word(program), *(_word(each).replace("$", "$$") for each in arguments)]
    )


def _words(values: Iterable[object]) -> str:
    return " ".join(_word(str(value)) for value in values)


def _word(text: str) -> str:
    """Write one word so that systemd reads the same, with its '%' and quotes."""
    if not text.isprintable():
        raise ConfigError(text, "has a character in its name that no unit can hold.")
    escaped = "".join(_escaped(text))
    return f'"{escaped}"' if _SPECIAL.intersection(text) else escaped


def _escaped(text: str) -> Iterator[str]:
    marks = {"%": "%%", '"': '\\"', "\\": "\\\\"}
    for character in text:
        yield marks.get(character, character)
