"""Headers: what every answer of the pages tells a browser."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SEALED: Final = "default-src 'none'; sandbox"
"""For what others made, such as a picture: stricter, so an answer may have it."""

_POLICY: Final = "content-security-policy"
_FEATURES: Final = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope"),
    *("microphone", "midi", "payment", "publickey-credentials-get", "usb"),
)
HEADERS: Final = (
    (_POLICY, POLICY),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
    # With "no-referrer" browsers do not say either where a form comes from.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", ", ".join(f"{each}=()" for each in _FEATURES)),
    ("x-robots-tag", "noindex"),
)


class Headers:
    """Puts them on every answer, whoever wrote it.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_sealed = headers.getlist(_POLICY) == [SEALED]
                headers.update(dict(HEADERS))
                if is_sealed:
                    headers[_POLICY] = SEALED
            await send(message)

        await self._app(scope, receive, send_marked)
