"""Limits: what one run may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take; the defaults are the host's.

    Attributes:
        call_seconds: one run.
        hook_seconds: one pass over the hooks.
        capture_seconds: reading all states of one call.
        lock_seconds: waiting for targets.
        settle_seconds: the shielded end of a run.
        input_bytes: arguments as JSON.
        result_bytes: result as JSON.
        nesting: calls inside calls.
        calls: calls at once.
        calls_per_actor: calls at once by one actor.
        queue: calls waiting for a slot.
        targets: targets of one call.
        abandoned_threads: threads of one pack that never returned.
    """

    call_seconds: float = 60.0
    hook_seconds: float = 5.0
    capture_seconds: float = 10.0
    lock_seconds: float = 10.0
    settle_seconds: float = 15.0
    input_bytes: int = 1 << 20
    result_bytes: int = 1 << 20
    nesting: int = 8
    calls: int = 64
    calls_per_actor: int = 16
    queue: int = 256
    targets: int = 1000
    abandoned_threads: int = 8
