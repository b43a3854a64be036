"""Unlocked: a person whose secret was right a moment ago, and who can sign."""

from typing import TYPE_CHECKING, Final, Never

from abilities_host.accounts.role import Role

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class Unlocked:
    """A person with an opened seal key; `Accounts.unlock` makes it, nothing else can.

    Who makes one of another key gets signatures that nobody takes for the account's.

    Args:
        name: of the account.
        key: its private half.
        failures: tries that failed since the last time.
        role: what the account may do.

    Attributes:
        name: of the account.
        failures: show them to the person.
        role: what the person may do.
    """

    __slots__ = ("_key", "failures", "name", "role")

    def __init__(
        self,
        name: str,
        key: "Ed25519PrivateKey",
        *,
        failures: int,
        role: Role = Role.REVIEWER,
    ) -> None:
        self.name: Final = name
        self.failures: Final = failures
        self.role: Final = role
        self._key: Final = key

    @property
    def public(self) -> bytes:
        """The public half of the key, 32 bytes."""
        return self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Sign a message.

        Args:
            message: says by itself what it is for.

        Returns:
            64 bytes, always the same for the same message.
        """
        return self._key.sign(message)

    def __reduce__(self) -> Never:
        raise TypeError("an unlocked account is not to be stored or sent")
