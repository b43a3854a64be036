"""The documentation says what the code does, or a test here fails."""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any, get_args

import pytest
import typer
from docs.pages import (
    DOCS,
    PAGES,
    ROOT,
    anchors,
    blocks,
    functions_of,
    links,
    named_modules,
    named_tests,
    page,
    rows,
    samples,
)

from abilities_files import refusals, writing
from abilities_files.settings import Settings
from abilities_host import Domain, HidesSecrets, RestoresAll, ShowsStates
from abilities_host.cli.app import build_app
from abilities_host.cli.exits import Exit
from abilities_host.config import Setting, settings_table
from abilities_host.config.settings import LedgerSettings, LimitSettings
from abilities_host.denylist import DenyList
from abilities_host.ending import Ending
from abilities_host.envelope import Envelope
from abilities_host.errors import CallError, RegistrationError, calls, registration
from abilities_host.hooks import specs
from abilities_host.ledger.upkeep import Verdict
from abilities_ledger.retention import YOUNG_DAYS
from abilities_ledger.undo_abilities import CALLS, UNDO
from abilities_ledger.undoing import SIZE_FACTOR
from abilities_memory.divergences import Divergent
from abilities_memory.schemas import RECALL_INPUT, REMEMBER_INPUT, SAVE_INPUT

ABROAD = ("https://keepachangelog.com/", "https://semver.org/")
INVENTED = (
    *("https://example.org", "http://example.org", "http://127.0.0.1:8765"),
    *("https://abilities.example.org", "https://app.example.org"),
    "https://login.example.org",
)
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
PROBLEM = {"path": "/place", "message": "message"}
EXAMPLES: Mapping[str, tuple[Any, ...]] = {
    "AbilityNotFound": ("a/b",),
    "InvalidInput": ("a/b", [PROBLEM]),
    "MissingInputSchema": ("a/b",),
    "PermissionDenied": ("a/b",),
    "WriteVetoed": ("a/b", "plugin", "reason"),
    "PolicyMissing": ("a/b", "plugin"),
    "WriteInReadonly": ("a/b", "the write 'c/d'"),
    "NeedsAnswer": ("a/b", "question"),
    "TargetInvalid": ("a/b", "reason"),
    "TargetBusy": ("domain:target", 10.0),
    "HostBusy": ("calls", 64),
    "NestingTooDeep": ("a/b", 8),
    "PackAbandoned": ("pack", 8),
    "CallbackFailed": ("a/b", "reference"),
    "AbilityFailed": ("what the ability says",),
    "AbilityTimeout": ("a/b", 60.0),
    "CallCancelled": ("a/b",),
    "CaptureFailed": ("domain:target", "reason"),
    "InvalidOutput": ("a/b", [PROBLEM]),
    "StoreUnwritable": ("a/b",),
    "LedgerMissing": ("a/b",),
    "StoreUnreadable": (),
    "HostStopping": (),
    "RecordFailed": ("a/b",),
}


def classes(module: ModuleType, base: type) -> Iterator[type]:
    for found in vars(module).values():
        if inspect.isclass(found) and issubclass(found, base) and found is not base:
            yield found


def cell(text: object) -> str:
    return str(text).replace("|", "\\|")


# --- the reference ------------------------------------------------------------


def signature_of(hook: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(hook.returns)}" if hook.returns else ""
    return f"{hook.name}({ast.unparse(hook.args)}){returns}"


def test_the_heading_of_every_hook_is_its_signature() -> None:
    tree = ast.parse(Path(specs.__file__).read_text(encoding="utf-8"))
    hooks = [node for node in tree.body if isinstance(node, ast.FunctionDef)]

    headings = re.findall(r"^## `(.+)`$", page("reference/hooks.md"), re.MULTILINE)

    assert headings == [signature_of(hook) for hook in hooks]


def setting_row(setting: Setting) -> tuple[str, ...]:
    default = setting.default
    if isinstance(default, tuple) and default and isinstance(default[0], tuple):
        default = default[0]
    plain = default if default is None else json.dumps(default)
    shown = "none" if plain is None else f"`{plain}`"
    words = (setting.type, setting.help, setting.merge.value)
    return (f"`{setting.key}`", shown, *map(cell, words))


def test_the_table_of_settings_is_that_of_the_code() -> None:
    table = rows(page("reference/settings.md"), "## All settings")

    assert table == [setting_row(setting) for setting in settings_table()]


