"""Why an account could not be made, changed or used; no sentence holds a secret."""

from pathlib import Path

from abilities_host.errors import AbilitiesError

_MINUTE = 60


def told_wait(seconds: int) -> str:
    """Say how long somebody has to wait.

    Args:
        seconds: at least 1.

    Returns:
        Such as ``40 seconds`` or ``2 minutes``, rounded up.
    """
    count, word = seconds, "second"
    if seconds >= _MINUTE:
        count, word = -(-seconds // _MINUTE), "minute"
    return f"{count} {word}{'' if count == 1 else 's'}"


class AccountError(AbilitiesError):
    """Base of what can be wrong with an account or with a try to use one."""


class InvalidAccountName(AccountError):
    """Raised when a name cannot be that of an account."""

    def __init__(self) -> None:
        # The name is not repeated: somebody may have typed a secret in its place.
        super().__init__(
            "An account's name is 1 to 64 characters long: a to z, 0 to 9, '.', '-' "
            "and '_', beginning with a letter. Case and accents do not count. "
            "Example: ana."
        )


class UnsuitableSecret(AccountError):
    """Raised when a secret cannot be taken; says what one must be."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"This secret cannot be taken: {problem}")


class AccountExists(AccountError):
    """Raised when the name is taken, also by an account that is switched off."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"There is an account {name!r} already, and a name is never given twice. "
            "Choose another."
        )


class AccountPublished(AccountError):
    """Raised when the file of public keys knows the name from another store."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        super().__init__(
            f"{path} knows an account {name!r} that is not in this store, and a name "
            "is never given twice. Choose another. If the store was replaced on "
            "purpose, remove the name from that file; what its old key sealed then "
            "counts no more."
        )


class NeedsAccount(AccountError):
    """Raised when only somebody who has an account may do this."""

    def __init__(self) -> None:
        super().__init__(
            "There are accounts already, so an operator must agree, with the secret of "
            "an account that is on."
        )


class WrongSecret(AccountError):
    """Raised for a wrong secret and for an unknown name alike.

    Attributes:
        seconds: how long until the next try.
    """

    def __init__(self, seconds: int = 0) -> None:
        self.seconds = seconds
        wait = f" The next try is in {told_wait(seconds)}." if seconds else ""
        super().__init__(f"No account has this name and this secret.{wait}")


class TooSoon(AccountError):
    """Raised before anything is compared, while a name must wait after failures.

    Attributes:
        seconds: how long until the next try.
    """

    def __init__(self, name: str, seconds: int) -> None:
        self.name = name
        self.seconds = seconds
        super().__init__(
            f"A try for {name!r} failed not long ago. The next one is in "
            f"{told_wait(seconds)}."
        )


class AccountDisabled(AccountError):
    """Raised when the account was switched off; only who knows its secret is told."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"The account {name!r} is switched off, for good.")


class LastOperator(AccountError):
    """Raised when nobody would be left who can look after accounts."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name!r} is the last operator, and without one nobody could make an "
            "account or restore the store. Make another first: "
            "abilities admin add NAME --role operator"
        )


class NeedsRole(AccountError):
    """Raised when the role of an account is not enough.

    Attributes:
        name: of the account.
        needed: the role that is.
    """

    def __init__(self, name: str, needed: str, role: str) -> None:
        self.name = name
        self.needed = needed
        super().__init__(
            f"This needs the role {needed}, and {name!r} has the role {role}. Let "
            f"somebody do it who has it (--as NAME), or have an operator give it: "
            f"abilities admin role {name} {needed}"
        )


class SealKeyBroken(AccountError):
    """Raised when the right secret does not open the account's seal key."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"The seal key of {name!r} does not open with its secret: somebody changed "
            "the store. Restore a copy of it: abilities restore"
        )


class SealKeyReplaced(AccountError):
    """Raised when the file of public keys names another key for the account."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        super().__init__(
            f"{path} names another seal key for {name!r} than the store. If the store "
            "was replaced on purpose, remove the name from that file; what the old key "
            "sealed must then be approved anew."
        )


class PublicKeysBroken(AccountError):
    """Raised when the file of public keys cannot be understood."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            f"{path} is not a file of public seal keys. Put back a copy, or remove it: "
            "each account adds its key the next time it shows its secret."
        )


class PublicKeysUnusable(AccountError):
    """Raised when the file of public keys cannot be read or written."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(
            f"{path}, the file of public seal keys, cannot be read or written: "
            f"{reason}. Mend that, or name another place: [ledger] anchor"
        )
