"""Accepted: the definitions that a person approved, with a seal that tells so."""

import logging
from collections.abc import Iterable, Mapping
from typing import Final

from abilities_host.errors import AbilitiesError, StoreError
from abilities_host.gate import Gate, Survey, hash_of
from abilities_host.pins.change import Accepted, accepted_in
from abilities_host.pins.kind import NAME, DefinitionKind

log = logging.getLogger(__name__)

NOTHING: Final = Survey({}, ())


class Approvals:
    """What people approved in one store.

    Args:
        gate: tells what is sealed.
        kind: what says that it is approved.
        is_frozen: the store can only be read.
    """

    def __init__(self, gate: Gate, kind: DefinitionKind, *, is_frozen: bool) -> None:
        self._gate: Final = gate
        self._kind: Final = kind
        self._is_frozen: Final = is_frozen
        self._is_migrated = False

    async def migrate(self) -> None:
        """Make the tables that an approval needs, once; raises StoreError."""
        if not self._is_migrated:
            await self._gate.migrate()
            self._is_migrated = True

    async def read(self) -> tuple[Accepted, ...]:
        """Give what was approved, in the order of the decisions.

        Raises:
            StoreError: when the store cannot be read.
        """
        entries = await self._kind.effective()
        if not entries:
            return ()
        sealed = (await self._survey()).sealed
        # The row is read apart from its seal, so they are held together once more.
        texts = [
            (sealed[id_].at, canonical)
            for id_, canonical in entries
            if id_ in sealed and sealed[id_].hash == hash_of(canonical)
        ]
        return tuple(accepted_in(canonical) for _, canonical in sorted(texts))

    async def _survey(self) -> Survey:
        """Nothing counts whose seal cannot be verified."""
        try:
            await self.migrate()
            return await self._gate.survey(NAME)
        except StoreError:
            if not self._is_frozen:
                raise
            log.info("this store has no seals yet", exc_info=True)
        except (AbilitiesError, OSError):
            log.exception("what was approved of definitions cannot be verified")
        return NOTHING


def newest(accepted: Iterable[Accepted], pack: str) -> Mapping[str, bytes]:
    """Give the definitions of a pack that were approved last, by ability.

    Args:
        accepted: in the order of the decisions.
        pack: identity of the pack.
    """
    found: dict[str, bytes] = {}
    for each in accepted:
        if each.pack == pack:
            found.update(each.definitions)
    return found
