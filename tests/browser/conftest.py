"""The browser of a module; without one nothing in this folder is collected."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
from browser.needed import is_here

if TYPE_CHECKING:
    from playwright.async_api import Browser

collect_ignore_glob = [] if is_here() else ["test_*.py"]


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator["Browser"]:
    """One process of Chromium, for all visitors of a module."""
    from browser.visitor import launched  # noqa: PLC0415 - it may not be installed

    async with launched() as browser:
        yield browser
