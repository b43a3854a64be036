"""Fragment: what the template of a pack's page becomes, within limits."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jinja2 import DictLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from abilities_host.admin.frame import OPTIONS, moment
from abilities_host.admin.paths import below

CHARACTERS: Final = 1_000_000

Token = Callable[[str, str], str]


class TooLong(ValueError):
    """Raised when a template writes more than a page may have."""

    def __init__(self) -> None:
        super().__init__(f"the page would have more than {CHARACTERS:,} characters")


class Templates:
    """The templates of one page, which find each other and no others.

    Args:
        sources: name to source.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._environment: Final = ImmutableSandboxedEnvironment(
            loader=DictLoader(dict(sources)), autoescape=True, **OPTIONS
        )
        self._environment.globals["below"] = below
        self._environment.filters["moment"] = moment

    def write(self, name: str, values: Mapping[str, Any], seconds: float) -> Markup:
        """Write a fragment; blocks.

        Args:
            name: of the template.
            values: what it is given.
            seconds: limit; looked at between two pieces, a thread cannot be stopped.

        Returns:
            HTML.

        Raises:
            TimeoutError: after the limit.
            TooLong: when it writes too much.
            Exception: whatever else is wrong with the template, or raised in it.
        """
        template = self._environment.get_template(name)
        return Markup("").join(_bounded(template.generate(values), seconds))


def _bounded(pieces: Iterator[str], seconds: float) -> Iterator[Markup]:
    until, left = time.monotonic() + seconds, CHARACTERS
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise TooLong
        if time.monotonic() > until:
            raise TimeoutError
        yield Markup(piece)  # noqa: S704 - what was written, escaped as it was written


class FormMaker:
    """Writes the forms of a page; they lead to its own actions only.

    Args:
        place: the address of the page.
        actions: the names of its actions.
        token: gives the token of a form, by address and what was seen.
    """

    def __init__(self, place: str, actions: Mapping[str, object], token: Token) -> None:
        self._place: Final = place
        self._actions: Final = frozenset(actions)
        self._token: Final = token

    def __call__(
        self,
        action: str,
        seen: str = "",
        *,
        files: bool = False,
        caller: Callable[[], Markup],
    ) -> Markup:
        """Write a form.

        Args:
            action: name of an action of the page.
            seen: what it shows, a hash or a version.
            files: whether it has fields for files.
            caller: writes what is in the form.

        Returns:
            HTML, with the token.

        Raises:
            LookupError: when the page has no such action.
        """
        if action not in self._actions:
            msg = f"the page has no action {action!r}"
            raise LookupError(msg)
        path = f"{self._place}/{action}"
        kind = Markup(' enctype="multipart/form-data"') if files else ""
        return Markup(
            '<form method="post" action="{}"{} class="stacked">'
            '<input type="hidden" name="token" value="{}">'
            '<input type="hidden" name="seen" value="{}">{}</form>'
        ).format(path, kind, self._token(path, seen), seen, caller())
