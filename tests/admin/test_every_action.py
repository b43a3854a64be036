"""Every action of every page: who may not do it, and what nobody does by accident."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
from admin.admin_world import (
    OWN,
    AdminWorld,
    Browser,
    Reader,
    admin_world,
    form_of,
)
from admin.hostile_pages import faults_of
from admin.test_ledger_page import write
from admin.test_waiting_page import noted
from cli.memory_world import SECRETS
from server.http_world import HOST, JSON, Request

from abilities_host.admin.formtoken import form_token
from abilities_host.admin.pages import PAGES
from abilities_host.tokens import Tokens

# What is asked for, or why the session alone is enough; and the role.
LOOKS, LESS, PROPOSES = "only looks", "gives less", "only proposes"
ACTIONS: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("/review", "approve"): ("approve", "reviewer"),
    ("/review", "reject"): (LESS, "reviewer"),
    ("/review", "archive"): (LESS, "reviewer"),
    ("/review/list", "reject"): (LESS, "reviewer"),
    ("/waiting/entry", "approve"): ("approve", "reviewer"),
    ("/waiting/entry", "reject"): (LESS, "reviewer"),
    ("/guidance", "preview"): (LOOKS, "reviewer"),
    ("/guidance", "import"): (PROPOSES, "reviewer"),
    ("/guidance/topics", "put"): ("approve", "reviewer"),
    ("/guidance/{id}", "withdraw"): ("withdraw", "reviewer"),
    ("/guidance/{id}/edit", "save"): (PROPOSES, "reviewer"),
    ("/ledger", "verify"): (LOOKS, "reviewer"),
    ("/ledger/{seq:int}", "preview"): (LOOKS, "operator"),
    ("/ledger/{seq:int}", "rollback"): ("restore", "operator"),
    ("/ledger/session", "preview"): (LOOKS, "operator"),
    ("/ledger/session", "undo"): ("restore", "operator"),
    ("/tools", "on"): ("switch-on", "operator"),
    ("/tools", "off"): (LESS, "operator"),
    ("/tools", "default"): ("switch-on", "operator"),
    ("/tools", "module-on"): ("switch-on", "operator"),
    ("/tools", "module-off"): (LESS, "operator"),
    ("/tools/{namespace}/{name}", "on"): ("switch-on", "operator"),
    ("/tools/{namespace}/{name}", "off"): (LESS, "operator"),
    ("/tools/{namespace}/{name}", "default"): ("switch-on", "operator"),
    ("/tools/{namespace}/{name}/try", "read"): (LOOKS, "operator"),
    ("/tools/{namespace}/{name}/try", "write"): ("restore", "operator"),
    ("/access", "stop"): (LESS, "operator"),
    ("/access", "go-on"): ("switch-on", "operator"),
    ("/access", "server-on"): ("switch-on", "operator"),
    ("/access", "server-off"): (LESS, "operator"),
    ("/access", "compact"): ("switch-on", "operator"),
    ("/access", "context"): ("approve", "operator"),
    ("/access", "create"): ("token", "operator"),
    ("/access", "rotate"): ("token", "operator"),
    ("/access", "revoke"): (LESS, "operator"),
}
"""Whoever adds an action says here why it is no way for an agent to get more."""

ALONE: Final = (LOOKS, LESS, PROPOSES)
SHOWN: Final[Mapping[str, str]] = {
    "/waiting/entry": "/waiting/entry?kind=note&id=n:1",
    "/guidance/topics": "/guidance/topics?name=shop",
    "/guidance/{id}": "/guidance/gm-001",
    "/guidance/{id}/edit": "/guidance/gm-001/edit",
    "/ledger/session": "/ledger/session?id=s1",
    "/tools": "/tools?pattern=files/read",
    "/tools/{namespace}/{name}": "/tools/files/read",
    "/tools/{namespace}/{name}/try": "/tools/files/write/try",
}
ELSEWHERE: Final = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
BESIDE: Final = {**OWN, "sec-fetch-site": "same-site"}
METHODS: Final = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE")


@dataclass(frozen=True)
class Attempt:
    """One action, as it would be sent by who may do it; the token is left out."""

    path: str
    fields: Mapping[str, str]
    confirm: str
    role: str

    def tokened(self, browser: Browser, path: str = "", **more: str) -> dict[str, str]:
        """Give the fields with the token that a page would have given."""
        seen = self.fields.get("seen", "")
        token = form_token(browser.session, path or self.path, seen)
        return {**self.fields, "token": token, **more}


def test_no_action_is_new_or_asks_for_less_than_it_did() -> None:
    found = {
        (page.path, name): (
            action.confirm.value if action.confirm else "",
            max(page.role, action.role, key=["reviewer", "operator"].index).value,
        )
        for page in PAGES
        for name, action in page.actions.items()
    }
    expected = {
        key: ("" if confirm in ALONE else confirm, role)
        for key, (confirm, role) in ACTIONS.items()
    }
    assert found == expected


async def attempts_of(world: AdminWorld, browser: Browser) -> list[Attempt]:
    """Take every form that the pages have, and make those that they do not show."""
    seq = await write(world, "new")
    found = []
    for page in PAGES:
        address = SHOWN.get(page.path, page.path).replace("{seq:int}", str(seq))
        html = (await browser.get(f"/admin{address}")).text if page.actions else ""
        forms = {form.action: form.fields for form in Reader(html).forms}
        for name in page.actions:
            path = f"/admin{address.partition('?')[0]}/{name}"
            fields = {"id": "gm-001", "seen": "0" * 64, **forms.get(path, {})}
            fields.pop("token", None)
            confirm, role = ACTIONS[page.path, name]
            asked = "" if confirm in ALONE else confirm
            found.append(Attempt(path, fields, asked, role))
    return found


async def state_of(world: AdminWorld) -> str:
    """Give a hash of all that is kept, but for when somebody was last seen."""
    store, said = world.host.store, hashlib.sha256()
    tables = await store.read("SELECT name FROM sqlite_master WHERE type = 'table'")
    for [table] in sorted(tables):
        if table not in {"admin_session", "account_try"}:
            rows = await store.read(f"SELECT * FROM {table} LIMIT 100000")  # noqa: S608 - a name of ours
            said.update(repr((table, sorted(map(repr, rows)))).encode())
    async for file in anyio.Path(world.config.parent / "content").rglob("*"):
        said.update(repr((file, await file.read_bytes())).encode())
    return said.hexdigest()


async def filled(world: AdminWorld) -> None:
    for number in range(2):
        await world.propose(f"Fact {number}.")
    unlocked = await world.accounts.unlock("ana", SECRETS["ana"])
    shown = await world.memory.review("gm-001")
    await world.memory.approve("gm-001", shown.hash, unlocked)


async def test_nobody_does_anything_who_may_not(tmp_path: Path) -> None:
    codes: dict[str, dict[str, int]] = {}
    async with admin_world(tmp_path, "ana", "ben", prepare=noted) as world:
        await filled(world)
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        every = await attempts_of(world, ana)
        token = await Tokens(world.host.store).create(
            "agent", scopes=("*", "*:*"), by="ana"
        )
        bearer = {**OWN, "authorization": f"Bearer {token.value}"}
        before = await state_of(world)
        for each in every:
            codes[each.path] = await _refused(each, ana, ben, bearer)
            stranger = world.browser()
            reply = await stranger.post(each.path, each.tokened(ana))
            is_asked = reply.headers["location"].startswith("/admin/login?next=/admin")
            codes[each.path] = {**codes[each.path], "stranger": 401 if is_asked else 0}
        after = await state_of(world)
        is_known = await _listed(world, token.value)
    usual = {
        **dict.fromkeys(("no token", "of another", "of ben", "other seen"), 403),
        **dict.fromkeys(("bearer", "beside", "no origin", "in the address"), 403),
        "elsewhere": 403,
        "json": 415,
        "stranger": 401,
        **dict.fromkeys(METHODS, 405),
    }
    for each in every:
        expected = usual | ({"reviewer": 403} if each.role == "operator" else {})
        if codes[each.path]["GET"] == 404:  # it has the form of a page's address
            expected |= {"GET": 404, "HEAD": 404}
        wrong = expected.items() ^ codes[each.path].items()
        assert wrong == set(), each.path
    assert (after, is_known) == (before, True)


async def _refused(
    each: Attempt, ana: Browser, ben: Browser, bearer: Mapping[str, str]
) -> dict[str, int]:
    """Send what is not as it must be; give how each was answered."""
    good, right = each.tokened(ana), SECRETS["ana"]
    sent = {
        "no token": await ana.post(each.path, {**good, "token": ""}),
        "of another": await ana.post(each.path, each.tokened(ana, f"{each.path}-x")),
        "of ben": await ana.post(each.path, each.tokened(ben)),
        "other seen": await ana.post(each.path, {**good, "seen": "other"}),
        "bearer": await ana.post(each.path, {**good, "secret": right}, bearer),
        "beside": await ana.post(each.path, {**good, "secret": right}, BESIDE),
        "no origin": await ana.post(each.path, {**good, "secret": right}, {}),
        "in the address": await ana.http.post(
            each.path, params={**good, "secret": right}, data={"a": "b"}, headers=OWN
        ),
        "json": await ana.http.post(each.path, json=good, headers=OWN),
        **{
            method: await ana.http.request(
                method, each.path, params=good, headers=OWN, follow_redirects=False
            )
            for method in METHODS
        },
    }
    if each.role == "operator":
        given = each.tokened(ben, secret=SECRETS["ben"])
        sent["reviewer"] = await ben.post(each.path, given)
    faults = [(name, faults_of(reply)) for name, reply in sent.items()]
    # This one the host refuses, before it is a matter of the pages.
    given = {**good, "secret": right}
    sent["elsewhere"] = await ana.post(each.path, given, ELSEWHERE)
    assert [fault for fault in faults if fault[1]] == []
    return {name: reply.status_code for name, reply in sent.items()}


async def _listed(world: AdminWorld, token: str) -> bool:
    """Answer whether an agent gets in with its token, where agents do."""
    bearer = (b"authorization", f"Bearer {token}".encode())
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    reply = await Request(headers=(HOST, bearer, JSON), body=asked).send_to(world.app)
    return reply.status not in {401, 403}


async def test_the_session_alone_never_gives_an_agent_more(tmp_path: Path) -> None:
    found: dict[str, Any] = {}
    async with admin_world(tmp_path, "ana", prepare=noted) as world:
        await filled(world)
        browser = await world.signed_in()
        every = [e for e in await attempts_of(world, browser) if e.confirm]
        before = await state_of(world)
        for each in every:
            world.clock.now += 16 * 60  # as long as a name ever waits, and more
            asked = await browser.post(each.path, each.tokened(browser, note="<b>"))
            codes = [
                (await browser.post(each.path, given)).status_code
                for secret in ("not the right words", SECRETS["ana"])
                for given in (each.tokened(browser, secret=secret),)
            ]
            kept = form_of(asked.text, each.path)
            found[each.path] = (kept == each.tokened(browser, note="<b>"), codes)
        same = await state_of(world)
        world.clock.now += 16 * 60
        late = [
            (await browser.post(each.path, given)).status_code
            for each in every
            for given in (each.tokened(browser, secret=SECRETS["ana"]),)
        ]
        after = await state_of(world)
    # Asked for with all that was sent, and the right secret comes too early.
    assert found == {each.path: (True, [403, 403]) for each in every}
    assert same == before
    assert set(late) <= {200, 303, 409}
    assert after != before


async def test_pages_are_only_looked_at(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=noted) as world:
        await filled(world)
        browser = await world.signed_in()
        await attempts_of(world, browser)
        before, codes = await state_of(world), {}
        for page in PAGES:
            address = SHOWN.get(page.path, page.path).partition("?")[0]
            path = f"/admin{re.sub('{[^}]*}', '1', address)}".rstrip("/")
            replies = [
                await browser.http.request(method, path, headers=OWN)
                for method in (*METHODS[2:], "POST")
            ]
            faults = [fault for reply in replies for fault in faults_of(reply)]
            codes[path] = ({reply.status_code for reply in replies}, faults)
        after = await state_of(world)
    assert codes == dict.fromkeys(codes, ({405}, []))
    assert after == before
