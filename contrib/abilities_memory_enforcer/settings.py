"""Settings: what the operator wrote in the pack's table, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Final

from abilities_host import RegistrationError

TABLE: Final = "memory_enforcer"
HOURS: Final = 168


class SettingRefused(RegistrationError):
    """Raised when the pack cannot work with what the operator wrote."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__("invalid_setting", TABLE, f"[packs.{TABLE}] {key}: {problem}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator may decide.

    Attributes:
        dry_run: stop nothing; only tell what would have been stopped.
        ticket_hours: how long a write may wait for approval, and for its one use
            after it, 1 to 168.
    """

    dry_run: bool = False
    ticket_hours: int = 24


def read_settings(table: Mapping[str, Any]) -> Settings:
    """Check the table of the configuration file.

    Args:
        table: keys as in `Settings`; a missing one has its default.

    Returns:
        The settings.

    Raises:
        SettingRefused: for an unknown key or a value that cannot be.
    """
    known = [field.name for field in fields(Settings)]
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            guess = f" Did you mean {close[0]!r}?" if close else ""
            raise SettingRefused(key, f"there is no such setting.{guess}")
    settings = Settings(**table)
    if not isinstance(settings.dry_run, bool):
        raise SettingRefused("dry_run", "it is true or false.")
    hours = settings.ticket_hours
    if type(hours) is not int or not 1 <= hours <= HOURS:
        raise SettingRefused("ticket_hours", f"it is a whole number, 1 to {HOURS}.")
    return settings
