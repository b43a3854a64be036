"""Category: the shelf an ability stands on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Never

from abilities_host.frozen import FrozenDict


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One registered category.

    Attributes:
        slug: lower-case words joined by dashes, unique in the host.
        label: what a person reads.
        description: what belongs in it.
        meta: anything else its author wants to say, frozen.
        pack: identity of the pack that registered it, empty in tests.
    """

    slug: str
    label: str
    description: str
    meta: Mapping[str, Any] = field(default_factory=FrozenDict)
    pack: str = ""

    def __reduce__(self) -> Never:
        msg = "a category belongs to its registry and cannot be serialised"
        raise TypeError(msg)
