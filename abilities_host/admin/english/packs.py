"""Packs: the words around the pages that packs add."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

PACKS: Final[Mapping[str, str]] = FrozenDict(
    {
        "pack.page": "A page of a pack",
        "pack.of": "From the pack {pack}",
        "pack.broken": "This page belongs to the pack {pack}, which could not show it "
        "or do this. Everything else works. The log of the host says why.",
        "pack.slow": "This page belongs to the pack {pack}, which did not answer in "
        "time. Everything else works.",
    }
)
