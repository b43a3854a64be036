import os
import stat
from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import build_world, names_in, open_folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_files.domain import Files
from abilities_files.folder import Folder
from abilities_files.states import file_state, folder_state
from abilities_host import MISSING, AbilityFailed, Domain, Drifted, HidesSecrets
from abilities_host.frozen import freeze

STATE = {"kind": "file", "mode": 0o600, "base64": ""}
MODES = st.integers(0, 0o777)
FILES = st.tuples(MODES, st.binary(max_size=40))
STATES = st.one_of(st.just(None), MODES, FILES)


def _make(path: Path, content: int | tuple[int, bytes] | None) -> None:
    if isinstance(content, tuple):
        path.write_bytes(content[1])
        path.chmod(content[0])
    elif content is not None:
        path.mkdir()
        path.chmod(content)


def _state(content: int | tuple[int, bytes] | None) -> Any:
    if content is None:
        return MISSING
    if isinstance(content, int):
        return folder_state(content)
    return file_state(*content)


def _remove(path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


async def test_a_state_is_kind_bits_and_bytes(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    _make(world.root / "a", (0o640, b"\0\xff"))
    _make(world.root / "b", 0o750)
    assert isinstance(world.domain, Domain)
    names = ["a", "b", "none", "none/a", "a/b"]
    assert [await world.domain.capture(name) for name in names] == [
        {"kind": "file", "mode": 0o640, "base64": "AP8="},
        {"kind": "folder", "mode": 0o750, "base64": ""},
        MISSING,
        MISSING,
        MISSING,
    ]


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STATES, STATES)
async def test_every_state_can_be_put_back_from_every_other(
    tmp_path: Path, before: Any, after: Any
) -> None:
    files, path = Files(open_folder(tmp_path), 100), tmp_path / "x"
    try:
        _make(path, before)
        first = await files.capture("x")
        _remove(path)
        _make(path, after)
        second = await files.capture("x")
        await files.restore("x", freeze(second), freeze(first))
        assert await files.capture("x") == first
        await files.restore("x", first, second)
        assert await files.capture("x") == second
    finally:
        _remove(path)


async def test_special_bits_of_a_file_are_no_part_of_its_state(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    _make(world.root / "a", (0o4755, b""))
    assert (await world.domain.capture("a"))["mode"] == 0o755


@pytest.mark.parametrize("now", [None, 0o700, (0o600, b"other"), (0o644, b"expected")])
async def test_a_drifted_target_is_left_and_shown(tmp_path: Path, now: Any) -> None:
    world = await build_world(tmp_path)
    path = world.root / "a"
    _make(path, (0o600, b"expected"))
    expected = await world.domain.capture("a")
    _remove(path)
    _make(path, now)
    with pytest.raises(Drifted) as drift:
        await world.domain.restore("a", expected, MISSING)
    assert drift.value.current == await world.domain.capture("a")
    assert path.exists() == (now is not None)


@pytest.mark.parametrize(
    ("before", "wanted", "now"),
    [
        (None, (0o600, b"new"), (0o600, b"outside")),
        (None, (0o600, b"new"), 0o700),
        (None, 0o750, (0o600, b"outside")),
        ((0o600, b"before"), (0o600, b"new"), (0o600, b"outside")),
        ((0o600, b"before"), (0o600, b"new"), (0o644, b"before")),
        ((0o600, b"before"), (0o600, b"new"), 0o700),
        ((0o600, b"before"), (0o600, b"new"), None),
        ((0o600, b"before"), None, (0o600, b"outside")),
        ((0o600, b"before"), None, 0o700),
        (0o755, 0o750, 0o711),
        (0o755, 0o750, (0o600, b"outside")),
        (0o755, 0o750, None),
        (0o755, None, 0o711),
        (0o755, None, (0o600, b"outside")),
    ],
)
@pytest.mark.parametrize("moment", range(1, 10))
async def test_a_change_in_the_middle_of_a_restore_is_drift(
    tmp_path: Path, before: Any, wanted: Any, now: Any, moment: int
) -> None:
    path = tmp_path / "a"
    _make(path, before)
    left = moment

    def protects(_: Path, __: os.stat_result | None) -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            _remove(path)
            _make(path, now)
        return False

    files = Files(Folder(tmp_path, protects), 100)
    try:
        await files.restore("a", _state(before), _state(wanted))
    except Drifted as drift:
        current = drift.current
    else:
        current = None
    has_changed, left = left <= 0 and current is not None, 0
    found = await files.capture("a")
    assert found == _state(now if has_changed else wanted)
    assert current == (found if has_changed else None)
    assert set(names_in(tmp_path)) <= {"a"}


@pytest.mark.parametrize("moment", range(1, 8))
async def test_a_folder_that_goes_in_the_middle_of_a_restore_is_drift(
    tmp_path: Path, moment: int
) -> None:
    (tmp_path / "d").mkdir()
    left = moment

    def protects(_: Path, __: os.stat_result | None) -> bool:
        nonlocal left
        left -= 1
        if left == 0 and not names_in(tmp_path / "d"):
            (tmp_path / "d").rmdir()
        return False

    files = Files(Folder(tmp_path, protects), 100)
    try:
        await files.restore("d/a", MISSING, STATE)
    except AbilityFailed as refusal:
        code = refusal.code
    except Drifted as drift:
        code = str(drift.current)
    else:
        code = ""
    assert code in (
        {""} if (tmp_path / "d").exists() else {"parent_missing", "MISSING"}
    )


async def test_a_target_whose_folder_is_gone_has_drifted(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    with pytest.raises(Drifted):
        await world.domain.restore("gone/a", STATE, MISSING)
    with pytest.raises(AbilityFailed) as refusal:
        await world.domain.restore("gone/a", MISSING, STATE)
    await world.domain.restore("gone/a", MISSING, MISSING)
    assert refusal.value.code == "parent_missing"


@pytest.mark.parametrize("state", [None, "text", {"kind": "link"}])
async def test_what_is_no_state_is_not_put_back(tmp_path: Path, state: Any) -> None:
    world = await build_world(tmp_path)
    with pytest.raises(ValueError, match="not a state"):
        await world.domain.restore("a", MISSING, state)


async def test_a_folder_that_holds_something_is_not_removed(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").mkdir()
    (world.root / "a/x").touch()
    current = await world.domain.capture("a")
    with pytest.raises(AbilityFailed) as refusal:
        await world.domain.restore("a", current, MISSING)
    assert refusal.value.code == "not_empty"


async def test_what_has_no_state_is_not_captured(tmp_path: Path) -> None:
    world = await build_world(tmp_path, settings={"max_bytes": 3})
    (world.root / "large").write_bytes(b"1234")
    (world.root / "link").symlink_to("large")
    os.mkfifo(world.root / "pipe")
    codes = []
    for name in ["large", "link", "link/a", "pipe", "../a"]:
        with pytest.raises(AbilityFailed) as refusal:
            await world.domain.capture(name)
        codes.append(refusal.value.code)
    assert codes == ["too_large", "linked", "linked", "not_a_file", "outside_root"]


async def test_a_write_is_undone_whatever_the_mask(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    _make(world.root / "a", (0o666, b"old"))
    before = await world.domain.capture("a")
    await world.run("delete", path="a")
    await world.domain.restore("a", MISSING, before)
    assert stat.S_IMODE((world.root / "a").stat().st_mode) == 0o666
    assert (world.root / "a").read_bytes() == b"old"


def test_an_impossible_target_is_a_value_error(tmp_path: Path) -> None:
    files = Files(open_folder(tmp_path), 1)
    with pytest.raises(ValueError, match="leaves the root"):
        files.canonical("a/../..")
    assert files.canonical("a//./b/") == "a/b"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ((0o644, b""), ""),
        ((0o644, "é\r\n".encode()), "é\r\n"),
        ((0o644, b"a\0"), b"a\0"),
        ((0o644, b"\xff"), b"\xff"),
        (0o750, {"kind": "folder", "mode": "0750"}),
    ],
)
async def test_what_a_person_compares(tmp_path: Path, content: Any, shown: Any) -> None:
    files = Files(open_folder(tmp_path), 100)
    _make(tmp_path / "x", content)
    assert files.show(freeze(await files.capture("x"))) == shown


def test_what_is_no_state_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a state"):
        Files(open_folder(tmp_path), 1).show({"kind": "link"})


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.ENV",
        ".env.production",
        "prod.env",
        "tls/server.pem",
        "server.key",
        "id_rsa",
        "id_rsa.old",
        "id_ed25519",
        ".netrc",
        ".pgpass",
        "credentials",
        "Credentials.json",
        "aws/credentials/default",
        ".ssh/config",
        "safe.kdbx",
        "secrets.yaml",
        "plan.private",
        "cafe\u0301.x",
        "caf\u00e9.x",
    ],
)
def test_a_name_that_says_so_is_secret(tmp_path: Path, path: str) -> None:
    files = Files(open_folder(tmp_path), 1, ["*.PRIVATE", "CAF\u00c9.*"])
    assert files.is_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        "environment",
        "env",
        "keys.md",
        "notes/key",
        "pem",
        "my-credentials.md",
        "a.privat",
    ],
)
def test_other_names_are_not(tmp_path: Path, path: str) -> None:
    files = Files(open_folder(tmp_path), 1, ["*.private"])
    assert not files.is_secret(path)


async def test_the_operator_adds_patterns_and_takes_none_away(tmp_path: Path) -> None:
    world = await build_world(tmp_path, settings={"secret": ["*.private"]})
    domain = world.domain
    assert isinstance(domain, HidesSecrets)
    assert [domain.is_secret(name) for name in ["a.private", ".env", "a"]] == [
        True,
        True,
        False,
    ]
