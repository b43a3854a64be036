"""Unit: one module of a running host, and what it is now."""

from collections.abc import Iterable
from typing import Final, Literal

from abilities_host.ability import Ability
from abilities_host.hooks.packs import Pack
from abilities_host.module import Module
from abilities_host.modules.arranging import ON, Judgement
from abilities_host.modules.choices import ModuleChoice
from abilities_host.modules.standing import Belonging, Standing, State, told

Phase = Literal["closed", "opening", "open", "closing"]


class Unit:
    """One module of a running host.

    Args:
        pack: whose module it is.
        module: as declared.

    Attributes:
        pack: whose module it is.
        module: as declared.
        name: ``distribution/entry-point/slug``.
        short: ``entry-point/slug``.
        belonging: which abilities it has.
        phase: of its start-up and tear-down.
        judgement: whether it may be active.
        unavailable: why it could not be started, until somebody chooses again.
    """

    def __init__(self, pack: Pack, module: Module) -> None:
        self.pack: Final = pack
        self.module: Final = module
        self.name: Final = f"{pack.identity}/{module.slug}"
        self.short: Final = f"{pack.name}/{module.slug}"
        self.belonging: Final = Belonging(pack.identity, module)
        self.phase: Phase = "closed"
        self.judgement = Judgement("off")
        self.unavailable = ""
        self._choice: ModuleChoice | None = None

    def __repr__(self) -> str:
        return f"Unit({self.name!r}, {self.state})"

    @property
    def is_on(self) -> bool:
        """What was chosen, or else the default."""
        return self._choice.is_on if self._choice else self.module.default_active

    @property
    def is_wanted(self) -> bool:
        """Whether it shall be active."""
        return self.judgement.verdict == ON

    @property
    def is_active(self) -> bool:
        """Whether what belongs to it can be called."""
        return self.is_wanted and self.phase == "open"

    @property
    def is_settled(self) -> bool:
        """Whether nothing has to happen to it now."""
        return self.is_active or (self.phase == "closed" and not self.is_wanted)

    @property
    def state(self) -> State:
        """What it is in a word."""
        if self.is_wanted:
            return "active" if self.phase == "open" else "starting"
        if self.judgement.verdict == "off" and self.phase != "closed":
            return "stopping"
        return self.judgement.verdict if self.judgement.verdict != ON else "starting"

    @property
    def off_because(self) -> str:
        """Why what belongs to it is off, empty while it is active."""
        if self.is_active:
            return ""
        return told(self.short, self.state, self.judgement.why)

    def take(self, choice: ModuleChoice | None) -> None:
        """Take over what was chosen; a choice made anew is another try."""
        if choice != self._choice:
            self._choice = choice
            self.unavailable = ""

    def standing(self, abilities: Iterable[Ability]) -> Standing:
        """Say what it is now.

        Args:
            abilities: everything registered.

        Returns:
            The standing at this moment.
        """
        own = tuple(each.name for each in abilities if self.belonging.has(each))
        return Standing(
            name=self.name,
            short=self.short,
            pack=self.pack.identity,
            module=self.module,
            state=self.state,
            why=self.judgement.why,
            is_on=self.is_on,
            by=self._choice.by if self._choice else "",
            abilities=own,
        )
