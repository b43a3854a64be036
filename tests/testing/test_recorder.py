from pathlib import Path
from typing import Any

import pytest

from abilities_host import MISSING, Call, Changes, RegistryView, State, hookimpl
from abilities_host.calls import Actor
from abilities_host.errors import CallError
from abilities_host.testing import RecordedEvent, RecordingRecorder, build_host
from abilities_host.testing.recorder import Method

AGENT = Actor("agent")


class Shelf:
    """A domain in memory."""

    name = "shelf"

    def __init__(self) -> None:
        self.books: dict[str, str] = {}

    def canonical(self, target: str) -> str:
        return target.lower()

    async def capture(self, target: str) -> State:
        return self.books.get(target, MISSING)

    async def restore(self, target: str, expected: State, state: State) -> None:
        raise NotImplementedError


class Library:
    def __init__(self) -> None:
        self.shelf = Shelf()

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("books", label="Books", description="Some books.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_domain(self.shelf)
        registry.register_ability(
            "library/put",
            label="Put",
            description="Puts a book on the shelf, and the one after it.",
            category="books",
            input_schema={"type": "string"},
            execute_callback=self.put,
            permission_callback=lambda arguments: arguments != "C",
            changes=Changes("shelf", targets=lambda arguments: [arguments]),
        )

    async def put(self, arguments: Any, call: Call) -> None:
        self.shelf.books[arguments.lower()] = "here"
        await call.touch("shelf", "B")
        self.shelf.books["b"] = "here"


async def test_a_recorder_keeps_what_it_was_told_in_order(tmp_path: Path) -> None:
    recorder, library = RecordingRecorder(), Library()
    packs = [("library", library)]
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        put = await host.execute("library/put", "A", actor=AGENT)
        denied = await host.execute("library/put", "C", actor=AGENT)

    def event(method: Method, call: str, **more: Any) -> RecordedEvent:
        return RecordedEvent(method=method, ability="library/put", call=call, **more)

    assert recorder.events == [
        event("intent", put.call, targets=("shelf:a",)),
        event("before", put.call, targets=("shelf:b",)),
        event("outcome", put.call, targets=("shelf:a", "shelf:b"), status="ok"),
        event(
            "refusal",
            denied.call,
            status="refused",
            code="ability_invalid_permissions",
        ),
    ]
    assert recorder.outcomes == [put, denied]


@pytest.mark.parametrize(
    ("method", "status", "books"),
    [
        ("intent", "refused", {}),
        ("before", "failed", {"a": "here"}),
        ("outcome", "unknown", {"a": "here", "b": "here"}),
    ],
)
async def test_a_recorder_fails_where_it_is_told_to(
    tmp_path: Path, method: Method, status: str, books: dict[str, str]
) -> None:
    recorder, library = RecordingRecorder(fails_at=[method]), Library()
    packs = [("library", library)]
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        outcome = await host.execute("library/put", "A", actor=AGENT)

    assert (outcome.status, library.shelf.books) == (status, books)
    assert isinstance(outcome.error, CallError)
    assert method not in [event.method for event in recorder.events]
