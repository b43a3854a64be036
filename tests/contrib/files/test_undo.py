"""What the writes change can be put back through the domain, by what was recorded."""

import base64
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from contrib.files.history import (
    ACTOR,
    History,
    Thing,
    begin,
    read_tree,
)
from contrib.files.world import open_folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_files.settings import Settings
from abilities_files.states import file_state, folder_state
from abilities_files.writing import write_file, write_targets
from abilities_host import (
    MISSING,
    AbilityFailed,
    Call,
    Change,
    Changes,
    Drifted,
    HidesSecrets,
    RegistryView,
    RestoresAll,
    ShowsStates,
    hookimpl,
)

FOLDERS = ["a", "b", "a/a", "a/b"]
PATHS = st.sampled_from([*FOLDERS, "c", "a/c", "b/a", "a/a/a", "a/a/b", "a/b/c"])
DATA = st.one_of(st.sampled_from([b"", b"old", b"\0\xff"]), st.binary(max_size=12))
FILES = st.tuples(st.sampled_from([0o600, 0o644, 0o755, 0o444]), DATA)
MODES = st.sampled_from([0o755, 0o700, 0o770])


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Thing]:
    tree: dict[str, Thing] = {}
    for path in [*FOLDERS, "c", "a/c", "b/a", "a/a/a", "a/a/b"]:
        above = path.rpartition("/")[0]
        thing = draw(st.one_of(st.none(), MODES, FILES))
        if thing and (not above or isinstance(tree.get(above), int)):
            tree[path] = thing
    return tree


def _calls(name: str, **arguments: Any) -> Any:
    return st.tuples(st.just(name), st.fixed_dictionaries(arguments))


EDIT = st.fixed_dictionaries(
    {
        "old": st.sampled_from(["o", "old"]),
        "new": st.text(max_size=3),
        "all": st.just(value=True),
    }
)
WRITE = st.one_of(
    _calls(
        "write",
        path=PATHS,
        base64=DATA.map(lambda data: base64.b64encode(data).decode()),
        overwrite=st.booleans(),
        make_folders=st.booleans(),
    ),
    _calls("edit", path=PATHS, edits=st.lists(EDIT, min_size=1, max_size=2)),
    _calls("move", source=PATHS, destination=PATHS, overwrite=st.booleans()),
    _calls("delete", path=PATHS, recursive=st.booleans()),
)
WRITES = st.lists(WRITE, min_size=1, max_size=8)
OFTEN = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def usual_mask() -> Iterator[None]:
    mask = os.umask(0o022)
    yield
    os.umask(mask)


@pytest.fixture
async def history(tmp_path: Path) -> Any:
    async with begin(tmp_path) as history:
        yield history


async def _do(history: History, writes: Sequence[tuple[str, Any]]) -> None:
    for name, arguments in writes:
        outcome = await history.do(name, **arguments)
        assert outcome.status in {"ok", "refused", "failed"}
        assert not outcome.flags


async def test_the_domain_offers_all_that_an_undo_uses(history: History) -> None:
    domain = history.domain
    assert isinstance(domain, RestoresAll)
    assert isinstance(domain, HidesSecrets)
    assert isinstance(domain, ShowsStates)


@OFTEN
@given(trees(), WRITES)
async def test_undoing_all_writes_gives_the_starting_tree(
    history: History, tree: Any, writes: Any
) -> None:
    history.start(tree)
    await _do(history, writes)
    await history.undo_all()
    assert read_tree(history.root) == tree


@OFTEN
@given(trees(), WRITES)
async def test_the_record_is_all_that_changed(
    history: History, tree: Any, writes: Any
) -> None:
    history.start(tree)
    for name, arguments in writes:
        before = read_tree(history.root)
        outcome = await history.do(name, **arguments)
        after = read_tree(history.root)
        changed = {p for p in before.keys() | after if before.get(p) != after.get(p)}
        assert changed == {change.target.name for change in outcome.changes}
        assert not any(change.is_foreign for change in outcome.changes)


OUTSIDE = _calls(
    "outside", path=PATHS, how=st.sampled_from(["bytes", "bits", "link", "gone"])
)


@OFTEN
@given(trees(), st.lists(st.one_of(WRITE, OUTSIDE), min_size=2, max_size=8))
async def test_outside_edits_are_never_overwritten(
    history: History, tree: Any, steps: Any
) -> None:
    history.start(tree)
    for name, arguments in steps:
        if name == "outside":
            _meddle(history.root, **arguments)
        else:
            await history.do(name, **arguments)
    for outcome in reversed(history.recorder.outcomes):
        if not await _undo_or_be_refused(history, outcome.changes):
            break


async def _undo_or_be_refused(history: History, changes: Sequence[Change]) -> bool:
    before = read_tree(history.root)
    targets = {change.target.name for change in changes}
    has_drifted = [await _has_drifted(history, change) for change in changes]
    try:
        await history.undo(changes)
    except (Drifted, AbilityFailed) as refusal:
        # Not one thing is different, and there was a reason.
        assert read_tree(history.root) == before
        code = refusal.code if isinstance(refusal, AbilityFailed) else "drifted"
        assert any(has_drifted) or code in {"not_empty", "parent_missing", "linked"}
        return False
    assert not any(has_drifted)
    after = read_tree(history.root)
    assert {
        p for p in before.keys() | after if before.get(p) != after.get(p)
    } <= targets
    for change in changes:
        await _check_undone(history, change)
    return True


async def _has_drifted(history: History, change: Change) -> bool:
    try:
        now = await history.domain.capture(change.target.name)
    except AbilityFailed:
        return True
    return bool(now != change.after)


