"""Catalogue: the three abilities, and no fourth: nothing here approves."""

from typing import Any, Final

from abilities_host import RegistryView
from abilities_memory import schemas
from abilities_memory.recalling import recall
from abilities_memory.remembering import remember
from abilities_memory.summarising import save_session_summary

_RECALL: Final = (
    "Reads what people of this project approved (guardrails, facts, conventions, "
    "instructions) and recent session summaries, so that you need not guess. Call it "
    "before you change something, with what you are about to do as intent_hint."
)
_REMEMBER: Final = (
    "Proposes one guardrail, fact, convention or instruction. It waits until a human "
    "approves it and has no effect before."
)
_SAVE: Final = (
    "Keeps a summary of this session. The host adds what the record says was really "
    "changed, and says where your narrative differs from it."
)


def register_memory(registry: RegistryView) -> None:
    """Register the three abilities.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        "memory/recall",
        label="Recall",
        description=_RECALL,
        input_schema=schemas.RECALL_INPUT,
        output_schema=schemas.RECALL_OUTPUT,
        execute_callback=recall,
        **_kind(readonly=True, requires="read"),
    )
    _register_telling(registry)


def _register_telling(registry: RegistryView) -> None:
    registry.register_ability(
        "memory/remember",
        label="Remember",
        description=_REMEMBER,
        input_schema=schemas.REMEMBER_INPUT,
        output_schema=schemas.REMEMBER_OUTPUT,
        execute_callback=remember,
        **_kind(readonly=False, requires="write"),
    )
    registry.register_ability(
        "memory/save-session-summary",
        label="Save a session summary",
        description=_SAVE,
        input_schema=schemas.SAVE_INPUT,
        output_schema=schemas.SAVE_OUTPUT,
        execute_callback=save_session_summary,
        **_kind(readonly=False, requires="write"),
    )


def allow() -> bool:
    """Allow everybody who has the scope; nothing that is proposed has an effect."""
    return True


def _kind(*, readonly: bool, requires: str) -> dict[str, Any]:
    notes = {"readonly": readonly, "destructive": False, "idempotent": readonly}
    return {
        "category": "memory",
        "permission_callback": allow,
        "requires": requires,
        "meta": {"annotations": notes, "show_in_rest": True},
    }
