"""Guest: one page of a pack, as a page of the frame."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from abilities_host.accounts import Role
from abilities_host.admin.form import Form
from abilities_host.admin.guests.words import Words
from abilities_host.admin.guests.work import Tools, Work
from abilities_host.admin.page import Action, Content, Done, Page
from abilities_host.admin.visit import Visit
from abilities_host.errors import AbilitiesError
from abilities_host.hooks.implementation import ends_the_task
from abilities_host.hooks.packs import Pack
from abilities_host.pages import Action as PackAction
from abilities_host.pages import Form as PackForm
from abilities_host.pages import Page as PackPage

log = logging.getLogger(__name__)

_OWN: Final = ("token", "secret")


class Guest:
    """One page of a pack.

    Args:
        pack: whose it is.
        page: what the pack says of it.

    Attributes:
        pack: whose it is.
        page: the same for the frame.
        is_listed: whether the navigation leads to it.
    """

    def __init__(self, pack: Pack, page: PackPage) -> None:
        self.pack: Final = pack
        self.is_listed: Final = page.is_listed
        self._own: Final = page
        self._tools: Final = Tools(page)
        self.page: Final = Page(
            path=page.path,
            title="pack.page",
            render=self._show,
            actions={name: self._acted(name, a) for name, a in page.actions.items()},
            role=Role(page.role),
            is_listed=False,
        )

    def __repr__(self) -> str:
        return f"Guest({self.pack.identity!r}, {self._own.path!r})"

    def title(self, accepted: str) -> tuple[str, str]:
        """Give its title, and the language of that.

        Args:
            accepted: the browser's header ``Accept-Language``; anything.
        """
        words = Words(self._own.words, accepted)
        return words.text(self._own.title), words.language

    async def _show(self, visit: Visit) -> Content:
        seconds = visit.host.config.limits.hook_seconds
        work = self._work(visit, seconds, is_reading=True)
        try:
            return await work.show()
        except BaseException as error:
            if ends_the_task(error):
                raise
            return self._broken(work, error)

    def _acted(self, name: str, action: PackAction) -> Action:
        async def run(visit: Visit, form: Form) -> Content | Done:
            return await self._act(visit, form, name, action)

        return Action(
            run=run,
            confirm=action.confirm,
            role=Role(action.role),
            form_bytes=action.form_bytes,
            pack=self.pack.identity,
        )

    async def _act(
        self, visit: Visit, form: Form, name: str, action: PackAction
    ) -> Content | Done:
        """Recorded before it runs, whatever the pack itself records."""
        seconds = visit.host.config.limits.call_seconds
        work = self._work(visit, seconds, is_reading=False)
        note = self._note_of(visit, name, work.place)
        await note()
        try:
            return await work.act(action.run, _narrowed(form))
        except BaseException as error:
            if ends_the_task(error):
                raise
            await note(failed=type(error).__name__)
            if isinstance(error, AbilitiesError):
                raise
            return self._broken(work, error)

    def _work(self, visit: Visit, seconds: float, *, is_reading: bool) -> Work:
        pack = self.pack.identity
        return Work(self._tools, pack, visit, seconds, is_reading=is_reading)

    def _note_of(
        self, visit: Visit, name: str, place: str
    ) -> Callable[..., Awaitable[None]]:
        async def note(**more: Any) -> None:
            said = {"pack": self.pack.identity, **more}
            await visit.note("setting", name, place, **said)

        return note

    def _broken(self, work: Work, error: BaseException) -> Content:
        """The pack is named to the person; the rest is in the log."""
        is_late = isinstance(error, TimeoutError)
        pack, told = self.pack.identity, None if is_late else error
        log.error("page %s of pack %s failed", work.place, pack, exc_info=told)
        problem = "pack.slow" if is_late else "pack.broken"
        values = {"problem": problem, "about": {"pack": pack}}
        title = work.words.text(self._own.title)
        return Content("refused.html", values, title, 504 if is_late else 500)


def _narrowed(form: Form) -> PackForm:
    """The secret and the token are for the frame alone."""
    fields = {name: v for name, v in form.fields.items() if name not in _OWN}
    return PackForm(fields, form.files)
