"""What is wrong in a page is found, so that a look at every page can fail."""

from pathlib import Path

from browser.inspector import BYTES, Inspector, give_axe, validated
from browser.needed import checkers
from browser.visitor import visiting
from playwright.async_api import Browser, Route

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>x</title><style>
p { color: #999; background: #fff }
@media (prefers-color-scheme: dark) { p { color: #777; background: #555 } }
</style></head><body><main><h1>x</h1><p>pale<div>inside</p><b id="x">{}</b></main>
<main></main></body></html>"""


async def answer(route: Route) -> None:
    """Answer as a page would that has every fault."""
    await route.fulfill(content_type="text/html", body=PAGE.replace("{}", "x" * BYTES))


async def test_what_is_wrong_in_a_page_is_found(
    tmp_path: Path, browser: Browser
) -> None:
    inspector = Inspector(tmp_path)
    async with visiting(browser, "http://127.0.0.1:1") as visitor:
        await give_axe(visitor)
        await visitor.page.route("**/*", answer)
        await inspector.open(visitor, "faulty", "/page")
    said = {
        name: {line.partition(":")[0] for line in lines}
        for name, lines in inspector.found.items()
    }
    wrong = {line.split(": ")[1] for line in await validated(tmp_path)}
    assert [*inspector.heavy] == ["faulty"]
    if checkers():
        assert "serious color-contrast" in said["faulty light"]
        assert "moderate landmark-no-duplicate-main" in said["faulty light"]
        assert said["faulty dark"] == {"serious color-contrast"}
        assert "close-order" in wrong or "element-permitted-content" in wrong
