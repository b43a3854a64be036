"""Frame: what is around every page, and how templates become one."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from jinja2 import DictLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from abilities_host.admin.assets import Assets
from abilities_host.admin.paths import below
from abilities_host.admin.texts import Texts
from abilities_host.frozen import FrozenDict

_MICROSECONDS: Final = 1_000_000
_KEPT: Final = "\n\t"


def _finished(value: Any) -> Any:
    """Everything that a template puts out passes here; what is markup already stays."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


OPTIONS: Final[Mapping[str, Any]] = FrozenDict(
    auto_reload=False,
    undefined=StrictUndefined,
    finalize=_finished,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""Of every environment of templates, those of packs too."""


class Frame:
    """All templates; reads them when it is made, and never again.

    A template is compiled when it is first used: all at once would take most of a
    second of the first person's time.
    """

    def __init__(self) -> None:
        self.assets: Final = Assets()
        self._environment: Final = Environment(
            loader=DictLoader(_sources()), autoescape=True, **OPTIONS
        )
        self._environment.globals["below"] = below
        self._environment.filters["moment"] = moment

    def page(
        self,
        template: str,
        values: Mapping[str, Any],
        texts: Texts,
        *,
        status: int = 200,
    ) -> HTMLResponse:
        """Write a page.

        Args:
            template: name of its template.
            values: what that needs.
            texts: the words.
            status: of HTTP.

        Returns:
            The answer, in UTF-8.
        """
        around = {
            "t": texts.text,
            "many": texts.many,
            "language": texts.language,
            "style": self.assets.style.url,
            "script": self.assets.script.url,
            "icon": self.assets.icon.url,
        }
        html = self._environment.get_template(template).render({**around, **values})
        return HTMLResponse(html, status_code=status)


def _sources() -> dict[str, str]:
    files, reader = PackageLoader("abilities_host.admin"), Environment(autoescape=True)
    names = files.list_templates()
    return {name: files.get_source(reader, name)[0] for name in names}


def together(around: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Put the values of a page into those of the frame.

    Args:
        around: of the frame.
        own: of the page.

    Returns:
        Both.

    Raises:
        ValueError: when a page has a name of the frame's.
    """
    if taken := sorted(around.keys() & own.keys()):
        msg = f"the frame has values of these names itself: {', '.join(taken)}"
        raise ValueError(msg)
    return {**around, **own}


def moment(at: int | None) -> Markup:
    """Write a time for people and for machines.

    Args:
        at: microseconds since 1970; None for never.

    Returns:
        A ``time`` element in UTC, to the minute.
    """
    if at is None:
        return Markup("-")
    when = datetime.fromtimestamp(at / _MICROSECONDS, UTC)
    exact, shown = f"{when:%Y-%m-%dT%H:%M:%SZ}", f"{when:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(exact, shown)


def visible(text: str) -> str:
    r"""Show what does not print, so that no text looks like another.

    Args:
        text: of anybody.

    Returns:
        The same with each character that does not print, such as one that turns the
        direction of writing round, as ``\u202e``.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT else f"\\u{ord(c):04x}" for c in text
    )
