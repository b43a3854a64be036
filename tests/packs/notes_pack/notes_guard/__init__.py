"""A policy plugin that forbids one word; an environment variable breaks it."""

import asyncio
import os
from importlib import import_module
from typing import Any

from abilities_host import Declaration, ProposedWrite, Veto, hookimpl

BROKEN = os.environ.get("NOTES_GUARD_BROKEN", "")

if BROKEN == "import error":
    import_module("a_module_that_is_not_there")


@hookimpl
def declare_pack() -> Declaration:
    needed = ("pluggy>=999",) if BROKEN == "wrong version" else ()
    return Declaration(requires_packages=needed)


if BROKEN == "misspelt hook":

    @hookimpl
    def befor_write(write: ProposedWrite) -> None:
        return

elif BROKEN != "no hook":

    @hookimpl
    async def before_write(write: ProposedWrite) -> Any:
        if BROKEN == "hook that hangs":
            await asyncio.Event().wait()
        if BROKEN == "hook that raises":
            raise RuntimeError
        if BROKEN == "rubbish":
            return "no"
        is_forbidden = "forbidden" in write.arguments.get("text", "")
        return Veto("that word is forbidden") if is_forbidden else None
