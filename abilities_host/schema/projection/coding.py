"""Values that a client sends as text, and the way back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from abilities_host.schema.pointer import Pointer, write_pointer
from abilities_host.schema.projection.combine import canonical, kind_of

TEXT_LIMIT = 1_048_576
LABELS_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Labels:
    """Members of an enum under the texts that stand for them.

    Attributes:
        members: by their labels.
    """

    members: Mapping[str, Any]

    def encode(self, value: Any) -> Any:
        """Give the label of a member; what is none is given back."""
        wanted = canonical(value)
        found = (n for n, member in self.members.items() if canonical(member) == wanted)
        return next(found, value)

    def decode(self, value: Any) -> Any:
        """Give the member of a label; what is none is given back."""
        return self.members.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value as its JSON text.

    Attributes:
        kinds: the types it may have; None for all.
    """

    kinds: frozenset[str] | None = None

    def encode(self, value: Any) -> Any:
        """Write the JSON text."""
        return orjson.dumps(value).decode()

    def decode(self, value: Any) -> Any:
        """Read the JSON text; what is none, or no text, is given back."""
        if not isinstance(value, str) or len(value) > TEXT_LIMIT:
            return value
        try:
            meant = orjson.loads(value)
        except ValueError:  # a plain text that stands for itself
            return value
        return meant if self.kinds is None or _has_kind(meant, self.kinds) else value


def _has_kind(value: Any, kinds: frozenset[str]) -> bool:
    kind = kind_of(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


@dataclass(frozen=True, slots=True)
class Codes:
    """Where in a value what is sent as text.

    Attributes:
        code: of the value itself.
        below: the same for the values of its properties.
        items: the same for its items.
    """

    code: Labels | JsonText | None = None
    below: Mapping[str, "Codes"] = field(default_factory=dict)
    items: "Codes | None" = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is sent as text here or below."""
        return not (self.code or self.below or self.items)


@dataclass(frozen=True, slots=True)
class Coded:
    """Values that are sent as text.

    Attributes:
        codes: at the root.
    """

    codes: Codes

    def image(self, value: Any) -> Any:
        """Write as text what a client can only send so."""
        return _walked(self.codes, value, is_back=False)

    def apply(self, arguments: Any) -> Any:
        """Read what was sent as text."""
        return _walked(self.codes, arguments, is_back=True)

    def describe(self) -> Mapping[str, Any]:
        """Say which places are JSON text and which labels stand for what."""
        places = list(_places(self.codes, ()))
        texts = [p for p, code in places if isinstance(code, JsonText)]
        labels = {p: dict(c.members) for p, c in places if isinstance(c, Labels)}
        told: dict[str, Any] = {"json_text": texts} if texts else {}
        return {**told, "labels": labels} if labels else told


def _walked(codes: Codes | None, value: Any, *, is_back: bool) -> Any:
    if codes is None:
        return value
    if codes.code is not None:
        return codes.code.decode(value) if is_back else codes.code.encode(value)
    if isinstance(value, Mapping):
        return {
            name: _walked(codes.below.get(name), item, is_back=is_back)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_walked(codes.items, item, is_back=is_back) for item in value]
    return value


def _places(
    codes: Codes | None, place: Pointer
) -> Iterator[tuple[str, Labels | JsonText]]:
    if codes is None:
        return
    if codes.code is not None:
        yield write_pointer(place) or "/", codes.code
    for name, below in codes.below.items():
        yield from _places(below, (*place, name))
    yield from _places(codes.items, (*place, "*"))


def labels_of(members: Sequence[Any]) -> Labels:
    """Find a text for each member of an enum.

    Args:
        members: JSON values.

    Returns:
        A text that is one stands for itself, another value is told by its JSON text.
    """
    found: dict[str, Any] = {text: text for text in members if text and _is_text(text)}
    known = {canonical(member) for member in found.values()}
    for member in members:
        if canonical(member) in known:
            continue
        known.add(canonical(member))
        label = orjson.dumps(member).decode()
        while label in found:
            label = f"{label} (no text)"
        found[label] = member
    return Labels(found)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
