"""Access: servers and their kill switches, tokens, and what an agent is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, Final

from abilities_host.accounts import Accounts, Role
from abilities_host.admin.asked import LONGEST
from abilities_host.admin.catalogue import count_tokens
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.switches import set_setting
from abilities_host.admin.visit import Visit
from abilities_host.config import LoadedConfig, ServerSettings
from abilities_host.connecting import client_settings, server_url
from abilities_host.errors import CallError, LookupFailed
from abilities_host.host import Host
from abilities_host.issuing import Wanted, roles_of
from abilities_host.jsontext import json_text
from abilities_host.server.instructions import Instructions
from abilities_host.server.spec import following
from abilities_host.tokens import Change, TokenRecord, Tokens, now

TOKENS: Final = 60
SERVERS: Final = 20
MODES: Final = ("off", "on", "split")
DAYS: Final = (7, 30, 90, 365)
CONTEXT_BYTES: Final = 256_000  # 20,000 characters, each written as %XX
_PATH: Final = "/access"
_DAY: Final = 86_400 * 1_000_000
_GRACE_SECONDS: Final = 86_400
_OPEN: Final = ("default", "store")


class SaidElsewhere(CallError):
    """A setting that a page cannot change, since something else says it."""

    code = "setting_fixed"

    def __init__(self, key: str, source: str) -> None:
        super().__init__(f"{key} cannot be changed here: {source} says it.")


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where tokens are made and ended, and the person who does it."""

    visit: Visit

    @property
    def host(self) -> Host:
        return self.visit.host

    @property
    def tokens(self) -> Tokens:
        return Tokens(self.visit.host.store)

    @property
    def accounts(self) -> Accounts:
        return self.visit.host.accounts

    @property
    def actor(self) -> str:
        return self.visit.name

    async def note(self, change: Change) -> Change:
        named = change.record.name
        await self.visit.note("access", change.action, named, **change.details)
        return change


async def show(visit: Visit) -> Content:
    """Show servers, tokens and the site context; see `Page.render`."""
    host = visit.host
    await host.refresh()
    loaded = host.loaded
    ids = [each.id for each in loaded.config.all_servers]
    chosen = visit.query.get("server", "")
    chosen = chosen if chosen in ids else ids[0]
    values = {
        **_of_servers(loaded),
        **_of_tokens(await _Desk(visit).tokens.list_tokens()),
        "roles": roles_of(loaded.config),
        "client": _client(loaded, chosen),
        "chosen": chosen,
        **await _told(host, chosen, is_asked=bool(visit.query.get("told"))),
        "context": loaded.config.context,
        "context_fixed": _fixed(loaded, "context"),
        "context_seen": _context_seen(loaded),
        "may": visit.role is Role.OPERATOR,
    }
    return Content("access.html", values)


async def _told(host: Host, server: str, *, is_asked: bool) -> Mapping[str, Any]:
    """Lay out what an agent is told, which after a decision takes its time."""
    if not is_asked:
        return {"preview": None}
    told = await Instructions(host, following(host, server)).text()
    return {"preview": told, "preview_tokens": f"{count_tokens(told):,}"}


def _of_servers(loaded: LoadedConfig) -> Mapping[str, Any]:
    servers = loaded.config.all_servers
    return {
        "servers": [_facts(loaded, each) for each in servers[:SERVERS]],
        "servers_left": max(0, len(servers) - SERVERS),
        "kill": _kill(loaded),
        "modes": MODES,
    }


def _of_tokens(records: Sequence[TokenRecord]) -> Mapping[str, Any]:
    at = now()
    live = [each for each in records if each.state(at) == "live"]
    return {
        "tokens": [(each, _seen(each)) for each in live[:TOKENS]],
        "tokens_left": max(0, len(live) - TOKENS),
        "ended": len(records) - len(live),
        "days": DAYS,
    }


def _client(loaded: LoadedConfig, server: str) -> str:
    """Without a token: those who copy it have one, or make one."""
    entry = {
        "type": "http",
        "url": server_url(loaded.config, server),
        "headers": {"Authorization": "Bearer …"},
    }
    return json_text({"mcpServers": {"abilities": entry}})


def _facts(loaded: LoadedConfig, server: ServerSettings) -> Mapping[str, Any]:
    is_first = server.id == loaded.config.server.id
    facts = {
        "id": server.id,
        "title": server.title or loaded.config.title,
        "route": server.path(is_first=is_first),
        "is_on": server.enabled,
        "compact": server.compact,
        "profile": server.profile,
        "fixed": "" if server.enabled else _fixed(loaded, _key(loaded, server.id)),
        "compact_fixed": _fixed(loaded, _key(loaded, server.id, "compact")),
    }
    return {**facts, "seen": f"{server.enabled}-{server.compact}"}


def _key(loaded: LoadedConfig, server: str, field: str = "enabled") -> str:
    is_first = server == loaded.config.server.id
    return f"server.{field}" if is_first else f"servers.{server}.{field}"


def _fixed(loaded: LoadedConfig, key: str) -> str:
    """Say where a setting comes from that the store does not decide; empty if it does.

    Of a further server the file may have said everything in one.
    """
    source = loaded.sources.get(key) or loaded.sources["servers"]
    if key in loaded.stored and "store" in source:
        return ""
    return "" if source in _OPEN else source


def _kill(loaded: LoadedConfig) -> Mapping[str, Any]:
    is_on = loaded.config.kill_switch
    fixed = _fixed(loaded, "kill_switch") if is_on else ""
    return {"is_on": is_on, "fixed": fixed, "seen": f"kill-{is_on}"}


