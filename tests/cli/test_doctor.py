"""`doctor` finds what is wrong, says what mends it, and fails only on errors."""

import sqlite3
from pathlib import Path
from typing import Any

from cli.conftest import Command, Ended
from cli.test_reading import SHOWN
from cli.world import BLOCKED, CONFIG, IN_TREE, make_demo

from abilities_host.storage.sqlite import wal_reset_bug

Seen = tuple[str, str, str]


def seen(ended: Ended, *abouts: str) -> list[Seen]:
    findings: list[dict[str, Any]] = ended.value["findings"]
    return [
        (finding["severity"], finding["message"], finding["fix"])
        for finding in findings
        if finding["about"] in abouts
    ]


def test_a_good_host_has_no_errors(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)

    first = command("doctor", "--json", "--config", config)
    shown = command("doctor", "--config", config)

    store = tmp_path / "abilities.db"
    is_affected = wal_reset_bug(sqlite3.sqlite_version_info)
    assert (first.code, first.err, first.value["ok"]) == (0, "", True)
    assert [f["about"] for f in first.value["findings"]] == [
        "configuration",
        "store",
        *(["sqlite"] if is_affected else []),
        "token",
        "port",
        "exposure",
        "packages",
        "start",
        "ledger",
        *["pack"] * (1 + len(IN_TREE)),
        "abilities",
        "request",
        "request",
        "names",
        "account",
        "pages",
        "pages",
    ]
    assert seen(first, "request") == [
        ("ok", f"A client of {era} sees 6 of 6 tools over HTTP.", "")
        for era in ("2026-07-28", "2025-11-25")
    ]
    missing = f"{store} does not exist yet; a start makes it."
    assert seen(first, "store") == [("info", missing, "")]
    assert (shown.code, shown.err) == (0, "")
    assert f"ok       store          {store} has {store.stat().st_size:,} bytes.\n" in (
        shown.out.replace("\n                        ", " ")
    )
    # What else runs on this machine may have the port.
    count = 2 + (seen(first, "port")[0][0] == "warning")
    assert shown.out.endswith(f"\n\nErrors: 0, warnings: {count}.\n")


def test_a_missing_configuration_is_an_error(tmp_path: Path, command: Command) -> None:
    ended = command("doctor", "--json", "--config", tmp_path / "no.toml")

    problem = "there is no such file. `abilities init` makes one."
    message = f"{tmp_path / 'no.toml'}: {problem}"
    finding = {
        "severity": "error",
        "about": "configuration",
        "message": message,
        "fix": "",
    }
    assert (ended.code, ended.value) == (1, {"ok": False, "findings": [finding]})


def test_a_host_that_cannot_start_says_why(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)
    (tmp_path / "abilities.db").touch()

    ended = command("doctor", "--json", "--config", config)

    ((severity, message, _),) = seen(ended, "start")
    assert (ended.code, severity) == (1, "error")
    assert message.startswith(f"Store {tmp_path / 'abilities.db'}: ")


def test_rights_of_others_are_found(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)
    config.chmod(0o644)
    (tmp_path / "plugins").chmod(0o777)
    (tmp_path / "plugins" / "demo.py").chmod(0o666)

    ended = command("doctor", "--json", "--config", config)
    shown = command("doctor", "--config", config)

    plugins = tmp_path / "plugins"
    runs = ", so what is in it is not run."
    demo = plugins / "demo.py"
    assert (ended.code, shown.code) == (1, 1)
    assert f"fix: chmod go-r '{config}' error" in " ".join(shown.out.split())
    assert shown.out.endswith("\nErrors: 3, warnings: 3.\n")
    assert seen(ended, "permissions") == [
        ("warning", f"others may read {config}.", f"chmod go-r '{config}'"),
        ("error", f"others may write {plugins}{runs}", f"chmod go-w '{plugins}'"),
        ("error", f"others may write {demo}{runs}", f"chmod go-w '{demo}'"),
    ]


def test_broken_packs_and_abilities_are_found(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, pack=SHOWN)
    (tmp_path / "plugins" / "broken.py").write_text("raise RuntimeError('no luck')")
    config.write_text(
        CONFIG.format(
            top="",
            blocked=f'{BLOCKED}\nrequired = ["a/guard>=1"]',
            end="",
        )
    )

    ended = command("doctor", "--json", "--config", config)

    *blocked, broken, demo = seen(ended, "pack")
    ((severity, quarantined, _),) = seen(ended, "ability")
    reason = "is blocked: [plugins] blocked names it."
    fix = 'mend it, or write [plugins] blocked = ["plugins_dir/broken"]'
    refused = "Required plugin a/guard>=1 is not healthy: every write is refused."
    assert ended.code == 1
    assert [(s, m) for s, m, _ in blocked] == [
        ("info", f"abilities-host/{name} {reason}") for name in IN_TREE
    ]
    assert (broken[0], broken[2]) == ("error", fix)
    assert broken[1].startswith("plugins_dir/broken was set aside at import: ")
    assert demo == ("ok", "plugins_dir/demo (a file)", "")
    assert severity == "error"
    assert quarantined.startswith("Quarantined: 'demo/BAD' ")
    assert seen(ended, "policy") == [("error", refused, "abilities plugins")]


def test_switches_without_effect_are_found(tmp_path: Path, command: Command) -> None:
    top = 'disabled = ["demo/ecco", "x/*"]\nread_only = true\nkill_switch = true'
    end = '[packs.demos]\nroot = "x"'
    config = make_demo(tmp_path, top=top, end=end)
    command("disable", "zz/zz", "--force", "--config", config)

    ended = command("doctor", "--json", "--config", config)

    assert ended.code == 0
    assert seen(ended, "switches") == [
        ("info", "read_only is true: every write is off.", ""),
        ("warning", "The server is off: no client is served.", ""),
        (
            "warning",
            "No ability is called 'demo/ecco'. Did you mean 'demo/echo'?",
            "abilities config",
        ),
        ("warning", "No ability is called 'x/*'.", "abilities config"),
        (
            "warning",
            "No ability is called 'zz/zz'.",
            "abilities enable --forget 'zz/zz'",
        ),
    ]
    assert seen(ended, "configuration")[1:] == [
        (
            "warning",
            "[packs.demos] belongs to no pack. Did you mean 'demo'?",
            "abilities plugins",
        )
    ]


CLASH = """
from abilities_host import hookimpl

@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="Demo.")

@hookimpl
def register_abilities(registry):
    for end in ("122161", "178521"):
        registry.register_ability(
            f"demo/{'x' * 60}{end}", label="X", description="X.", category="demo",
            execute_callback=lambda: 1, permission_callback=lambda: True)
"""


def test_two_abilities_with_one_tool_name_are_found(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=CLASH)

    ended = command("doctor", "--json", "--config", config)

    first, second = (f"demo/{'x' * 60}{end}" for end in ("122161", "178521"))
    tool = f"demo_{'x' * 50}_02c3adc0"
    sentence = f"{first}, {second} would all be the tool {tool}."
    assert ended.code == 1
    assert seen(ended, "ability") == [("error", sentence, "rename all but one")]
