"""Door: what every request of a page passes, whoever wrote the page."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from abilities_host.accounts import AccountError, Role, Unlocked
from abilities_host.admin.form import Form, read_form
from abilities_host.admin.formtoken import form_token, is_form_token
from abilities_host.admin.frame import together
from abilities_host.admin.guests import Guests
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.parts import SESSION, TOLD, Parts
from abilities_host.admin.paths import below, inside, marks_of
from abilities_host.admin.queue import GUIDANCE, waiting_counts
from abilities_host.admin.refused import refused
from abilities_host.admin.sessions import Session
from abilities_host.admin.told import Told, plainly, read_told, signed
from abilities_host.admin.visit import Visit
from abilities_host.errors import AbilitiesError

_SEE_OTHER: Final = 303
_OWN: Final = ("token", "seen", "secret")


class Door:
    """Serves pages and their actions to people whose session is good.

    Args:
        parts: shared by all requests.
        pages: all of them, for the navigation.
        guests: those of packs, likewise.
    """

    def __init__(self, parts: Parts, pages: tuple[Page, ...], guests: Guests) -> None:
        self._parts: Final = parts
        self._pages: Final = pages
        self._guests: Final = guests

    async def show(self, request: Request, page: Page) -> Response:
        """Answer a GET."""
        _, session = await self._parts.session(request)
        if session is None:
            return self._to_login(request, _whole(request))
        visit = await self._visit(request, session)
        if not visit.role.covers(page.role):
            return await self._refuse_role(request, page, visit, page.role)
        async with self._in_time():
            content = await page.render(visit)
            if isinstance(content, Response):
                return content
            return await self._framed(request, page, visit, content)

    async def act(self, request: Request, page: Page, action: Action) -> Response:
        """Answer a POST: session, token, role, confirmation, and then the action."""
        id_, session = await self._parts.session(request)
        if session is None:
            return self._to_login(request, _page_of(request), is_over=True)
        form = await read_form(request, action.form_bytes)
        if not is_form_token(form.get("token"), id_, request.url.path, form.seen):
            raise HTTPException(403, "token")
        visit = await self._visit(request, session)
        for role in (page.role, action.role):
            if not visit.role.covers(role):
                return await self._refuse_role(request, page, visit, role)
        if action.confirm is not None:
            asked = (action.confirm, action.pack)
            unlocked = await self._unlocked(request, page, visit, asked, form)
            if isinstance(unlocked, Response):
                return unlocked
            form = form.confirmed_by(unlocked)
        return await self._run(request, page, visit, action, form)

    async def _run(
        self, request: Request, page: Page, visit: Visit, action: Action, form: Form
    ) -> Response:
        back = _page_of(request)
        try:
            async with self._in_time():
                done = await action.run(visit, form)
        except AbilitiesError as error:
            return self._sent(request, inside(back), plainly(error.sentence))
        if isinstance(done, Content):
            return await self._framed(request, page, visit, done)
        if isinstance(done, Response):
            return done
        return self._sent(request, inside(done.to, inside(back)), _told(done))

    async def _unlocked(
        self,
        request: Request,
        page: Page,
        visit: Visit,
        asked: tuple[Confirm, str],
        form: Form,
    ) -> Unlocked | Response:
        """Give who has shown the secret, or the page that asks for it."""
        digest, (what, pack) = visit.session.digest, asked
        if found := self._parts.confirmations.find(digest, what, pack):
            return found
        problem = ""
        if secret := form.get("secret"):
            try:
                person = await self._parts.accounts.unlock(visit.name, secret)
            except AccountError as error:
                problem = refused(error, visit.texts)
            else:
                self._parts.confirmations.keep(digest, what, person, pack)
                return person
        values = {
            "what": what,
            "pack": pack,
            "about": form.get("id"),
            "kept": _kept(form),
            "seen": form.seen,
            "problem": problem,
            "path": request.url.path,
        }
        content = Content("confirm.html", values, status=403 if problem else 200)
        return await self._framed(request, page, visit, content)

    async def _visit(self, request: Request, session: Session) -> Visit:
        roles = await self._parts.accounts.roles()
        return Visit(
            host=self._parts.host,
            session=session,
            role=roles.get(session.account, Role.REVIEWER),
            texts=self._parts.texts(request),
            query=dict(request.query_params),
            parameters=request.path_params,
            streams=self._parts.streams,
            token=partial(form_token, self._parts.cookies(request).get(SESSION)),
            accepted=request.headers.get("accept-language", ""),
        )

    async def _framed(
        self, request: Request, page: Page, visit: Visit, content: Content
    ) -> Response:
        cookies = self._parts.cookies(request)
        id_ = cookies.get(SESSION)
        told = read_told(cookies.get(TOLD), id_)
        around = {
            **await self._around(visit, page),
            "told": told,
            "title": content.title or visit.texts.text(page.title),
        }
        response = self._parts.frame.page(
            content.template,
            together(around, content.values),
            visit.texts,
            status=content.status,
        )
        if told:
            cookies.drop(response, TOLD)
        return response

    async def _around(self, visit: Visit, page: Page) -> Mapping[str, Any]:
        counts = await waiting_counts(visit.host)
        listed = [p for p in self._pages if p.is_listed and visit.role.covers(p.role)]
        marks = marks_of(page.path, [each.path for each in listed])
        waiting, guidance = sum(counts.values()), counts.get(GUIDANCE, 0)
        return {
            "site": visit.host.config.title,
            "waiting": waiting,
            "badges": {
                "review.title": guidance,
                "waiting.title": waiting - guidance,
            },
            "navigation": [(below(p.path), p.title, marks[p.path]) for p in listed],
            "guests": self._guests.navigation(visit, page),
            "visit": visit,
            "token": visit.token,
        }

    async def _refuse_role(
        self, request: Request, page: Page, visit: Visit, role: Role
    ) -> Response:
        values = {"problem": "error.role", "about": {"role": role, "name": visit.name}}
        content = Content("refused.html", values, status=403)
        return await self._framed(request, page, visit, content)

    def _to_login(
        self, request: Request, wish: str, *, is_over: bool = False
    ) -> Response:
        query = {"next": inside(wish), "why": "ended" if is_over else ""}
        response = RedirectResponse(below("/login", **query), _SEE_OTHER)
        self._parts.cookies(request).drop(response, SESSION)
        return response

    def _sent(self, request: Request, to: str, told: Told) -> Response:
        response = RedirectResponse(to, _SEE_OTHER)
        cookies = self._parts.cookies(request)
        cookies.put(response, TOLD, signed(told, cookies.get(SESSION)))
        return response

    def _in_time(self) -> asyncio.Timeout:
        return asyncio.timeout(self._parts.host.config.limits.request_seconds)


def _told(done: Done) -> Told:
    return Told("done", done.text, done.values)


def _kept(form: Form) -> list[tuple[str, str]]:
    """What the form has said already; the secret is never given back."""
    return [
        (name, value)
        for name, values in form.fields.items()
        if name not in _OWN
        for value in values
    ]


def _page_of(request: Request) -> str:
    """The page whose action is asked for."""
    return request.url.path.rpartition("/")[0]


def _whole(request: Request) -> str:
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path
