"""Trying: the words of the form that calls an ability."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

TRYING: Final[Mapping[str, str]] = FrozenDict(
    {
        "try.title": "Try it",
        "try.heading": "Try {name}",
        "try.off": "It is off, so it cannot be tried.",
        "try.arguments": "Arguments",
        "try.reads": "This is called in your name. It changes nothing.",
        "try.writes": "This is called in your name, as a client would call it, and may "
        "change something. Your secret is asked for, and the record names you.",
        "try.destructive": "Something may be lost.",
        "try.nothing": "It takes no arguments.",
        "try.all": "All arguments",
        "try.rest": "Other arguments",
        "try.required": "required",
        "try.choose": "not given",
        "try.true": "true",
        "try.false": "false",
        "try.json": "As JSON.",
        "try.otherwise": "Otherwise: {value}",
        "try.as_json": "Write all arguments as JSON, also an empty text",
        "try.as_fields": "Fill in fields",
        "try.send": "Call it",
        "try.problem.integer": "This is no whole number.",
        "try.problem.number": "This is no number.",
        "try.problem.choice": "This cannot be chosen.",
        "try.problem.json": "This is not JSON at line {line}, column {column}.",
        "try.problem.object": "Other arguments are one JSON object.",
        "try.status.ok": "It went well",
        "try.status.refused": "It was refused",
        "try.status.failed": "It failed",
        "try.status.unknown": "Nobody knows how it ended",
        "try.status.input_required": "You are asked first",
        "try.retryable": "The same may go well later.",
        "try.ticket": "Decide on {id}, which waits for a person",
        "try.yes": "Yes, go on",
        "try.no": "No",
        "try.result": "Result",
        "try.cut": "There is more than is shown here. A client gets all of it.",
        "try.flags": "Marked: {flags}",
        "try.changes": "What was changed",
        "try.change.created": "created: {target}",
        "try.change.changed": "changed: {target}",
        "try.change.removed": "removed: {target}",
        "try.ledger": "What you did in this session, in the ledger",
    }
)
