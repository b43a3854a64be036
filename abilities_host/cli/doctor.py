"""The command ``doctor``: what is wrong, and what mends it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from abilities_host.cli.account_checks import check_accounts
from abilities_host.cli.admin_checks import check_admin
from abilities_host.cli.definition_checks import check_definitions
from abilities_host.cli.disk_checks import check_disk
from abilities_host.cli.exits import Exit
from abilities_host.cli.findings import Finding
from abilities_host.cli.host_checks import check_host
from abilities_host.cli.installed_checks import check_installed
from abilities_host.cli.job_checks import check_jobs
from abilities_host.cli.log import quieten_log
from abilities_host.cli.memory_checks import check_memory
from abilities_host.cli.module_checks import check_modules
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import printable, say, say_json, wrapped
from abilities_host.cli.running import load, with_host
from abilities_host.cli.token_checks import check_tokens
from abilities_host.errors import AbilitiesError
from abilities_host.threads import run_in_thread

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host


def examine(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Look for what is wrong, and say what mends it."""
    quieten_log()
    findings = list(_examine(config))
    counts = Counter(finding.severity for finding in findings)
    if as_json:
        say_json({"ok": not counts["error"], "findings": list(map(asdict, findings))})
    else:
        _show(findings)
        say(f"\nErrors: {counts['error']}, warnings: {counts['warning']}.")
    raise typer.Exit(Exit.FAILED if counts["error"] else Exit.OK)


def _examine(config: Path | None) -> list[Finding]:
    try:
        loaded = load(config)
    except AbilitiesError as error:
        return [Finding("error", "configuration", error.sentence)]
    # A slow import, that reads files: no loop runs yet.
    from abilities_host.cli.serving_checks import (  # noqa: PLC0415
        check_requests,
        check_serving,
    )

    findings = [*check_disk(loaded), *check_serving(loaded), *check_installed()]

    async def look(host: "Host") -> list[Finding]:
        # Each schema is checked against the protocol, which takes its time.
        found = await run_in_thread(lambda: list(check_host(host)))
        found += [*check_definitions(host), *check_modules(host)]
        found += [*await check_jobs(host), *await check_memory(host)]
        return [*found, *await check_requests(host)]

    try:
        findings += with_host(loaded, look)
    except AbilitiesError as error:
        return [*findings, Finding("error", "start", error.sentence)]
    return [*findings, *_look_at_who_enters(loaded)]


def _look_at_who_enters(loaded: "LoadedConfig") -> Iterator[Finding]:
    yield from check_accounts(loaded)
    yield from check_admin(loaded)
    yield from check_tokens(loaded)


def _show(findings: list[Finding]) -> None:
    for finding in findings:
        first = f"{finding.severity:<9}{finding.about:<15}"
        say(wrapped(printable(finding.message), first))
        if finding.fix:
            say(wrapped(printable(f"fix: {finding.fix}"), " " * len(first)))
