"""Several paths are put back together: in an order that works, all or none."""

import errno
import os
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

import pytest
from contrib.files.history import Thing, lay_out, read_tree
from contrib.files.world import open_folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_files.folder import Folder
from abilities_files.handle import Handle
from abilities_files.refusals import PartlyRestored
from abilities_files.restoring import plan_steps, restore_paths
from abilities_files.states import file_state, folder_state, read_state
from abilities_host import MISSING, AbilityFailed, Drifted, Restoration, State

LIMIT = 100
FILE, FOLDER = file_state(0o644, b"x"), folder_state(0o755)
PATHS = ["a", "a/a", "a/a/a", "a/b", "b", "b/a"]

OLD: dict[str, Thing] = {
    "a": 0o755,
    "a/x": (0o644, b"old"),
    "a/y": (0o644, b"old"),
    "b": (0o600, b"old"),
    "c": 0o700,
    "c/x": (0o600, b"old"),
}
NEW: dict[str, Thing] = {
    "a": 0o700,
    "a/x": (0o644, b"new"),
    "b": 0o755,
    "b/x": (0o644, b"new"),
    "d": (0o600, b"new"),
}
CHANGES = 18  # that the disk makes on the way from one to the other


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Thing]:
    tree: dict[str, Thing] = {}
    things = st.one_of(
        st.none(),
        st.sampled_from([0o700, 0o755]),
        st.tuples(st.sampled_from([0o600, 0o444]), st.binary(max_size=3)),
    )
    for path in PATHS:
        above = path.rpartition("/")[0]
        thing = draw(things)
        if thing and (not above or isinstance(tree.get(above), int)):
            tree[path] = thing
    return tree


def _steps(old: dict[str, Thing], new: dict[str, Thing]) -> list[Restoration]:
    paths = sorted(old.keys() | new.keys())
    return [
        Restoration(path, _state(old.get(path)), _state(new.get(path)))
        for path in paths
    ]


def _state(thing: Thing | None) -> State:
    if thing is None:
        return MISSING
    return folder_state(thing) if isinstance(thing, int) else file_state(*thing)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(trees(), trees(), st.randoms(use_true_random=False))
def test_any_tree_is_made_of_any_other(
    tmp_path: Path, old: dict[str, Thing], new: dict[str, Thing], random: Any
) -> None:
    root = Path(mkdtemp(dir=tmp_path))
    lay_out(root, old)
    steps = _steps(old, new)
    random.shuffle(steps)
    restore_paths(open_folder(root), LIMIT, steps)
    assert read_tree(root) == new


def test_a_closed_folder_is_closed_last_and_opened_first() -> None:
    closed = folder_state(0o500)
    steps = [
        Restoration("a", MISSING, closed),
        Restoration("a/b", MISSING, folder_state(0)),
        Restoration("a/b/x", MISSING, FILE),
        Restoration("same", FILE, FILE),
        Restoration("c", FILE, FOLDER),
        Restoration("d/x", FILE, MISSING),
        Restoration("d", FOLDER, MISSING),
    ]
    assert plan_steps(steps) == [
        Restoration("d/x", FILE, MISSING),
        Restoration("d", FOLDER, MISSING),
        Restoration("c", FILE, MISSING),
        Restoration("a", MISSING, folder_state(0o700)),
        Restoration("c", MISSING, FOLDER),
        Restoration("a/b", MISSING, folder_state(0o700)),
        Restoration("a/b/x", MISSING, FILE),
        Restoration("a/b", folder_state(0o700), folder_state(0)),
        Restoration("a", folder_state(0o700), closed),
    ]


@pytest.mark.parametrize("path", sorted(OLD))
def test_one_that_has_drifted_stops_all(tmp_path: Path, path: str) -> None:
    lay_out(tmp_path, OLD)
    (tmp_path / path).chmod(0o711)
    before = _look(tmp_path)
    with pytest.raises(Drifted) as drift:
        restore_paths(open_folder(tmp_path), LIMIT, _steps(OLD, NEW))
    assert drift.value.current["mode"] == 0o711
    assert _look(tmp_path) == before


def _look(root: Path) -> dict[Path, int]:
    """Give the time of the last change of each thing; one taken back shows too."""
    return {path: path.stat().st_ctime_ns for path in root.rglob("*")}


