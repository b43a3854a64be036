"""Place: one JSON value of a document, and where in it it stands."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from abilities_memory.document import DocumentBroken, named

_KINDS: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A value that is not yet what it should be.

    Every method raises `DocumentBroken`, with the path and never the value, when the
    value is another one than asked for.

    Attributes:
        value: made of JSON values.
        path: such as ``guidance[3].text``; empty for the whole document.
    """

    value: Any
    path: str = ""

    def broken(self, problem: str) -> DocumentBroken:
        """Make the error that says what is wrong here, in words after "at PATH,"."""
        return DocumentBroken(self.path, problem)

    def members(self) -> dict[str, "Place"]:
        """Give every member of an object by its name."""
        self._check(dict)
        at = f"{self.path}." if self.path else ""
        return {
            str(name): Place(value, f"{at}{named(str(name))}")
            for name, value in self.value.items()
        }

    def items(self, most: int) -> Iterator["Place"]:
        """Give every item of a list that has no more than so many."""
        self._check(list)
        if len(self.value) > most:
            raise self.broken(f"there are {len(self.value)} items and {most} may be")
        for number, value in enumerate(self.value):
            yield Place(value, f"{self.path}[{number}]")

    def text(self, most: int | None = None) -> str:
        """Give a text, of no more than so many characters."""
        self._check(str)
        if most is not None and len(self.value) > most:
            raise self.broken(f"the text is longer than {most} characters")
        return str(self.value)

    def texts(self, most: int) -> tuple[str, ...]:
        """Give a list of no more than so many texts."""
        return tuple(item.text() for item in self.items(most))

    def number(self) -> int:
        """Give a whole number, and no flag."""
        self._check(int)
        return int(self.value)

    def flag(self) -> bool:
        """Give true or false."""
        self._check(bool)
        return bool(self.value)

    def one_of(self, choices: Collection[str]) -> str:
        """Give one of some texts."""
        if (found := self.text()) not in choices:
            listed = ", ".join(repr(choice) for choice in choices if choice)
            raise self.broken(f"the text is none of {listed}")
        return found

    def _check(self, kind: type) -> None:
        # A flag is a number to Python.
        if type(self.value) is not kind:
            found = _KINDS.get(type(self.value), "no JSON value")
            raise self.broken(f"the value is {found} and has to be {_KINDS[kind]}")


def needed(members: Mapping[str, Place], name: str, owner: Place) -> Place:
    """Give a member that has to be there.

    Args:
        members: of an object.
        name: of the member.
        owner: the object.

    Returns:
        The member.

    Raises:
        DocumentBroken: when there is none.
    """
    if name not in members:
        raise owner.broken(f"there is no {name!r}")
    return members[name]
