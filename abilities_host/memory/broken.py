"""Broken: why a rule cannot be enforced as it is written."""

from abilities_host.errors import CallError


class RuleBroken(CallError):
    """A rule cannot be understood; until it is mended it stops all that it covers.

    Attributes:
        problem: what is wrong, as the end of a sentence.
    """

    code = "rule_broken"

    def __init__(self, problem: str, field: str = "") -> None:
        self.problem = problem
        at = f" in {field!r}" if field else ""
        super().__init__(f"The rule cannot be enforced{at}: {problem}", field=field)
