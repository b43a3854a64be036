"""A host in a folder, and the commands run on it."""

import json
import os
import subprocess
import sys
from pathlib import Path

DEMO = """
from abilities_host import AbilityFailed, Ask, Changes, MISSING, NeedsInput, Veto
from abilities_host import hookimpl

SHELF = {"a": "apple"}


class Shelf:
    name = "shelf"

    def canonical(self, target):
        return target.lower()

    async def capture(self, target):
        return SHELF.get(target, MISSING)

    async def restore(self, target, expected, state):
        raise NotImplementedError


def crash(arguments):
    raise ValueError("secret \\x1b[31m")


def fail(arguments):
    raise AbilityFailed("The shelf is full.")


def put(arguments):
    SHELF[arguments["key"].lower()] = arguments["text"]
    return {"put": arguments["key"]}


def empty(arguments):
    SHELF.clear()
    return "emptied\\nall \\u202eof it"


def question(arguments, call):
    if call.answer is None:
        raise NeedsInput("Really, \\x1b[2Jreally?")
    return {"agreed": call.answer.is_accepted}


NAMED = {
    "type": "object",
    "properties": {"key": {"type": "string"}, "text": {"type": "string"}},
    "required": ["key"],
}


@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="For the tests.")


@hookimpl
def register_abilities(registry):
    registry.register_domain(Shelf())

    def add(name, label, run, schema=None, **more):
        notes = more.pop("notes", {"readonly": True})
        registry.register_ability(
            name, label=label, description="For the tests.", category="demo",
            input_schema=schema, execute_callback=run,
            permission_callback=lambda: True, meta={"annotations": notes}, **more)

    kept = {"readonly": False, "destructive": False}
    shelf = Changes("shelf", targets=lambda arguments: [arguments["key"]])
    add("demo/echo", "Echo \\x1b[1m", lambda arguments: arguments, NAMED)
    add("demo/crash", "Crash", crash, NAMED)
    add("demo/fail", "Fail", fail, NAMED)
    add("demo/put", "Put", put, NAMED, notes=kept, changes=shelf)
    add("demo/empty", "Empty", empty, {"type": "object"}, notes={})
    add("demo/question", "Question", question, {"type": "object"}, notes=kept)
    add("demo/admin", "Admin", lambda: 1, requires="demo:admin")


@hookimpl
def before_write(write):
    text = (write.arguments or {}).get("text")
    if text == "bad":
        return Veto("no bad words")
    if text == "odd":
        return Ask("Is this meant?")
    return None
"""

CONFIG = """\
plugins_dir = "plugins"
{top}
[plugins]
blocked = {blocked}
optional = ["memory_enforcer"]
[ledger]
required = false
{end}
"""


IN_TREE = (
    "core",
    "database",
    "dispatcher",
    "files",
    "ledger",
    "memory",
    "memory_enforcer",
)
BLOCKED = json.dumps(IN_TREE)
"""Every pack that comes with the host, as the configuration names them."""


def make_demo(
    folder: Path,
    *,
    top: str = "",
    end: str = "",
    pack: str = DEMO,
    blocked: str = BLOCKED,
) -> Path:
    """Make a host whose one pack is in a file; give its configuration."""
    (folder / "plugins").mkdir(mode=0o700, parents=True)
    folder.chmod(0o700)
    (folder / "plugins" / "demo.py").write_text(pack, encoding="utf-8")
    config = folder / "abilities.toml"
    text = CONFIG.format(top=top, end=end, blocked=blocked)
    config.write_text(text, encoding="utf-8")
    config.chmod(0o600)
    return config


def environment(home: Path) -> dict[str, str]:
    """Give what a process on a fresh machine has, with what measures coverage."""
    kept = {k: v for k, v in os.environ.items() if k.startswith(("COVERAGE", "COV_"))}
    path = os.environ.get("PATH", "")
    return {**kept, "PATH": path, "HOME": str(home), "COLUMNS": "80"}


def start(
    folder: Path, *arguments: str, given: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run the command as a process that has no terminal."""
    return subprocess.run(
        [sys.executable, "-m", "abilities_host", *arguments],
        cwd=folder,
        env={**environment(folder), **variables},
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=50,
    )
