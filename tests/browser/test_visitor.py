"""What a browser complains about is seen, so that a test of a page can fail."""

from browser.visitor import visiting
from playwright.async_api import Browser, Route

PAGE = """<!doctype html><title>x</title>
<script>console.error("never")</script><script src="/thrown.js"></script>
<img src="/gone.png"><img src="/dead.png"><img src="http://other.invalid/x.png">"""
SCRIPT = "console.warn('careful'); throw new Error('broken');"
POLICY = "default-src 'self'"


async def answer(route: Route) -> None:
    """Answer as a page would that has every fault."""
    match route.request.url.rpartition("/")[2]:
        case "thrown.js":
            await route.fulfill(content_type="text/javascript", body=SCRIPT)
        case "dead.png":
            await route.abort("connectionreset")
        case "page":
            headers = {"content-security-policy": POLICY}
            await route.fulfill(content_type="text/html", headers=headers, body=PAGE)
        case _:
            await route.fulfill(status=404)


async def test_whatever_a_browser_complains_about_is_seen(browser: Browser) -> None:
    async with visiting(browser, "http://127.0.0.1:1") as visitor:
        await visitor.page.route("**/*", answer)
        await visitor.open("/page")
        await visitor.page.title()
        problems = visitor.problems
        visitor.expect(*problems)
    # How Chromium words what a policy forbids is its own affair.
    seen = {line for line in problems if "violates" not in line and "csp" not in line}
    assert seen == {
        "404 GET /gone.png",
        "error: policy: img-src http://other.invalid/x.png",
        "error: policy: script-src-elem inline",
        "failed GET /dead.png: net::ERR_CONNECTION_RESET",
        "thrown: broken",
        "warning: careful",
    }
