"""Content: what a page shows, and what comes of an action."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from abilities_host.frozen import FrozenDict


class Confirm(StrEnum):
    """A class of actions for which the secret is asked again.

    One answer is good for the whole class, for five minutes, in one session; those of
    a pack's actions for that pack alone.
    """

    APPROVE = "approve"
    WITHDRAW = "withdraw"
    SWITCH_ON = "switch-on"
    TOKEN = "token"  # noqa: S105 - the name of a class
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Content:
    """What a page shows.

    Attributes:
        template: its name, such as ``review.html``; of a pack's page one of its own.
        values: what the template is given besides the frame's own.
        title: in place of the page's title, in words; empty for that.
        status: of HTTP.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=FrozenDict)
    title: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an action.

    Attributes:
        text: what the person is told: the key of a text, of a pack's page the text
            itself.
        values: for that text; short, and no secrets: they travel in a cookie.
        to: where the person goes, a path below ``/admin``; empty for the page.
    """

    text: str
    values: Mapping[str, str | int] = field(default_factory=FrozenDict)
    to: str = ""
