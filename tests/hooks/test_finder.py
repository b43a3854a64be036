import logging
from pathlib import Path

import pytest

from abilities_host.hooks.finder import FILE_LIMIT, find_packs


def test_the_packs_of_this_distribution_are_found_without_importing_them() -> None:
    found = {pack.identity: pack for pack in find_packs(None)}
    ours = [f"abilities-host/{name}" for name in ("core", "dispatcher", "files")]
    assert list(found) == sorted(found)
    assert {name: found[name].plugin for name in ours} == dict.fromkeys(ours)
    assert {found[name].is_policy for name in ours} == {False}


def test_a_folder_that_is_not_there_holds_no_packs_and_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    every = [pack.identity for pack in find_packs(None)]
    assert caplog.text == ""
    assert [pack.identity for pack in find_packs(tmp_path / "nowhere")] == every
    assert "nowhere is no folder; no pack of it is loaded" in caplog.text


def test_more_files_than_the_limit_are_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(FILE_LIMIT + 1):
        (tmp_path / f"p{number:03}.py").touch()
    with caplog.at_level(logging.WARNING):
        found = [pack.identity for pack in find_packs(tmp_path)]
    ours = [identity for identity in found if identity.startswith("plugins_dir/")]
    assert ours == [f"plugins_dir/p{number:03}" for number in range(FILE_LIMIT)]
    assert f"more than {FILE_LIMIT} files" in caplog.text


def test_a_file_that_raises_leaves_nothing_behind_and_may_be_loaded_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "late.py"
    file.write_text("raise RuntimeError")
    (pack,) = [p for p in find_packs(tmp_path) if p.distribution == "plugins_dir"]
    with pytest.raises(RuntimeError):
        pack.load()
    file.write_text("mended = True  # and longer")
    assert pack.load().mended is True
