import pytest

from abilities_host import Target
from abilities_host.ledger import Entry, Listed
from abilities_memory.claims import Claim, Result, extract
from abilities_memory.divergences import Divergence, compare, state_claims
from abilities_memory.verb_forms import Action

A, B = Target("files", "a.txt"), Target("files", "b.txt")
EMPTY, OLD, NEW = None, b"old", b"new"


def change(
    seq: int,
    target: Target,
    action: str,
    *,
    real: str = "ok",
    before: bytes | None = OLD,
    after: bytes | None = NEW,
    ability: str = "files/write",
    is_rolled_back: bool = False,
    partial: str = "",
) -> Listed:
    entry = Entry(
        seq=seq,
        at=seq,
        kind="change",
        ability=ability,
        domain=target.domain,
        target=target.name,
        action=action,
        result="ok",
        real=real,
        before=before,
        after=after,
        partial=partial,
        details={},
    )
    return Listed(entry, real, is_rolled_back, is_reversible=True)


def outcome(seq: int) -> Listed:
    entry = Entry(seq=seq, at=seq, kind="outcome", result="ok", details={})
    return Listed(entry, "unchanged", is_rolled_back=False, is_reversible=False)


def claim(
    action: Action, target: Target | None, outcome: Result = "succeeded"
) -> Claim:
    return Claim(f"{action} {target}.", action, target, outcome)


def test_what_is_claimed_and_recorded_is_no_divergence() -> None:
    entries = [
        change(1, A, "created", before=EMPTY),
        outcome(2),
        change(3, A, "updated"),
        change(4, B, "deleted", after=EMPTY),
    ]
    claims = extract("Updated a.txt and deleted b.txt.", [A, B])
    assert compare(claims, entries) == []
    assert compare([], []) == []


def test_a_claim_without_an_entry_is_told_with_its_sentence() -> None:
    claims = extract("All is well. Deleted a.txt.", [A])
    assert compare(claims, [change(1, A, "updated")]) == [
        Divergence(
            kind="claimed_not_recorded",
            action="deleted",
            target=A,
            sentence="Deleted a.txt.",
        ),
        Divergence(kind="recorded_not_claimed", action="updated", target=A, entry=1),
    ]


def test_an_entry_without_a_claim_is_told_once_for_each_thing_with_the_last() -> None:
    entries = [
        change(1, A, "created", before=EMPTY),
        change(2, A, "updated"),
        change(3, A, "deleted", after=EMPTY),
        change(4, B, "updated"),
    ]
    assert compare([claim("updated", B)], entries) == [
        Divergence(kind="recorded_not_claimed", action="updated", target=A, entry=2),
        Divergence(kind="recorded_not_claimed", action="deleted", target=A, entry=3),
    ]


@pytest.mark.parametrize("real", ["failed", "unchanged"])
def test_a_claimed_success_whose_verification_failed_is_told(real: str) -> None:
    assert compare([claim("updated", A)], [change(7, A, "updated", real=real)]) == [
        Divergence(
            kind="claimed_success_verified_failure",
            action="updated",
            target=A,
            sentence="updated files:a.txt.",
            entry=7,
        )
    ]


def test_a_later_success_makes_a_claim_true() -> None:
    entries = [change(1, A, "updated", real="failed"), change(2, A, "updated")]
    assert compare([claim("updated", A)], entries) == []


def test_a_claimed_failure_needs_no_entry_and_hides_none() -> None:
    failed = claim("updated", A, "failed")
    assert compare([failed], []) == []
    assert compare([failed], [change(1, A, "updated", real="failed")]) == []
    assert compare([failed], [change(1, A, "updated")]) == [
        Divergence(kind="recorded_not_claimed", action="updated", target=A, entry=1)
    ]


def test_what_is_unverified_is_no_divergence() -> None:
    unverified = claim("updated", A, "unverified")
    assert compare([unverified, claim("deleted", None, "unverified")], []) == []
    assert compare([unverified], [change(1, A, "deleted")]) == []


def test_an_undo_is_one_by_name_by_what_it_undid_or_by_its_result() -> None:
    undone = [claim("undone", A)]
    undo = change(2, A, "updated", ability="ledger/rollback-change")
    by_hand = change(2, A, "updated", before=NEW, after=OLD)
    assert compare(undone, [undo]) == []
    assert compare(undone, [change(1, A, "updated", is_rolled_back=True)]) == []
    both = [*undone, claim("updated", A)]
    assert compare(both, [change(1, A, "updated"), by_hand]) == []
    assert [each.kind for each in compare(undone, [change(1, A, "updated")])] == [
        "claimed_not_recorded",
        "recorded_not_claimed",
    ]


def test_what_was_undone_and_what_others_did_need_no_claim() -> None:
    entries = [
        change(1, A, "updated", is_rolled_back=True),
        change(2, A, "updated", ability="ledger/rollback-session"),
        change(3, B, "updated", partial="foreign"),
    ]
    assert compare([], entries) == []


def test_a_move_is_any_change_of_both_things() -> None:
    entries = [
        change(1, A, "deleted", after=EMPTY),
        change(2, B, "created", before=EMPTY),
    ]
    claims = extract("Moved a.txt to b.txt.", [A, B])
    assert compare(claims, entries) == []
    assert compare(claims, entries[:1]) == [
        Divergence(
            kind="claimed_not_recorded",
            action="moved",
            target=B,
            sentence="Moved a.txt to b.txt.",
        )
    ]


def test_a_claim_stated_and_told_is_one_with_the_sentence() -> None:
    stated = state_claims(
        [
            {"action": "deleted", "target": "files:a.txt"},
            {"action": "created", "target": "notes:x:y"},
        ]
    )
    told = extract("Deleted a.txt.", [A])
    assert compare([*stated, *told], []) == [
        Divergence(
            kind="claimed_not_recorded",
            action="deleted",
            target=A,
            sentence="Deleted a.txt.",
        ),
        Divergence(
            kind="claimed_not_recorded", action="created", target=Target("notes", "x:y")
        ),
    ]


@pytest.mark.parametrize(
    "stated",
    [
        {"action": "painted", "target": "files:a.txt"},
        {"action": "deleted", "target": "a.txt"},
        {"action": "deleted", "target": ":a.txt"},
        {"action": "deleted", "target": "files:"},
    ],
)
def test_a_stated_claim_needs_an_action_and_a_target(stated: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="known action"):
        state_claims([stated])
