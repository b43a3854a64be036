import asyncio
import inspect
import threading
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import pytest

from abilities_host.callback import Callback, takes_arguments


def nothing() -> str:
    return "nothing"


def arguments_only(arguments: Any) -> Any:
    return ("arguments", arguments)


def by_any_name(given: Any) -> Any:
    return ("arguments", given)


def both(arguments: Any, call: Any) -> Any:
    return ("both", arguments, call)


def both_by_position(a: Any, b: Any, /) -> Any:
    return ("both", a, b)


def call_position_only(arguments: Any, call: Any, /) -> Any:
    return ("both", arguments, call)


def call_first(call: Any, arguments: Any) -> Any:
    return ("both", arguments, call)


def call_by_keyword(arguments: Any, *, call: Any) -> Any:
    return ("both", arguments, call)


def call_only(*, call: Any) -> Any:
    return ("call", call)


def call_alone(call: Any) -> Any:
    return ("call", call)


def optional_second(arguments: Any, extra: str = "x") -> Any:
    return ("arguments", arguments, extra)


def star(*arguments: Any) -> Any:
    return ("star", arguments)


def keywords(**more: Any) -> Any:
    return ("keywords", more)


class Invokable:
    def __call__(self, arguments: Any, call: Any) -> Any:
        return ("both", arguments, call)

    def method(self, arguments: Any) -> Any:
        return ("arguments", arguments)


WAYS: list[tuple[Callable[..., Any], Any]] = [
    (nothing, "nothing"),
    (arguments_only, ("arguments", 1)),
    (by_any_name, ("arguments", 1)),
    (both, ("both", 1, 2)),
    (both_by_position, ("both", 1, 2)),
    (call_position_only, ("both", 1, 2)),
    (call_first, ("both", 1, 2)),
    (call_by_keyword, ("both", 1, 2)),
    (call_only, ("call", 2)),
    (call_alone, ("call", 2)),
    (optional_second, ("arguments", 1, "x")),
    (star, ("star", (1,))),
    (keywords, ("keywords", {})),
    (Invokable(), ("both", 1, 2)),
    (Invokable().method, ("arguments", 1)),
    (partial(both, call=3), ("both", 1, 2)),
    (partial(both, 9), ("both", 9, 2)),
    (str, "1"),
]


@pytest.mark.parametrize(("function", "answer"), WAYS)
async def test_a_callback_is_given_what_its_signature_asks_for(
    function: Callable[..., Any], answer: Any
) -> None:
    assert await Callback(function)(1, 2) == answer
    assert takes_arguments(function)


def with_optional(count: int) -> Callable[..., Any]:
    """Make functions that have their code in common, and not what may be left out."""

    def one(arguments: Any, second: Any, *, call: Any = None) -> Any:
        return (count, arguments, second, call)

    one.__defaults__ = (None,) * count
    return one


@pytest.mark.parametrize(("count", "fits"), [(0, False), (1, True), (2, True)])
def test_functions_of_one_code_are_told_apart_by_what_may_be_left_out(
    count: int, *, fits: bool
) -> None:
    assert takes_arguments(with_optional(count)) is fits


def test_closures_of_one_function_are_each_called_with_what_they_enclose() -> None:
    def close(number: int) -> Callable[..., Any]:
        return lambda arguments: (number, arguments)

    callbacks = [Callback(close(number)) for number in range(3)]
    assert [each.ask("a", None) for each in callbacks] == [(0, "a"), (1, "a"), (2, "a")]


def test_what_a_function_says_of_its_own_signature_goes_before_its_code() -> None:
    def asks(*given: Any, **named: Any) -> Any:
        return (given, named)

    before = Callback(asks).ask(1, 2)
    asks.__signature__ = inspect.signature(call_by_keyword)  # type: ignore[attr-defined]  # inspect reads it
    assert before == ((1,), {})
    assert Callback(asks).ask(1, 2) == ((1,), {"call": 2})


def three(_a: Any, _b: Any, _c: Any) -> None:
    return None


def named_otherwise(*, who: Any) -> None:
    return None


@pytest.mark.parametrize(
    "function", [three, named_otherwise, partial(three, _c=1, _b=2)]
)
def test_what_can_not_be_called_so_is_seen_before_it_is_called(
    function: Callable[..., Any],
) -> None:
    assert takes_arguments(function) is (function not in (three, named_otherwise))


async def async_function(arguments: Any) -> Any:
    await asyncio.sleep(0)
    return ("arguments", arguments)


class AsyncInvokable:
    async def __call__(self, arguments: Any) -> Any:
        return ("arguments", arguments)


@wraps(arguments_only)
async def async_around_plain(arguments: Any) -> Any:
    return ("arguments", arguments)


@pytest.mark.parametrize(
    "function",
    [
        async_function,
        AsyncInvokable(),
        AsyncInvokable().__call__,
        partial(async_function),
        async_around_plain,
    ],
)
async def test_an_async_callback_runs_on_the_loop(function: Any) -> None:
    callback = Callback(function)
    assert callback.is_async
    assert await callback(1, 2) == ("arguments", 1)


def plain_around_async(arguments: Any) -> Any:
    return async_function(arguments)


async def test_an_awaitable_from_a_plain_function_is_awaited_too() -> None:
    callback = Callback(wraps(async_function)(plain_around_async))
    assert not callback.is_async
    assert await callback(1, 2) == ("arguments", 1)


def where() -> int:
    return threading.get_ident()


async def test_a_plain_callback_runs_in_a_thread_of_its_own() -> None:
    assert await Callback(where)(1, 2) != where()


def test_a_question_is_answered_here_and_now() -> None:
    assert Callback(both).ask(1, 2) == ("both", 1, 2)


@pytest.mark.parametrize(
    ("function", "shown"),
    [(nothing, "nothing"), (Invokable(), "Invokable"), (partial(both), "partial")],
)
def test_a_callback_shows_what_it_calls(function: Any, shown: str) -> None:
    assert repr(Callback(function)) == f"Callback({shown})"
