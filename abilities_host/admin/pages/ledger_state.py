"""Ledger state: one side of a change, when that is a picture."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from abilities_host.admin.headers import SEALED
from abilities_host.admin.page import Page
from abilities_host.admin.pages.ledger import LARGEST
from abilities_host.admin.pictures import BYTES, SIDES, media_of
from abilities_host.admin.visit import Visit
from abilities_host.domain import State
from abilities_host.ledger import Ledger


async def show(visit: Visit) -> Response:
    """Give the picture itself; see `Page.render`."""
    seq, side = visit.parameters["seq"], visit.parameters["side"]
    ledger = visit.find(Ledger)
    if ledger is None or seq > LARGEST or side not in SIDES:
        raise HTTPException(404)
    state = await _state(ledger, seq, side)
    media = media_of(state)
    if not media or len(state) > BYTES:
        raise HTTPException(404)
    name = f"ledger-{seq}-{side}.{media.partition('/')[2]}"
    headers = {
        "content-disposition": f'inline; filename="{name}"',
        "content-security-policy": SEALED,
    }
    return Response(state, media_type=media, headers=headers)


async def _state(ledger: Ledger, seq: int, side: str) -> State:
    try:
        states = await ledger.states(seq)
    except LookupError:
        states = None
    if states is None:
        raise HTTPException(404)
    return states.before if side == "before" else states.after


STATE: Final = Page(
    path="/ledger/{seq:int}/state/{side}",
    title="ledger.title",
    render=show,
    is_listed=False,
)
