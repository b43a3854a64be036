"""Draft: what exactly a person would approve, digested so that nothing else fits it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import orjson

from abilities_host import MISSING, ProposedWrite, State, Target, masked, run_in_thread
from abilities_memory_enforcer.rules import Standing

ARGUMENTS_SHOWN: Final = 4_000
TARGETS_SHOWN: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One write, before it has a ticket.

    Attributes:
        binding: digest of actor, ability, arguments, targets, states and rules.
        actor: id of who asks.
        ability: what is to run.
        arguments: as JSON text with secrets hidden, at most 4,000 characters of it.
        arguments_digest: of all of them.
        targets: at most 100 of them, ``domain:name``.
        targets_count: how many there are.
        states_digest: of all states before, and for an undo of those put back.
        rules: ids of the guidance that wants it approved.
    """

    binding: str
    actor: str
    ability: str
    arguments: str
    arguments_digest: str
    targets: tuple[str, ...]
    targets_count: int
    states_digest: str
    rules: tuple[str, ...]


async def draft_of(write: ProposedWrite, rules: Sequence[Standing]) -> Draft:
    """Digest a write.

    Args:
        write: before it happens.
        rules: those that want it approved.

    Returns:
        Equal bindings mean the same write of the same actor, under the same rules.
    """
    states = {target: await write.before(target) for target in write.targets}
    return await run_in_thread(lambda: _drafted(write, rules, states))


def _drafted(
    write: ProposedWrite, rules: Sequence[Standing], states: Mapping[Target, State]
) -> Draft:
    arguments = write.call.arguments
    hidden = _dumped(masked(arguments, schema=write.ability.input_schema)).decode()
    targets = tuple(map(str, write.targets))
    arguments_digest, states_digest = _digest(arguments), _digest_states(write, states)
    who = [write.actor.id, write.ability.name]
    sealed = sorted((each.id, each.hash) for each in rules)
    return Draft(
        binding=_digest([*who, arguments_digest, targets, states_digest, sealed]),
        actor=write.actor.id,
        ability=write.ability.name,
        arguments=hidden[:ARGUMENTS_SHOWN],
        arguments_digest=arguments_digest,
        targets=targets[:TARGETS_SHOWN],
        targets_count=len(targets),
        states_digest=states_digest,
        rules=tuple(each.id for each in rules),
    )


def _digest_states(write: ProposedWrite, states: Mapping[Target, State]) -> str:
    undo = write.call.undo
    there = [(str(target), _spelt(state)) for target, state in states.items()]
    undone = [(str(t), *map(_spelt, pair)) for t, pair in write.states.items()]
    return _digest([there, undone, undo.original if undo else None])


def _spelt(state: State) -> str:
    """Name a state so that no two kinds of it have the same name."""
    if state is MISSING:
        return "missing"
    if isinstance(state, bytes):
        return f"bytes {sha256(state).hexdigest()}"
    return f"json {_digest(state)}"


def _digest(value: Any) -> str:
    return sha256(_dumped(value)).hexdigest()


def _dumped(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
