"""Opened: the memory of a host that was started for a command."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from abilities_host.cli.running import with_host
from abilities_host.errors import StartRefused
from abilities_host.memory import ProjectMemory

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

T = TypeVar("T")

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Of the guidance, such as 'gm-001'.")
]


class NoMemory(StartRefused):
    """Raised when no healthy pack keeps guidance."""

    def __init__(self) -> None:
        super().__init__(
            "No pack keeps the project's memory here. 'abilities plugins' says whether "
            "it was set aside, and why."
        )


def with_memory(
    loaded: "LoadedConfig", work: Callable[[ProjectMemory], Awaitable[T]]
) -> T:
    """Start a host, work with its memory, and stop it.

    Args:
        loaded: the configuration.
        work: what the command does.

    Returns:
        What `work` returned.

    Raises:
        NoMemory: when there is none.
        AbilitiesError: from the start or from `work`, or after Ctrl+C.
    """

    async def run(host: "Host") -> T:
        return await work(memory_of(host))

    return with_host(loaded, run)


def memory_of(host: "Host") -> ProjectMemory:
    """Give the memory of a host.

    Args:
        host: started.

    Returns:
        Its memory.

    Raises:
        NoMemory: when there is none.
    """
    try:
        memory: ProjectMemory = host.services.find(ProjectMemory)
    except LookupError:
        raise NoMemory from None
    return memory
