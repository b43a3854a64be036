"""Whatever a person's form says is done or refused, and nothing breaks."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx2
import pytest
from admin.admin_world import OWN, Browser, admin_world
from admin.hostile_pages import faults_of
from admin.hostile_world import LONG, hostile
from admin.test_every_action import Attempt, attempts_of, filled
from admin.test_waiting_page import noted
from cli.memory_world import SECRETS

from abilities_host.admin import Action, Form, Page, Visit
from abilities_host.admin.pages import PAGES

V = TypeVar("V")

VALUES: Final = (
    *(hostile("sent"), "\0", "", "9" * 5_000, "-1", "1e999", "[]", "{", "null"),
    *("[" * 2_000, '{"a": ' * 500, LONG, "yes", "*", "files/*", "gm-001", "active"),
)
FILES: Final = (b"", b"\xff\xfe\0", b"{}", b"[" * 9_000, b'{"guidance": [{}]}')
FINE: Final = (200, 303, 400, 403, 404, 409, 413)

USUAL: Final[Mapping[str, Mapping[str, str]]] = {
    "/admin/guidance/topics/put": {"state": "active"},
    "/admin/guidance/gm-001/edit/save": {
        "type": "fact",
        "topic": "shop",
        "text": "Another fact.",
        "rationale": "Asked for.",
        "priority": "0",
    },
    "/admin/access/create": {"name": "ci", "role": "agent", "days": "30"},
    "/admin/access/context": {"context": "A shop."},
    "/admin/tools/files/write/try/write": {"a0": "b.txt", "a1": "x"},
}
"""What a person fills in, so that not only the first field is looked at."""


class Looked(Mapping[str, V]):
    """Fields of a form, which note what an action looks for among them."""

    def __init__(self, fields: Mapping[str, V], names: set[str]) -> None:
        self._fields = fields
        self._names = names

    def __getitem__(self, name: str) -> V:
        self._names.add(name)
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def noting(page: Page, looked: dict[str, set[str]]) -> Page:
    """Give the same page, whose actions note what they look for in their forms."""
    actions = {
        name: _noting(action, looked.setdefault(f"{page.path}/{name}", set()))
        for name, action in page.actions.items()
    }
    return replace(page, actions=actions)


def _noting(action: Action, names: set[str]) -> Action:
    async def run(visit: Visit, form: Form) -> Any:
        noted_ = Form(Looked(form.fields, names), Looked(form.files, names))
        given = noted_.confirmed_by(form.unlocked) if action.confirm else noted_
        return await action.run(visit, given)

    return replace(action, run=run)


async def test_no_form_breaks_an_action(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looked: dict[str, set[str]] = {}
    wrong: list[tuple[str, Any]] = []
    pages = [noting(page, looked) for page in PAGES]
    async with admin_world(tmp_path, "ana", pages=pages, prepare=noted) as world:
        await filled(world)
        browser = await world.signed_in()
        every = await attempts_of(world, browser)
        caplog.clear()
        for each, names in zip(every, looked.values(), strict=True):
            async for said, reply in _sent(browser, each, names):
                if reply.status_code not in FINE:
                    wrong.append((f"{each.path} {said}", reply.status_code))
                wrong += [(f"{each.path} {said}", fault) for fault in faults_of(reply)]
        last = await browser.get("/admin")
    assert wrong == []
    assert [each.getMessage() for each in caplog.records if each.levelno > 30] == []
    assert last.status_code == 200
    assert {name: looked[name] & fields for name, fields in LOOKED.items()} == LOOKED


LOOKED: Final = {
    "/review/approve": {"id", "next", "seen"},
    "/review/list/reject": {"chosen"},
    "/waiting/entry/approve": {"following", "id", "kind", "seen"},
    "/guidance/preview": {"document"},
    "/guidance/topics/put": {"always_on", "exclude", "id", "recall", "seen", "state"},
    "/guidance/{id}/edit/save": {"priority", "rule", "text", "topic"},
    "/tools/on": {"pattern"},
    "/access/create": {"days", "name", "role", "scopes", "server"},
}
"""Some of what is looked for, so that what is noted is known to be all of it."""


async def _sent(
    browser: Browser, each: Attempt, names: set[str]
) -> AsyncIterator[tuple[str, httpx2.Response]]:
    """Send a form with all fields, and each alone, as nobody would fill it in."""
    usual = {**USUAL.get(each.path, {}), "secret": SECRETS["ana"]}
    yield "usual", await browser.post(each.path, each.tokened(browser, **usual))
    given = sorted(names - {"seen", "token"})
    odd = [(value, given) for value in VALUES]
    odd += [(value, [name]) for name in given for value in VALUES[:3]]
    for value, some in odd:
        fields = each.tokened(browser, **usual) | dict.fromkeys(some, value)
        said = f"{some} are {value[:20]}"
        yield said, await browser.post(each.path, fields)
    for content in FILES if "document" in names else ():
        reply = await browser.http.post(
            each.path,
            data=each.tokened(browser),
            files={"document": (hostile("name"), content, "text/html")},
            headers=OWN,
        )
        yield repr(content[:20]), reply
