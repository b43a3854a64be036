"""Inspector: looks at a page in both themes, and keeps what axe-core says of it."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from browser.needed import checkers
from browser.visitor import SCHEMES, Visitor, stretched, window_picture
from playwright.async_api import Locator, Response

_RULES: Final = {
    "root": True,
    "extends": ["html-validate:recommended"],
    "rules": {
        # Style: what is left out here is what every browser takes for granted.
        "attribute-boolean-style": "off",
        "doctype-style": "off",
        "no-implicit-button-type": "off",
        "no-implicit-input-type": "off",
        # Boxes of one name are how several are chosen.
        "form-dup-name": ["error", {"shared": ["button", "checkbox", "submit"]}],
    },
}
BYTES: Final = 100_000
_ALL: Final = {"resultTypes": ["violations"]}
_COLOURS: Final = {**_ALL, "runOnly": ["color-contrast"]}
_RUN: Final = "options => axe.run(document, options).then(found => found.violations)"


@dataclass
class Inspector:
    """What was found at all pages that were looked at.

    Attributes:
        folder: where their HTML is kept, as it was received.
        found: name of a page and of a theme to what axe-core objects to.
        heavy: name of a page to its bytes, where they are too many.
        seen: names of the pages, in order.
    """

    folder: Path
    found: dict[str, list[str]] = field(default_factory=dict)
    heavy: dict[str, int] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    async def open(self, visitor: Visitor, name: str, path: str) -> None:
        """Go to a page, and look at it."""
        await self.look(visitor, name, await visitor.page.goto(path))

    async def press(self, visitor: Visitor, name: str, button: Locator | str) -> None:
        """Press a button, and look at where it leads."""
        if isinstance(button, str):
            button = visitor.page.get_by_role("button", name=button)
        async with visitor.page.expect_navigation() as going:
            await button.click()
        await self.look(visitor, name, await going.value)

    async def look(
        self, visitor: Visitor, name: str, response: Response | None
    ) -> None:
        """Look at a page that has just been loaded."""
        assert response is not None
        assert name not in self.seen
        self.seen.append(name)
        html = await response.body()
        await asyncio.to_thread((self.folder / f"{name}.html").write_bytes, html)
        if len(html) > BYTES:
            self.heavy[name] = len(html)
        async with stretched(visitor.page):
            for scheme in SCHEMES:
                await visitor.page.emulate_media(color_scheme=scheme)
                await window_picture(visitor.page, name)
                label = f"{name} {scheme}"
                await self._judge(visitor, label, is_first=scheme == SCHEMES[0])

    async def _judge(self, visitor: Visitor, name: str, *, is_first: bool) -> None:
        """Only colours are others in the second theme."""
        if checkers() is None:
            return
        options = _ALL if is_first else _COLOURS
        found: list[Any] = await visitor.page.evaluate(_RUN, options)
        if found:
            self.found[name] = [line for each in found for line in _lines(each)]


def _lines(violation: Any) -> list[str]:
    head = f"{violation['impact']} {violation['id']}"
    return [f"{head}: {node['html'][:200]}" for node in violation["nodes"]]


async def give_axe(visitor: Visitor) -> None:
    """Have axe-core in every page that a visitor will open, where it is."""
    folder = checkers()
    if folder is not None:
        script = folder / "node_modules" / "axe-core" / "axe.min.js"
        await visitor.page.add_init_script(path=script)


async def validated(folder: Path) -> list[str]:
    """Give what html-validate objects to in the files of a folder, a line each."""
    checks = checkers()
    if checks is None:
        return []
    node = (checks / "node.txt").read_text(encoding="utf-8").strip()
    command = checks / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
    rules, report = folder / "rules.json", folder / "report.json"
    rules.write_text(json.dumps(_RULES), encoding="utf-8")
    # What it writes into a pipe ends where the pipe is full.
    options = (f"--config={rules}", f"--formatter=json={report}")
    process = await asyncio.create_subprocess_exec(
        node, str(command), *options, f"{folder}/*.html", cwd=folder
    )
    await process.wait()
    return [
        f"{Path(file['filePath']).name}:{each['line']}: {each['ruleId']}: "
        f"{each['message']}"
        for file in json.loads(report.read_text(encoding="utf-8"))
        for each in file["messages"]
    ]
