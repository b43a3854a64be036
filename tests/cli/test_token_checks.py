"""`doctor` finds tokens that are stale, endless, or good for nothing."""

from dataclasses import replace
from pathlib import Path

from cli.conftest import Command
from cli.record_world import change_store, make_host
from cli.test_doctor import seen

from abilities_host.cli.findings import Finding
from abilities_host.cli.token_checks import check_tokens, judge
from abilities_host.config import HostConfig
from abilities_host.tokens import TokenRecord

DAY = 86_400 * 1_000_000
AT = 1_800_000_000 * 1_000_000
CONFIG = HostConfig.model_validate(
    {"roles": {"auditor": ["read"]}, "servers": [{"id": "team"}]}
)
GOOD = TokenRecord(
    id="aaaaaaaa",
    name="bot",
    scopes=(),
    role="auditor",
    server="team",
    created_at=AT - 100 * DAY,
    created_by="cli",
    expires_at=AT + DAY,
    used_at=AT - 90 * DAY,
)
TOLD = "The token bot (abl_aaaaaaaa)"
REVOKE = "abilities token revoke bot"


def judged(*records: TokenRecord) -> list[Finding]:
    return list(judge(records, CONFIG, AT))


def warning(sentence: str) -> Finding:
    return Finding("warning", "token", f"{TOLD} {sentence}", REVOKE)


def test_good_tokens_are_counted() -> None:
    sentence = "Valid tokens of clients: 2; all are in use and end."

    assert judged(GOOD, GOOD) == [Finding("ok", "token", sentence)]
    assert judged() == []


def test_an_expired_one_is_found_unless_it_was_ended_or_replaced() -> None:
    expired = replace(GOOD, expires_at=AT)
    long_ago = replace(GOOD, expires_at=AT - 3 * DAY)

    assert judged(long_ago) == [
        warning("expired 3 days ago; a client may still show it.")
    ]
    assert judged(replace(expired, revoked_at=AT)) == []
    assert judged(replace(expired, rotated_to="bbbbbbbb")) == []


def test_one_that_nobody_uses_is_found() -> None:
    used = replace(GOOD, used_at=AT - 90 * DAY - 1)
    never = replace(GOOD, used_at=None)
    new = replace(GOOD, used_at=None, created_at=AT - 90 * DAY)

    assert judged(used) == [warning("was last used 90 days ago.")]
    assert judged(never) == [warning("was never used, and made 100 days ago.")]
    assert [each.severity for each in judged(new)] == ["ok"]


def test_one_that_never_ends_is_told_with_what_ends_it() -> None:
    fix = "abilities token rotate bot --expires 90d --grace 1d"

    assert judged(replace(GOOD, expires_at=None)) == [
        Finding("info", "token", f"{TOLD} never ends.", fix)
    ]


def test_one_whose_server_or_role_is_gone_is_found() -> None:
    assert judged(replace(GOOD, server="gone", role="ghost")) == [
        warning(
            "has the role 'ghost', which [roles] does not describe, so it gives "
            "nothing."
        ),
        warning(
            "is for the server 'gone', which is not there, so it is good for nothing."
        ),
    ]
    free = replace(GOOD, server="", role="")
    assert [each.severity for each in judged(free)] == ["ok"]


def test_doctor_tells_of_them(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    without = command("doctor", "--json", "--config", loaded.path)
    made = command("token", "create", "bot", "--json", "--config", loaded.path).value
    ended = command("doctor", "--json", "--config", loaded.path)

    before, after = seen(without, "token"), seen(ended, "token")
    fix = "abilities token rotate bot --expires 90d --grace 1d"
    sentence = f"The token bot ({made['prefix']}) never ends."
    assert after == [*before, ("info", sentence, fix)]


def test_the_fix_mends_it(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    command("token", "create", "bot", "--config", loaded.path)
    [endless] = check_tokens(loaded)

    command(*endless.fix.split()[1:], "--config", loaded.path)

    assert [each.severity for each in check_tokens(loaded)] == ["ok"]


def test_a_store_that_is_newer_is_a_warning(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    command("token", "create", "bot", "--config", loaded.path)
    change_store(loaded, "UPDATE migration SET name = '9' WHERE owner = 'tokens'")

    [finding] = check_tokens(loaded)

    assert (finding.severity, finding.about) == ("warning", "token")
    assert "a newer version of 'tokens' wrote it" in finding.message
