"""Caller: a client that calls in a mix, loses its connection and goes on."""

import random
from typing import Any, Final

from benchmarks.http_client import Connection, HttpError
from benchmarks.soak.answer import LOST, Answer, answer_of, read_answer
from benchmarks.soak.keys import Key
from benchmarks.soak.papers import Paper
from benchmarks.soak.scene import Scene
from benchmarks.soak.site import DEFAULT, TEAM
from benchmarks.soak.tally import Sent
from benchmarks.wire import LEGACY, MODERN

PAPERS: Final = 4
PAUSE_SECONDS: Final = 0.1
AGAIN_SECONDS: Final = 0.3
_ROUTE: Final = "dispatcher_call-tool"
_ROUTES: Final = frozenset(
    {_ROUTE, "dispatcher_list-tools", "dispatcher_get-tool-schema"}
)
_MIX: Final = {"echo": 4, "switched": 4, "read": 4, "write": 4, "undo": 2, "list": 1}


class Caller:
    """One client.

    Args:
        number: decides what it shows, speaks and asks.
        scene: what all share.
    """

    def __init__(self, number: int, scene: Scene) -> None:
        self._number: Final = number
        self._scene: Final = scene
        self._version: Final = MODERN if number % 3 else LEGACY
        self._chance: Final = random.Random(number)  # noqa: S311 - no secret
        self._path = server_of(number, scene.keys.of_client(number))
        self._turn = 0
        self._key: Key
        self._connection: Connection

    async def run(self) -> None:
        """Call until all is over."""
        while not self._scene.over.is_set():
            self._key = self._scene.keys.of_client(self._number)
            sent = self._scene.tally.send("initialize", self._path, self._key)
            try:
                async with self._connect() as self._connection:
                    self._note_session(sent)
                    await self._stay()
            except (HttpError, *LOST) as error:
                self._scene.tally.end(sent, answer_of(error))
            await self._scene.rest(self._chance.uniform(0, AGAIN_SECONDS))

    def _connect(self) -> Connection:
        return self._scene.service.connect(
            self._key.value, self._version, path=self._path
        )

    def _note_session(self, sent: Sent) -> None:
        """Only the earlier era is asked for anything before the first call."""
        if self._connection.session:
            self._scene.tally.end(sent, Answer("ok"))
            kept = (self._connection.session, self._path)
            self._key.sessions = (*self._key.sessions[-3:], kept)

    async def _stay(self) -> None:
        kinds, weights = [*_MIX], [*_MIX.values()]
        is_well = True
        while is_well and not self._scene.over.is_set():
            self._turn += 1
            [kind] = self._chance.choices(kinds, weights)
            is_well = await self._do(kind)
            await self._scene.rest(self._chance.uniform(0, PAUSE_SECONDS))

    async def _do(self, kind: str) -> bool:
        """Do one thing; answer whether the connection is of further use."""
        match kind:
            case "echo":
                answer = await self._echo("bench_echo")
            case "switched":
                answer = await self._echo("bench_filler-0")
            case "read":
                answer = await self._read(self._paper())
            case "write":
                answer = await self._write(self._paper())
            case "undo":
                answer = await self._undo(self._paper())
            case _:
                answer = await self._list()
        return answer.kind in ("ok", "refused", "unlisted")

    async def _echo(self, tool: str) -> Answer:
        name, is_switched = f"{self._number}-{self._turn}", tool != "bench_echo"
        arguments = {"query": name} if is_switched else _record(self._turn, name)
        kind = "switched" if is_switched else "echo"
        answer = await self._call(kind, tool, arguments, is_switched=is_switched)
        if answer.kind == "ok" and answer.content != arguments:
            self._scene.faults.add("an answer to another call")
        return answer

    async def _list(self) -> Answer:
        compact = self._scene.switches.compact
        seen = compact.look()
        answer = await self._send("list", "tools/list", {})
        is_compact = compact.between(seen) if self._path == DEFAULT else None
        if answer.kind == "ok" and is_compact is not None:
            names = {tool["name"] for tool in answer.result["tools"]}
            if is_compact != (names <= _ROUTES):
                self._scene.faults.add("a listing of another mode", f"{len(names)}")
        return answer

    async def _read(self, paper: Paper) -> Answer:
        if None in paper.possible:
            return await self._write(paper)
        answer = await self._call("read", "files_read", {"path": paper.path})
        if answer.kind == "ok" and not paper.found(answer.content["text"]):
            self._scene.faults.add("read what was not written", paper.path)
        return answer

    async def _write(self, paper: Paper) -> Answer:
        text = f"{self._number} {self._turn}\n"
        arguments = {"path": paper.path, "text": text}
        may_be = self._key.may_write
        answer = await self._call("write", "files_write", arguments, may_be=may_be)
        if answer.kind == "ok":
            paper.wrote(text, answer.call)
        elif answer.kind in ("broken", "stopped", "strange"):
            paper.lost(text)
        else:
            paper.refused(text)
        return answer

    async def _undo(self, paper: Paper) -> Answer:
        if not paper.can_undo:
            return await self._write(paper)
        query = {"domain": "files", "target": paper.path, "limit": 1}
        listed = await self._call("changes", "ledger_list-changes", query)
        if listed.kind != "ok" or not listed.content["changes"]:
            return listed
        change = {"id": listed.content["changes"][0]["id"]}
        tool, may_be = "ledger_rollback-change", self._key.may_undo
        answer = await self._call("undo", tool, change, may_be=may_be)
        if answer.kind == "ok":
            paper.undid(answer.call)
        elif answer.kind in ("broken", "stopped", "strange"):
            paper.lost_undo()
        return answer

    async def _call(
        self,
        kind: str,
        tool: str,
        arguments: Any,
        *,
        may_be: bool = True,
        is_switched: bool = False,
    ) -> Answer:
        """Call, through the dispatcher where that is all there is, as far as known."""
        is_routed = self._path == DEFAULT and self._scene.switches.compact.is_on
        if is_routed:
            kind, name = f"{kind} by call-tool", tool.replace("_", "/", 1)
            tool, arguments = _ROUTE, {"name": name, "arguments": arguments}
        params = {"name": tool, "arguments": arguments}
        options = {
            "may_be": may_be,
            "is_routed": is_routed,
            "is_switched": is_switched,
        }
        return await self._send(kind, "tools/call", params, tool, **options)

    async def _send(
        self, kind: str, method: str, params: Any, tool: str = "", **options: bool
    ) -> Answer:
        sent = self._scene.tally.send(kind, self._path, self._key, **options)
        try:
            answer = read_answer(await self._connection.ask(method, params, tool))
        except (HttpError, *LOST) as error:
            answer = answer_of(error)
        return self._scene.tally.end(sent, answer)

    def _paper(self) -> Paper:
        which = self._chance.randrange(PAPERS)
        return self._scene.papers.paper(f"c{self._number}-{which}.txt")


def server_of(number: int, key: Key) -> str:
    """Give the path of the server that a client uses."""
    return TEAM if key.name == "team-bot" or number % 5 < 2 else DEFAULT


def _record(number: int, name: str) -> dict[str, Any]:
    return {"id": number, "name": name, "active": True}
