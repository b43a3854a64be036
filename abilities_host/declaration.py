"""Declaration: what a pack says of itself before it may register anything."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Declaration:
    """What `declare_pack` returns.

    Attributes:
        namespaces: the namespaces its abilities live in; without a declaration it is
            the pack's own name with dashes.
        requires_packages: requirements such as ``rich>=13``; one that is not met sets
            the pack aside with the reason.
    """

    namespaces: tuple[str, ...] = ()
    requires_packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DefaultStep:
    """One numbered step of a pack's defaults, applied once in a store's life.

    Attributes:
        number: 1 and up, never reused.
        off: the pack's own new abilities that start switched off.
        gone: names that no longer exist, whose default is forgotten.
    """

    number: int
    off: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
