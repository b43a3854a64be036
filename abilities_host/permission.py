"""Permission: what an ability's own callback says to one call."""

import asyncio
import logging
from types import CoroutineType
from typing import Any

from abilities_host.calls import Call, Denied
from abilities_host.deadline import finish, start
from abilities_host.errors import PermissionDenied
from abilities_host.wrapped import Wrapped

log = logging.getLogger(__name__)


async def check_permission(
    wrapped: Wrapped, arguments: Any, call: Call, seconds: float
) -> None:
    """Ask an ability's permission callback.

    Args:
        wrapped: the ability; not always the one that runs, since an undo needs the
            permission of what it undoes.
        arguments: validated.
        call: the run.
        seconds: how long the callback may take.

    Raises:
        PermissionDenied: unless it answers exactly True.
    """
    try:
        answer = wrapped.permission.ask(arguments, call)
        if isinstance(answer, CoroutineType):
            work = answer
            is_over, answer = start(work)
            if not is_over:
                deadline = asyncio.get_running_loop().time() + seconds
                answer = await finish(deadline, work, answer)
    except Exception as error:  # a permission that cannot answer has not allowed
        name = wrapped.ability.name
        log.exception("permission of %s failed, call %s", name, call.id)
        raise PermissionDenied(name, reference=call.id) from error
    if answer is not True:
        raise _denied(wrapped.ability.name, answer)


def _denied(name: str, answer: object) -> PermissionDenied:
    if isinstance(answer, Denied):
        log.info("%s denied: %s", name, answer.reason)
        return PermissionDenied(name, answer.public)
    return PermissionDenied(name)
