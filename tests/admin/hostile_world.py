"""A host in which every text that an agent or a pack can write wants to be markup."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from admin.admin_world import AdminWorld, Browser, admin_world
from admin.test_ledger_states import png
from admin.test_waiting_page import upgraded
from cli.memory_world import SECRETS
from cli.test_queue import NOTES
from plugins.ledger.shelf import change, content_of, other
from requestlog.log_world import file_of, record

from abilities_host import Actor, State
from abilities_host.gate import Gate
from abilities_host.ledger import Kind
from abilities_host.storage.base import Statement
from abilities_host.tokens import Tokens
from abilities_ledger.book import Book

LONG: Final = "W" * 10_000
SVG: Final = b'<svg xmlns="http://www.w3.org/2000/svg" onload="zqx(1)"/>'
EVERY: Final = frozenset({"*", "*:*"})
PLACE: Final = "/admin/packs/hostile"
PACK: Final = r"""
from contextlib import asynccontextmanager

from abilities_host import AbilityFailed, Module, NeedsInput, hookimpl
from abilities_host.pages import Content, Page

SAID = {said!r}
PROPERTIES = {{
    SAID["property"]: {{"type": "string", "description": SAID["field"],
        "default": SAID["default"]}},
    "choice": {{"enum": [SAID["enum"], "b"], "default": SAID["enum"]}},
    "short": {{"type": "string", "maxLength": 99, "pattern": SAID["pattern"],
        "default": SAID["short-default"][:90]}},
    "group": {{"type": "object", "title": SAID["title"],
        "description": SAID["group"], "additionalProperties": False,
        "properties": {{SAID["inner"]: {{"type": "string", "description": "x",
            "default": SAID["inner-default"]}}}}}},
    "any": {{"default": {{SAID["json-key"]: SAID["json-default"]}}}},
}}
FORM = {{"type": "object", "description": SAID["form"], "properties": {{
    SAID["form-property"]: {{"type": "string", "default": SAID["form-default"]}}}}}}


async def ask(arguments, call):
    if call.answer is None:
        raise NeedsInput(SAID["question"], form=FORM)
    return {{SAID["result-key"]: SAID["result"]}}


async def fail(arguments):
    raise AbilityFailed(SAID["failure"], code="demo_failed")


async def show(visit):
    values = {{"said": SAID["page-value"]}}
    return Content("page.html", values, title=SAID["page-title"])


ALL = {{"shout": lambda arguments: {{SAID["result-key"]: SAID["result"]}},
    "ask": ask, "fail": fail}}


@hookimpl
def modules():
    return [Module("loud", SAID["module"][:80], SAID["module-description"])]


@hookimpl
def register_categories(registry):
    registry.register_category("hostile", label=SAID["category"], description="x")


@hookimpl
def register_abilities(registry):
    for name, work in ALL.items():
        registry.register_ability(
            "hostile/" + name, label=SAID["label"], category="hostile",
            description=SAID["description"], execute_callback=work,
            permission_callback=lambda: True,
            input_schema={{"type": "object", "description": SAID["schema"],
                "properties": PROPERTIES if name == "shout" else {{}}}},
            output_schema={{"type": "object", "title": SAID["output"]}},
            meta={{"annotations": {{"readonly": True}}}})


@hookimpl
def admin_pages():
    return [
        Page(path="/packs/hostile", title=SAID["page-name"][:80], render=show,
            templates={{"page.html": "<p title='{{{{ said }}}}'>{{{{ said }}}}</p>"}}),
        Page(path="/packs/hostile/" + SAID["page-path"], title="x", render=show,
            templates={{"page.html": "x"}}),
    ]
