"""Services: what packs offer each other, found by protocol and never by import."""

from typing import Any, Final, TypeVar

from abilities_host.errors import ServiceTaken

T = TypeVar("T")


class Services:
    """What is offered in one host."""

    def __init__(self) -> None:
        self._offered: Final[dict[type, tuple[str, Any]]] = {}

    def offer(self, protocol: type[T], service: T, *, pack: str) -> None:
        """Make a service known.

        Args:
            protocol: the class or protocol under which it is found.
            service: what is given to whoever asks.
            pack: who offers it.

        Raises:
            ServiceTaken: when another pack offers it already.
        """
        if protocol in self._offered:
            raise ServiceTaken(pack, protocol.__name__, self._offered[protocol][0])
        self._offered[protocol] = (pack, service)

    def withdraw(self, pack: str) -> None:
        """Forget what a pack offered."""
        for protocol, (owner, _) in tuple(self._offered.items()):
            if owner == pack:
                del self._offered[protocol]

    def find(self, protocol: type[T]) -> T:
        """Give a service.

        Args:
            protocol: under which it is offered.

        Returns:
            The service.

        Raises:
            LookupError: when nobody offers it.
        """
        if protocol not in self._offered:
            msg = f"no healthy pack offers {protocol.__name__}"
            raise LookupError(msg)
        service: T = self._offered[protocol][1]
        return service
