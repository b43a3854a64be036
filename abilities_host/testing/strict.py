"""Strict registration: the first refusal is raised, not kept for later."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abilities_host.errors import PackError, RegistrationError
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry
from abilities_host.view import RegistryView

_HOOK_SECONDS = 5.0


async def register_strictly(
    pack: Pack | tuple[str, Any],
    folder: Path,
    *,
    settings: Mapping[str, Any] | None = None,
) -> Registry:
    """Register one pack, alone, and raise what a host would only report.

    Args:
        pack: a pack, or its name and a module or object with hook implementations.
        folder: where relative paths of the settings start.
        settings: the pack's table of the configuration.

    Returns:
        The registry with the pack's categories, domains and abilities.

    Raises:
        RegistrationError: for the first category, domain or ability that is refused.
        PackError: when a hook does not exist, fails or does not finish.
    """
    pack = pack if isinstance(pack, Pack) else local_pack(*pack)
    pack.plugin = pack.load()
    manager = HookManager(seconds=_HOOK_SECONDS)
    manager.add(pack)
    registry = Registry()
    registry.set_args_filter(manager.filter_ability_args)
    view = RegistryView(
        registry,
        pack=pack.identity,
        namespaces=(await manager.declare_pack(pack)).namespaces,
        settings=settings or {},
        folder=folder,
        protected=ProtectedPaths([]),
    )
    view.end_loading()
    try:
        await manager.register_categories(pack, view)
        await manager.register_abilities(pack, view)
    except PackError as error:
        if isinstance(error.__cause__, RegistrationError):
            raise error.__cause__ from None
        raise
    return registry
