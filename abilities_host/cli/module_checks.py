"""Module checks: what ``doctor`` says of the optional parts of packs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abilities_host.cli.findings import Finding

if TYPE_CHECKING:
    from abilities_host.host import Host
    from abilities_host.modules import Standing


def check_modules(host: "Host") -> Iterator[Finding]:
    """Look at the modules of a started host.

    Args:
        host: started.

    Yields:
        One finding for each module that somebody wants and that is not there, and for
        each choice that no pack knows; one for all when there is nothing to say.
    """
    standings = host.modules.list()
    for standing in standings:
        yield from _check(standing)
    for choice in host.modules.gone:
        sentence = (
            f"It is kept that module {choice.pack}/{choice.slug} is "
            f"{'on' if choice.is_on else 'off'}; no healthy pack has it now."
        )
        yield Finding("info", "module", sentence)
    active = sum(standing.is_active for standing in standings)
    if standings:
        sentence = f"{active} of {len(standings)} modules are active."
        yield Finding("ok", "modules", sentence, "")


def _check(standing: "Standing") -> Iterator[Finding]:
    sentence = f"M{standing.sentence[1:].rstrip('.')}."
    fix = f"abilities modules disable {standing.short}"
    if standing.state == "set aside":
        yield Finding("error", "module", sentence, "mend the pack")
    elif standing.state in ("unavailable", "starting"):
        yield Finding("warning", "module", sentence, fix)
    elif standing.state == "waiting":
        required = f"{standing.short.rpartition('/')[0]}/{standing.module.requires[0]}"
        yield Finding(
            "warning", "module", sentence, f"abilities modules enable {required}"
        )
    elif standing.is_active and standing.module.abilities and not standing.abilities:
        sentence = f"Module {standing.short!r} is active, and no ability belongs to it."
        yield Finding("warning", "module", sentence, "mend the pack")
