"""Form: what a person sent, within limits, and who has shown the secret."""

__all__ = ("Form", "SeenOther", "read_form")

import asyncio
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive

from abilities_host.accounts import Unlocked
from abilities_host.pages import Form as FormOfPack
from abilities_host.pages import SeenOther

SECONDS: Final = 30.0
FIELDS: Final = 1000
FILES: Final = 4
_KINDS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class Form(FormOfPack):
    """The fields of one form, and who sent it.

    Args:
        fields: name to values.
        files: name to content.
        unlocked: who has shown the secret for this class of actions.
    """

    def __init__(
        self,
        fields: Mapping[str, tuple[str, ...]],
        files: Mapping[str, bytes],
        unlocked: Unlocked | None = None,
    ) -> None:
        super().__init__(fields, files)
        self._unlocked: Final = unlocked

    @property
    def unlocked(self) -> Unlocked:
        """The person, who can sign; only for an action with `confirm`."""
        if self._unlocked is None:
            msg = "an action without 'confirm' has nobody who can sign"
            raise RuntimeError(msg)
        return self._unlocked

    def confirmed_by(self, unlocked: Unlocked) -> "Form":
        """Give the same form with who has shown the secret."""
        return Form(self.fields, self.files, unlocked)


async def read_form(request: Request, limit: int) -> Form:
    """Read a form to its end.

    Args:
        request: with it as its body.
        limit: bytes that it may have.

    Returns:
        Its fields and files.

    Raises:
        HTTPException: when it is too large, too slow, or no form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _KINDS:
        raise HTTPException(415)
    bounded = Request(request.scope, _bounded(request.receive, limit))
    try:
        async with asyncio.timeout(SECONDS):
            return await _read(bounded, limit)
    except TimeoutError:
        raise HTTPException(408) from None


async def _read(request: Request, limit: int) -> Form:
    fields: dict[str, tuple[str, ...]] = {}
    files: dict[str, bytes] = {}
    async with request.form(
        max_files=FILES, max_fields=FIELDS, max_part_size=limit
    ) as read:
        for name, value in read.multi_items():
            if isinstance(value, UploadFile):
                files[name] = await value.read()
            else:
                fields[name] = (*fields.get(name, ()), value)
    return Form(fields, files)


def _bounded(receive: Receive, limit: int) -> Receive:
    left = limit

    async def receive_some() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413)
        return message

    return receive_some
