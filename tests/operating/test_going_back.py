"""An older version refuses what a newer one wrote; the copy from before leads back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli.at_terminal import at_terminal
from cli.world import start
from docs.pages import page

REFUSAL = "a newer version of 'ledger' wrote it"

pytestmark = pytest.mark.timeout(180)  # six processes, one after the other


def upgrade(store: Path) -> None:
    """Leave the store as a version leaves it that knows one more change of tables."""
    with closing(sqlite3.connect(store)) as opened, opened:
        opened.execute(
            "INSERT INTO migration "
            "SELECT owner, max(position) + 1, 'later', max(applied_at) "
            "FROM migration WHERE owner = 'ledger'"
        )


@pytest.mark.long
def test_the_page_about_upgrades_leads_back(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    start(tmp_path, "init", "--json", "host")
    host = tmp_path / "host"
    start(host, "call", "files/write", '{"path": "a.md", "text": "x"}', "--yes")
    saved = start(host, "backup", "copy.db")
    upgrade(host / "abilities.db")

    examined = start(host, "doctor")
    answers = [(b"'restore'", b"restore\n")]
    restored = at_terminal(host, "restore", "copy.db", answers=answers)
    verified = start(host, "ledger", "verify")

    assert (saved.returncode, examined.returncode) == (0, 1)
    assert REFUSAL in " ".join(examined.stdout.split())
    assert "“a newer version of … wrote it”" in " ".join(
        page("how-to/upgrade.md").split()
    )
    assert (restored.code, verified.returncode) == (0, 0)
