"""Callback: a pack's function, inspected once and called the same way ever after."""

import inspect
from collections.abc import Awaitable, Callable
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple

from abilities_host.threads import run_in_thread


class Callback:
    """A function, method, closure or callable object of a pack.

    It may take ``()``, ``(arguments)`` or ``(arguments, call)``; a parameter named
    ``call`` gets the call wherever it stands. A plain ``def`` runs in a thread of its
    own, since it may block.

    Args:
        function: what the pack handed over.
    """

    __slots__ = ("_send", "function", "is_async")

    def __init__(self, function: Callable[..., Any]) -> None:
        way = _way_of(function)
        self.function: Final = function
        self.is_async: Final = way.is_async
        self._send: Final = way.send

    def __repr__(self) -> str:
        return f"Callback({_name(self.function)})"

    def begin(self, arguments: Any, call: Any) -> Awaitable[Any]:
        """Start the function and give what is to be awaited.

        Args:
            arguments: the validated arguments.
            call: the running call.

        Returns:
            A coroutine for an async function, else the future of a thread that cannot
            be stopped; cancelling the future leaves the thread running.
        """
        send, function = self._send, self.function
        if self.is_async:
            return send(function, arguments, call)  # type: ignore[no-any-return]  # what an async function returns
        return run_in_thread(lambda: send(function, arguments, call))

    def ask(self, arguments: Any, call: Any) -> Any:
        """Call the function here and now, for answers that need no waiting.

        Args:
            arguments: the validated arguments.
            call: the running call.

        Returns:
            What the function returned; a coroutine if it is async. A plain function
            must not block: a thread for each permission would cost more than the call.
        """
        return self._send(self.function, arguments, call)

    async def __call__(self, arguments: Any, call: Any) -> Any:
        """Run the function to its end.

        Args:
            arguments: the validated arguments.
            call: the running call.

        Returns:
            What the function returned; an awaitable that a plain function returned is
            awaited too.
        """
        answer = await self.begin(arguments, call)
        return await answer if inspect.isawaitable(answer) else answer


def takes_arguments(function: Callable[..., Any]) -> bool:
    """Answer whether a callable can be called in one of the ways a callback is.

    Args:
        function: what the pack handed over.

    Returns:
        False when it needs more, or something by another name.
    """
    return _way_of(function).fits


class _Way(NamedTuple):
    """How a function is called.

    Attributes:
        send: calls it with what it asks for of arguments and call.
        fits: whether it can be called so.
        is_async: whether what it gives is to be awaited.
    """

    send: Callable[..., Any]
    fits: bool
    is_async: bool


def _way_of(function: Callable[..., Any]) -> _Way:
    if type(function) is FunctionType and not vars(function):
        # Packs make many closures of one function; to inspect each of them anew would
        # take a fifth of the time of a registration.
        defaults = len(function.__defaults__ or ())
        named = frozenset(function.__kwdefaults__ or ())
        return _way_of_code(function.__code__, defaults, named)
    return _inspect(function)


@lru_cache(maxsize=4096)
def _way_of_code(code: CodeType, defaults: int, named: frozenset[str]) -> _Way:
    """Inspect what all functions of the same code have in common."""
    cells = tuple(CellType() for _ in code.co_freevars)
    function = FunctionType(code, {}, None, (None,) * defaults, cells)
    function.__kwdefaults__ = dict.fromkeys(named)
    return _inspect(function)


def _inspect(function: Callable[..., Any]) -> _Way:
    signature = _signature(function)
    send = _sender(signature)
    return _Way(send, _fits(signature, send), _is_async(function))


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without one
        return None


def _fits(signature: inspect.Signature | None, send: Callable[..., Any]) -> bool:
    try:
        return signature is None or send(signature.bind, None, None) is not None
    except TypeError:
        return False


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(type(function), "__call__", None)  # noqa: B004 - the function itself
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _sender(signature: inspect.Signature | None) -> Callable[..., Any]:
    """Choose how arguments reach the function, so that no call has to look again."""
    if signature is None:
        return _send_arguments
    parameters = list(signature.parameters.values())
    named = [p for p in parameters if p.name == "call" and _is_keyword(p)]
    plain = [p for p in parameters if _is_positional(p) and p not in named]
    if named:
        return _sender_by_name(parameters, named[0], plain)
    if len(plain) > 1 and plain[1].default is inspect.Parameter.empty:
        return _send_both
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) and not plain:
        return _send_arguments
    return _send_arguments if plain else _send_nothing


def _sender_by_name(
    parameters: list[inspect.Parameter],
    call: inspect.Parameter,
    plain: list[inspect.Parameter],
) -> Callable[..., Any]:
    if not plain:
        return _send_call_by_name
    if parameters.index(call) < parameters.index(plain[0]):
        return _send_call_first
    return _send_both_by_name


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in {
        parameter.POSITIONAL_ONLY,
        parameter.POSITIONAL_OR_KEYWORD,
    }


def _is_keyword(parameter: inspect.Parameter) -> bool:
    return parameter.kind in {
        parameter.POSITIONAL_OR_KEYWORD,
        parameter.KEYWORD_ONLY,
    }


def _send_nothing(function: Callable[..., Any], _: Any, __: Any) -> Any:
    return function()


def _send_arguments(function: Callable[..., Any], arguments: Any, _: Any) -> Any:
    return function(arguments)


def _send_both(function: Callable[..., Any], arguments: Any, call: Any) -> Any:
    return function(arguments, call)


def _send_call_first(function: Callable[..., Any], arguments: Any, call: Any) -> Any:
    return function(call, arguments)


def _send_both_by_name(function: Callable[..., Any], arguments: Any, call: Any) -> Any:
    return function(arguments, call=call)


def _send_call_by_name(function: Callable[..., Any], _: Any, call: Any) -> Any:
    return function(call=call)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)
