"""RequiredPlugin: a plugin without which the host serves reads only."""

import re
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name


@dataclass(frozen=True, slots=True)
class RequiredPlugin:
    """A plugin without which the host serves reads only.

    Attributes:
        distribution: name of the installed distribution, normalised.
        entry: name of its entry point.
        specifier: versions that will do, as PEP 440 writes them; empty for any.
    """

    distribution: str
    entry: str
    specifier: str = ""

    def __str__(self) -> str:
        return f"{self.identity}{self.specifier}"

    @property
    def identity(self) -> str:
        """The pack's identity, ``distribution/entry-point``."""
        return f"{self.distribution}/{self.entry}"

    def allows(self, version: str) -> bool:
        """Answer whether an installed version will do.

        Args:
            version: as the distribution's metadata has it.

        Returns:
            True when the specifier contains it, pre-releases included.
        """
        return SpecifierSet(self.specifier).contains(version, prereleases=True)


def parse_required_plugin(written: str) -> RequiredPlugin:
    """Read ``distribution/entry-point`` with versions after it.

    Args:
        written: such as ``abilities-host/memory_enforcer>=0.1``.

    Returns:
        The parts.

    Raises:
        ValueError: with the sentence for the one who wrote it.
    """
    match = re.fullmatch(r"([A-Za-z0-9][\w.-]*)/([\w.-]+)\s*(.*)", written.strip())
    if match is None:
        msg = "expected 'distribution/entry-point', such as 'my-pack/guard>=1.2'."
        raise ValueError(msg)
    distribution, entry, specifier = match.groups()
    try:
        versions = str(SpecifierSet(specifier))
    except InvalidSpecifier as error:
        msg = "expected versions such as '>=1.2,<2' after the entry point."
        raise ValueError(msg) from error
    return RequiredPlugin(canonicalize_name(distribution), entry, versions)
