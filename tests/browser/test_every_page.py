"""Every page, opened in both themes: accessible, valid, light, without a complaint."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
from browser.filled import OPERATOR, REVIEWER, alarmed, facts_of, filled
from browser.inspector import Inspector, give_axe, validated
from browser.visitor import Visitor, visiting
from browser.world import AtPort, at_port
from cli.memory_world import SECRETS
from playwright.async_api import Browser, FilePayload
from starlette.routing import compile_path

from abilities_host.admin.links import FirstLinks
from abilities_host.admin.pages import PAGES

pytestmark = pytest.mark.timeout(600)  # some eighty pages, each in two themes

VISITS: Final[Mapping[str, Mapping[str, str]]] = {
    "/": {"home": "/"},
    "/review": {"review": "/review?id=gm-009", "review-rule": "/review?id=gm-010"},
    "/review/list": {"review-list": "/review/list"},
    "/waiting": {"waiting": "/waiting", "waiting-kind": "/waiting?kind=write"},
    "/waiting/entry": {
        "waiting-ticket": "/waiting/entry?kind=write&id=wr-001",
        "waiting-definition": "/waiting/entry?kind=definition&id={definition}",
    },
    "/guidance": {
        "guidance": "/guidance",
        "guidance-found": "/guidance?q=price&type=fact",
    },
    "/guidance/topics": {
        "topics": "/guidance/topics",
        "topic": "/guidance/topics?name=shipping",
    },
    "/guidance/{id}": {
        "guidance-entry": "/guidance/gm-003",
        "guidance-withdrawn": "/guidance/gm-006",
        "guidance-pending": "/guidance/gm-009",
    },
    "/guidance/{id}/edit": {"guidance-edit": "/guidance/gm-005/edit"},
    "/sessions": {"sessions": "/sessions"},
    "/sessions/{id}": {
        "session": "/sessions/ss-0001",
        "session-same": "/sessions/ss-0002",
    },
    "/ledger": {
        "ledger": "/ledger",
        "ledger-found": "/ledger?session={session}",
    },
    "/ledger/{seq:int}": {
        "ledger-text": "/ledger/{entry[files:pages/shipping.md]}",
        "ledger-json": "/ledger/{entry[files:products/assam.json]}",
        "ledger-picture": "/ledger/{entry[files:images/assam.png]}",
        "ledger-row": "/ledger/{entry[database:orders/1041]}",
        "ledger-undone": "/ledger/{entry[files:products/earl-grey.json]}",
    },
    "/ledger/session": {
        "ledger-session-asked": "/ledger/session",
        "ledger-session": "/ledger/session?id={session}",
    },
    "/log": {"log": "/log", "log-found": "/log?status=failed"},
    "/tools": {
        "tools": "/tools",
        "tools-pattern": "/tools?pattern=files/*",
        "tools-pack": "/tools?pack=plugins_dir/newsletter",
    },
    "/tools/{namespace}/{name}": {
        "tool": "/tools/files/write",
        "tool-off": "/tools/files/move",
    },
    "/tools/{namespace}/{name}/try": {
        "try": "/tools/database/query/try",
        "try-write": "/tools/files/edit/try",
        "try-off": "/tools/files/move/try",
    },
    "/access": {"access": "/access", "access-told": "/access?told=1"},
}
"""Path of a page to the names of visits, and what they ask for."""

_TIN: Final = "{entry[files:images/assam.png]}"
DOWNLOADS: Final[Mapping[str, str]] = {
    "/guidance/export": "/guidance/export",
    "/ledger/export": "/ledger/export",
    "/ledger/{seq:int}/state/{side}": f"/ledger/{_TIN}/state/after",
}
WAITED: Final = 300  # seconds, after which a name may try again
STREAMS: Final = ("/log/live",)  # the log itself opens it


async def look_at_all(ana: Visitor, inspector: Inspector, facts: Any) -> None:
    """Open each page as it is."""
    for path, visits in VISITS.items():
        for name, wish in visits.items():
            address = wish.format_map(facts)
            assert compile_path(path)[0].match(address.partition("?")[0])
            await inspector.open(ana, name, f"/admin{address.rstrip('/')}")
    for wish in DOWNLOADS.values():
        reply = await ana.page.request.get(f"/admin{wish.format_map(facts)}")
        assert reply.status == 200
    await inspector.open(ana, "pack", "/admin/packs/newsletter")
    ana.expect("404 GET /admin/nothing")
    await inspector.open(ana, "error", "/admin/nothing")


async def look_at_decisions(ana: Visitor, inspector: Inspector, served: AtPort) -> None:
    """Press what leads to another page by a POST."""
    await ana.open("/admin/guidance/gm-005/edit")
    await ana.fill("Rule, as JSON; empty for advice", "{")
    ana.expect("400 POST /admin/guidance/gm-005/edit/save")
    await inspector.press(ana, "guidance-edit-broken", "Propose")
    exported = await ana.page.request.get("/admin/guidance/export")
    file = FilePayload(
        name="memory.json", mimeType="application/json", buffer=await exported.body()
    )
    await ana.open("/admin/guidance")
    await ana.page.get_by_label("File", exact=True).set_input_files(file)
    await inspector.press(ana, "guidance-import", "Look at it")

    await ana.open("/admin/tools/files/read/try")
    await ana.page.get_by_label("path").fill("pages/shipping.md")
    await inspector.press(ana, "try-result", "Call it")
    await ana.page.get_by_label("path").fill("pages/retruns.md")
    await inspector.press(ana, "try-failed", "Call it")

    await ana.open("/admin/review?id=gm-010")
    await inspector.press(ana, "confirm", "Approve")
    await ana.fill(f"Secret of {OPERATOR}", "not my secret")
    ana.expect("403 POST /admin/review/approve")
    await inspector.press(ana, "confirm-wrong", "Confirm")
    served.world.clock.now += WAITED


async def look_at_undoing(
    ana: Visitor, inspector: Inspector, served: AtPort, facts: Any
) -> None:
    """See previews, of one of which the file was changed by hand since."""
    await ana.open(f"/admin/ledger/{facts['entry']['files:pages/shipping.md']}")
    await inspector.press(ana, "ledger-undo", "Preview the undo")
    await ana.open(f"/admin/ledger/session?id={facts['session']}")
    await inspector.press(ana, "ledger-session-undo", "Preview the undo of the session")
    sencha = served.world.config.parent / "content" / "products" / "sencha.json"
    text = sencha.read_text(encoding="utf-8")
    sencha.write_text(text.replace("12.4", "13.9"), encoding="utf-8")
    entry = f"/admin/ledger/{facts['entry']['files:products/sencha.json']}"
    await ana.open(entry)
    ana.expect(f"409 POST {entry}/preview")
    await inspector.press(ana, "ledger-undo-refused", "Preview the undo")


async def look_at_access(ana: Visitor, inspector: Inspector, served: AtPort) -> None:
    """Make a token, switch everything off, and find what was changed in the store."""
    await ana.open("/admin/access")
    await ana.fill("Name", "packer")
    await ana.press("Make a token")
    await ana.fill(f"Secret of {OPERATOR}", SECRETS[OPERATOR])
    await inspector.press(ana, "token-made", "Confirm")
    await alarmed(served.world)
    await inspector.open(ana, "home-alarm", "/admin")
    await inspector.open(ana, "guidance-alarm", "/admin/guidance/gm-004")
    await ana.open("/admin/access")
    await inspector.press(ana, "access-stopped", "Switch every server off")
    await inspector.open(ana, "home-stopped", "/admin")
    await ana.page.evaluate(
        "for (const each of document.querySelectorAll('[name=token]')) each.value = 'x'"
    )
    ana.expect("403 POST /admin/logout")
    await inspector.press(ana, "error-token", "Sign out")
    await ana.open("/admin")
    await inspector.press(ana, "login-out", "Sign out")


async def look_as_reviewer(
    ben: Visitor, inspector: Inspector, served: AtPort, facts: Any
) -> None:
    """See what a reviewer sees otherwise."""
    await inspector.open(ben, "login", "/admin/login")
    await ben.fill("Account", REVIEWER)
    await ben.fill("Secret", "not my secret")
    ben.expect("403 POST /admin/login")
    await inspector.press(ben, "login-wrong", "Sign in")
    served.world.clock.now += WAITED
    await ben.sign_in(REVIEWER)
    entry = f"/admin/ledger/{facts['entry']['files:pages/shipping.md']}"
    await inspector.open(ben, "ledger-reviewer", entry)
    await inspector.open(ben, "access-reviewer", "/admin/access")
    await inspector.open(ben, "tool-reviewer", "/admin/tools/files/write")
    ben.expect("403 GET /admin/tools/files/read/try")
    await inspector.open(ben, "refused", "/admin/tools/files/read/try")


async def look_at_first_day(eve: Visitor, inspector: Inspector, served: AtPort) -> None:
    """Make the first account, and see the pages that have nothing yet."""
    world = served.world
    await inspector.open(eve, "nobody", "/admin/login")
    first = f"/admin/first?key={await FirstLinks(world.host.store, world.clock).make()}"
    await inspector.open(eve, "first", first)
    await eve.fill("Name", "eve")
    await eve.fill("Secret", SECRETS[OPERATOR])
    await eve.fill("The same again", f"{SECRETS[OPERATOR]}!")
    eve.expect("400 POST /admin/first")
    await inspector.press(eve, "first-differ", "Make the account")
    await eve.fill("Secret", SECRETS[OPERATOR])
    await eve.fill("The same again", SECRETS[OPERATOR])
    await inspector.press(eve, "home-empty", "Make the account")
    eve.expect("403 GET /admin/first")
    await inspector.open(eve, "first-gone", first)
    for page in PAGES[1:]:
        if page.is_listed:
            name = page.path.removeprefix("/")
            await inspector.open(eve, f"{name}-empty", f"/admin{page.path}")
    await inspector.open(eve, "topics-empty", "/admin/guidance/topics")
    await inspector.open(eve, "review-list-empty", "/admin/review/list")


@pytest.fixture(scope="module")
async def inspector(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Inspector:
    """Everything is opened once, for all tests here."""
    inspector = Inspector(tmp_path_factory.mktemp("pages"))
    async with filled(tmp_path_factory.mktemp("filled")) as served:
        facts = await facts_of(served)
        async with visiting(browser, served.base) as ben:
            await give_axe(ben)
            await look_as_reviewer(ben, inspector, served, facts)
        async with visiting(browser, served.base) as ana:
            await give_axe(ana)
            await ana.sign_in(OPERATOR)
            await look_at_all(ana, inspector, facts)
            await look_at_decisions(ana, inspector, served)
            await look_at_undoing(ana, inspector, served, facts)
            await look_at_access(ana, inspector, served)
    async with (
        at_port(tmp_path_factory.mktemp("first")) as served,
        visiting(browser, served.base) as eve,
    ):
        await give_axe(eve)
        await look_at_first_day(eve, inspector, served)
    return inspector


def test_every_page_is_opened() -> None:
    assert {page.path for page in PAGES} == {*VISITS, *DOWNLOADS, *STREAMS}


async def test_every_page_is_accessible_in_both_themes(inspector: Inspector) -> None:
    assert inspector.found == {}


async def test_every_page_is_valid_html(inspector: Inspector) -> None:
    assert await validated(inspector.folder) == []


async def test_no_page_is_heavy(inspector: Inspector) -> None:
    assert inspector.heavy == {}
