"""Fields: what a person fills in to call an ability."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from abilities_host.frozen import FrozenDict

FieldKind = Literal[
    "line", "text", "secret", "integer", "number", "boolean", "choice", "json"
]


class Choice(NamedTuple):
    """One of the values that may be chosen.

    Attributes:
        label: what a person reads.
        value: a JSON value.
    """

    label: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One value that a person fills in.

    Attributes:
        key: name of the field in the form; never that of the property, which may be
            anything.
        name: of the property; empty for all arguments, or what else there may be.
        kind: how it is filled in.
        description: by the author.
        is_required: whether the schema requires it.
        default: what stands in the field at first.
        otherwise: what holds when it is left empty, in words; empty when `default`
            stands in the field.
        choices: for the kind ``choice``; the form sends the place of one.
        limits: attributes in HTML; none of them is stricter than the schema.
    """

    key: str
    name: str
    kind: FieldKind
    description: str = ""
    is_required: bool = False
    default: str = ""
    otherwise: str = ""
    choices: tuple[Choice, ...] = ()
    limits: Mapping[str, str] = field(default_factory=FrozenDict)

    @property
    def must_be_filled(self) -> bool:
        """Whether nothing comes of an empty field; an empty text may be meant."""
        is_text = self.kind in ("line", "text", "secret")
        return self.is_required and (not is_text or "minlength" in self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The fields of an object among the arguments.

    Attributes:
        name: of the property.
        description: by the author.
        is_required: whether the schema requires it.
        fields: of its own properties.
    """

    name: str
    description: str
    is_required: bool
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaForm:
    """What a person fills in for one call.

    Attributes:
        items: fields and groups, in the order of the schema.
        rest: for arguments that the schema allows and does not name, as JSON.
        whole: for all arguments as JSON, in place of everything else.
    """

    items: tuple[Field | Group, ...] = ()
    rest: Field | None = None
    whole: Field | None = None

    @property
    def fields(self) -> Iterator[Field]:
        """Every field, those of groups too."""
        for item in self.items:
            yield from item.fields if isinstance(item, Group) else (item,)
        for one in (self.rest, self.whole):
            if one is not None:
                yield one

    @property
    def defaults(self) -> Mapping[str, str]:
        """What stands in the fields at first, by key."""
        return {each.key: each.default for each in self.fields}
