"""Every hook a pack may implement.

None abstains, anything else is an answer. An implementation may be plain or async and
may take fewer of the arguments. ``wrapper=True`` is refused: a wrapper could swallow a
veto.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from abilities_host.calls import (
    Ask,
    Call,
    Evaluation,
    Outcome,
    ProposedWrite,
    RecordedWrite,
    Veto,
)
from abilities_host.declaration import Declaration, DefaultStep
from abilities_host.hooks import hookspec
from abilities_host.module import Module
from abilities_host.pages import Page
from abilities_host.schema.profiles import Profile
from abilities_host.site import Site
from abilities_host.view import RegistryView


@hookspec
def declare_pack() -> Declaration | None:
    """Say which namespaces the pack claims and which packages it needs.

    Called first, once. Without it the pack claims its own name.
    """


@hookspec
def modules() -> Sequence[Module] | None:
    """Name the optional parts of the pack, which the operator switches on and off.

    Called once, before anything is registered; they are started when all packs are
    open. What a module has is off while it is not active.
    """


@hookspec
def register_categories(registry: RegistryView) -> None:
    """Register categories; called for every pack before any ability is."""


@hookspec
def register_abilities(registry: RegistryView) -> None:
    """Register domains and abilities; a refused one does not stop the others."""


@hookspec
def filter_ability_args(
    name: str, arguments: dict[str, Any]
) -> Mapping[str, Any] | None:
    """Change label, description, schemas or meta of the pack's own abilities.

    Called for each of them, before its arguments are checked.
    """


@hookspec
def default_steps() -> Sequence[DefaultStep] | None:
    """Name abilities that start switched off, in numbered steps applied once."""


@hookspec
def client_profiles() -> Sequence[Profile] | None:
    """Describe further client families, for those who serve them.

    Called last, when nothing more can set a pack aside. A profile whose name is taken,
    or that cannot be one, is refused alone.
    """


@hookspec
def admin_pages() -> Sequence[Page] | None:
    """Add pages to those for people, below ``/admin/packs/`` and the pack's name.

    Called when the host is about to serve. A page that cannot be one is refused alone.
    """


@hookspec
def open_pack(site: Site) -> AbstractAsyncContextManager[None] | None:
    """Give what the pack keeps open while the host runs, such as its tables.

    Entered once its abilities are registered, left in the reverse order when the host
    stops. What fails to open sets the pack aside.
    """


@hookspec
def evaluate_write(write: RecordedWrite) -> Evaluation | None:
    """Judge what really came of a recorded write, now or long after."""


@hookspec
def before_write(write: ProposedWrite) -> Veto | Ask | None:
    """Decide on a write before it happens.

    Everything can be read, nothing changed. A veto stops the write whatever others
    say; an exception, a wrong type or no answer in time is a veto.
    """


@hookspec
def after_execute(call: Call, outcome: Outcome) -> None:
    """Observe how a run ended; it cannot change anything any more."""


@hookspec
def on_proposal(ids: tuple[str, ...], waiting: int) -> None:
    """Hear that something new waits for a human.

    Ids and a count, no content: who wants to see it asks for a review.
    """


@hookspec
def rerank(query: str, names: tuple[str, ...]) -> Sequence[str] | None:
    """Reorder or drop found abilities; names that were not found are ignored."""
