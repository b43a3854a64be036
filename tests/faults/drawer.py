"""A pack of slips on disk whose every callback is a step where a process may stop."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from faults.standing import Stand

from abilities_host import (
    MISSING,
    Call,
    Changes,
    Drifted,
    Outcome,
    ProposedWrite,
    RegistryView,
    State,
    hookimpl,
    run_in_thread,
)

INPUT: Final = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "also": {"type": "string"},
        "slip": {},
    },
    "required": ["id", "slip"],
}


class Result:
    """What comes back; it is made JSON when the host asks for that."""

    def __init__(self, stand: Stand) -> None:
        self._stand = stand

    def model_dump(self, **_: Any) -> str:
        self._stand.at("result")
        return "done"


class Drawer:
    """Domain and pack: one slip is one JSON value in one file.

    Args:
        folder: of the slips.
        stand: where to stop.
    """

    name = "drawer"

    def __init__(self, folder: Path, stand: Stand) -> None:
        self.secrets: set[str] = set()
        self.stand: Final = stand
        self._folder: Final = folder
        self._is_changed = False

    # --- the domain -----------------------------------------------------------

    def canonical(self, target: str) -> str:
        return target.lower()

    async def capture(self, target: str) -> State:
        self.stand.at("capture-after" if self._is_changed else "capture-before")
        return await run_in_thread(lambda: self.read(target))

    async def restore(self, target: str, expected: State, state: State) -> None:
        def swap() -> None:
            current = self.read(target)
            if current != expected:
                raise Drifted(current)
            self.put(target, state)

        self.stand.at(f"restore-{target}")
        await run_in_thread(swap)
        self.stand.at(f"restored-{target}")

    def read(self, target: str) -> State:
        path = self._folder / target
        return json.loads(path.read_text()) if path.exists() else MISSING

    def put(self, target: str, state: State) -> None:
        path = self._folder / target
        if state is MISSING:
            path.unlink(missing_ok=True)
            return
        part = self._folder / f".{target}.part"
        part.write_text(json.dumps(state))
        part.replace(path)

    # --- the pack -------------------------------------------------------------

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("drawer", label="Drawer", description="Slips.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_domain(self)
        registry.register_ability(
            "drawer/put",
            label="Put",
            description="Puts a slip in, and the same one once more.",
            category="drawer",
            input_schema=INPUT,
            output_schema={"type": "string"},
            execute_callback=self.execute,
            permission_callback=self.permit,
            verify_callback=self.verify,
            changes=Changes("drawer", targets=self.targets),
            meta={"annotations": {"readonly": False}},
        )
        registry.register_ability(
            "drawer/read",
            label="Read",
            description="Reads a slip.",
            category="drawer",
            input_schema={"type": "object", "properties": {"id": {"type": "string"}}},
            execute_callback=lambda arguments: self.read(arguments["id"]),
            permission_callback=lambda: True,
            meta={"annotations": {"readonly": True}},
        )

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        also = "" if len(write.targets) == 1 and write.targets[0].name == "a" else "-b"
        self.stand.at(f"before-write{also}")

    @hookimpl
    async def after_execute(self, call: Call, outcome: Outcome) -> None:
        self.stand.at("after-execute")

    async def permit(self) -> bool:
        await self.stand.reach("permission")
        return True

    async def targets(self, arguments: Mapping[str, Any]) -> Sequence[str]:
        self.stand.at("targets")
        return [arguments["id"]]

    async def execute(self, arguments: Mapping[str, Any], call: Call) -> Result:
        self.stand.at("execute")
        if "also" in arguments:
            await call.touch("drawer", arguments["also"])
        for number, name in enumerate(("id", "also")):
            if name in arguments:
                target, slip = self.canonical(arguments[name]), arguments["slip"]
                await run_in_thread(partial(self.put, target, slip))
                call.made("drawer", target, slip)
                self.stand.at(("half", "changed")[number])
        self._is_changed = True
        return Result(self.stand)

    async def verify(self) -> bool:
        self.stand.at("verify")
        return True
