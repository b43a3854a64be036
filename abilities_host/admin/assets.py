"""Assets: style sheet, script and icon, under names that change with them."""

from hashlib import sha256
from importlib.resources import files
from typing import Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from abilities_host.admin.paths import ROOT

_TYPES: Final = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
_HASH: Final = 32


class Asset(NamedTuple):
    """One file.

    Attributes:
        name: with a part of its hash.
        content: all of it.
        media_type: what it is.
    """

    name: str
    content: bytes
    media_type: str

    @property
    def url(self) -> str:
        """Where a page finds it."""
        return f"{ROOT}/static/{self.name}"


class Assets:
    """All files; reads them when it is made.

    Attributes:
        style: the style sheet.
        script: the script.
        icon: what a browser shows in a tab.
    """

    def __init__(self) -> None:
        self.style: Final = _read("style", "css")
        self.script: Final = _read("script", "js")
        self.icon: Final = _read("icon", "svg")
        every = (self.style, self.script, self.icon)
        self._by_name: Final = {each.name: each for each in every}

    async def answer(self, request: Request) -> Response:
        """Give one file, by its whole name."""
        found = self._by_name.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return Response(found.content, media_type=found.media_type)


def _read(stem: str, suffix: str) -> Asset:
    place = files("abilities_host.admin").joinpath("static", f"{stem}.{suffix}")
    content = place.read_bytes()
    name = f"{stem}.{sha256(content).hexdigest()[:_HASH]}.{suffix}"
    return Asset(name, content, _TYPES[suffix])
