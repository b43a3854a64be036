"""Work: one request at a page of a pack, under one deadline."""

import asyncio
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from markupsafe import Markup
from starlette.exceptions import HTTPException

from abilities_host.admin.guests.fragment import FormMaker, Templates
from abilities_host.admin.guests.visit import GuestVisit
from abilities_host.admin.guests.words import Words
from abilities_host.admin.page import Content, Done
from abilities_host.admin.paths import below
from abilities_host.admin.visit import Visit
from abilities_host.deadline import until
from abilities_host.hooks.lane import Lane
from abilities_host.pages import Form, Page

_PART: Final = re.compile(r"[A-Za-z0-9._~-]{1,200}")
_PARAMETER: Final = re.compile(r"\{([a-z_]+)(?::int)?\}")
_STATUSES: Final = range(200, 600)
_TITLE: Final = 200


class Rubbish(TypeError):
    """Raised when a function of a pack gives what is no answer."""

    def __init__(self, answer: object, wanted: str) -> None:
        super().__init__(f"it gave {type(answer).__name__}, not {wanted}")


class Tools:
    """What all requests of one page share.

    Args:
        page: what the pack says of it.

    Attributes:
        page: the same.
        templates: its own.
        lane: where its plain functions and templates run.
    """

    def __init__(self, page: Page) -> None:
        self.page: Final = page
        self.templates: Final = Templates(page.templates)
        self.lane: Final = Lane()


class Work:
    """One request.

    Args:
        tools: of the page.
        pack: identity of the pack.
        visit: of the person.
        seconds: until everything is to be done.
        is_reading: whether the page is only shown.

    Attributes:
        place: the address of the page.
        words: of the page, in a language that the browser asks for.

    Raises:
        HTTPException: when there is no such place.
    """

    def __init__(
        self, tools: Tools, pack: str, visit: Visit, seconds: float, *, is_reading: bool
    ) -> None:
        self._tools: Final = tools
        self._pack: Final = pack
        self._host_visit: Final = visit
        self._seconds: Final = seconds
        self._deadline: Final = asyncio.get_running_loop().time() + seconds
        self.place: Final = _place_of(tools.page.path, visit.parameters)
        self.words: Final = Words(tools.page.words, visit.accepted)
        self._visit: Final = GuestVisit(visit, self.words, is_reading=is_reading)

    async def show(self) -> Content:
        """Give what the page shows; raises whatever is wrong with it."""
        return await until(self._deadline, self._show())

    async def act(self, run: Callable[..., Any], form: Form) -> Content | Done:
        """Give what comes of an action; raises whatever is wrong with it.

        Args:
            run: of the action.
            form: what the person sent.
        """
        return await until(self._deadline, self._act(run, form))

    async def _show(self) -> Content:
        return await self._framed(
            await self._call(self._tools.page.render, self._visit)
        )

    async def _act(self, run: Callable[..., Any], form: Form) -> Content | Done:
        answer = await self._call(run, self._visit, form)
        if not isinstance(answer, Done):
            return await self._framed(answer)
        if not _are_texts(answer.text, answer.to):
            raise Rubbish(answer, "a Done of texts")
        sentence = self.words.text(answer.text, **answer.values)
        return Done("plain", {"sentence": sentence}, answer.to)

    async def _call(self, function: Callable[..., Any], *given: Any) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*given)
        return await self._tools.lane.run(lambda: function(*given))

    async def _framed(self, answer: Any) -> Content:
        if not _is_content(answer):
            raise Rubbish(answer, "a Content that can be shown")
        title = answer.title or self.words.text(self._tools.page.title)
        values = {
            "pack": self._pack,
            "spoken": self.words.language,
            "body": await self._write(answer),
        }
        return Content("pack.html", values, title[:_TITLE], answer.status)

    async def _write(self, content: Content) -> Markup:
        actions, token = self._tools.page.actions, self._host_visit.token
        values = {
            **content.values,
            "t": self.words.text,
            "form": FormMaker(self.place, actions, token),
        }

        def write() -> Markup:
            return self._tools.templates.write(content.template, values, self._seconds)

        body: Markup = await self._tools.lane.run(write)
        return body


def _place_of(path: str, parameters: Mapping[str, Any]) -> str:
    """Only what needs no escaping: forms and redirects lead back there."""

    def said(match: re.Match[str]) -> str:
        value = str(parameters[match[1]])
        if not _PART.fullmatch(value):
            raise HTTPException(404)
        return value

    return below(_PARAMETER.sub(said, path))


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_content(answer: object) -> bool:
    if not (isinstance(answer, Content) and _are_texts(answer.template, answer.title)):
        return False
    values: object = answer.values
    is_right = isinstance(values, Mapping) and _are_texts(*values)
    return is_right and answer.status in _STATUSES