def _seen(record: TokenRecord) -> str:
    return f"{record.id}-{record.expires_at}-{record.rotated_to}"


def _context_seen(loaded: LoadedConfig) -> str:
    return f"context-{_hash_of(loaded.config.context)}"


def _hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


async def stop_all(visit: Visit, form: Form) -> Done:
    """Switch every server off; see `Action.run`."""
    await visit.host.refresh()
    form.check_seen(_kill(visit.host.loaded)["seen"])
    await set_setting(visit, "kill_switch", value=True)
    return Done("access.killed")


async def go_on(visit: Visit, form: Form) -> Done:
    """Take the kill switch back; see `Action.run`."""
    await visit.host.refresh()
    kill = _kill(visit.host.loaded)
    form.check_seen(kill["seen"])
    if kill["fixed"]:
        raise SaidElsewhere("kill_switch", kill["fixed"])
    await set_setting(visit, "kill_switch", None)
    return Done("access.unkilled")


async def _server(visit: Visit, form: Form) -> Mapping[str, Any]:
    await visit.host.refresh()
    loaded, name = visit.host.loaded, form.get("server")
    known = {each.id: each for each in loaded.config.all_servers}
    if name not in known:
        raise LookupFailed("server", name[:LONGEST], list(known))
    facts = _facts(loaded, known[name])
    form.check_seen(facts["seen"])
    return facts


async def server_on(visit: Visit, form: Form) -> Done:
    """Take back that a server was switched off; see `Action.run`."""
    facts = await _server(visit, form)
    if facts["fixed"]:
        raise SaidElsewhere("enabled", facts["fixed"])
    await set_setting(visit, "enabled", None, facts["id"])
    return Done("access.server.on", {"id": facts["id"]})


async def server_off(visit: Visit, form: Form) -> Done:
    """Switch a server off; see `Action.run`."""
    facts = await _server(visit, form)
    await set_setting(visit, "enabled", value=False, server=facts["id"])
    return Done("access.server.off", {"id": facts["id"]})


async def compact(visit: Visit, form: Form) -> Done:
    """Choose how a server lists its tools; see `Action.run`."""
    facts, mode = await _server(visit, form), form.get("compact")
    if facts["compact_fixed"]:
        raise SaidElsewhere("compact", facts["compact_fixed"])
    if mode not in MODES:
        raise LookupFailed("mode", mode[:LONGEST], list(MODES))
    await set_setting(visit, "compact", mode, facts["id"])
    return Done("access.compact.done", {"id": facts["id"], "mode": mode})


async def context(visit: Visit, form: Form) -> Done:
    """Write the site context; see `Action.run`."""
    await visit.host.refresh()
    loaded = visit.host.loaded
    form.check_seen(_context_seen(loaded))
    if fixed := _fixed(loaded, "context"):
        raise SaidElsewhere("context", fixed)
    text = form.get("context").replace("\r\n", "\n").strip()
    await set_setting(visit, "context", text)
    return Done("access.context.done")


async def create(visit: Visit, form: Form) -> Content:
    """Make a token and show it this once; see `Action.run`."""
    written = form.get("days")
    days = int(written) if written in map(str, DAYS) else 0
    scopes = tuple(form.get("scopes").replace(",", " ").split())
    wanted = Wanted(
        name=form.get("name").strip(),
        scopes=scopes,
        role=form.get("role"),
        server=form.get("server"),
        expires_at=now() + days * _DAY if days else None,
        is_forced=False,
    )
    return _made(visit, await wanted.make(_Desk(visit)))


async def rotate(visit: Visit, form: Form) -> Content:
    """Replace a token and show the new one this once; see `Action.run`."""
    desk, record = _Desk(visit), await _record(visit, form)
    grace = _GRACE_SECONDS if form.get("grace") == "yes" else 0
    change = await desk.tokens.rotate(record.name, desk.actor, grace)
    return _made(visit, await desk.note(change))


async def revoke(visit: Visit, form: Form) -> Done:
    """End a token; see `Action.run`."""
    desk, record = _Desk(visit), await _record(visit, form)
    change = await desk.tokens.revoke(record.prefix, desk.actor)
    await desk.note(change)
    return Done("access.token.revoked", {"name": change.record.name})


async def _record(visit: Visit, form: Form) -> TokenRecord:
    records = {each.id: each for each in await _Desk(visit).tokens.list_tokens()}
    record = records.get(form.get("token_id"))
    if record is None:
        raise LookupFailed("token", form.get("token_id")[:LONGEST], [])
    form.check_seen(_seen(record) if record.revoked_at is None else "")
    return record


def _made(visit: Visit, change: Change) -> Content:
    client = json_text(client_settings(change, visit.host.config))
    values = {"record": change.record, "value": change.value, "client": client}
    return Content("token_made.html", values)


_operator = partial(Action, role=Role.OPERATOR)

ACCESS: Final = Page(
    path=_PATH,
    title="access.title",
    render=show,
    actions={
        "stop": _operator(run=stop_all),
        "go-on": _operator(run=go_on, confirm=Confirm.SWITCH_ON),
        "server-on": _operator(run=server_on, confirm=Confirm.SWITCH_ON),
        "server-off": _operator(run=server_off),
        "compact": _operator(run=compact, confirm=Confirm.SWITCH_ON),
        "context": _operator(
            run=context, confirm=Confirm.APPROVE, form_bytes=CONTEXT_BYTES
        ),
        "create": _operator(run=create, confirm=Confirm.TOKEN),
        "rotate": _operator(run=rotate, confirm=Confirm.TOKEN),
        "revoke": _operator(run=revoke),
    },
)
