"""The pass over `before_write`: deny wins, and whoever does not answer denies."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from abilities_host.calls import Ask, ProposedWrite, Veto
from abilities_host.deadline import until
from abilities_host.hooks.implementation import Implementation, ends_the_task

log = logging.getLogger(__name__)


async def ask_all(
    implementations: Sequence[Implementation], write: ProposedWrite, seconds: float
) -> Veto | Ask | None:
    """Ask one implementation after the other, under one deadline for all.

    Args:
        implementations: in calling order.
        write: what is proposed.
        seconds: for the whole pass; one that is late denies.

    Returns:
        The first veto; else every question as one; else None.
    """
    if not implementations:
        return None
    going = _Pass(asyncio.get_running_loop().time() + seconds)
    try:
        return await until(going.deadline, going.ask(implementations, write))
    except TimeoutError:
        reason = f"it did not answer within {seconds:g} s"
        return Veto(reason, plugin=going.at, code="hook_timeout")


class _Pass:
    """One pass; it knows who was being asked."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.at = ""
        self._asks: list[Ask] = []

    async def ask(
        self, implementations: Sequence[Implementation], write: ProposedWrite
    ) -> Veto | Ask | None:
        for implementation in implementations:
            self.at = implementation.pack
            veto = self._read(await self._answer(implementation, write))
            if asyncio.get_running_loop().time() > self.deadline:
                raise TimeoutError  # it blocked the loop, or swallowed the deadline
            if veto is not None:
                return veto
        return _joined(self._asks)

    async def _answer(
        self, implementation: Implementation, write: ProposedWrite
    ) -> Any:
        try:
            return await implementation({"write": write})
        except BaseException as error:
            if ends_the_task(error):
                raise
            log.exception("before_write of %s failed", self.at)
            return self._failed(type(error).__name__)

    def _read(self, answer: Any) -> Veto | None:
        if isinstance(answer, Veto):
            return replace(answer, plugin=self.at)
        if isinstance(answer, Ask):
            self._asks.append(replace(answer, plugin=self.at))
            return None
        if answer is None:
            return None
        reason = (
            f"it returned {type(answer).__name__}; a hook returns Veto, Ask or None"
        )
        return Veto(reason, plugin=self.at, code="hook_failed")

    def _failed(self, what: str) -> Veto:
        reason = f"it failed with {what}; the host's log has more"
        return Veto(reason, plugin=self.at, code="hook_failed")


def _joined(asks: list[Ask]) -> Ask | None:
    if len(asks) < 2:  # noqa: PLR2004 - one or none needs no joining
        return asks[0] if asks else None
    return Ask(
        question="\n".join(ask.question for ask in asks),
        rule=", ".join(ask.rule for ask in asks if ask.rule),
        plugin=", ".join(ask.plugin for ask in asks),
    )