def error_rows() -> list[tuple[str, ...]]:
    made: list[CallError] = [
        kind(*EXAMPLES[kind.__name__]) for kind in classes(calls, CallError)
    ]
    return [
        (f"`{e.code}`", e.fault, "yes" if e.retryable else "no", cell(e.message))
        for e in made
    ]


def test_the_table_of_call_errors_is_that_of_the_code() -> None:
    table = rows(page("reference/errors.md"), "## Why a call did not end well")

    assert [row[:4] for row in table] == error_rows()


def test_every_code_of_a_registration_is_explained() -> None:
    source = Path(registration.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r'super\(\).__init__\(\s*f?"([a-z_{}]+)"', source))
    kinds = ("category", "domain", "ability", "resource")
    codes |= {code.replace("{kind}", kind) for code in codes for kind in kinds}

    table = rows(page("reference/errors.md"), "## Why something was not registered")

    documented = {code for row in table for code in re.findall("`([a-z_]+)`", row[0])}
    assert documented == {code for code in codes if "{" not in code}
    named = {name for row in table for name in re.findall("`(.+?)`", row[1])}
    assert named == {kind.__name__ for kind in classes(registration, RegistrationError)}


def options_of(command: Any) -> set[str]:
    told_once = {"--help", "-h"}
    return {
        option
        for parameter in command.params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
    } - told_once


