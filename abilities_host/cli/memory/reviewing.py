"""Reviewing: a person goes through what waits, and decides."""

from collections import Counter
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar

from abilities_host.cli.exits import Interrupted
from abilities_host.cli.memory.editor import fill_in
from abilities_host.cli.memory.form import read_form
from abilities_host.cli.memory.keys import END
from abilities_host.cli.memory.opened import memory_of
from abilities_host.cli.memory.person import KeptPerson
from abilities_host.cli.memory.propose import version_form
from abilities_host.cli.memory.screen import Page, Screen
from abilities_host.cli.memory.telling import told
from abilities_host.cli.printing import printable, say
from abilities_host.cli.secret import NeedsPerson
from abilities_host.errors import AbilitiesError, StoreError
from abilities_host.memory import Guidance, ProjectMemory, Review, propose_version

if TYPE_CHECKING:
    from abilities_host.accounts import Unlocked
    from abilities_host.cli.memory.kept_open import KeptOpen

T = TypeVar("T")
Work = Callable[[ProjectMemory], Coroutine[Any, Any, T]]

CHOICES: Final = "a approve  r reject  x archive  e edit  s skip  q quit  space more"
PAGE: Final = 500
_DONE: Final = {
    "a": "approved",
    "r": "rejected",
    "x": "archived",
    "e": "edited",
    "s": "skipped",
}
_MORE: Final = "There is more to read before it can be approved."


class Reviewing:
    """One session of a person at the screen.

    Args:
        running: the host.
        screen: taken when it runs.
        ask: asks for the secret of whoever decides.
    """

    def __init__(
        self, running: "KeptOpen", screen: Screen, ask: Callable[[], "Unlocked"]
    ) -> None:
        self._running: Final = running
        self._screen: Final = screen
        self._ask: Final = ask
        self._person: Final = KeptPerson(self._asked)
        self._skipped: Final[set[str]] = set()
        self._read: Final[set[str]] = set()
        self._asked_for = ""
        self._notice = ""

    def run(self) -> Counter[str]:
        """Show what waits until nothing is left or the person has enough.

        Returns:
            How often what was done, by its word.

        Raises:
            StoreError: when the store cannot be used any more.
            NeedsPerson: when the terminal goes away.
            Interrupted: after Ctrl+C.
        """
        done: Counter[str] = Counter()
        while (next_ := self._with(self._next)) is not None:
            review, waiting = next_
            key = self._choice(review, waiting)
            if key == "q":
                break
            if self._decided(key, review):
                done[_DONE[key]] += 1
        return done

    async def _next(self, memory: ProjectMemory) -> tuple[Review, int] | None:
        after: int | None = 0
        while after is not None:
            page = await memory.list("pending", after=after, limit=PAGE)
            for guidance in page.entries:
                if guidance.id not in self._skipped:
                    waiting = (await memory.counts())["pending"]
                    return await memory.review(guidance.id), waiting
            after = page.next
        return None

    def _choice(self, review: Review, waiting: int) -> str:
        page = Page(told(review), is_read=review.hash in self._read)
        self._screen.forget_typed()
        while True:
            person = self._person.name and f"  {self._person.name} may decide"
            bar = f"{review.guidance.id}  {waiting} waiting{person}"
            key = self._screen.read(page, bar, CHOICES, self._notice)
            if page.is_read:
                self._read.add(review.hash)
            if key is None:
                self._person.check()
                continue
            self._person.touch()
            self._notice = ""
            if key == END:
                raise NeedsPerson("the input ended.")
            if key == "a" and not page.is_read:
                self._notice = _MORE
                page.go_on()
            elif key == "q" or key in _DONE:
                return key

    def _decided(self, key: str, review: Review) -> bool:
        """Do what the person chose; False when it was refused, which is told."""
        guidance = review.guidance
        if key == "s":
            self._skipped.add(guidance.id)
            return True
        self._asked_for = (
            f"{guidance.id} is to be {_DONE[key]}, with hash {review.hash}"
        )
        try:
            self._notice = self._do(key, review)
        except (StoreError, Interrupted):
            raise
        except AbilitiesError as error:
            self._notice = error.sentence
            return False
        return bool(self._notice)

    def _do(self, key: str, review: Review) -> str:
        guidance, human = review.guidance, self._person.get()
        if key == "e":
            return self._edit(guidance, human.name)

        async def decide(memory: ProjectMemory) -> Guidance:
            if key == "a":
                return await memory.approve(guidance.id, review.hash, human)
            settle = memory.reject if key == "r" else memory.archive
            return await settle(guidance.id, by=human.name)

        kept = self._with(decide)
        return f"{kept.id} is {kept.status}."

    def _edit(self, old: Guidance, by: str) -> str:
        def take(text: str) -> Guidance:
            proposal = read_form(text)
            return self._with(lambda memory: propose_version(memory, old, proposal, by))

        with self._screen.aside():
            kept = fill_in(version_form(old), take)
        return f"{kept.id} waits in place of {old.id}." if kept else ""

    def _asked(self) -> "Unlocked":
        with self._screen.aside():
            say(printable(self._asked_for))
            return self._ask()

    def _with(self, work: Work[T]) -> T:
        return self._running.run(lambda host: work(memory_of(host)))
