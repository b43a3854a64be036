"""Page: one page of a pack, with what can be done there."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from abilities_host.frozen import FrozenDict
from abilities_host.pages.content import Confirm, Content, Done
from abilities_host.pages.form import Form
from abilities_host.pages.visit import Role, Visit

FORM_BYTES: Final = 64_000

Render = Callable[[Visit], Content | Awaitable[Content]]
Run = Callable[[Visit, Form], Done | Content | Awaitable[Done | Content]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that can be done at a page; a POST.

    Attributes:
        run: does it. It may be async; a plain one runs in a thread.
        confirm: the class for which the secret is asked; None when the session is
            enough, which it is for nothing that gives an agent more.
        role: what the account must have.
        form_bytes: what the form may have, files included; 8,000,000 at most.
    """

    run: Run
    confirm: Confirm | None = None
    role: Role = "reviewer"
    form_bytes: int = FORM_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        path: below ``/admin``: ``/packs/``, the pack's name, and what follows;
            ``/packs/notes/entry/{number:int}`` gives ``visit.parameters["number"]``.
        title: in English, at most 80 characters.
        render: gives what it shows; a GET. It may be async; a plain one runs in a
            thread.
        templates: name to source, of Jinja; see `read_templates`.
        actions: the last part of their path to what they do.
        words: language, such as ``de``, to texts by what they are in English.
        role: what the account must have.
        is_listed: whether the navigation leads to it.
    """

    path: str
    title: str
    render: Render
    templates: Mapping[str, str]
    actions: Mapping[str, Action] = field(default_factory=FrozenDict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=FrozenDict)
    role: Role = "reviewer"
    is_listed: bool = True
