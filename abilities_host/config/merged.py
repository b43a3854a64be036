"""Merged: what file, store, environment and flags say together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from abilities_host.config.layers import FILE, STORE, Layer, nested
from abilities_host.config.merging import Merge, is_loosened, merge
from abilities_host.config.problems import first_problem
from abilities_host.config.settings import HostConfig
from abilities_host.config.table import settings_by_key
from abilities_host.errors import ConfigError

SERVERS = "servers."


@dataclass(slots=True)
class Merged:
    """What the layers say together so far.

    Attributes:
        values: dotted key to value.
        sources: dotted key to where it came from; also of single servers.
        replaced: dotted key to the values that later layers replaced.
        warnings: sentences about what has no effect.
    """

    values: dict[str, Any]
    sources: dict[str, str]
    replaced: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, layer: Layer) -> None:
        """Put one more layer over the earlier ones."""
        for key, new in layer.values.items():
            if layer.source == FILE:
                self.values[key], self.sources[key] = new, FILE
            elif key.startswith(SERVERS):
                self._tighten_server(key, new, layer.source)
            else:
                self._tighten(key, new, layer.source)

    def _tighten(self, key: str, new: Any, source: str) -> None:
        old, rule = self.values[key], settings_by_key()[key].merge
        merged = self.values[key] = self._merge(rule, key, (old, new), source)
        if rule is Merge.REPLACE:
            self.replaced[key] = (*self.replaced.get(key, ()), old)
        if merged != old:
            self.sources[key] = _joined(self.sources[key], source, rule)

    def _tighten_server(self, key: str, new: Any, source: str) -> None:
        """One key of one of the further servers, by the rule of the first's."""
        _, server, name = key.split(".")
        rule, changed = settings_by_key()[f"server.{name}"].merge, []
        for each in self.values["servers"]:
            if each.id != server:
                changed.append(each)
                continue
            old = getattr(each, name)
            merged = self._merge(rule, key, (old, new), source)
            changed.append(each.model_copy(update={name: merged}))
            if merged != old:
                # What the file does not say of it is a default like any other.
                said = FILE if name in each.model_fields_set else "default"
                self.sources[key] = _joined(said, source, rule)
        self.values["servers"] = tuple(changed)

    def _merge(self, rule: Merge, key: str, both: tuple[Any, Any], source: str) -> Any:
        old, new = both
        merged = merge(rule, old, new)
        if is_loosened(rule, new, merged):
            subject = f"`abilities set {key}`" if source == STORE else source
            self.warnings.append(f"{subject} {rule}.")
        return merged


def combine(layers: Iterable[Layer], warnings: Iterable[str]) -> Merged:
    """Put layers over each other.

    Args:
        layers: the file first, then in the order of their say.
        warnings: what is known to have no effect.

    Returns:
        What they say together.
    """
    settings = settings_by_key()
    merged = Merged(
        values={key: setting.default for key, setting in settings.items()},
        sources=dict.fromkeys(settings, "default"),
        warnings=[*warnings],
    )
    for layer in layers:
        merged.add(layer)
    return merged


def config_of(merged: Merged, path: Path) -> HostConfig:
    """Make the configuration that the layers describe.

    Args:
        merged: what they say together.
        path: of the file, for the error.

    Returns:
        The effective values.

    Raises:
        ConfigError: when single values are good and do not fit together.
    """
    try:
        return HostConfig.model_validate(nested(merged.values))
    except ValidationError as error:
        key, problem = first_problem(error)
        raise ConfigError(path, problem, key=key) from None


def _joined(old: str, new: str, rule: Merge) -> str:
    return new if rule is Merge.REPLACE or old == "default" else f"{old} + {new}"
