"""Page: one page of the frame, with what can be done there."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from starlette.responses import Response

from abilities_host.accounts import Role
from abilities_host.admin.form import Form
from abilities_host.admin.visit import Visit
from abilities_host.frozen import FrozenDict

FORM_BYTES = 64_000


class Confirm(StrEnum):
    """A class of actions for which the secret is asked again.

    One answer is good for the whole class, for five minutes, in one session.
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
        template: its name, such as ``review.html``.
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
        text: key of the text that the person is told.
        values: for that text; short, and no secrets: they travel in a cookie.
        to: where the person goes, a path below ``/admin``; empty for the page.
    """

    text: str
    values: Mapping[str, str | int] = field(default_factory=FrozenDict)
    to: str = ""


Render = Callable[[Visit], Awaitable[Content | Response]]
Run = Callable[[Visit, Form], Awaitable[Done | Content | Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that can be done at a page; a POST.

    Attributes:
        run: does it.
        confirm: the class for which the secret is asked; None when the session is
            enough, which it is for nothing that gives an agent more.
        role: what the account must have.
        form_bytes: what the form may have, files included.
    """

    run: Run
    confirm: Confirm | None = None
    role: Role = Role.REVIEWER
    form_bytes: int = FORM_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        path: below ``/admin``; ``/ledger/{seq:int}`` gives ``visit.parameters["seq"]``.
        title: key of its title.
        render: gives what it shows; a GET.
        actions: the last part of their path to what they do.
        role: what the account must have.
        is_listed: whether the navigation leads to it.
    """

    path: str
    title: str
    render: Render
    actions: Mapping[str, Action] = field(default_factory=FrozenDict)
    role: Role = Role.REVIEWER
    is_listed: bool = True
