"""One request: a body has its time, and a cancelled one ends honestly."""

import asyncio

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from abilities_host.server.exchange import Exchange, SlowBody, hurried

SCOPE: Scope = {"type": "http", "method": "POST", "headers": []}


async def never() -> Message:
    await anyio.sleep_forever()
    raise AssertionError


async def test_a_body_that_stalls_is_given_up() -> None:
    parts: list[Message] = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def stalling() -> Message:
        return parts.pop() if parts else await never()

    receive = hurried(stalling, 0.01)
    assert (await receive())["body"] == b"x"
    with pytest.raises(SlowBody):
        await receive()


async def test_after_the_whole_body_there_is_no_hurry() -> None:
    answers: list[Message] = [{"type": "http.disconnect"}, {"type": "http.request"}]
    gone = asyncio.Event()

    async def slow() -> Message:
        if len(answers) == 1:
            await gone.wait()
        return answers.pop()

    receive = hurried(slow, 0.0)
    with pytest.raises(SlowBody):
        await hurried(never, 0.0)()
    receive = hurried(slow, 5.0)
    await receive()
    waiting = asyncio.ensure_future(receive())
    gone.set()
    assert await waiting == {"type": "http.disconnect"}


@pytest.mark.parametrize(
    ("headers", "last"),
    [
        pytest.param([], {"type": "http.response.body", "body": b""}, id="stream"),
        # Its length was promised; only the end of the connection says it is not whole.
        pytest.param([(b"content-length", b"9")], None, id="whole"),
    ],
)
async def test_what_has_begun_is_ended_without_another_word(
    headers: list[tuple[bytes, bytes]], last: Message | None
) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    exchange = Exchange(SCOPE, send, print)
    start = {"type": "http.response.start", "status": 200, "headers": headers}
    await exchange.send(start)
    await exchange.end(never)

    assert sent[1:] == ([last] if last else [])


async def test_a_stream_that_was_whole_already_is_not_ended_twice() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    exchange = Exchange(SCOPE, send, print)
    whole: list[Message] = [
        {"type": "http.response.start", "status": 200, "headers": []},
        {"type": "http.response.body", "body": b"x", "more_body": True},
        {"type": "http.response.body", "body": b"", "more_body": False},
    ]
    for message in whole:
        await exchange.send(message)
    await exchange.end(never)

    assert [message.get("body") for message in sent] == [None, b"x", b""]


async def test_a_client_that_reads_nothing_does_not_hold_up_the_end() -> None:
    async def stuck(_message: Message) -> None:
        await anyio.sleep_forever()

    with anyio.fail_after(10):
        await Exchange(SCOPE, stuck, print).end(never)


async def hanging(_scope: Scope, _receive: Receive, _send: Send) -> None:
    await anyio.sleep_forever()


async def serve(sent: list[Message], made: "asyncio.Future[Exchange]") -> None:
    async def send(message: Message) -> None:
        sent.append(message)

    exchange = Exchange(SCOPE, send, print)
    made.set_result(exchange)
    await exchange.run(hanging, never)


async def test_what_is_ended_before_it_answered_is_refused_once() -> None:
    sent: list[Message] = []
    made: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(sent, made))
    exchange = await made

    exchange.cancel()
    exchange.cancel()
    await task

    assert [sent[0]["status"], len(sent)] == [503, 2]


async def test_the_cancellation_by_anybody_else_is_passed_on() -> None:
    sent: list[Message] = []
    made: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(sent, made))
    await made

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert sent == []
