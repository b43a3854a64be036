"""View: the registry as one pack may use it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from abilities_host.ability import Ability
from abilities_host.category import Category
from abilities_host.domain import Domain
from abilities_host.errors import (
    ForeignNamespace,
    InvalidArgument,
    RegistrationClosed,
    RegistrationError,
    UnknownArgument,
)
from abilities_host.frozen import freeze
from abilities_host.names import RESERVED_NAMESPACES, namespace_of
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry

T = TypeVar("T")


class Quarantined:
    """What a registration gives while its pack loads, when it was refused.

    It is false in a condition.

    Attributes:
        error: why, with pack, name and fix.
    """

    __slots__ = ("error",)

    def __init__(self, error: RegistrationError) -> None:
        self.error: Final = error

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Quarantined({self.error})"


class RegistryView:
    """What a pack's registration hooks are given.

    While they run, a refused registration gives `Quarantined` and the pack goes on;
    at any other time the same error is raised.

    Args:
        registry: the host's.
        pack: identity of the pack.
        namespaces: where it may register.
        settings: its table of the configuration.
        folder: where relative paths of the settings start.
        protected: what no pack may touch.

    Attributes:
        pack: identity of the pack.
        settings: its table of the configuration, frozen.
        folder: folder of the configuration file.
        quarantined: what was refused while it loaded.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        pack: str,
        namespaces: Sequence[str],
        settings: Mapping[str, Any],
        folder: Path,
        protected: ProtectedPaths,
    ) -> None:
        self.pack: Final = pack
        self.settings: Final[Mapping[str, Any]] = freeze(settings)
        self.folder: Final = folder
        self.quarantined: Final[list[Quarantined]] = []
        self._registry = registry
        self._namespaces = tuple(namespaces)
        self._protected = protected
        self._is_loading = True
        self._is_closed = False

    def protects(self, path: Path, status: os.stat_result | None = None) -> bool:
        """Answer whether a path must not be touched.

        Args:
            path: absolute, in any spelling.
            status: of the open file, which no rename can swap.

        Returns:
            True for the host's own files, by resolved path or by device and inode.
        """
        return self._protected.protects(path, status)

    def overlap(self, path: Path) -> Path | None:
        """Give the protected path that this one is, contains or lies in."""
        return self._protected.overlap(path)

    def register_category(self, slug: str, **arguments: Any) -> Category | Quarantined:
        """Declare a category; see `Registry.register_category`."""

        def register() -> Category:
            self._check_no_pack(slug, arguments)
            return self._registry.register_category(slug, pack=self.pack, **arguments)

        return self._try(slug, register)

    def register_domain(self, domain: Domain) -> Domain | Quarantined:
        """Declare a domain; see `Registry.register_domain`."""
        name = str(getattr(domain, "name", type(domain).__name__))

        def register() -> Domain:
            if name in RESERVED_NAMESPACES.difference(self._namespaces):
                raise ForeignNamespace(name, self._namespaces, pack=self.pack)
            return self._registry.register_domain(domain, pack=self.pack)

        return self._try(name, register)

    def register_ability(self, name: str, **arguments: Any) -> Ability | Quarantined:
        """Declare an ability; see `Registry.register_ability`."""
        return self._try(name, lambda: self._register(name, arguments))

    def ability(
        self, name: str, **arguments: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare a typed function as an ability; see `Registry.ability`."""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            def register() -> object:
                self._check(name, arguments)
                declare = self._registry.ability(name, pack=self.pack, **arguments)
                return declare(function)

            self._try(name, register)
            return function

        return decorate

    def unregister_ability(self, name: str) -> Ability:
        """Take one of the pack's own abilities away.

        Args:
            name: of an ability this pack registered.

        Returns:
            The removed record.

        Raises:
            LookupFailed: when there is none.
            ForeignNamespace: when it is another pack's.
        """
        ability = self._registry.get_ability(name)
        if ability.pack != self.pack:
            raise ForeignNamespace(name, self._namespaces, pack=self.pack)
        return self._registry.unregister_ability(name)

    def end_loading(self) -> None:
        """From now on errors are raised."""
        self._is_loading = False

    def close(self) -> None:
        """Refuse everything from now on; the pack was given up."""
        self._is_closed = True

    def _register(self, name: str, arguments: Mapping[str, Any]) -> Ability:
        self._check(name, arguments)
        return self._registry.register_ability(name, pack=self.pack, **arguments)

    def _check(self, name: object, arguments: Mapping[str, Any]) -> None:
        self._check_no_pack(name, arguments)
        self._check_own(name)
        earlier = arguments.get("renamed_from")
        for old in earlier if isinstance(earlier, list | tuple) else ():
            self._check_own(old)
        is_route = bool(arguments.get("is_route", False))
        if is_route and namespace_of(str(name)) != "dispatcher":
            expected = "left out; only the dispatcher's abilities are routes"
            raise InvalidArgument(
                str(name), "is_route", expected, is_route, pack=self.pack
            )

    def _check_no_pack(self, subject: object, arguments: Mapping[str, Any]) -> None:
        """A view speaks for its own pack only."""
        if "pack" in arguments:
            known = [name for name in arguments if name != "pack"]
            raise UnknownArgument(str(subject), "pack", known, pack=self.pack)

    def _check_own(self, name: object) -> None:
        if not isinstance(name, str) or "/" not in name:
            return  # the registry says what is wrong with it
        if namespace_of(name) not in self._namespaces:
            raise ForeignNamespace(name, self._namespaces, pack=self.pack)

    def _try(self, subject: str, register: Callable[[], T]) -> T | Quarantined:
        if self._is_closed:
            raise RegistrationClosed(subject, pack=self.pack)
        try:
            return register()
        except RegistrationError as error:
            if not self._is_loading:
                raise
            refused = Quarantined(error)
            self.quarantined.append(refused)
            return refused