def commands_below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Give a command and those of its group, in the order of the help."""
    yield name, command
    for word, each in getattr(command, "commands", {}).items():
        yield from commands_below(f"{name} {word}", each)


def test_every_command_and_every_option_is_documented() -> None:
    group: Any = typer.main.get_command(build_app())
    commands = dict(commands_below("abilities", group))
    text = page("reference/cli.md") + page("reference/memory-commands.md")

    headings = re.findall(r"^##+ `(abilities[^`]*)`$", text, re.MULTILINE)
    names = [re.split(r" (?=[A-Z\[])", heading)[0] for heading in headings]

    assert names == list(commands)
    for heading, name in zip(headings, names, strict=True):
        section = text.split(f"# `{heading}`\n", 1)[1].split("\n#", 1)[0]
        documented = set(re.findall(r"^\| `(-.+?)`", section, re.MULTILINE))
        documented |= set(re.findall(r"^\| `.+?`, `(-.+?)`", section, re.MULTILINE))
        assert documented - {"--help", "-h"} == options_of(commands[name]), name


def test_every_exit_code_is_documented() -> None:
    table = rows(page("reference/cli.md"), "## Exit codes")

    assert [int(row[0]) for row in table] == [code.value for code in Exit]


def test_the_settings_and_codes_of_the_files_pack_are_documented() -> None:
    text = page("reference/files-pack.md")
    defaults = Settings()

    table = rows(text, "## Settings")
    assert [(row[0], row[1]) for row in table] == [
        (f"`{name}`", f"`{json.dumps(getattr(defaults, name))}`")
        for name in Settings.__slots__
    ]
    kinds = [k for k in vars(refusals).values() if hasattr(k, "template")]
    words = {kind.word for kind in kinds}
    words |= set(
        re.findall(r'\bcode(?:: str)? ?= ?"(\w+)"', inspect.getsource(refusals))
    )
    words |= set(re.findall(r'number, "(\w+)"', inspect.getsource(writing)))
    documented = {row[0].strip("`") for row in rows(text, "## Refusals")}
    assert documented == words


def test_every_ability_of_the_packs_in_the_tree_is_documented() -> None:
    sources = [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "contrib").rglob("*.py")]
    registered = re.compile(r'register_ability\(\s*"([a-z-]+/[a-z-]+)"')
    texts = (source.read_text(encoding="utf-8") for source in sources)

    core = page("reference/core-and-dispatcher.md")
    tables = [*rows(core, "## core"), *rows(core, "## dispatcher")]
    for pack in ("files-pack", "database-pack", "ledger", "memory"):
        tables += rows(page(f"reference/{pack}.md"), "## Abilities")

    documented = {row[0].strip("`") for row in tables}
    names = {name for text in texts for name in registered.findall(text)}
    assert documented == names | {UNDO}


def test_every_refusal_of_the_ledger_is_documented() -> None:
    sources = sorted((ROOT / "plugins" / "abilities_ledger").glob("*.py"))
    code = re.compile(r'^    code = "(\w+)"', re.MULTILINE)

    table = rows(page("reference/ledger.md"), "### Refusals")

    assert {row[0].strip("`") for row in table} == {
        word for source in sources for word in code.findall(source.read_text("utf-8"))
    }


def test_every_refusal_of_project_memory_is_documented() -> None:
    places = (
        "plugins/abilities_memory",
        "abilities_host/gate",
        "abilities_host/memory",
    )
    sources = [path for place in places for path in (ROOT / place).glob("*.py")]
    code = re.compile(r'^    code = "(\w+)"', re.MULTILINE)
    own, moved = page("reference/memory.md"), page("reference/memory-document.md")

    documented = {row[0].strip("`") for row in rows(own, "## Codes")}

    assert {
        word
        for source in sources
        for word in code.findall(source.read_text("utf-8"))
        if f"`{word}`" not in moved
    } == documented


def test_what_agents_may_give_the_memory_is_documented() -> None:
    text = page("reference/memory.md")
    schemas: dict[str, Mapping[str, Any]] = {
        "memory/recall": RECALL_INPUT,
        "memory/remember": REMEMBER_INPUT,
        "memory/save-session-summary": SAVE_INPUT,
    }

    told = {
        name: {
            field
            for row in rows(text, f"### {name}")
            for field in re.findall("`([a-z_]+)`", row[0])
        }
        for name in schemas
    }

    told["memory/save-session-summary"] -= {"kind", *get_args(Divergent)}
    assert told == {name: set(each["properties"]) for name, each in schemas.items()}


def members_of(protocol: type) -> Iterator[str]:
    """Give the methods of a protocol with their arguments, and its attributes."""
    yield from vars(protocol).get("__annotations__", {})
    for name, member in vars(protocol).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            arguments = list(inspect.signature(member).parameters)[1:]
            yield f"{name}({', '.join(arguments)})"


def test_every_member_of_a_domain_is_documented() -> None:
    text = page("reference/domains.md")
    optional = (RestoresAll, HidesSecrets, ShowsStates)

    required = [row[0].strip("`") for row in rows(text, "## `Domain`")]
    added = rows(text, "## What a domain may add")

    assert required == [*members_of(Domain)]
    assert [(row[0].strip("`"), row[1].strip("`")) for row in added] == [
        (each.__name__, member) for each in optional for member in members_of(each)
    ]


def test_what_the_ledger_keeps_and_allows_is_told_as_it_is() -> None:
    whole = page("reference/ledger.md")
    text = " ".join(whole.split())
    kept = LedgerSettings()

    verdicts = {row[0].strip("`") for row in rows(whole, "## Verification")}
    commands = [row[0].strip("`") for row in rows(whole, "## Commands")]
    group: Any = typer.main.get_command(build_app())

    assert verdicts == set(get_args(Verdict))
    assert [command.split()[2] for command in commands] == [
        *group.commands["ledger"].commands
    ]
    for told in (
        f"`keep_days` ({kept.keep_days})",
        f"`keep_entries` ({kept.keep_entries:,})",
        f"`keep_bytes` ({kept.keep_bytes >> 30} GiB)",
        f"younger than {YOUNG_DAYS} days never goes",
        f"at most {CALLS} runs",
        f"{SIZE_FACTOR} times `limits.state_bytes`",
    ):
        assert told in text


# --- the explanations ---------------------------------------------------------


def steps_of(function: Any) -> list[str]:
    """Give the calls on `run` or `self` that a function makes, in their order."""
    tree = ast.parse(dedent(inspect.getsource(function)))
    calls_made = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = [
        (func.lineno, func.attr)
        for func in calls_made
        if isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.value.id in {"run", "self"}
    ]
    return [name for _, name in sorted(found)]


def test_the_order_of_a_call_is_that_of_the_code() -> None:
    table = rows(page("explanation/envelope.md"), "## The order")

    documented = [row[1].strip("`") for row in table]
    expected = [
        *(f"run.{step}" for step in steps_of(Envelope.execute)),
        *(f"ending.{step.lstrip('_')}" for step in steps_of(Ending._close)),  # noqa: SLF001 - the order is there
    ]
    assert documented == expected


def test_the_precedence_of_switches_is_that_of_the_code() -> None:
    source = inspect.getsource(DenyList.decide)
    asked = re.findall(r"self\._(\w+)\(", source)

    table = rows(page("how-to/switch-abilities.md"), "## What decides")

    assert [row[1].strip("`") for row in table] == [*asked, "on"]


@pytest.mark.parametrize("name", ["promises", "mechanisms", "security", "envelope"])
def test_every_test_and_module_an_explanation_names_exists(name: str) -> None:
    text = page(f"explanation/{name}.md")

    missing_tests = [
        f"{file}::{test}"
        for file, test in named_tests(text)
        if not (ROOT / file).is_file() or test not in functions_of(file)
    ]
    missing_modules = [each for each in named_modules(text) if not exists(each)]

    assert (missing_tests, missing_modules) == ([], [])


def exists(path: str) -> bool:
    return (ROOT / path).exists()


def test_every_mechanism_has_a_module_and_a_test() -> None:
    table = rows(page("explanation/mechanisms.md"), "## The table")
    numbers = [*range(1, 10), *range(12, 31), 34, 38, *range(43, 49), 80, 90]

    incomplete = [
        mechanism
        for mechanism, _, modules, tests in table
        if not list(named_modules(modules)) or not list(named_tests(tests))
    ]
    named = {seed for row in table for seed in re.findall(r"F\d\d", row[1])}

    assert incomplete == []
    assert named == {f"F{number:02}" for number in numbers}


# --- every page ---------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_no_link_is_dead(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [to for to in links(text) if not leads_somewhere(path, to)] == []


def leads_somewhere(path: Path, to: str) -> bool:
    if to.startswith("https://"):
        return to.startswith(ABROAD)
    file, _, anchor = to.partition("#")
    target = (path.parent / file).resolve() if file else path
    if not target.exists():
        return False
    return not anchor or anchor in anchors(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_no_page_names_a_machine_or_an_address_of_packages(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    addresses = re.findall(r"https?://[^\s)>\"'`]+", text)
    places = re.findall(r"(?:^|[\s\"'`(])(/(?:home|root|tmp|work|Users|usr)/\S*)", text)

    foreign = [each for each in addresses if not each.startswith((*ABROAD, *INVENTED))]
    assert (foreign, places) == ([], [])


def test_the_index_leads_to_every_page() -> None:
    listed = {
        (DOCS / to.partition("#")[0]).resolve() for to in links(page("README.md"))
    }

    missing = [each for each in DOCS.rglob("*.md") if each.resolve() not in listed]

    assert [each.name for each in missing] == ["README.md"]


def test_python_in_the_how_to_pages_is_cut_from_tested_files() -> None:
    wrong = [
        f"{path.name}: {block.mark}"
        for path in sorted((DOCS / "how-to").glob("*.md"))
        for block in blocks(path.read_text(encoding="utf-8"))
        if block.language == "python"
        and block.text.strip("\n") != sample_of(block.mark)
    ]

    assert wrong == []


def sample_of(mark: str) -> str | None:
    """Find the sample that ``sample: file.py name`` speaks of."""
    file, _, name = mark.removeprefix("sample: ").partition(" ")
    path = ROOT / "tests" / "docs" / file
    return samples(path).get(name) if path.is_file() else None


def test_the_limits_of_a_schema_are_told_where_schemas_are_explained() -> None:
    limits = LimitSettings()

    told = f"{limits.schema_depth} deep, or more than {limits.schema_bytes:,} bytes"
    assert told in page("reference/schemas.md")


def sentences_of_the_code() -> str:
    """Give all sources as one text, in which texts over several lines are whole."""
    folders = (ROOT / "abilities_host", ROOT / "plugins")
    sources = (path for folder in folders for path in sorted(folder.rglob("*.py")))
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    return re.sub(r'"\s+f?"', "", text)


@pytest.mark.parametrize(("name", "least"), [("troubleshoot", 20), ("undo-changes", 7)])
def test_what_a_page_quotes_is_what_the_host_says(name: str, least: int) -> None:
    quoted = re.findall("“(.+?)”", page(f"how-to/{name}.md"))
    code = sentences_of_the_code()

    parts = [part.strip() for each in quoted for part in each.split("…")]

    assert [part for part in parts if part not in code] == []
    assert len(quoted) > least
