"""Guidance for a text that agents read: all of it, or nothing and a line in the log."""

import asyncio
import gc
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.told import Tell, Told

from abilities_host.memory import ProjectMemory, tell_guidance
from abilities_host.services import Services


def services_of(told: Told) -> Services:
    services = Services()
    services.offer(ProjectMemory, told, pack="memory")
    return services


async def test_what_is_told_is_what_the_memory_says_within_the_tokens() -> None:
    told = Told("- [gm-001] Never on Fridays.")

    assert await tell_guidance(services_of(told).find, 300) == told.text
    assert told.asked == [300]


async def test_no_memory_or_no_tokens_tells_nothing_and_asks_nobody() -> None:
    told = Told("- [gm-001] Never on Fridays.")

    assert await tell_guidance(Services().find, 300) == ""
    assert await tell_guidance(services_of(told).find, 0) == ""
    assert told.asked == []


@pytest.mark.parametrize(
    ("text", "tokens", "whole"),
    [
        ("one\ntwo\nthree", 2, "one\ntwo"),
        ("one\ntwo\nthree", 1, "one"),
        ("abc\nabcd\n", 2, "abc\nabcd"),
        ("a single line", 2, ""),
        ("one\ntwo", 2, "one\ntwo"),
    ],
)
async def test_a_text_that_is_too_long_ends_with_a_whole_line(
    text: str, tokens: int, whole: str
) -> None:
    assert await tell_guidance(services_of(Told(text)).find, tokens) == whole


@given(st.text(alphabet="ab\n\ud800é"), st.integers(1, 8))
def test_a_text_is_bounded_and_can_be_sent(text: str, tokens: int) -> None:
    said = asyncio.run(tell_guidance(services_of(Told(text)).find, tokens))

    assert len(said.encode().decode()) <= 4 * tokens
    assert text.replace("\ud800", "?").startswith(said)


async def fails(_tokens: int) -> str:
    msg = "the store is gone"
    raise OSError(msg)


async def gives_up(_tokens: int) -> str:
    raise asyncio.CancelledError


async def says_no_text(_tokens: int) -> list[str]:
    return ["Never on Fridays."]


async def never_answers(_tokens: int) -> str:
    await asyncio.Event().wait()
    return "too late"


@pytest.mark.parametrize("tell", [fails, gives_up, says_no_text, never_answers])
async def test_a_memory_that_fails_tells_nothing_and_is_in_the_log(
    tell: Tell, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        find = services_of(Told(tell=tell)).find
        said = await tell_guidance(find, 300, seconds=0.1)

    assert said == ""
    assert "approved guidance could not be told to a client" in caplog.text


async def test_a_memory_that_ignores_being_stopped_is_not_waited_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    released, ended = asyncio.Event(), asyncio.Event()

    async def is_stubborn(_tokens: int) -> Any:
        try:
            await released.wait()
        except asyncio.CancelledError:
            await released.wait()
        ended.set()
        raise OSError

    find = services_of(Told(tell=is_stubborn)).find
    # A record in the log would keep the task alive.
    with caplog.at_level(logging.CRITICAL):
        said = await tell_guidance(find, 300, seconds=0.1)

    assert (said, ended.is_set()) == ("", False)
    released.set()
    await ended.wait()
    await asyncio.sleep(0)
    gc.collect()  # an error that nobody looked at fails the test only then
