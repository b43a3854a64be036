"""Wrapped: an ability together with what only the envelope may run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abilities_host.ability import Ability
from abilities_host.callback import Callback
from abilities_host.schema.validate import Side, Validator, ValidatorCache


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What the registry keeps for one name, and hands to nobody but the envelope.

    Attributes:
        ability: the public record.
        execute: what runs.
        permission: who may.
        verify: reads what is true afterwards, if there is one.
        check_input: validator of the author's input schema, None for no schema.
        check_output: likewise for the result.
    """

    ability: Ability
    execute: Callback
    permission: Callback
    verify: Callback | None
    check_input: Validator | None
    check_output: Validator | None


def wrap_execute(
    ability: Ability,
    *,
    execute_callback: Callable[..., Any],
    permission_callback: Callable[..., Any],
    verify_callback: Callable[..., Any] | None = None,
    validators: ValidatorCache,
) -> Wrapped:
    """Close an ability's callbacks in, so that they run in the envelope only.

    Args:
        ability: the public record.
        execute_callback: what runs.
        permission_callback: only ``True`` allows.
        verify_callback: optional, reads what is true after the run.
        validators: compiled validators, shared by schema.

    Returns:
        What the registry keeps.
    """
    return Wrapped(
        ability,
        Callback(execute_callback),
        Callback(permission_callback),
        Callback(verify_callback) if verify_callback else None,
        _validator(ability.input_schema, "input", validators),
        _validator(ability.output_schema, "output", validators),
    )


def _validator(
    schema: Mapping[str, Any] | None, side: Side, validators: ValidatorCache
) -> Validator | None:
    return None if schema is None else validators.get(schema, side)