"""
FIELDS: Final = (
    *("property", "field", "default", "enum", "pattern", "short-default", "title"),
    *("group", "inner", "inner-default", "json-key", "json-default", "form"),
    *("form-property", "form-default", "question", "result-key", "result", "failure"),
    *("page-value", "page-title", "page-name", "page-path", "module", "category"),
    *("module-description", "label", "description", "schema", "output"),
)


def hostile(name: str, more: str = "\u202e\0") -> str:
    """Give a text that gets out of every place in HTML where it is not escaped."""
    return (
        f"\"'><script>zqx-{name}</script><zqx zqx=1 onzqx=zqx()>"
        "<img src=x onerror=zqx(2)>'+zqx(1)+'{{7777*7777}}{% zqx %}"
        f"</title></textarea></select></pre>--><svg onload=zqx(3)>{more}"
    )


def plain(name: str) -> str:
    """Give one without what no service takes."""
    return hostile(name, "")


def of_file(name: str) -> str:
    """Give one that can be the name of a file."""
    return f"\"'><script>zqx-{name}<img src=x onerror=zqx(2)>{{{{7777*7777}}}}.txt"


@dataclass
class HostileWorld:
    """A host full of it.

    Attributes:
        admin: the host that is served.
        entries: what an entry of the record is about, and its number.
        definition: id of the changed definition that waits.
        note: id of what a pack's own kind has waiting.
    """

    admin: AdminWorld
    entries: Mapping[str, int]
    definition: str
    note: str

    async def signed_in(self, name: str = "ana") -> Browser:
        browser = self.admin.browser()
        browser.http.headers["user-agent"] = plain("browser")
        reply = await browser.sign_in(name)
        assert reply.status_code == 303, reply.text
        return browser


def prepare(config: Path) -> None:
    """Write hostile packs, one of which says otherwise than it did before."""
    upgraded(config, {"add": hostile("changed"), "same": "Stays."})
    said = {name: hostile(name) for name in FIELDS}
    said["description"] += LONG
    said["pattern"] = "^[^<>\"']*$|zqx"
    plugins = config.parent / "plugins"
    (plugins / "hostile.py").write_text(PACK.format(said=said), encoding="utf-8")
    broken = f"raise ValueError({hostile('broken')!r})"
    (plugins / f"{of_file('module')[:-4]}.py").write_text(broken, encoding="utf-8")
    notes = NOTES.replace('name = "note"', f"name = {plain('kind')!r}")
    (plugins / "notes.py").write_text(notes, encoding="utf-8")
    title, text = json.dumps(plain("site")[:190]), config.read_text(encoding="utf-8")
    context = json.dumps(plain("context") + LONG)
    server = f"[server]\ntitle = {json.dumps(plain('server')[:190])}\n"
    config.write_text(
        f"title = {title}\ncontext = {context}\n{text}\n{server}", encoding="utf-8"
    )


@asynccontextmanager
async def hostile_world(folder: Path) -> AsyncIterator[HostileWorld]:
    """Serve such a host; ana is an operator."""
    blocked = ("core", "database", "dispatcher")
    async with admin_world(
        folder, "ana", "ben", blocked=blocked, prepare=prepare
    ) as world:
        await _remember(world)
        await _tell(world)
        await _ask_first(world)
        await _overwrite(world)
        await _log(world)
        entries = await _record(world)
        ids = await world.host.store.read("SELECT id FROM pin_change")
        yield HostileWorld(world, entries, ids[0][0], "n:1")


async def _remember(world: AdminWorld) -> None:
    for number in range(2):
        await world.propose(
            f"{number} {plain('text')}",
            rationale=plain("rationale"),
            topic=f"{plain('topic')[:36]}{number}",
            recall=(plain("recall")[:40],),
        )
    old = await world.propose("Old.", type="convention", topic="old")
    unlocked = await world.accounts.unlock("ana", SECRETS["ana"])
    shown = await world.memory.review(old.id)
    await world.memory.approve(old.id, shown.hash, unlocked)
    await world.propose(f"2 {plain('version')}", supersedes=old.id, topic="old")


async def _tell(world: AdminWorld) -> None:
    """Have an agent of a hostile name write, and tell of what it did."""
    actor = Actor(plain("actor")[:190], "agent", EVERY)
    written = {"path": of_file("file"), "text": plain("content")}
    for name, given in (
        ("files/write", written),
        ("memory/save-session-summary", {"narrative": f"I deleted {plain('told')}."}),
    ):
        done = await world.host.execute(
            name, given, actor=actor, session=plain("session")
        )
        assert done.status == "ok", done


async def _ask_first(world: AdminWorld) -> None:
    """Have a rule that wants writes approved, and a write that waits."""
    rule = {
        "domain": "files",
        "targets": ["*asked*"],
        "effect": "approve",
        "message": plain("message"),
    }
    kept = await world.propose(plain("guard"), type="guardrail", rule=rule)
    unlocked = await world.accounts.unlock("ana", SECRETS["ana"])
    shown = await world.memory.review(kept.id)
    await world.memory.approve(kept.id, shown.hash, unlocked)
    done = await world.host.execute(
        "files/write",
        {"path": of_file("asked"), "text": plain("argument")},
        actor=Actor(plain("asker")[:190], "agent", EVERY),
    )
    assert done.code == "write_vetoed", done


OVERWRITTEN: Final = (
    """UPDATE memory_guidance SET text = :text || number, rationale = :rationale,
        target = :scope, proposed_by = :proposer, topic = :topic || number,
        recall = json_array(:recall), rule = json_object(:rule, :rule)
    WHERE status = 'pending' AND number > 1""",
    """UPDATE memory_guidance SET text = :forged, reviewed_by = :reviewer
    WHERE status = 'approved' AND type = 'convention'""",
    "UPDATE memory_history SET by = :historian",
    """INSERT INTO memory_topic (name, state, always_on, recall, exclude)
    VALUES (:topic, 'active', 1, json_array(:word), json_array(:exclude))""",
    """UPDATE memory_summary SET actor = :teller, session = :session,
        narrative = :narrative || narrative, digest = json_set(digest,
            '$.targets[0]', :digest, '$.by_action', json_object(:deed, 1)),
        divergences = json_array(json_object('kind', :sort, 'action', :deed,
            'target', :aim, 'sentence', :sentence))""",
    """UPDATE enforcer_ticket SET actor = :asker, arguments = :arguments,
        rules = json_array(:cited), targets = json_array(:wanted)""",
    """INSERT INTO client_token (id, digest, name, scopes, role, server, created_at,
        created_by) VALUES (:token, x'00', :token, json_array(:scope), :role,
        :only, 1, :maker)""",
    "UPDATE demo_note SET text = :note",
)
NAMES: Final = (
    *("text", "rationale", "scope", "proposer", "topic", "recall", "rule", "forged"),
    *("reviewer", "historian", "word", "exclude", "teller", "session", "narrative"),
    *("digest", "deed", "sort", "aim", "sentence", "asker", "arguments", "cited"),
    *("wanted", "token", "scope", "role", "only", "maker", "note"),
)


async def _overwrite(world: AdminWorld) -> None:
    """Put in the store what no service takes."""
    await Tokens(world.host.store).list_tokens()
    texts = {name: hostile(name) for name in NAMES}
    texts["narrative"] += LONG
    for sql in OVERWRITTEN:
        used = {name: text for name, text in texts.items() if f":{name}" in sql}
        await world.host.store.write([Statement(sql, used)], bump=True)
    gate: Gate = world.host.services.find(Gate)
    for kind in ("guidance", "topic"):
        await gate.survey(kind)  # else what is wrong is told a minute later


async def _log(world: AdminWorld) -> None:
    names = ("server", "method", "ability", "via", "actor", "client", "code")
    said: dict[str, Any] = {name: hostile(f"log-{name}") for name in names}
    records = [
        record(**said, status="error"),
        record(client="x\r\nevent: end\n\ndata: [1]\n"),
        record(client=LONG, ability=LONG),
    ]

    def append() -> None:
        file = file_of(world.host.loaded.requests_path.parent)
        file.append(records)
        file.close()

    await asyncio.to_thread(append)


STATES: Final[Mapping[str, tuple[State, State]]] = {
    "text": (hostile("line-before"), hostile("line-after") + LONG),
    "json": (
        {hostile("key"): hostile("value-before"), "list": [1]},
        {hostile("key"): hostile("value-after"), "list": [hostile("item")]},
    ),
    "svg": (SVG, b"<html>" + SVG),
    "picture": (png() + SVG, b"GIF89a" + SVG),
}
KINDS: Final[tuple[Kind, ...]] = ("setting", "access", "review", "outcome")


async def _record(world: AdminWorld) -> dict[str, int]:
    book = Book(world.host.store)
    found: dict[str, int] = {}
    words = ("call", "actor", "session", "ability", "target", "domain", "action")
    said: dict[str, Any] = {name: hostile(f"entry-{name}") for name in words}
    details = {hostile("detail-key"): [hostile("detail")]}
    for name, (before, after) in STATES.items():
        kept = [content_of(state, 1 << 23) for state in (before, after)]
        draft = change(
            before=kept[0].digest, after=kept[1].digest, details=details, **said
        )
        [found[name]] = await book.append([draft], kept)
    for kind in KINDS:
        target, action = hostile("other-target"), hostile("other-action")
        draft = other(kind, target=target, action=action, details=details, result="ok")
        [found[kind]] = await book.append([draft])
    return found
