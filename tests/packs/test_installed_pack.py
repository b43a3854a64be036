"""A pack of its own distribution: installed, found, run, and broken in eight ways."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from abilities_host.testing import write_config

HERE = Path(__file__).parent
PACK, GUARD = "NOTES_PACK_BROKEN", "NOTES_GUARD_BROKEN"
NAMES = ["notes/add", "notes/list"]
WAYS = [
    [PACK, ""],
    [PACK, "import error"],
    [PACK, "bad schema"],
    [PACK, "duplicate name"],
    [PACK, "foreign namespace"],
    [PACK, "misspelt hook"],
    [PACK, "hook that hangs"],
    [PACK, "hook that raises"],
    [PACK, "wrong version"],
    [PACK, ""],
    [GUARD, "import error"],
    [GUARD, "misspelt hook"],
    [GUARD, "no hook"],
    [GUARD, "wrong version"],
    [GUARD, "hook that hangs"],
    [GUARD, "hook that raises"],
    [GUARD, "rubbish"],
    [GUARD, ""],
]


class Found(NamedTuple):
    """What one process found in every way, and what it traced."""

    findings: dict[str, Any]
    trace: str


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the pack from its folder into one of its own, without a network."""
    folder = tmp_path_factory.mktemp("installed")
    source = shutil.copytree(HERE / "notes_pack", folder / "source")
    target = folder / "target"
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    more = ["--disable-pip-version-check", "--target", str(target), str(source)]
    run([sys.executable, "-m", "pip", "install", *options, *more], {})
    return target


@pytest.fixture(scope="module")
def found(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Drive one process through every way, with a fresh host for each."""
    folder = tmp_path_factory.mktemp("host")
    write_config(folder, "[limits]\nhook_seconds = 1\n")
    arguments = [str(folder), json.dumps(WAYS)]
    environment = {"PYTHONPATH": str(installed), "ABILITIES_TRACE": "1"}
    ended = run([sys.executable, str(HERE / "drive.py"), *arguments], environment)
    return Found(json.loads(ended.stdout), ended.stderr)


def run(
    command: list[str], environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=50,
    )


def test_an_installed_pack_is_found_and_runs(found: Found) -> None:
    assert found.findings[f"{PACK}="] == {
        "states": {"guard": ["healthy", ""], "notes": ["healthy", ""]},
        "refused": [],
        "names": NAMES,
        "write": ["", "", ""],
        "veto": ["write_vetoed", "notes-pack/guard", "that word is forbidden"],
        "read": ["", ["kept"]],
    }


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        pytest.param(
            "import error",
            "import: it raised ModuleNotFoundError: No module named "
            "'a_module_that_is_not_there'",
            id="import-error",
        ),
        pytest.param(
            "misspelt hook",
            "loading hooks: there is no hook 'befor_write'. Did you mean "
            "'before_write'?",
            id="misspelt-hook",
        ),
        pytest.param(
            "hook that hangs",
            "register_abilities: it did not finish within 1 s.",
            id="hook-that-hangs",
        ),
        pytest.param(
            "hook that raises",
            "register_abilities: it raised RuntimeError: this pack is broken",
            id="hook-that-raises",
        ),
        pytest.param(
            "wrong version",
            "requires_packages: it needs 'pluggy>=999', but ",
            id="wrong-version",
        ),
    ],
)
def test_a_pack_that_cannot_be_kept_is_set_aside_and_the_host_is_up(
    found: Found, way: str, reason: str
) -> None:
    shown = found.findings[f"{PACK}={way}"]
    state, said = shown["states"]["notes"]
    assert (state, said[: len(reason)]) == ("set aside", reason)
    assert shown["states"]["guard"] == ["healthy", ""]
    assert shown["names"] == []
    assert shown["read"] == ["ability_not_found", None]


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        pytest.param(
            "bad schema",
            "'notes/bad' (pack 'notes-pack/notes'): input_schema at /type: 'strnig' is "
            "no type. Did you mean 'string'?",
            id="bad-schema",
        ),
        pytest.param(
            "duplicate name",
            "'notes/list' (pack 'notes-pack/notes'): this ability is already "
            "registered by pack 'notes-pack/notes'; the first one stays.",
            id="duplicate-name",
        ),
        pytest.param(
            "foreign namespace",
            "'core/notes' (pack 'notes-pack/notes'): this pack may register only in "
            "notes. Claim the namespace in declare_pack, or rename the ability.",
            id="foreign-namespace",
        ),
    ],
)
def test_one_bad_ability_is_quarantined_and_the_pack_is_served(
    found: Found, way: str, reason: str
) -> None:
    shown = found.findings[f"{PACK}={way}"]
    assert shown["states"]["notes"] == ["healthy", ""]
    assert shown["refused"] == [reason]
    assert shown["names"] == NAMES
    assert shown["read"] == ["", ["kept"]]


@pytest.mark.parametrize(
    "way", ["import error", "misspelt hook", "no hook", "wrong version"]
)
def test_a_policy_plugin_that_cannot_be_kept_stops_the_writes_only(
    found: Found, way: str
) -> None:
    shown = found.findings[f"{GUARD}={way}"]
    assert shown["states"]["guard"][0] == "set aside"
    assert shown["states"]["guard"][1]
    assert shown["write"] == ["policy_missing", "notes-pack/guard", ""]
    assert shown["read"] == ["", []]


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("hook that hangs", "it did not answer within 1 s"),
        ("hook that raises", "it failed with RuntimeError; the host's log has more"),
        ("rubbish", "it returned str; a hook returns Veto, Ask or None"),
    ],
)
def test_a_policy_plugin_that_does_not_answer_stops_each_write(
    found: Found, way: str, reason: str
) -> None:
    shown = found.findings[f"{GUARD}={way}"]
    assert shown["states"]["guard"] == ["healthy", ""]
    assert shown["write"] == ["write_vetoed", "notes-pack/guard", reason]
    assert shown["read"] == ["", []]


def test_the_switch_in_the_environment_traces_every_hook_call(found: Found) -> None:
    lines = found.trace.splitlines()
    assert "hook before_write -> notes-pack/guard: None" in lines
    assert "hook register_abilities -> notes-pack/notes: None" in lines
    assert "hook before_write -> notes-pack/guard: RuntimeError()" in lines
