"""A pack in a file: a policy that a test switches on by a file beside it."""

from pathlib import Path

from abilities_host import ProposedWrite, Veto, hookimpl, run_in_thread

REASON = "Not while this file is here."


@hookimpl
async def before_write(write: ProposedWrite) -> Veto | None:
    file = Path(__file__).with_name("vetoed")
    is_on = await run_in_thread(file.exists)
    is_asked_for = write.ability.name.startswith("target/")
    return Veto(REASON) if is_on and is_asked_for else None
