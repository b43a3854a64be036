"""The refusals of the dispatcher; none of them runs anything."""

from abilities_host import CallError


class MalformedArguments(CallError):
    """Raised by ``call-tool`` for a text of arguments that is no JSON object."""

    code = "ability_invalid_input"
    argument = "/arguments"
    expected = "an object"

    def __init__(self, received: str) -> None:
        message = f"expected an object, received {received}; nothing was run."
        problem = {
            "path": "/arguments",
            "message": message,
            "expected": self.expected,
            "received": received,
            "keyword": "type",
        }
        super().__init__(
            f"Ability 'dispatcher/call-tool' has invalid input: /arguments: {message}",
            problems=[problem],
        )


class NotATool(CallError):
    """Raised by ``call-tool`` when it is asked to run the dispatcher itself."""

    code = "ability_not_found"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no ability {name!r} behind call-tool; call it directly.",
            ability=name,
        )


class StalePage(CallError):
    """Raised by ``list-tools`` when the page to go on from is not found any more."""

    code = "ability_invalid_input"
    argument = "/after"
    expected = "the 'next' of an earlier page of the same search"

    def __init__(self) -> None:
        message = "this search no longer finds it; ask again without 'after'."
        problem = {
            "path": "/after",
            "message": message,
            "expected": self.expected,
            "received": "another name",
            "keyword": "after",
        }
        super().__init__(
            f"Ability 'dispatcher/list-tools' has invalid input: /after: {message}",
            problems=[problem],
        )
