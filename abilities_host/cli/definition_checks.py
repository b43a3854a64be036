"""Definition checks: what ``doctor`` says of packs that say otherwise than before."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from abilities_host.cli.findings import Finding

if TYPE_CHECKING:
    from abilities_host.host import Host

_DECIDED: Final[Mapping[str, str]] = {
    "approved": " It is marked as approved, but no person's seal says so.",
    "rejected": " A person has rejected it.",
    "withdrawn": " A person has withdrawn the approval.",
}
_FROZEN: Final = "start a host without --read-only, then accept it there"


def check_definitions(host: "Host") -> Iterator[Finding]:
    """Look at what foreign packs say of their abilities.

    Args:
        host: started.

    Yields:
        A warning for each change that nobody accepted, then where it differs.
    """
    from abilities_host.pins import (  # noqa: PLC0415 - a slow import
        Pins,
        headline,
        lines_of,
    )

    pins: Pins = host.services.find(Pins)
    for change in pins.changes:
        sentence = headline(change, holds=pins.holds) + _DECIDED.get(change.status, "")
        command = f"abilities queue approve definition:{change.id}"
        fix = _FROZEN if pins.is_frozen else command
        yield Finding("warning", "definition", sentence, fix)
        for line in lines_of(change):
            yield Finding("info", "definition", line)
