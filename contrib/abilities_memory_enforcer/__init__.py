"""The enforcer: approved guardrails that carry a rule stop the writes they forbid."""

from contextlib import AbstractAsyncContextManager

from abilities_host import (
    Ask,
    Call,
    Declaration,
    Outcome,
    ProposedWrite,
    Site,
    Veto,
    hookimpl,
)
from abilities_memory_enforcer.enforcer import Enforcer
from abilities_memory_enforcer.opening import open_enforcer


@hookimpl
def declare_pack() -> Declaration:
    """Claim nothing: it has no abilities."""
    return Declaration()


@hookimpl
def open_pack(site: Site) -> AbstractAsyncContextManager[None]:
    """Open the tickets, and be ready to ask for the rules before each write."""
    return open_enforcer(site)


@hookimpl
async def before_write(write: ProposedWrite) -> Veto | Ask | None:
    """Hold a write against the rules as they are now."""
    return await write.call.service(Enforcer).judge(write)


@hookimpl
async def after_execute(call: Call, outcome: Outcome) -> None:
    """Give back the ticket of a write that did not begin; note what was confirmed."""
    enforcer = call.service(Enforcer)
    if enforcer.let_pass(call):  # few calls; the others shall not wait for this one
        await enforcer.settle(call, outcome)
