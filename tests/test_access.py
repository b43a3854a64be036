"""Who else may write a file is read from its permission bits."""

from pathlib import Path

import pytest

from abilities_host.access import others_may_write


@pytest.mark.parametrize(
    ("mode", "answer"),
    [(0o600, False), (0o644, False), (0o755, False), (0o660, True), (0o602, True)],
    ids=str,
)
def test_group_and_world_are_others(tmp_path: Path, mode: int, answer: object) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(mode)
    assert others_may_write(file.stat()) is answer
