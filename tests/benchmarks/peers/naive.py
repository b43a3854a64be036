"""The naive composition: MCPServer, jsonschema, pluggy and aiosqlite, put together."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pluggy
from benchmarks.peers.functions import Echo, echo, functions
from benchmarks.peers.record import Record
from benchmarks.world import ECHO_SCHEMA, POLICIES
from jsonschema import (  # type: ignore[import-untyped]  # it ships no types
    Draft202012Validator,
)
from mcp.server import MCPServer

PROJECT: Final = "naive"
CALLER: Final = frozenset({"read", "write"})

Run = Callable[..., Awaitable[Any]]


class Vetoed(Exception):
    """Raised when a policy does not want a write.

    Args:
        reason: as the policy says it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"vetoed: {reason}")


class Specs:
    """What policies may implement."""

    @pluggy.HookspecMarker(PROJECT)
    def before_write(self, ability: str, arguments: Mapping[str, Any]) -> Any:
        """Give a reason not to write, or None."""


class Policy:
    """A policy that abstains."""

    @pluggy.HookimplMarker(PROJECT)
    async def before_write(self, ability: str, arguments: Mapping[str, Any]) -> None:
        """Abstain."""


class Governed:
    """Calls that are checked both ways, and writes that are asked about and recorded.

    Args:
        record: of the writes.
    """

    def __init__(self, record: Record) -> None:
        self._record: Final = record
        self._validator: Final = Draft202012Validator(ECHO_SCHEMA)
        self._manager: Final = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(Specs)
        for number in range(POLICIES):
            self._manager.register(Policy(), name=str(number))

    async def read(self, run: Run, arguments: dict[str, Any]) -> Any:
        """Check the arguments, the permission and the result of a read."""
        self._validator.validate(arguments)
        self._check_scope("read")
        result = await run(**arguments)
        self._validator.validate(result)
        return result

    async def write(self, name: str, run: Run, arguments: dict[str, Any]) -> Any:
        """Do the same for a write, between its intent and its outcome."""
        self._validator.validate(arguments)
        self._check_scope("write")
        await self._ask(name, arguments)
        call = uuid.uuid4().hex
        facts = {"ability": name, "arguments": arguments}
        await self._record.append("intent", call, facts)
        try:
            result = await run(**arguments)
            self._validator.validate(result)
        except Exception as error:
            failed = {"status": "failed", "error": str(error)}
            await self._record.append("outcome", call, failed)
            raise
        await self._record.append("outcome", call, {"status": "ok"})
        return result

    async def _ask(self, name: str, arguments: dict[str, Any]) -> None:
        hook = self._manager.hook.before_write
        for answer in hook(ability=name, arguments=arguments):
            if reason := await answer:
                raise Vetoed(reason)

    def _check_scope(self, scope: str) -> None:
        if scope not in CALLER:
            raise PermissionError(scope)


def build(abilities: int, database: Path, *, is_apart: bool = False) -> MCPServer[None]:
    """Make the server.

    Args:
        abilities: how many tools, at least four.
        database: where writes are recorded, from when it serves on.
        is_apart: each row has a commit of its own.

    Returns:
        A server of which echo is a governed read, and write a governed write.
    """
    record = Record(database, is_apart=is_apart)
    governed = Governed(record)

    @asynccontextmanager
    async def lifespan(_server: MCPServer[None]) -> AsyncIterator[None]:
        async with record:
            yield

    async def governed_echo(id: int, name: str, active: bool) -> Echo:  # noqa: A002, FBT001 - the schema's words
        arguments = {"id": id, "name": name, "active": active}
        result: Echo = await governed.read(echo, arguments)
        return result

    async def write(id: int, name: str, active: bool) -> Echo:  # noqa: A002, FBT001 - the schema's words
        arguments = {"id": id, "name": name, "active": active}
        result: Echo = await governed.write("bench_write", echo, arguments)
        return result

    server = MCPServer("naive", log_level="WARNING", lifespan=lifespan)
    server.add_tool(write, name="bench_write", description="Used by the benchmark.")
    for tool, function, description in functions(abilities - 1):
        given = governed_echo if function is echo else function
        server.add_tool(given, name=tool, description=description)
    return server


def main() -> None:
    """Serve over the transport that is asked for."""
    from benchmarks.peers.serving import parse, serve  # noqa: PLC0415 - as a peer would

    asked = parse()
    server = build(asked.abilities, asked.database, is_apart=asked.apart)
    if asked.port:
        serve(server.streamable_http_app(json_response=False), asked.port)
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
