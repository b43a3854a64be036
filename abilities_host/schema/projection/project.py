"""A schema for one profile: its projection and the way back, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from abilities_host.errors import InvalidSchema
from abilities_host.schema.check import SchemaLimits, check_schema
from abilities_host.schema.odd import is_unreadable
from abilities_host.schema.places import every_schema
from abilities_host.schema.profiles import Profile
from abilities_host.schema.projection.reverse import ReverseMap
from abilities_host.schema.projection.rules import RULES, is_to_rewrite
from abilities_host.schema.projection.work import NOTES_KEPT, UnfitError, Work
from abilities_host.schema.repair import Schemas
from abilities_host.schema.sanitize import sanitize_mended

SIZE_LIMIT = 262_144
NO_ARGUMENTS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}

# An author's 64, and what wrapping and references add.
_LIMITS = SchemaLimits(depth=96, size=SIZE_LIMIT)


@dataclass(frozen=True, slots=True)
class Projected:
    """What a client of one profile is shown.

    Attributes:
        schema: the projection; it accepts the image of every value the author's does.
        reverse: brings arguments back.
        notes: what was changed, for the operator; at most 32.
    """

    schema: dict[str, Any]
    reverse: ReverseMap = field(default_factory=ReverseMap)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why there is no form of a schema for one profile.

    Attributes:
        reason: for the operator.
    """

    reason: str


def project(schema: Mapping[str, Any] | None, profile: Profile) -> Projected | LeftOut:
    """Project the schema of arguments.

    Args:
        schema: the author's schema, checked; also its sanitised form; None for an
            ability without arguments. Not changed.
        profile: of the client.

    Returns:
        The projection, always an object and never tighter than the author's schema
        but for the declared exceptions; or why there is none.
    """
    arguments = NO_ARGUMENTS if schema is None else schema
    return _project(arguments, profile, is_result=False)


def project_output(schema: Mapping[str, Any], profile: Profile) -> Projected | LeftOut:
    """Project the schema of results, by which clients check what they get.

    Args:
        schema: the author's schema as the era wants it, wrapped where it must be.
        profile: of the client.

    Returns:
        The projection, under which results stay as they are; or why the ability is
        shown without an output schema: results are never renamed or encoded.
    """
    made = _project(schema, profile, is_result=True)
    if isinstance(made, LeftOut):
        return made
    if not made.reverse.is_identity:
        return LeftOut("results would have to be renamed or sent as text")
    if profile.has_own_dialect and _has_mark_for_null(made.schema):
        return LeftOut("results may be null, for which clients check by a type")
    if is_unreadable(made.schema):
        return LeftOut("some clients cannot read its patterns or other words")
    return made


def _project(
    schema: Mapping[str, Any], profile: Profile, *, is_result: bool
) -> Projected | LeftOut:
    try:
        schemas = check_schema(schema, subject="", argument="schema", limits=_LIMITS)
        work = _follow_rules(_begin(schemas, profile, is_result=is_result))
    except InvalidSchema as error:
        return LeftOut(error.problem)
    except UnfitError as unfit:
        return LeftOut(unfit.reason)
    size = len(orjson.dumps(work.schema))
    if size > SIZE_LIMIT:
        return LeftOut(f"its form is {size:,} bytes long; the limit is {SIZE_LIMIT:,}")
    return Projected(work.schema, ReverseMap(work.steps), work.notes[:NOTES_KEPT])


def _follow_rules(work: Work) -> Work:
    for rule in RULES:
        if not work.is_done and rule.is_wanted(work):
            work = rule.change(work)
    return work


def _begin(schemas: Schemas, profile: Profile, *, is_result: bool) -> Work:
    author, shown = schemas[0], sanitize_mended(schemas, is_result=is_result)
    if not author and profile.has_own_dialect:
        # Without a word it is an ability without arguments.
        shown = {**shown, "properties": {}}
    rewrites = is_to_rewrite(profile, shown)
    return Work(profile, author, shown, is_result, rewrites)


def _has_mark_for_null(schema: Mapping[str, Any]) -> bool:
    return any("nullable" in node for _, node in every_schema(schema))
