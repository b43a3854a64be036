"""One nursery for all tests of a file; its children are killed one by one."""

from collections.abc import AsyncIterator

import pytest
from faults.children import Nursery, open_nursery


@pytest.fixture(scope="module")
async def nursery(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Nursery]:
    async with open_nursery(tmp_path_factory.mktemp("children")) as nursery:
        yield nursery
