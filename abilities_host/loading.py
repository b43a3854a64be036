"""Loading: from the packs that were found to the ones that are served."""

import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from abilities_host.config import HostConfig
from abilities_host.declaration import DefaultStep
from abilities_host.errors import PackError
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack
from abilities_host.hooks.steps import in_time
from abilities_host.names import RESERVED_NAMESPACES
from abilities_host.pages import Page
from abilities_host.pages.offered import OfferedPages
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry
from abilities_host.schema.offered import OfferedProfiles
from abilities_host.schema.profiles import Profile
from abilities_host.site import Site
from abilities_host.threads import run_in_thread
from abilities_host.view import RegistryView

log = logging.getLogger(__name__)

DISTRIBUTION = "abilities-host"
IMPORT_SECONDS = 30.0


class Loader:
    """Brings packs in, one step for all of them at a time.

    Whatever goes wrong with one sets that one aside, with the reason.

    Args:
        packs: what was found.
        registry: where they register.
        manager: where their hooks go.
        config: what the operator says of them.
        folder: of the configuration file.
        protected: what no pack may touch.
    """

    def __init__(
        self,
        packs: Iterable[Pack],
        *,
        registry: Registry,
        manager: HookManager,
        config: HostConfig,
        folder: Path,
        protected: ProtectedPaths,
    ) -> None:
        self.packs: Final = tuple(packs)
        self.registry: Final = registry
        self.manager: Final = manager
        self._config = config
        self._folder = folder
        self._protected = protected
        self._views: dict[str, RegistryView] = {}

    async def load(self) -> None:
        """Import every pack, take its hooks in and settle who has which namespace."""
        seen: dict[str, Pack] = {}
        for pack in self.packs:
            if _is_named(pack, self._config.plugins.blocked):
                pack.state, pack.reason = "blocked", "[plugins] blocked names it"
            elif pack.identity in seen:
                pack.is_copy = True
                pack.set_aside(_is_there_twice(seen[pack.identity], pack))
                log.warning("pack %s: %s", pack.identity, pack.reason)
            else:
                seen[pack.identity] = pack
                await self._attempt(pack, self._load_one(pack))
        self._settle_namespaces()

    async def register_categories(self) -> None:
        """Let every healthy pack register its categories."""
        for pack in self._healthy():
            view = self._view(pack)
            await self._attempt(pack, self.manager.register_categories(pack, view))

    async def register_abilities(self) -> None:
        """Let every healthy pack register its abilities."""
        for pack in self._healthy():
            view = self._view(pack)
            await self._attempt(pack, self.manager.register_abilities(pack, view))
            view.end_loading()
            pack.refused = [refused.error.sentence for refused in view.quarantined]

    async def open_packs(
        self, site_of: Callable[[Pack], Site], stack: AsyncExitStack
    ) -> None:
        """Let every healthy pack open what it keeps while the host runs.

        Those of this distribution come first: nobody takes a service's name from them.

        Args:
            site_of: makes what each is given.
            stack: left when the host stops.
        """
        for pack in sorted(self._healthy(), key=_is_foreign):
            site = site_of(pack)
            try:
                await self._open_one(pack, site, stack)
            except PackError as error:
                site.withdraw()
                self._set_aside(pack, error)

    async def _open_one(self, pack: Pack, site: Site, stack: AsyncExitStack) -> None:
        opened = await self.manager.open_pack(pack, site)
        if opened is not None:
            # Not under a time limit of its own: a migration may take long, and it is
            # entered in the task that leaves it.
            try:
                await stack.enter_async_context(opened)
            except Exception as error:
                log.info("pack %s failed to open", pack.identity, exc_info=True)
                reason = f"{type(error).__name__}: {error}"
                raise PackError(pack.identity, "open_pack", reason) from error

    async def default_steps(self) -> Mapping[str, list[DefaultStep]]:
        """Ask every healthy pack for its default steps.

        Returns:
            Identity to steps, only of packs that have some.
        """
        steps: dict[str, list[DefaultStep]] = {}
        for pack in self._healthy():
            try:
                found = list(await self.manager.default_steps(pack))
            except PackError as error:
                self._set_aside(pack, error)
                continue
            if found:
                steps[pack.identity] = found
        return steps

    async def client_profiles(self) -> Mapping[str, Profile]:
        """Ask every healthy pack for the client families that it describes.

        Those of this distribution come first: nobody takes a profile's name from them.

        Returns:
            Name to profile, the built-in ones first.
        """
        offered = OfferedProfiles()
        for pack in sorted(self._healthy(), key=_is_foreign):
            try:
                found = await self.manager.client_profiles(pack)
            except PackError as error:
                self._set_aside(pack, error)
                continue
            pack.refused_profiles = offered.add(pack.identity, found)
            for sentence in pack.refused_profiles:
                log.warning("%s", sentence)
        return offered.profiles

    async def admin_pages(self) -> Mapping[str, tuple[Page, ...]]:
        """Ask every healthy pack for the pages that it adds to those for people.

        Those of this distribution come first: nobody takes a place from them.

        Returns:
            Identity to pages, only of packs that have some.
        """
        offered = OfferedPages()
        for pack in sorted(self._healthy(), key=_is_foreign):
            try:
                found = await self.manager.admin_pages(pack)
            except PackError as error:
                self._set_aside(pack, error)
                continue
            pack.refused_pages = offered.add(pack.identity, pack.name, found)
            for sentence in pack.refused_pages:
                log.warning("%s", sentence)
        return offered.pages

    def namespaces_of(self, identity: str) -> tuple[str, ...]:
        """Give the namespaces that a pack has."""
        return next(p.namespaces for p in self.packs if p.identity == identity)

    def missing_policy(self) -> tuple[str, ...]:
        """Give the required plugins without which no write may run."""
        optional = self._config.plugins.optional
        missing = [
            pack.identity
            for pack in self.packs
            if pack.is_policy
            and not (pack.is_healthy or pack.is_copy or _is_named(pack, optional))
        ]
        return (*missing, *self._unmet())

    def _unmet(self) -> list[str]:
        """Required by name: absent, unhealthy or of another version."""
        healthy = {_canonical(pack.identity): pack for pack in self._healthy()}
        return [
            str(required)
            for required in self._config.plugins.required
            if required.identity not in healthy
            or not required.allows(healthy[required.identity].version or "0")
        ]

    # --- one pack -------------------------------------------------------------

    async def _load_one(self, pack: Pack) -> None:
        pack.plugin = await in_time(
            pack, "import", IMPORT_SECONDS, lambda: run_in_thread(pack.load)
        )
        self.manager.add(pack)
        declaration = await self.manager.declare_pack(pack)
        needed = declaration.requires_packages
        await run_in_thread(lambda: _check_requirements(pack, needed))
        pack.namespaces = declaration.namespaces
        pack.modules = await self.manager.modules(pack)
        self._check_claims(pack)
        if pack.is_policy and not self.manager.implements(pack, "before_write"):
            reason = "it is a policy plugin and implements no before_write"
            raise PackError(pack.identity, "loading hooks", reason)
        pack.state = "healthy"

    def _check_claims(self, pack: Pack) -> None:
        """The reserved namespaces belong to the packs that come with the host."""
        for namespace in pack.namespaces:
            if namespace in RESERVED_NAMESPACES and pack.distribution != DISTRIBUTION:
                reason = f"namespace {namespace!r} is reserved; claim another one"
                raise PackError(pack.identity, "declare_pack", reason)

    async def _attempt(self, pack: Pack, step: Awaitable[None]) -> None:
        try:
            await step
        except PackError as error:
            self._set_aside(pack, error)

    def _set_aside(self, pack: Pack, error: PackError) -> None:
        log.warning("%s", error)
        pack.set_aside(f"{error.stage}: {error.reason}")
        view = self._views.pop(pack.identity, None)
        if view is not None:
            view.close()
        self.registry.remove_pack(pack.identity)
        self.manager.remove(pack)

    def _view(self, pack: Pack) -> RegistryView:
        if pack.identity not in self._views:
            self._views[pack.identity] = RegistryView(
                self.registry,
                pack=pack.identity,
                namespaces=pack.namespaces,
                settings=self._config.packs.get(pack.name, {}),
                folder=self._folder,
                protected=self._protected,
            )
        return self._views[pack.identity]

    def _healthy(self) -> list[Pack]:
        return [pack for pack in self.packs if pack.is_healthy]

    # --- namespaces -----------------------------------------------------------

    def _settle_namespaces(self) -> None:
        """Two claims to one namespace keep both out until the operator decides."""
        decided = self._config.plugins.namespaces
        for namespace, packs in self._claims().items():
            if namespace in decided:
                owner = [decided[namespace]]
                losers = [pack for pack in packs if not _is_named(pack, owner)]
                self._reject(namespace, losers, packs)
        for namespace, packs in self._claims().items():
            if len(packs) > 1:
                self._reject(namespace, packs, packs)

    def _claims(self) -> Mapping[str, list[Pack]]:
        claims: defaultdict[str, list[Pack]] = defaultdict(list)
        for pack in self._healthy():
            for namespace in dict.fromkeys(pack.namespaces):
                claims[namespace].append(pack)
        return claims

    def _reject(self, namespace: str, losers: list[Pack], packs: list[Pack]) -> None:
        names = " and ".join(sorted(map(_with_place, packs)))
        for pack in losers:
            reason = (
                f"namespace {namespace!r} is claimed by {names}; decide with "
                f'[plugins.namespaces] {namespace} = "…"'
            )
            if pack.is_healthy:
                self._set_aside(pack, PackError(pack.identity, "declare_pack", reason))


