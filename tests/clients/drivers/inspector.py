"""The Inspector's command line lists the tools and checks each schema strictly.

Its strict check is the best there is of what clients and providers are known to refuse.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from clients.drivers.job import Job, Report, read_job, shortly, tell

PROGRAM = Path("node_modules/@modelcontextprotocol/inspector")
START = "clients/launcher/build/index.js"
SECONDS = 120
STRICT = 6
FINDING = re.compile(r'^(Error|Warning): tool "(.+)"$')


def words_of(job: Job, suite: Path) -> list[str]:
    """Say how it is started."""
    node = (suite / "node.txt").read_text(encoding="utf-8")
    era = "modern" if job.mode == "auto" else "legacy"
    words = [node, str(suite / PROGRAM / START), "--cli", job.url]
    words += ["--transport", "http", "--protocol-era", era]
    words += ["--header", f"Authorization: {job.headers['Authorization']}"]
    return [*words, "--method", "tools/list", "--strict"]


def findings(errors: str) -> dict[str, str]:
    """Read what it takes for an error.

    Args:
        errors: what it wrote on the standard error.

    Returns:
        Tool to its first error; warnings are about taste.
    """
    found: dict[str, str] = {}
    for paragraph in errors.split("\n\n"):
        head, *lines = paragraph.strip().splitlines() or [""]
        said = FINDING.match(head)
        if said and said[1] == "Error":
            found.setdefault(said[2], shortly(" ".join(lines)))
    return found


def judge(code: int, listed: str, errors: str) -> Report:
    """Make a report of how it ended.

    Args:
        code: with which it ended.
        listed: what it wrote on the standard output.
        errors: what it wrote on the standard error.

    Returns:
        Every tool, taken or not; an error where it did not come to a check.
    """
    failed = findings(errors)
    if code not in (0, STRICT) or bool(failed) != (code == STRICT):
        return Report(error=shortly(f"exit {code}: {errors}"))
    tools = [tool["name"] for tool in json.loads(listed)["tools"]]
    taken = [name for name in tools if name not in failed]
    return Report(taken=taken, failed=failed)


def main(suite: Path) -> None:
    """Run it once."""
    job = read_job()
    words = words_of(job, suite)
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    report = judge(ended.returncode, ended.stdout, ended.stderr)
    package = json.loads((suite / PROGRAM / "package.json").read_text("utf-8"))
    report.version = package["version"]
    report.revision = "2026-07-28" if job.mode == "auto" else "2025-11-25"
    tell(report)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
