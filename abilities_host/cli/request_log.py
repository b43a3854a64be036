"""The command ``log``: what was asked of the servers, by whom and how it ended."""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from abilities_host.cli import request_rows as rows
from abilities_host.cli.ledger.values import one_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json, show_table
from abilities_host.cli.running import load

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.requestlog.reading import Kept

LIMIT: Final = 50
FOLLOWED: Final = 10
POLL_SECONDS: Final = 0.5
_STATUSES: Final = ("ok", "refused", "failed", "unknown", "input_required", "error")

Text = str | None


def show_requests(
    config: ConfigOption = None,
    *,
    server: Annotated[Text, typer.Option(help="Id of the server.")] = None,
    ability: Annotated[
        Text, typer.Option(help="What ran, also behind call-tool; a name or pattern.")
    ] = None,
    actor: Annotated[Text, typer.Option(help="Who asked.")] = None,
    client: Annotated[Text, typer.Option(help="What the client calls itself.")] = None,
    status: Annotated[
        Text,
        typer.Option(help="ok, refused, failed, unknown, input_required or error."),
    ] = None,
    code: Annotated[Text, typer.Option(help="The error's code.")] = None,
    method: Annotated[Text, typer.Option(help="Of the protocol.")] = None,
    since: Annotated[
        Text, typer.Option(help="From this time on; or 30s, 10m, 1h, 7d ago.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="The newest so many; 50, or all with --jsonl and --stats."
        ),
    ] = None,
    before: Annotated[
        int | None, typer.Option(min=1, help="Only requests with a smaller number.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until Ctrl+C.")
    ] = False,
    stats: Annotated[
        bool, typer.Option("--stats", help="Sum up, for each ability.")
    ] = False,
    as_lines: Annotated[
        bool, typer.Option("--jsonl", help="Print JSON Lines, oldest first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what was asked of the servers, newest first."""
    _check(is_stream=follow or as_lines, is_whole=stats or as_json)
    view = _View(
        load(config),
        limit,
        server=server,
        ability=ability,
        actor=actor,
        client=client,
        status=one_of(status, _STATUSES),
        code=code,
        method=method,
        since=rows.read_since(since),
        before=before,
    )
    if follow:
        view.follow(as_lines=as_lines)
    elif stats:
        view.statistics(as_json=as_json)
    elif as_lines:
        view.lines()
    else:
        view.table(as_json=as_json)


def _check(*, is_stream: bool, is_whole: bool) -> None:
    if is_stream and is_whole:
        raise typer.BadParameter(
            "--follow and --jsonl go with neither --stats nor --json."
        )


class _View:
    """The log of one host, filtered."""

    def __init__(
        self, loaded: "LoadedConfig", limit: int | None, **wanted: Any
    ) -> None:
        # Slow imports, which only this command needs.
        from abilities_host.requestlog.query import RequestQuery  # noqa: PLC0415
        from abilities_host.requestlog.reading import RequestReader  # noqa: PLC0415

        self._reader: Final = RequestReader(loaded.requests_path)
        self._query: Final = RequestQuery(**wanted)
        self._is_filtered: Final = self._query != RequestQuery()
        self._limit: Final = limit
        if not loaded.config.requests.enabled:
            complain(
                "note", "[requests] enabled is false: nothing is added to the log."
            )

    def table(self, *, as_json: bool) -> None:
        limit = self._limit or LIMIT
        found = self._reader.newest(self._query, limit)
        following = found[-1].seq if len(found) == limit else None
        if as_json:
            requests = [each.as_json() for each in found]
            say_json({"requests": requests, "next": following})
            return
        if found:
            show_table(rows.HEADERS, map(rows.row_of, found))
        else:
            say(f"No request {'fits' if self._is_filtered else 'was logged yet'}.")
        if following is not None:
            complain("more", f"go on with --before {following}")

    def statistics(self, *, as_json: bool) -> None:
        from abilities_host.requestlog.statistics import summed_up  # noqa: PLC0415 - only here

        found = (each.record for each in self._found())
        summed = summed_up(found)
        if as_json:
            say_json({"rows": [row.as_json() for row in summed]})
        elif summed:
            show_table(rows.STATISTICS, map(rows.statistics_row, summed))
        else:
            say(f"No request {'fits' if self._is_filtered else 'was logged yet'}.")

    def lines(self) -> None:
        _print_lines(map(_json_line, self._found()))

    def follow(self, *, as_lines: bool) -> None:
        write = _json_line if as_lines else rows.line_of
        # Ctrl+C is how it is meant to end.
        with suppress(KeyboardInterrupt):
            _print_lines(map(write, self._followed()))

    def _found(self) -> "Iterator[Kept]":
        if self._limit is None:
            return self._reader.oldest_first(self._query)
        return reversed(self._reader.newest(self._query, self._limit))

    def _followed(self) -> "Iterator[Kept]":
        """What is there at the end of the log, and then what is added."""
        newest = self._reader.newest(self._query, self._limit or FOLLOWED)
        yield from reversed(newest)
        query = replace(self._query, after=newest[0].seq if newest else 0)
        while True:
            for kept in self._reader.oldest_first(query):
                yield kept
                query = replace(query, after=kept.seq)
            time.sleep(POLL_SECONDS)


def _print_lines(lines: Iterable[str]) -> None:
    try:
        for line in lines:
            say(line)
    except BrokenPipeError:
        # Whoever read has enough; without this the interpreter would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _json_line(kept: "Kept") -> str:
    # ASCII: nothing that a terminal would obey.
    return json.dumps(kept.as_json())
