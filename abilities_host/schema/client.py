"""Client: how the clients of a family call themselves, and in which versions."""

from dataclasses import dataclass
from typing import Final

LENGTH_LIMIT: Final = 128


@dataclass(frozen=True, slots=True)
class Client:
    """Clients that are known by what they say in their handshake.

    Attributes:
        name: what they call themselves begins with it, in whatever case; 1 to 128
            characters.
        versions: of which versions this is true, as PEP 440 writes ranges, such as
            ``>=0.45,<2``; empty for all, also for one that says none or an odd one.

    Raises:
        ValueError: when name or range cannot be one.
    """

    name: str
    versions: str = ""

    def __post_init__(self) -> None:
        _check_text(self.name)
        _check_text(self.versions)
        if not self.name.strip():
            msg = "a client without a name would be every client"
            raise ValueError(msg)
        if self.versions:
            _check_range(self.versions)

    def fits(self, name: str, version: str) -> bool:
        """Answer whether a client is one of these.

        Args:
            name: from its handshake, empty when it does not say.
            version: likewise.

        Returns:
            True when the name fits and the range, if there is one, has the version.
        """
        if not name.casefold().startswith(self.name.casefold()):
            return False
        return not self.versions or _is_within(version, self.versions)


def _check_text(said: object) -> None:
    if not isinstance(said, str) or len(said) > LENGTH_LIMIT:
        msg = f"name and versions of a client are texts of {LENGTH_LIMIT} at most"
        raise ValueError(msg)


def _check_range(versions: str) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - most clients have no range

    try:
        SpecifierSet(versions)
    except InvalidSpecifier:
        msg = f"{versions!r} is no range of versions such as '>=0.45,<2'"
        raise ValueError(msg) from None


def _is_within(version: str, versions: str) -> bool:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - as above
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - as above

    if len(version) > LENGTH_LIMIT:
        return False
    try:
        said = Version(version)
    except InvalidVersion:
        return False
    return SpecifierSet(versions).contains(said, prereleases=True)
