"""Restoring: putting many paths back in an order that works, or none of them."""

from collections.abc import Container, Iterable, Sequence
from contextlib import suppress

from abilities_files.folder import Folder
from abilities_files.paths import list_ancestors
from abilities_files.placement import check_single
from abilities_files.refusals import (
    NotAFolder,
    NotEmpty,
    NotFound,
    ParentMissing,
    PartlyRestored,
)
from abilities_files.states import folder_state, parse_state, read_state, swap_state
from abilities_host import MISSING, AbilityFailed, Drifted, Restoration, State

_OWNER = 0o700
_GONE = (NotFound, NotAFolder, ParentMissing)


def restore_paths(root: Folder, limit: int, changes: Sequence[Restoration]) -> None:
    """Put every path back, or none.

    A folder that shall go together with things in it stays when it also holds what
    others put there: see `find_holders`.

    Args:
        root: the root.
        limit: largest file in bytes.
        changes: each path once.

    Raises:
        Drifted: when one is not as expected; nothing was changed.
        PartlyRestored: when it failed in the middle and could not all be taken back.
        AbilityFailed: when it cannot be done; nothing was changed.
    """
    steps, holders = plan_steps(changes), find_holders(changes)
    for step in changes:
        _check(root, limit, step, holders)
    done: list[Restoration] = []
    try:
        for step in steps:
            _take(root, limit, step, holders, done)
    except Exception as error:
        _take_back(root, limit, done, error)
        raise


def plan_steps(changes: Iterable[Restoration]) -> list[Restoration]:
    """Order the steps so that each finds its folder there, open and empty.

    Args:
        changes: each path once.

    Returns:
        First what goes, the innermost first; then what comes, the outermost first;
        then the bits of folders that would have kept their owner out.

    Raises:
        ValueError: when one is no state.
    """
    real = [step for step in changes if step.expected != step.state]
    outer_first = sorted(real, key=lambda step: step.target.count("/"))
    goes, comes, closes = [], [], []
    for path, expected, state in outer_first:
        is_same_kind = parse_state(expected).kind == parse_state(state).kind
        if expected is not MISSING and not is_same_kind:
            goes.append(Restoration(path, expected, MISSING))
        if state is not MISSING:
            opened = _open(state)
            comes.append(
                Restoration(path, expected if is_same_kind else MISSING, opened)
            )
            closes += [Restoration(path, opened, state)] if opened != state else []
    return [*reversed(goes), *comes, *reversed(closes)]


def find_holders(changes: Sequence[Restoration]) -> set[str]:
    """Find the folders that go because what they were made for goes.

    Args:
        changes: each path once.

    Returns:
        Paths above others in `changes`.
    """
    return {above for step in changes for above in list_ancestors(step.target)}


def _open(state: State) -> State:
    kind, mode, _ = parse_state(state)
    return folder_state(mode | _OWNER) if kind == "folder" else state


def _check(
    root: Folder, limit: int, step: Restoration, holders: Container[str]
) -> None:
    current = read_state(root, limit, step.target)
    if current != step.expected:
        raise Drifted(current)
    if step.state is MISSING and current is not MISSING and step.target not in holders:
        # What is not there any more is found when its turn comes.
        with suppress(*_GONE), root.spot(step.target) as spot:
            check_single(spot, spot.get_status())


def _take(
    root: Folder,
    limit: int,
    step: Restoration,
    holders: Container[str],
    done: list[Restoration],
) -> None:
    try:
        swap_state(root, limit, *step)
    except NotEmpty:
        if step.target not in holders:
            raise
    except AbilityFailed:
        with suppress(Drifted, AbilityFailed):  # it may have failed after the change
            swap_state(root, limit, step.target, step.state, step.expected)
        raise
    else:
        done.append(step)


def _take_back(
    root: Folder, limit: int, done: Sequence[Restoration], error: Exception
) -> None:
    lost = []
    for path, expected, state in reversed(done):
        try:
            swap_state(root, limit, path, state, expected)
        except (Drifted, AbilityFailed):
            lost.append(path)
    if lost:
        raise PartlyRestored(lost) from error
