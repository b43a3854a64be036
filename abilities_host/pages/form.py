"""Form: what a person sent."""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final

from abilities_host.errors import CallError


class SeenOther(CallError):
    """What is there now is not what the form showed; nothing was changed."""

    code = "stale_hash"

    def __init__(self) -> None:
        super().__init__(
            "This was changed by somebody else since you looked at it, so nothing was "
            "done. Look at it again."
        )


class Form:
    """The fields of one form.

    Args:
        fields: name to values.
        files: name to content.
    """

    def __init__(
        self, fields: Mapping[str, tuple[str, ...]], files: Mapping[str, bytes]
    ) -> None:
        self.fields: Final = fields
        self.files: Final = files

    def get(self, name: str, otherwise: str = "") -> str:
        """Give the last value of a field."""
        return self.fields.get(name, (otherwise,))[-1]

    def every(self, name: str) -> tuple[str, ...]:
        """Give all values of a field, such as of boxes that were ticked."""
        return self.fields.get(name, ())

    @property
    def seen(self) -> str:
        """What the form showed, a hash or a version; bound to its token."""
        return self.get("seen")

    def check_seen(self, now: str) -> None:
        """Check that the form showed what is there.

        Args:
            now: hash or version of that.

        Raises:
            SeenOther: when it did not.
        """
        if not compare_digest(self.seen.encode(), now.encode()):
            raise SeenOther
