"""Enforcer: holds each write against the approved rules, and fails closed."""

import asyncio
import logging
from typing import Final

from abilities_host import (
    Ask,
    Call,
    Outcome,
    ProposedWrite,
    Target,
    Veto,
    run_in_thread,
)
from abilities_host.memory import InForce, Rulebook, Seen
from abilities_memory_enforcer import wording
from abilities_memory_enforcer.approval import Approval
from abilities_memory_enforcer.confirmation import Confirmation
from abilities_memory_enforcer.finding import Finding
from abilities_memory_enforcer.rehearsal import Rehearsal
from abilities_memory_enforcer.rules import Compiler, Rules, Standing

log = logging.getLogger(__name__)

MANY: Final = 50


class Enforcer:
    """The rules of one host, and what comes of them.

    Args:
        compiler: makes rules of what is in force.
        approval: lets writes wait for a person.
        confirmation: has the person at the client asked.
        rehearsal: told instead of all that, in a dry run; else None.
    """

    def __init__(
        self,
        compiler: Compiler,
        *,
        approval: Approval,
        confirmation: Confirmation,
        rehearsal: Rehearsal | None,
    ) -> None:
        self._compiler: Final = compiler
        self._approval: Final = approval
        self._confirmation: Final = confirmation
        self._rehearsal: Final = rehearsal
        self._turn: Final = asyncio.Lock()
        self._rules: Rules | None = None
        self._problem = ""

    async def judge(self, write: ProposedWrite) -> Veto | Ask | None:
        """Decide on a write.

        Args:
            write: before it happens.

        Returns:
            A veto with the id of the guidance, a question, or None to let it pass.
        """
        finding = await self._find(write)
        if finding is None:
            return None
        if self._rehearsal is not None:
            await self._rehearsal.note(write, finding)
            return None
        if finding.effect == "approve":
            return await self._approval.decide(write, finding)
        if finding.effect == "confirm":
            return self._confirmation.ask(write, finding)
        return Veto(finding.reason, rule=finding.rule)

    def let_pass(self, call: Call) -> bool:
        """Answer whether a call was let pass by a person, or is to be confirmed."""
        return call.id in self._approval.taken or call.id in self._confirmation.asked

    async def settle(self, call: Call, outcome: Outcome) -> None:
        """See how a call ended that was let pass.

        Args:
            call: the call.
            outcome: how it ended.
        """
        await self._approval.settle(call, outcome)
        await self._confirmation.settle(call, outcome)

    async def _find(self, write: ProposedWrite) -> Finding | None:
        try:
            rules = await self._current(write)
        except Exception as error:  # noqa: BLE001 - without rules nothing is written
            return self._unreadable(error)
        self._problem = ""
        blocked = rules.find_blocked(write.targets)
        if blocked is not None:
            return Finding(effect="deny", rule=blocked.id, reason=blocked.reason)
        return await _held_against(rules, write)

    def _unreadable(self, error: Exception) -> Finding:
        problem = _told(error)
        if problem != self._problem:  # one line for all the writes it stops
            log.error("the rules cannot be read", exc_info=error)
            self._problem = problem
        return Finding(effect="deny", rule="", reason=wording.unreadable(problem))

    async def _current(self, write: ProposedWrite) -> Rules:
        """Compile anew when anything was decided, in whatever process."""
        in_force = await write.call.service(Rulebook).in_force()
        rules = self._rules
        if rules is None or _is_old(rules, in_force, write):
            async with self._turn:  # whoever waits finds it done
                rules = self._rules
                if rules is None or _is_old(rules, in_force, write):
                    compile_ = self._compiler.compile
                    rules = await run_in_thread(lambda: compile_(in_force))
                    self._rules = rules
        return rules


def _is_old(rules: Rules, in_force: InForce, write: ProposedWrite) -> bool:
    """Tell what was decided since, or how a domain that came since spells targets."""
    is_unspelt = rules.unspelt and any(t.domain in rules.unspelt for t in write.targets)
    return rules.version != in_force.version or bool(is_unspelt)


async def _held_against(rules: Rules, write: ProposedWrite) -> Finding | None:
    """Find the strictest rules that stop a write; the rest need not be asked."""
    found: list[Standing] = []
    seen = Seen(write)
    for each in await _covering(rules, write.targets):
        if found and each.rule.effect != found[0].rule.effect:
            break
        if await each.rule.stops(seen):
            found.append(each)
            if each.rule.effect == "deny":
                break
    return _finding(found) if found else None


async def _covering(rules: Rules, targets: tuple[Target, ...]) -> list[Standing]:
    if len(targets) <= MANY:
        return rules.covering(targets)
    # With many rules, too, the loop would stand still.
    return await run_in_thread(lambda: rules.covering(targets))


def _finding(found: list[Standing]) -> Finding:
    first = found[0]
    return Finding(
        effect=first.rule.effect,
        rule=", ".join(each.id for each in found[:10]),
        reason=wording.forbidden(first.id, first.text, first.rule.message),
        standing=tuple(found),
    )


def _told(error: Exception) -> str:
    """Say what is wrong; the log has the rest."""
    if isinstance(error, LookupError):
        return "no healthy pack keeps them."
    return f"{type(error).__name__}; the host's log has the reason."