class Failing(Handle):
    """A folder of a disk on which changes fail from one on, for a while or for ever."""

    __slots__ = ()
    left: ClassVar[int] = 0
    failures: ClassVar[int] = 0

    def create_file(self, name: str, mode: int) -> int:
        self._count()
        return super().create_file(name, mode)

    def make_folder(self, name: str) -> None:
        self._count()
        super().make_folder(name)

    def remove_file(self, name: str) -> None:
        self._count()
        super().remove_file(name)

    def remove_folder(self, name: str) -> None:
        self._count()
        super().remove_folder(name)

    def sync(self) -> None:
        self._count()
        super().sync()

    @classmethod
    def _count(cls) -> None:
        cls.left -= 1
        if -cls.failures <= cls.left < 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize("moment", range(CHANGES + 2))
def test_a_failure_in_the_middle_is_taken_back(tmp_path: Path, moment: int) -> None:
    lay_out(tmp_path, OLD)
    Failing.left, Failing.failures = moment, 1
    root = Folder(tmp_path, lambda *_: False, open_root=Failing.open_root)
    code = _restore(root)
    tree = _without_parts(tmp_path)
    assert (code, tree) == (("write_failed", OLD) if moment < CHANGES else ("", NEW))


def _restore(root: Folder) -> str:
    """Make the new tree of the old one, or give the code of the refusal."""
    try:
        restore_paths(root, LIMIT, _steps(OLD, NEW))
    except AbilityFailed as refusal:
        return refusal.code
    except Drifted:
        return "drifted"
    return ""


def _without_parts(root: Path) -> dict[str, Any]:
    """A failure to remove an unfinished write leaves it to the sweep."""
    tree = read_tree(root)
    return {path: thing for path, thing in tree.items() if ".abilities-" not in path}


def test_what_cannot_be_taken_back_is_named(tmp_path: Path) -> None:
    lay_out(tmp_path, OLD)
    Failing.left, Failing.failures = 6, 1000
    root = Folder(tmp_path, lambda *_: False, open_root=Failing.open_root)
    with pytest.raises(PartlyRestored) as refusal:
        restore_paths(root, LIMIT, _steps(OLD, NEW))
    tree = _without_parts(tmp_path)
    lost = [path for path in OLD if tree.get(path) != OLD[path]]
    assert sorted(refusal.value.details["paths"]) == lost
    assert refusal.value.code == "partly_restored"


@pytest.mark.parametrize("path", ["a/x", "a/y", "b", "b/x", "d"])
@pytest.mark.parametrize("moment", range(1, 80, 2))
def test_an_outsider_at_any_moment_is_not_overwritten(
    tmp_path: Path, path: str, moment: int
) -> None:
    lay_out(tmp_path, OLD)
    left = moment

    def protects(_: Path, __: os.stat_result | None) -> bool:
        nonlocal left
        left -= 1
        thing = tmp_path / path
        if left <= 0 and thing.parent.is_dir() and not thing.is_dir():
            thing.unlink(missing_ok=True)
            thing.write_bytes(b"outside")
            left = 1000
        return False

    code = _restore(Folder(tmp_path, protects))
    # It may stand in the way of what is taken back, or lie in a folder that shall go.
    assert code in {"", "drifted", "parent_missing", "not_empty", "partly_restored"}
    outside = {path: (0o644, b"outside")} if left > 100 else {}
    tree = read_tree(tmp_path)
    assert tree == {**tree, **outside}
    if code in {"", "drifted"}:
        assert tree == {**(OLD if code else NEW), **outside}


def test_a_folder_for_others_stays_and_all_else_goes(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a": 0o755, "a/b": 0o755, "a/b/x": (0o644, b"x"), "a/y": 0o700})
    steps = [
        Restoration("a", FOLDER, MISSING),
        Restoration("a/b", FOLDER, MISSING),
        Restoration("a/b/x", FILE, MISSING),
    ]
    restore_paths(open_folder(tmp_path), LIMIT, steps)
    assert read_tree(tmp_path) == {"a": 0o755, "a/y": 0o700}


def test_a_folder_alone_does_not_go_with_what_is_in_it(tmp_path: Path) -> None:
    tree: dict[str, Thing] = {"a": 0o755, "a/x": (0o644, b"x"), "b": (0o644, b"x")}
    lay_out(tmp_path, tree)
    steps = [Restoration("a", FOLDER, MISSING), Restoration("b", FILE, MISSING)]
    before = _look(tmp_path)
    with pytest.raises(AbilityFailed) as refusal:
        restore_paths(open_folder(tmp_path), LIMIT, steps)
    assert refusal.value.code == "not_empty"
    assert read_tree(tmp_path) == tree
    assert _look(tmp_path) == before


def test_a_state_is_read_by_any_spelling(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a": 0o755, "a/x": (0o644, b"x")})
    assert read_state(open_folder(tmp_path), LIMIT, "./a//x") == FILE
