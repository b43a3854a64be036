"""Running the conformance suite against a host of its own; 0 when it conforms."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

REVISIONS: Final = ("2025-11-25", "2026-07-28")
HERE: Final = Path(__file__).parent
EXPECTED: Final = HERE / "expected.yaml"
SUITE: Final = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
SECONDS: Final = 600
START_SECONDS: Final = 60
END_SECONDS: Final = 10
CONFIG: Final = """\
plugins_dir = "plugins"
[http]
port = 0
"""
PACK: Final = """\
\"\"\"The fixtures of the suite, where a host looks for packs.\"\"\"

from conformance.pack import *
"""

Process = subprocess.Popen[bytes]
Checks = Mapping[str, Counter[str]]
"""Scenario to how many of its checks had which status."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the fixtures with `abilities serve`; give the address of its door.

    Args:
        folder: where the host's files go.

    Yields:
        The address that the suite is given.
    """
    config = make_host(folder)
    serving = ("-m", "abilities_host", "serve", "--config", str(config))
    with (folder / "stderr.txt").open("wb") as errors, process(serving, errors) as host:
        url = await_address(host, folder / "stderr.txt")
        door = ("-m", "conformance.door", url, str(folder / "token"))
        with process(door, None) as standing:
            address = standing.stdout.readline() if standing.stdout else b""
            yield address.decode().strip() or sys.exit("The door did not open.")


def make_host(folder: Path) -> Path:
    """Write a configuration and the fixtures as a pack; give its path."""
    plugins = folder / "plugins"
    plugins.mkdir(mode=0o700)
    (plugins / "conformance_pack.py").write_text(PACK, encoding="utf-8")
    config = folder / "abilities.toml"
    config.write_text(CONFIG, encoding="utf-8")
    for path in (config, plugins / "conformance_pack.py"):
        path.chmod(0o600)
    return config


@contextmanager
def process(words: Sequence[str], errors: BinaryIO | None) -> Iterator[Process]:
    """Run a Python process until it is left."""
    command = [sys.executable, "-W", "ignore", *words]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=errors, env=environment
    ) as running:
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()


def await_address(host: Process, errors: Path) -> str:
    """Wait until the host says where it serves and where the token is."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and host.poll() is None:
        said = errors.read_text(encoding="utf-8")
        found = re.search(r"^serving: (\S+)", said, re.MULTILINE)
        if found and "\ntoken: " in said:
            return found[1]
        time.sleep(0.05)
    return sys.exit(f"The host did not start.\n{errors.read_text(encoding='utf-8')}")


def run_suite(suite: Path, address: str, revision: str, out: Path) -> int:
    """Run what one revision requires.

    Args:
        suite: where the suite is installed.
        address: of the server.
        revision: of the protocol.
        out: where its findings go.

    Returns:
        The suite's exit code.
    """
    node = (suite / "node.txt").read_text(encoding="utf-8")
    words = [node, str(suite / SUITE), "server", "--url", address]
    words += ["--requirements", revision, "--output-dir", str(out)]
    words += ["--expected-failures", str(EXPECTED)]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if ended.returncode:
        sys.stdout.write(f"{ended.stdout}\n{ended.stderr}\n")
    return ended.returncode


def read_checks(out: Path) -> Checks:
    """Read the suite's findings.

    Args:
        out: where they are, a folder for each scenario.

    Returns:
        Scenario to how many checks had which status.
    """
    found: dict[str, Counter[str]] = {}
    for file in sorted(out.glob("*/checks.json")):
        # A folder is named server-SCENARIO-TIME, and a time has seven parts.
        scenario = file.parent.name.removeprefix("server-").rsplit("-", 6)[0]
        checks = json.loads(file.read_text(encoding="utf-8"))
        found[scenario] = Counter(check["status"] for check in checks)
    return found


def surprises(checks: Checks, expected: frozenset[str]) -> list[str]:
    """Compare what failed with what may fail, also where nothing is scored.

    Args:
        checks: of one revision.
        expected: scenarios that may fail.

    Returns:
        A line for each that failed and may not, or may and did not.
    """
    failed = {name for name, count in checks.items() if count["FAILURE"]}
    new = [f"{name} fails" for name in sorted(failed - expected)]
    stale = expected & checks.keys() - failed
    return new + [f"{name} passes: take it off the list" for name in sorted(stale)]


def read_expected() -> frozenset[str]:
    """Read the scenarios that may fail."""
    lines = EXPECTED.read_text(encoding="utf-8").splitlines()
    items = (line.strip() for line in lines)
    return frozenset(item[2:] for item in items if item.startswith("- "))


def report(revision: str, checks: Checks, code: int, problems: list[str]) -> None:
    """Say in a few lines how one revision went."""
    total: Counter[str] = sum(checks.values(), Counter())
    failing = sorted(name for name, count in checks.items() if count["FAILURE"])
    sys.stdout.write(
        f"{revision}: exit {code}; {len(checks)} scenarios, {total['SUCCESS']} checks "
        f"passed, {total['FAILURE']} failed, {total['WARNING']} warnings\n"
    )
    if failing:
        sys.stdout.write(f"  failing, unscored: {', '.join(failing)}\n")
    for problem in problems:
        sys.stdout.write(f"  not expected: {problem}\n")


def main(suite: Path) -> int:
    """Run every revision.

    Args:
        suite: where the suite is installed.

    Returns:
        0 when all conform and nothing fails that may not.
    """
    is_good, expected = True, read_expected()
    with TemporaryDirectory(prefix="abilities-conformance-") as scratch:
        folder = Path(scratch) / "host"
        folder.mkdir(mode=0o700)
        with served(folder) as address:
            for revision in REVISIONS:
                out = Path(scratch) / revision
                code = run_suite(suite.absolute(), address, revision, out)
                checks = read_checks(out)
                problems = surprises(checks, expected)
                report(revision, checks, code, problems)
                is_good = is_good and not code and not problems and bool(checks)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
