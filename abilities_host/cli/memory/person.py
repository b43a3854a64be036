"""Person: whoever decides, asked for the secret once for what belongs together."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from abilities_host.accounts import Role, Unlocked
from abilities_host.cli.proof import chosen_name, unlock, with_accounts
from abilities_host.cli.secret import Terminal

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

KEPT_SECONDS: Final = 300.0


def check_can_decide(
    loaded: "LoadedConfig", as_: str | None, role: Role = Role.REVIEWER
) -> None:
    """Find out that there is somebody to ask before anything is shown.

    Args:
        loaded: the configuration.
        as_: what ``--as`` said.
        role: what is needed.

    Raises:
        AbilitiesError: when no account may do it, or the named one may not.
        typer.BadParameter: when several may and none was named.
    """
    chosen_name(with_accounts(loaded, lambda all_: all_.list()), as_, role)


def ask_person(
    loaded: "LoadedConfig", as_: str | None, role: Role = Role.REVIEWER
) -> Unlocked:
    """Ask for the secret of a person who decides.

    Args:
        loaded: the configuration.
        as_: what ``--as`` said.
        role: what is needed.

    Returns:
        The person, who can sign.

    Raises:
        AbilitiesError: when it is nobody who may, or nobody can be asked.
        typer.BadParameter: when several may and none was named.
    """
    accounts = with_accounts(loaded, lambda all_: all_.list())
    return unlock(loaded, Terminal(), accounts, as_, role=role)


def seconds_now() -> float:
    """Give a clock that goes on while the machine sleeps, where there is one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class KeptPerson:
    """A person who is not asked again before some minutes without a key.

    Args:
        ask: asks for the secret.
        clock: seconds since any moment.
    """

    def __init__(
        self, ask: Callable[[], Unlocked], clock: Callable[[], float] = seconds_now
    ) -> None:
        self._ask: Final = ask
        self._clock: Final = clock
        self._person: Unlocked | None = None
        self._until = 0.0

    @property
    def name(self) -> str:
        """Of the account; empty while nobody has shown a secret."""
        return self._person.name if self._person else ""

    def get(self) -> Unlocked:
        """Give the person, asked for the secret if that is needed.

        Returns:
            The person, who can sign.

        Raises:
            AbilitiesError: when it is nobody who may.
        """
        self.check()
        person = self._person or self._ask()
        self._person, self._until = person, self._clock() + KEPT_SECONDS
        return person

    def touch(self) -> None:
        """Note that somebody is there."""
        self.check()
        self._until = self._clock() + KEPT_SECONDS

    def check(self) -> None:
        """Forget the person when nobody was there for too long."""
        if self._clock() >= self._until:
            self._person = None
