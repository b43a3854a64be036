"""A host of files with project memory, and people who may decide."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any, Final

from cli.at_terminal import MAIN, Ended, at_terminal
from cli.ledger_world import make_files
from cli.record_world import ANA, BEN

from abilities_host.accounts import Accounts, Cost, Role, keys_beside
from abilities_host.cli.running import load
from abilities_host.memory import Guidance, Proposal, Source
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import open_sqlite
from abilities_memory.shelf import Shelf
from abilities_memory.tables import MIGRATIONS, OWNER

# The pack, whether it is installed or not.
MEMORY: Final = """
from abilities_memory import open_pack
"""
BLOCKED: Final = ("core", "database", "dispatcher", "memory")
RULE: Final = {"domain": "files", "targets": ["*.txt"], "effect": "deny"}
SECRETS: Final = {"ana": ANA, "ben": BEN}


def make_memory(folder: Path, *names: str, blocked: tuple[str, ...] = BLOCKED) -> Path:
    """Make a host, and accounts of these names; give its configuration.

    The first account is an operator, the others are reviewers.
    """
    folder.mkdir(exist_ok=True)
    config = make_files(folder, blocked=blocked)
    (config.parent / "plugins" / "remembering.py").write_text(MEMORY, encoding="utf-8")
    if names:
        make_people(config, *names)
    return config


def make_people(config: Path, *names: str) -> None:
    """Make accounts of these names, the first of an operator; they cost little."""
    loaded = load(config)
    anchor = loaded.anchor_path

    async def make() -> None:
        async with open_sqlite(loaded.store_path) as store:
            cost = Cost(memory=8, passes=1, lanes=1)
            keys = keys_beside(anchor) if anchor else None
            accounts = Accounts(store, cost=cost, keys=keys)
            await accounts.migrate()
            first, *others = names
            await accounts.add(first, SECRETS[first], by=None)
            by = await accounts.verify(first, SECRETS[first])
            for name in others:
                await accounts.add(name, SECRETS[name], by=by, role=Role.REVIEWER)

    asyncio.run(make())


def propose(
    config: Path,
    text: str,
    *,
    by: str = "agent",
    source: Source = "agent_proposal",
    **parts: Any,
) -> Guidance:
    """Have an agent propose something."""
    given = {"type": "guardrail", "topic": "shop", "rationale": "Asked for.", **parts}
    proposal, path = Proposal(text=text, **given), load(config).store_path

    async def keep() -> Guidance:
        async with open_sqlite(path) as store:
            await store.migrate(OWNER, MIGRATIONS)
            return await Shelf(store).propose(proposal, by=by, source=source)

    return asyncio.run(keep())


def change(config: Path, sql: str) -> None:
    """Do what somebody does who can write to the store, and has no secret."""
    path = load(config).store_path

    async def write() -> None:
        async with open_sqlite(path) as store:
            await store.write([Statement(sql)])

    asyncio.run(write())


def plain(screen: str) -> str:
    """Take colours out of what a screen got."""
    return re.sub(r"\x1b\[[0-9;]*m", "", screen)


def memory(
    config: Path, *given: str, name: str = "ana", secret: str | None = None
) -> Ended:
    """Run a command at a terminal, where somebody types a secret."""
    typed = f"{SECRETS[name] if secret is None else secret}\n".encode()
    answers = [(f"Secret of {name}: ".encode(), typed)]
    ended = at_terminal(config.parent, "memory", *given, answers=answers)
    return Ended(ended.code, plain(ended.screen))


def editing(folder: Path, code: str) -> str:
    """Give what a process runs whose editor is a Python program.

    The program has the text of the form as `text`, and leaves another there.
    """
    program = folder / "editor.py"
    program.write_text(
        "import sys\n"
        "path = sys.argv[1]\n"
        "text = open(path, encoding='utf-8').read()\n"
        f"{code}\n"
        "open(path, 'w', encoding='utf-8').write(text)\n",
        encoding="utf-8",
    )
    command = f"{sys.executable} {program}"
    places = {"VISUAL": command, "TMPDIR": str(folder)}
    return f"import os\nos.environ.update({places!r})\n{MAIN}"
