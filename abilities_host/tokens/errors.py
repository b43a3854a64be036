"""Why a token could not be made, ended or replaced; no sentence holds a secret."""

from abilities_host.errors import AbilitiesError


class TokenError(AbilitiesError):
    """Base of what can be wrong with a token."""


class InvalidTokenName(TokenError):
    """Raised when a name cannot be that of a token."""

    def __init__(self) -> None:
        # The name is not repeated: somebody may have pasted a token in its place.
        super().__init__(
            "A token's name is 1 to 64 characters long: a to z, 0 to 9, '.', '-' and "
            "'_', beginning with a letter or a digit, and not with 'abl_'. Example: "
            "ci-bot."
        )


class InvalidScope(TokenError):
    """Raised when something can be no scope, or there are too many."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            "A scope is written such as 'read', 'write' or 'notes:write', with * for "
            f"one whole part; a token has at most {limit} of them."
        )


class InvalidEnd(TokenError):
    """Raised when a token would have ended before it begins."""

    def __init__(self) -> None:
        super().__init__("A token cannot end in the past. Example: --expires 30d.")


class InvalidGrace(TokenError):
    """Raised when a replaced token would be valid for too long."""

    def __init__(self, days: int) -> None:
        super().__init__(
            f"A replaced token may be valid for {days} days at most. Example: "
            "--grace 1h."
        )


class TokenExists(TokenError):
    """Raised when a valid token has the name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"There is a token {name!r} already. Replace it with 'abilities token "
            f"rotate {name}', end it with 'abilities token revoke {name}', or choose "
            "another name."
        )


class TokenEnded(TokenError):
    """Raised when a token is not valid any more."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"The token {name!r} has ended already. Make another: abilities token "
            f"create {name}"
        )


class TooManyTokens(TokenError):
    """Raised when there is no room for another token."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"There are {limit:,} valid tokens, and there can be no more. End one that "
            "nobody uses: 'abilities token list' shows when each was used last, "
            "'abilities token revoke NAME' ends one."
        )
