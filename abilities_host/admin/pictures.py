"""Pictures: states that are images, known by how they begin, never by a name."""

from dataclasses import dataclass
from typing import Final, Literal

from abilities_host.domain import State

BYTES: Final = 5_000_000
SIDES: Final = ("before", "after")

Side = Literal["before", "after"]

_RIFF, _WEBP = b"RIFF", b"WEBP"
_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """One state that is an image.

    Attributes:
        side: of the change.
        media: its type, such as ``image/png``.
        size: bytes.
    """

    side: str
    media: str
    size: int

    @property
    def kind(self) -> str:
        """How people call its type."""
        return self.media.partition("/")[2].upper()

    @property
    def is_shown(self) -> bool:
        """Whether it is small enough for a page."""
        return self.size <= BYTES


def media_of(state: State) -> str:
    """Say of which type an image is.

    Args:
        state: anything; only bytes can be an image, so no drawing in XML is one.

    Returns:
        PNG, JPEG, GIF or WebP as browsers call it; empty for everything else.
    """
    if not isinstance(state, bytes):
        return ""
    for beginning, media in _BEGINNINGS:
        if state.startswith(beginning):
            return media
    is_webp = state[:4] == _RIFF and state[8:12] == _WEBP
    return "image/webp" if is_webp else ""


def pictures_of(before: State, after: State) -> tuple[Picture, ...]:
    """Give the sides of a change that are images.

    Args:
        before: as a person reads it.
        after: likewise.
    """
    sides = zip(SIDES, (before, after), strict=True)
    found = ((side, media_of(state), state) for side, state in sides)
    return tuple(
        Picture(side, media, len(state)) for side, media, state in found if media
    )
