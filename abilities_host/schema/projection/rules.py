"""The rules of projection, in their order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from abilities_host.schema.keywords import IN_PLACE, REFERENCES
from abilities_host.schema.odd import has_booleans, has_identifier, has_old_bounds
from abilities_host.schema.places import every_schema
from abilities_host.schema.profiles import Profile
from abilities_host.schema.projection.combine import kinds_of
from abilities_host.schema.projection.flatten import flatten_root
from abilities_host.schema.projection.inline import inline_references
from abilities_host.schema.projection.narrow import narrow_schema
from abilities_host.schema.projection.relax import relax_schema
from abilities_host.schema.projection.renaming import has_bad_names, rename_properties
from abilities_host.schema.projection.small import (
    add_properties,
    drop_identifier,
    drop_unknown,
    has_empty_enums,
    write_out_booleans,
    write_out_empty_enums,
)
from abilities_host.schema.projection.strict import keep_loose, make_strict
from abilities_host.schema.projection.work import Rule, Work
from abilities_host.schema.projection.wrapping import wrap_root
from abilities_host.schema.sanitize import sanitize

_CHECKING_NOTHING = frozenset(
    {"$comment", "$schema", "default", "description", "examples", "format", "title"}
)
_COMPOSED = IN_PLACE | REFERENCES


def _wants_strict(work: Work) -> bool:
    return work.profile.strict and not work.is_result


def is_to_rewrite(profile: Profile, schema: Mapping[str, Any]) -> bool:
    """Say whether something in a schema cannot be shown by a small change.

    Args:
        profile: where it goes.
        schema: the sanitised form.

    Returns:
        Whether references are put in and only positive words are kept.
    """
    return (
        profile.has_own_dialect
        or (not profile.references and _refers(schema))
        or (not profile.root_composition and bool(schema.keys() & _COMPOSED))
        or ("$schema" in profile.unknown and _is_old(schema))
        or _has_words(schema, profile.unknown - _CHECKING_NOTHING)
        or (bool(profile.property_key) and has_bad_names(schema, profile.property_key))
        or has_old_bounds(schema)
        # Beside `unevaluatedItems` no `items` could be added without a change.
        or (profile.needs_items and _lacks_items(schema))
    )


def _is_rewritten(work: Work) -> bool:
    return work.is_rewritten


def _lacks_items(schema: Mapping[str, Any]) -> bool:
    return any(
        "array" in kinds_of(node) and "items" not in node
        for _, node in every_schema(schema)
    )


def _has_words(schema: Mapping[str, Any], words: frozenset[str]) -> bool:
    # Left out under a `not` such a word would make the whole refuse more.
    return any(not words.isdisjoint(node) for _, node in every_schema(schema))


def _is_old(schema: Mapping[str, Any]) -> bool:
    """Say whether some words mean what they mean only beside their `$schema`."""
    return "/2020-12/" not in str(schema.get("$schema", "/2020-12/"))


def _refers(schema: Mapping[str, Any]) -> bool:
    return any(node.keys() & REFERENCES for _, node in every_schema(schema))


def _has_bad_names(work: Work) -> bool:
    pattern = work.profile.property_key
    return bool(pattern) and has_bad_names(work.schema, pattern)


def _is_no_object(work: Work) -> bool:
    if work.is_result:
        return False
    schema = work.schema
    if schema.get("type") != "object":
        return True
    # A root without names would be one without arguments.
    return work.profile.has_own_dialect and _is_free_form(schema)


def _is_free_form(schema: Mapping[str, Any]) -> bool:
    others = schema.get("additionalProperties")
    if schema.get("properties") or others is False:
        return False
    return "properties" not in schema or others is not None


def _has_refused_words(work: Work) -> bool:
    profile = work.profile
    return bool(profile.unknown) or not profile.formats or bool(profile.keywords)


def _sanitise(work: Work) -> Work:
    # An edit that was not made under `oneOf` or beside a reference can be made now.
    schema = sanitize(work.schema, is_result=work.is_result)
    if "type" not in work.schema:
        schema.pop("type", None)  # it is an object only where the author's is
    return replace(work, schema=schema)


def _has_refused_booleans(work: Work) -> bool:
    return not work.profile.boolean_schemas and has_booleans(work.schema)


RULES: Final = (
    Rule("make the strict form", _wants_strict, make_strict),
    Rule(
        "leave out the identifier",
        lambda work: has_identifier(work.schema),
        drop_identifier,
    ),
    Rule("write out true and false", _has_refused_booleans, write_out_booleans),
    Rule("write out empty enums", has_empty_enums, write_out_empty_enums),
    Rule("put in what references mean", _is_rewritten, inline_references),
    Rule("keep positive words only, merge allOf", _is_rewritten, relax_schema),
    Rule("unite the forms of the root", _is_rewritten, flatten_root),
    Rule("sanitise what was rewritten", _is_rewritten, _sanitise),
    Rule("rename properties", _has_bad_names, rename_properties),
    Rule("wrap what is no object", _is_no_object, wrap_root),
    Rule(
        "one type, null as a mark, enums of texts",
        lambda work: work.profile.has_own_dialect,
        narrow_schema,
    ),
    Rule(
        "properties for every object",
        lambda work: work.profile.empty_objects == "with properties",
        add_properties,
    ),
    Rule(
        "leave out what is refused",
        _has_refused_words,
        drop_unknown,
    ),
    # Where a schema was rewritten, closed tuples have become closed again.
    Rule("write out the end of tuples", _has_refused_booleans, write_out_booleans),
    Rule("stay loose", _wants_strict, keep_loose),
)
"""In this order; the steps they add are undone in the reverse one."""