def _is_foreign(pack: Pack) -> bool:
    return pack.distribution != DISTRIBUTION


def _is_there_twice(first: Pack, second: Pack) -> str:
    reason = "loading: another pack has the same identity"
    if not (first.place and second.place):
        return reason
    return f"{reason}: {_of(first)} is used, not {_of(second)}"


def _of(pack: Pack) -> str:
    return f"{pack.version} in {pack.place}"


def _with_place(pack: Pack) -> str:
    return f"{pack.identity} ({pack.place})" if pack.place else pack.identity


def _is_named(pack: Pack, written: Iterable[str]) -> bool:
    """Answer whether the operator's list has the pack, by identity or by name."""
    names = {_canonical(pack.identity), pack.name}
    return any(_canonical(name) in names for name in written)


def _canonical(identity: str) -> str:
    """Spell the distribution as packaging does: case, dots and dashes are one."""
    distribution, slash, name = identity.rpartition("/")
    return f"{canonicalize_name(distribution)}{slash}{name}"


def _check_requirements(pack: Pack, needed: Iterable[str]) -> None:
    for text in needed:
        _check_requirement(pack, text)


def _check_requirement(pack: Pack, text: str) -> None:
    try:
        requirement = Requirement(text)
        installed = version(requirement.name)
    except InvalidRequirement:
        reason = f"{text!r} is not a requirement such as 'rich>=13'"
        raise PackError(pack.identity, "requires_packages", reason) from None
    except PackageNotFoundError:
        reason = f"it needs {text!r}, which is not installed"
        raise PackError(pack.identity, "requires_packages", reason) from None
    if not requirement.specifier.contains(installed, prereleases=True):
        reason = f"it needs {text!r}, but {installed} is installed"
        raise PackError(pack.identity, "requires_packages", reason)
