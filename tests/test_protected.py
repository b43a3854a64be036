"""Protected paths hold by every spelling: links, dots, letter case, Unicode."""

import os
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.protected import ProtectedPaths

TWO_HOURS_AGO = (1_600_000_000, 1_600_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a folder with one protected file and folder, and ordinary ones."""
    (tmp_path / "abilities.toml").write_text("")
    (tmp_path / "café").mkdir()
    (tmp_path / "café" / "pack.py").write_text("")
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "note.md").write_text("")
    return tmp_path


def protected(root: Path) -> ProtectedPaths:
    return ProtectedPaths(
        [root / "abilities.toml", root / "café", root / "abilities.db"]
    )


def linked(root: Path) -> Path:
    link = root / "content" / "link"
    link.symlink_to(root / "abilities.toml")
    return link


def linked_folder(root: Path) -> Path:
    link = root / "content" / "link"
    link.symlink_to(root / "café", target_is_directory=True)
    return link / "new.py"


def hard_linked(root: Path) -> Path:
    os.link(root / "abilities.toml", root / "content" / "copy")
    return root / "content" / "copy"


def hard_linked_inside(root: Path) -> Path:
    os.link(root / "café" / "pack.py", root / "content" / "copy")
    return root / "content" / "copy"


def dangling_link(root: Path) -> Path:
    link = root / "content" / "link"
    link.symlink_to("../abilities.db")
    return link


@pytest.mark.parametrize(
    "spell",
    [
        pytest.param(lambda root: root / "abilities.toml", id="itself"),
        pytest.param(lambda root: root / "café", id="folder"),
        pytest.param(lambda root: root / "café" / "pack.py", id="inside"),
        pytest.param(lambda root: root / "café" / "new" / "x.py", id="new-inside"),
        pytest.param(lambda root: root / "abilities.db", id="not-there-yet"),
        pytest.param(
            lambda root: root / "content" / ".." / "abilities.toml", id="dots"
        ),
        pytest.param(lambda root: root / "Abilities.TOML", id="letter-case"),
        pytest.param(lambda root: root / "ABILITIES.DB", id="letter-case-not-there"),
        pytest.param(lambda root: root / normalize("NFD", "CAFÉ") / "x", id="nfd"),
        pytest.param(
            lambda root: Path(os.path.relpath(root / "abilities.toml")), id="relative"
        ),
        pytest.param(linked, id="symlink"),
        pytest.param(linked_folder, id="symlink-of-the-folder"),
        pytest.param(dangling_link, id="symlink-to-what-is-not-there-yet"),
        pytest.param(hard_linked, id="hard-link"),
        pytest.param(hard_linked_inside, id="hard-link-of-a-file-inside"),
        pytest.param(lambda root: Path(f"{root}/a\0b"), id="impossible-name"),
        pytest.param(lambda root: root / ("x" * 5000), id="name-too-long-to-look-at"),
    ],
)
def test_no_spelling_passes(root: Path, spell: Callable[[Path], Path]) -> None:
    path = spell(root)

    assert protected(root).protects(path) is True


def test_what_is_beside_is_free(root: Path) -> None:
    guard = protected(root)
    os.link(root / "content" / "note.md", root / "content" / "second")
    (root / "content" / "loop").symlink_to("loop")
    (root / "content" / "link").symlink_to("note.md")

    free = ["content", "content/note.md", "content/second", "content/loop", "new"]
    free += ["content/link", "abilities.tom", "abilities.toml.bak", "content/note.md/x"]
    assert [name for name in free if guard.protects(root / name)] == []


def test_the_status_of_the_opened_file_counts_whatever_the_name_says_now(
    root: Path,
) -> None:
    opened = (root / "abilities.toml").stat()

    assert protected(root).protects(root / "content" / "note.md", opened) is True


def test_a_protected_link_and_what_it_leads_to_are_both_protected(root: Path) -> None:
    (root / "secret").symlink_to("content/note.md")
    guard = ProtectedPaths([root / "secret"])

    answers = [guard.protects(root / n) for n in ("secret", "content/note.md")]

    assert answers == [True, True]


def test_a_link_that_leads_elsewhere_later_protects_the_new_place_too(
    root: Path,
) -> None:
    (root / "plugins").symlink_to("café", target_is_directory=True)
    guard = ProtectedPaths([root / "plugins"])
    (root / "plugins").unlink()
    (root / "plugins").symlink_to("content", target_is_directory=True)

    assert guard.protects(root / "content" / "note.md") is True


def test_a_file_made_later_in_a_protected_folder_is_known_by_its_second_name(
    root: Path,
) -> None:
    guard = protected(root)
    os.link(root / "content" / "note.md", root / "content" / "free")
    os.utime(root / "café", TWO_HOURS_AGO)
    before = guard.protects(root / "content" / "free")
    (root / "café" / "deeper").mkdir()
    (root / "café" / "deeper" / "later.py").write_text("")
    os.link(root / "café" / "deeper" / "later.py", root / "content" / "copy")

    assert (before, guard.protects(root / "content" / "copy")) == (False, True)


def test_a_second_name_made_after_a_settled_folder_was_looked_through_is_known(
    root: Path,
) -> None:
    guard = protected(root)
    os.link(root / "content" / "note.md", root / "content" / "free")
    os.utime(root / "café", TWO_HOURS_AGO)
    before = guard.protects(root / "content" / "free")
    os.link(root / "café" / "pack.py", root / "content" / "copy")

    answers = [guard.protects(root / "content" / name) for name in ("free", "copy")]

    assert (before, answers) == (False, [False, True])


def test_a_folder_too_large_to_look_through_protects_every_second_name(
    root: Path,
) -> None:
    guard = ProtectedPaths([root / "café"], entries=1)
    os.link(root / "content" / "note.md", root / "content" / "free")

    answers = [guard.protects(root / "content" / n) for n in ("free", ".")]

    assert answers == [True, False]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".", "abilities.toml"),
        ("abilities.toml", "abilities.toml"),
        ("café/deeper", "café"),
        ("content/up", "abilities.toml"),
        ("content/copy", "abilities.toml"),
        ("Abilities.db", "abilities.db"),
        ("content", None),
        ("elsewhere", None),
    ],
)
def test_a_root_that_is_contains_or_lies_inside_a_protected_path_is_found(
    root: Path, path: str, found: str | None
) -> None:
    (root / "content" / "up").symlink_to(root, target_is_directory=True)
    os.link(root / "abilities.toml", root / "content" / "copy")

    overlap = protected(root).overlap(root / path)

    assert overlap == (None if found is None else root / found)


def test_the_list_can_only_be_extended(root: Path) -> None:
    guard = protected(root)

    longer = guard.extended([root / "content"])

    assert longer.paths == (*guard.paths, root / "content")
    assert (guard.protects(root / "content"), longer.protects(root / "content")) == (
        False,
        True,
    )
    assert repr(longer) == "ProtectedPaths(4 paths)"


@given(st.text(max_size=40))
def test_any_text_gets_an_answer_and_what_is_inside_is_protected(name: str) -> None:
    guard = ProtectedPaths([Path("/nowhere/Straße")])

    answers = [
        guard.protects(Path(f"/nowhere/STRASSE/x{name.replace('..', '')}")),
        guard.protects(Path(f"/elsewhere/{name.replace('..', '')}")),
    ]

    assert answers[0] is True
    assert answers[1] in {True, False}
