"""Entrance: signing in and out, and the first account."""

from collections.abc import Callable
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from abilities_host.accounts import AccountError, Human
from abilities_host.accounts.account import account_name
from abilities_host.accounts.hashing import check_secret
from abilities_host.admin.form import Form, read_form
from abilities_host.admin.formtoken import form_token, is_form_token
from abilities_host.admin.page import FORM_BYTES
from abilities_host.admin.parts import SESSION, TOLD, VISITOR, Parts, address_of
from abilities_host.admin.paths import ROOT, below, inside
from abilities_host.admin.refused import refused
from abilities_host.admin.sessions import digest_of, new_id
from abilities_host.admin.told import Told, signed
from abilities_host.server.rates import Rates

TRIES_PER_MINUTE: Final = 10
_SEE_OTHER: Final = 303
_WHY: Final = ("ended", "out")


class Entrance:
    """What there is for whoever is not signed in, and the way out.

    Args:
        parts: shared by all requests.
        clock: seconds, growing.
    """

    def __init__(self, parts: Parts, clock: Callable[[], float]) -> None:
        self._parts: Final = parts
        self._rates: Final = Rates(lambda: TRIES_PER_MINUTE, clock=clock)

    async def ask(self, request: Request) -> Response:
        """Show the form to sign in."""
        wish = inside(request.query_params.get("next", ""))
        _, session = await self._parts.session(request)
        if session is not None:
            return RedirectResponse(wish, _SEE_OTHER)
        why = request.query_params.get("why", "")
        return await self._asking(request, wish, notice=why if why in _WHY else "")

    async def sign_in(self, request: Request) -> Response:
        """Open a session for who shows the secret of an account."""
        form = await self._read(request)
        wish = inside(form.get("next"))
        if self._rates.take(address_of(request)):
            texts = self._parts.texts(request)
            said = texts.text("login.too_many")
            return await self._asking(request, wish, problem=said, status=429)
        try:
            human = await self._parts.accounts.verify(
                form.get("name"), form.get("secret")
            )
        except AccountError as error:
            said = refused(error, self._parts.texts(request))
            return await self._asking(request, wish, problem=said, status=403)
        told = None
        if human.failures:
            form_ = "one" if human.failures == 1 else "many"
            values: dict[str, str | int] = {"count": human.failures, "name": human.name}
            told = Told("problem", f"login.failures.{form_}", values)
        return await self._opened(request, human, wish, told)

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        id_, session = await self._parts.session(request)
        form = await read_form(request, FORM_BYTES)
        if session is not None:
            if not is_form_token(form.get("token"), id_, request.url.path):
                raise HTTPException(403, "token")
            await self._end(id_)
            await self._parts.note(session.account, "logout")
        response = RedirectResponse(below("/login", why="out"), _SEE_OTHER)
        for what in (SESSION, TOLD):
            self._parts.cookies(request).drop(response, what)
        return response

    async def ask_first(self, request: Request) -> Response:
        """Show the form for the first account."""
        key = request.query_params.get("key", "")
        return await self._asking_first(request, key)

    async def make_first(self, request: Request) -> Response:
        """Make the first account, for who has a key that works."""
        form = await self._read(request)
        key, name, secret = form.get("key"), form.get("name"), form.get("secret")
        if secret != form.get("again"):
            said = self._parts.texts(request).text("first.differ")
            return await self._asking_first(request, key, name, said)
        try:
            name = account_name(name)
            check_secret(secret)
        except AccountError as error:
            return await self._asking_first(request, key, name, error.sentence)
        if not await self._parts.links.use(key):
            return self._parts.outside(request, "first_gone.html", status=403)
        origin = f"browser at {address_of(request)}"
        name = await self._parts.accounts.add(name, secret, by=None, origin=origin)
        told = Told("done", "first.done", {})
        return await self._opened(request, Human(name, 0), ROOT, told)

    async def _opened(
        self, request: Request, human: Human, to: str, told: Told | None
    ) -> Response:
        """Open a session: never one whose id the browser had before."""
        cookies = self._parts.cookies(request)
        if before := cookies.get(SESSION):
            await self._end(before)
        browser = request.headers.get("user-agent", "")
        address = address_of(request)
        id_ = await self._parts.sessions.open(
            human.name, address=address, browser=browser
        )
        await self._parts.note(human.name, "login", address=address)
        response = RedirectResponse(to, _SEE_OTHER)
        cookies.put(response, SESSION, id_)
        cookies.drop(response, VISITOR)
        if told:
            cookies.put(response, TOLD, signed(told, id_))
        return response

    async def _end(self, id_: str) -> None:
        digest = digest_of(id_)
        self._parts.confirmations.end(digest)
        await self._parts.sessions.end(digest)

    async def _read(self, request: Request) -> Form:
        """Read a form that was made for this visitor."""
        form = await read_form(request, FORM_BYTES)
        visitor = self._parts.cookies(request).get(VISITOR)
        shown, path = form.get("token"), request.url.path
        if not visitor or not is_form_token(shown, visitor, path):
            raise HTTPException(403, "token")
        return form

    async def _asking(
        self,
        request: Request,
        wish: str,
        *,
        problem: str = "",
        notice: str = "",
        status: int = 200,
    ) -> Response:
        accounts = await self._parts.accounts.list()
        return self._with_token(
            request,
            "login.html" if accounts else "nobody.html",
            below("/login"),
            status=status,
            next=wish,
            problem=problem,
            notice=notice,
        )

    async def _asking_first(
        self, request: Request, key: str, name: str = "", problem: str = ""
    ) -> Response:
        is_good = bool(key) and await self._parts.links.is_good(key)
        if not is_good or await self._parts.accounts.list():
            return self._parts.outside(request, "first_gone.html", status=403)
        return self._with_token(
            request,
            "first.html",
            below("/first"),
            status=400 if problem else 200,
            key=key,
            name=name,
            problem=problem,
        )

    def _with_token(
        self, request: Request, template: str, path: str, *, status: int, **values: str
    ) -> Response:
        """Show a form to somebody without a session, who gets an id for it."""
        cookies = self._parts.cookies(request)
        visitor = cookies.get(VISITOR) or new_id()
        values = {**values, "path": path, "token": form_token(visitor, path)}
        response = self._parts.outside(request, template, status=status, **values)
        cookies.put(response, VISITOR, visitor)
        return response