async def _check_undone(history: History, change: Change) -> None:
    path = history.root / change.target.name
    if path.is_dir() and change.before is MISSING:
        assert any(path.iterdir())  # others use it
    else:
        assert await history.domain.capture(change.target.name) == change.before


def _meddle(root: Path, path: str, how: str) -> None:
    thing = root / path
    if not thing.parent.is_dir():
        return
    if how == "bits" and thing.exists():
        thing.chmod(0o711)
    elif not thing.is_dir() or thing.is_symlink():
        thing.unlink(missing_ok=True)
        if how == "bytes":
            thing.write_bytes(b"from outside")
        elif how == "link":
            thing.symlink_to("nowhere")
    elif not any(thing.iterdir()):
        thing.rmdir()


async def test_an_older_change_under_a_newer_one_is_drift(history: History) -> None:
    first = await history.do("write", path="a", text="one")
    await history.do("write", path="a", text="two")
    with pytest.raises(Drifted):
        await history.undo(first.changes)
    assert (history.root / "a").read_text() == "two"


async def test_undo_of_a_write_tells_a_new_file_from_an_empty_one(
    history: History,
) -> None:
    history.start({"empty": (0o644, b"")})
    await history.do("write", path="empty", text="x")
    await history.do("write", path="new", text="")
    await history.undo_all()
    assert read_tree(history.root) == {"empty": (0o644, b"")}


async def test_folders_a_write_made_go_with_it_unless_others_use_them(
    history: History,
) -> None:
    made = await history.do("write", path="a/b/c/x", text="", make_folders=True)
    assert [change.target.name for change in made.changes] == [
        "a",
        "a/b",
        "a/b/c",
        "a/b/c/x",
    ]
    (history.root / "a/b/other").write_text("kept")
    await history.undo(made.changes)
    tree = read_tree(history.root)
    assert sorted(tree) == ["a", "a/b", "a/b/other"]
    # What stayed can be told: it is not what was asked for.
    assert await history.domain.capture("a/b") == made.changes[1].after


async def test_a_moved_folder_that_others_use_is_not_moved_back(
    history: History,
) -> None:
    history.start({"a": 0o755})
    moved = await history.do("move", source="a", destination="b")
    (history.root / "b/other").write_text("kept")
    with pytest.raises(AbilityFailed) as refusal:
        await history.undo(moved.changes)
    assert refusal.value.code == "not_empty"
    assert sorted(read_tree(history.root)) == ["b", "b/other"]


async def test_a_deleted_tree_is_one_change_a_path_and_comes_back(
    history: History,
) -> None:
    tree: dict[str, Thing] = {
        "a": 0o750,
        "a/b": 0o700,
        "a/b/x": (0o400, b"\0"),
        "a/c": 0o2770,
        "a/y": (0o755, b""),
        "z": (0o644, b"z"),
    }
    history.start(tree)
    deleted = await history.do("delete", path="a", recursive=True)
    assert deleted.result == {"path": "a", "kind": "folder", "deleted": 5}
    assert [(c.target.name, c.after) for c in deleted.changes] == [
        (path, MISSING) for path in ["a", "a/b", "a/b/x", "a/c", "a/y"]
    ]
    assert sorted(read_tree(history.root)) == ["z"]
    await history.undo_all()
    assert read_tree(history.root) == tree


async def test_no_undo_restores_the_time_of_change(history: History) -> None:
    history.start({"a": (0o644, b"old")})
    then = (history.root / "a").stat().st_mtime_ns
    await history.do("delete", path="a")
    await history.undo_all()
    assert (history.root / "a").read_bytes() == b"old"
    assert (history.root / "a").stat().st_mtime_ns > then


async def test_a_name_that_may_not_be_made_comes_back_all_the_same(
    history: History,
) -> None:
    tree: dict[str, Thing] = {"con": 0o755, "con/aux.txt": (0o644, b"x")}
    history.start(tree)
    assert (await history.do("delete", path="con", recursive=True)).is_ok
    await history.undo_all()
    assert read_tree(history.root) == tree


# --- somebody outside, while an ability runs ----------------------------------


class Interrupted:
    """A pack whose write is followed by an outsider's before the host looks again."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_category("x", label="X", description="Of the test.")
        registry.register_ability(
            "interrupted/write",
            label="Write",
            description="Writes a file, and then somebody else does.",
            category="x",
            input_schema={"type": "object"},
            output_schema={},
            execute_callback=self.write,
            permission_callback=lambda: True,
            changes=Changes("files", targets=write_targets),
        )

    def write(self, arguments: Any, call: Call) -> Any:
        written = write_file(open_folder(self.root), Settings(), arguments, call)
        path = self.root / arguments["path"]
        path.write_text("outside")
        path.parent.chmod(0o711)
        return written


@pytest.mark.usefixtures("usual_mask")
async def test_what_an_outsider_does_meanwhile_is_recorded_as_foreign(
    tmp_path: Path,
) -> None:
    pack = ("interrupted", Interrupted(tmp_path / "content"))
    async with begin(tmp_path, "", pack) as history:
        outcome = await history.host.execute(
            "interrupted/write",
            {"path": "a/x", "text": "new", "make_folders": True},
            actor=ACTOR,
        )
        folder, file = folder_state(0o755), file_state(0o644, b"new")
        outside = folder_state(0o711), file_state(0o644, b"outside")
        assert [(c.before, c.after, c.is_foreign) for c in outcome.changes] == [
            (MISSING, folder, False),
            (MISSING, file, False),
            (folder, outside[0], True),
            (file, outside[1], True),
        ]
        with pytest.raises(Drifted):
            await history.undo(outcome.changes[:2])
        assert (history.root / "a/x").read_text() == "outside"
