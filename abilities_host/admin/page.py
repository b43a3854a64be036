"""Page: one page of the frame, with what can be done there."""

__all__ = ("Action", "Confirm", "Content", "Done", "Page")

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from starlette.responses import Response

from abilities_host.accounts import Role
from abilities_host.admin.form import Form
from abilities_host.admin.visit import Visit
from abilities_host.frozen import FrozenDict
from abilities_host.pages import Confirm, Content, Done

FORM_BYTES = 64_000


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
        pack: whose it is, for which alone a confirmation is good; empty for the host.
    """

    run: Run
    confirm: Confirm | None = None
    role: Role = Role.REVIEWER
    form_bytes: int = FORM_BYTES
    pack: str = ""


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
