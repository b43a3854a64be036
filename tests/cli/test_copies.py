"""Two copies of one thing are diagnosed with both places, and one of them lives."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.world import IN_TREE, make_demo, start

NOTES = """
from abilities_host import Declaration, Veto, hookimpl

@hookimpl
def declare_pack():
    return Declaration(namespaces=("notes",))

@hookimpl
def before_write(write):
    return Veto("never")
"""


def install(folder: Path, version: str, *, policy: bool = False) -> Path:
    """Lay a distribution of one pack into a folder, as an installer does."""
    info = folder / f"my_notes-{version}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: my-notes\nVersion: {version}\n"
    (info / "METADATA").write_text(head)
    group = "abilities_host.policy" if policy else "abilities_host"
    (info / "entry_points.txt").write_text(f"[{group}]\nnotes = my_notes\n")
    (folder / "my_notes.py").write_text(NOTES)
    return folder


def looked(folder: Path, command: str, *path: Path) -> Any:
    ended = start(folder, command, "--json", PYTHONPATH=":".join(map(str, path)))
    return json.loads(ended.stdout)


def shown(folder: Path, *path: Path) -> list[tuple[str, str]]:
    plugins = looked(folder, "plugins", *path)["plugins"]
    ours = {f"abilities-host/{name}" for name in IN_TREE}
    return [(p["state"], p["reason"]) for p in plugins if p["name"] not in ours]


@pytest.mark.parametrize("policy", [False, True])
def test_of_two_installed_copies_the_first_lives_and_the_other_is_named(
    tmp_path: Path,
    policy: bool,  # noqa: FBT001 - both kinds
) -> None:
    config = make_demo(tmp_path, pack="")
    (config.parent / "plugins" / "demo.py").unlink()
    one = install(tmp_path / "one", "1.0", policy=policy)
    two = install(tmp_path / "two", "2.0", policy=policy)

    packs = shown(tmp_path, one, two)
    findings = looked(tmp_path, "doctor", one, two)["findings"]

    reason = (
        "loading: another pack has the same identity: "
        f"1.0 in {one} is used, not 2.0 in {two}"
    )
    assert packs == [("healthy", ""), ("set aside", reason)]
    [found] = [
        f for f in findings if f["severity"] == "warning" and "my-notes" in f["message"]
    ]
    assert (found["message"], found["fix"]) == (
        f"my-notes/notes was set aside at {reason}.",
        f"{sys.executable} -m pip uninstall my-notes",
    )
    assert not [f for f in findings if f["about"] == "policy"]


def test_one_place_twice_on_the_path_is_one_copy(tmp_path: Path) -> None:
    make_demo(tmp_path, pack="")
    (tmp_path / "plugins" / "demo.py").unlink()
    one = install(tmp_path / "one", "1.0")
    link = tmp_path / "link"
    link.symlink_to(one)

    assert shown(tmp_path, one, link) == [("healthy", "")]


def test_installed_and_in_the_folder_both_places_are_named(tmp_path: Path) -> None:
    make_demo(tmp_path, pack="")
    (tmp_path / "plugins" / "demo.py").unlink()
    one = install(tmp_path / "one", "1.0")
    file = tmp_path / "plugins" / "notes.py"
    file.write_text(NOTES)

    packs = shown(tmp_path, one)
    findings = looked(tmp_path, "doctor", one)["findings"]

    both = f"my-notes/notes ({one}) and plugins_dir/notes ({file})"
    assert [state for state, _ in packs] == ["set aside", "set aside"]
    assert all(both in reason for _, reason in packs)
    named = f"2 packs are called 'notes': {both.replace(' and ', ', ')}."
    assert named in [finding["message"] for finding in findings]


def test_a_second_protocol_package_is_warned_of_at_the_start_and_by_doctor(
    tmp_path: Path,
) -> None:
    make_demo(tmp_path)
    old = tmp_path / "old"
    (old / "mcp_types-1.0.dist-info").mkdir(parents=True)
    head = "Metadata-Version: 2.1\nName: mcp-types\nVersion: 1.0\n"
    (old / "mcp_types-1.0.dist-info" / "METADATA").write_text(head)

    log = start(tmp_path, "--verbose", "list", PYTHONPATH=str(old)).stderr
    findings = looked(tmp_path, "doctor", old)["findings"]

    twice = f"mcp-types is installed 2 times: 1.0 in {old} is used, not "
    assert twice in log
    found = [f for f in findings if f["about"] == "packages"]
    assert {f["severity"] for f in found} == {"warning"}
    assert found[0]["message"].startswith(twice)
    assert found[0]["fix"] == f"{sys.executable} -m pip uninstall mcp-types"
