from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import OpenView, build_world, register

import abilities_files
from abilities_files.settings import Settings, read_settings
from abilities_host import RegistrationError
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry


def _view(folder: Path, settings: dict[str, Any], *protected: Path) -> OpenView:
    return OpenView(
        Registry(),
        pack="abilities-host/files",
        namespaces=("files",),
        settings=settings,
        folder=folder,
        protected=ProtectedPaths(protected),
    )


async def test_seven_abilities_with_their_annotations(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    found = {}
    for ability in world.registry.list_abilities():
        notes, changes = ability.annotations, ability.changes
        found[ability.name] = (
            notes.readonly,
            notes.destructive,
            notes.idempotent,
            changes.domain if changes else None,
            ability.requires,
        )
    assert found == {
        "files/list": (True, False, True, None, "read"),
        "files/read": (True, False, True, None, "read"),
        "files/search": (True, False, True, None, "read"),
        "files/write": (False, True, True, "files", "write"),
        "files/edit": (False, True, False, "files", "write"),
        "files/move": (False, True, False, "files", "write"),
        "files/delete": (False, True, True, "files", "write"),
    }


async def test_everybody_with_the_scope_is_allowed(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    allowed = {args["permission_callback"]() for args in world.callbacks.values()}
    assert allowed == {True}


def test_the_pack_claims_its_namespace() -> None:
    assert abilities_files.declare_pack().namespaces == ("files",)


async def test_edits_and_deletions_name_their_one_target(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    for name in ["edit", "delete"]:
        assert await world.targets(name, path="./a//b") == ["a/b"]


def test_the_root_may_be_elsewhere_and_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for root in ["real", "link", str(tmp_path / "real"), "./real/../link"]:
        assert len(register(_view(tmp_path, {"root": root})).callbacks) == 7


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "'content' does not exist. Make it with 'mkdir content'"),
        ({"root": "file"}, "'file' is not a folder"),
        ({"root": "loop"}, "'loop' does not exist"),
        ({"root": "closed"}, "'closed' belongs to the host itself"),
        ({"root": "closed/inner"}, "'closed/inner' belongs to the host itself"),
        ({"root": "to-closed"}, "'to-closed' belongs to the host itself"),
        ({"root": ""}, "it must be the path of a folder"),
        ({"root": 3}, "it must be the path of a folder"),
        ({"root": "a\0b"}, "it must be the path of a folder"),
        ({"rooot": "x"}, "there is no such setting. Did you mean 'root'?"),
        ({"colour": 1}, "There are: root, max_bytes"),
        ({"max_bytes": 0}, "it must be a whole number from 1 to 67,108,864"),
        ({"max_bytes": True}, "it must be a whole number"),
        ({"search_seconds": "5"}, "it must be a whole number from 1 to 60"),
        ({"secret": "*.x"}, "it must be a list of at most 100 patterns"),
        ({"secret": ["*"] * 101}, "it must be a list of at most 100 patterns"),
        ({"secret": [1]}, 'each must be a text such as "*.secret"'),
        ({"secret": [""]}, 'each must be a text such as "*.secret"'),
        ({"secret": ["keys/*"]}, "'keys/*' must fit one name"),
    ],
)
def test_what_the_operator_got_wrong_is_said_with_the_fix(
    tmp_path: Path, settings: dict[str, Any], sentence: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "closed/inner").mkdir(parents=True)
    (tmp_path / "to-closed").symlink_to("closed")
    view = _view(tmp_path, settings, tmp_path / "closed")
    with pytest.raises(RegistrationError) as refusal:
        register(view)
    assert sentence in str(refusal.value)
    assert "[packs.files]" in str(refusal.value)


def test_every_setting_is_read() -> None:
    table = {
        "root": "x",
        "max_bytes": 1,
        "search_bytes": 2,
        "search_files": 3,
        "search_seconds": 4,
        "secret": ["*.x"],
    }
    assert read_settings(table) == Settings("x", 1, 2, 3, 4, ("*.x",))
