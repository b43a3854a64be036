"""Tools as MCPServer and FastMCP want them: functions whose signature is the schema."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated, Any, Literal

from benchmarks.heartbeat import Heartbeat
from benchmarks.world import filler_description, filler_words
from pydantic import Field
from typing_extensions import TypedDict

Function = Callable[..., Awaitable[Any]]


class Echo(TypedDict):
    """What echo takes and gives."""

    id: int
    name: str
    active: bool


class Number(TypedDict):
    """One number."""

    number: float


async def echo(id: int, name: str, active: bool) -> Echo:  # noqa: A002, FBT001 - the schema's words
    """Give back what was sent."""
    return {"id": id, "name": name, "active": active}


async def tasks() -> Number:
    """Count the tasks of the server's loop."""
    return {"number": len(asyncio.all_tasks())}


def functions(abilities: int) -> Iterator[tuple[str, Function, str]]:
    """Give the tools one by one.

    Args:
        abilities: how many, at least three.

    Yields:
        Name, function, description.
    """
    heartbeat = Heartbeat()

    async def stall() -> Number:
        return {"number": heartbeat.read()}

    for word, function in (("echo", echo), ("stall", stall), ("tasks", tasks)):
        yield f"bench_{word}", function, "Used by the benchmark itself."
    for number in filler_words(abilities):
        yield f"bench_filler-{number}", _filler(), filler_description(number)


def _filler() -> Function:
    async def filler(  # noqa: PLR0917 - as a tool's author would write it
        query: Annotated[str, Field(description="Words in the collection")],
        limit: Annotated[int, Field(description="Entries at most", ge=1)] = 20,
        after: Annotated[str, Field(description="Where the last page ended")] = "",
        tags: list[str] | None = None,
        order: Literal["newest", "oldest", "best"] = "newest",
        archived: Annotated[bool, Field(description="Old entries too")] = False,  # noqa: FBT002 - the schema's words
    ) -> Any:
        return query

    return filler
