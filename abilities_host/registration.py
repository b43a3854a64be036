"""Registration: from what a pack wrote to a frozen record, or a precise refusal."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

from abilities_host.ability import Ability, Annotations, Changes
from abilities_host.callback import takes_arguments
from abilities_host.category import Category
from abilities_host.component import Component, check_inputs, component_of
from abilities_host.errors import ForbiddenFilter, InvalidArgument, UnknownArgument
from abilities_host.frozen import freeze, thaw
from abilities_host.names import check_ability_name
from abilities_host.schema.check import SchemaLimits, check_schema
from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.repair import Schemas
from abilities_host.schema.sanitize import sanitize_mended

_ANNOTATIONS = ("readonly", "destructive", "idempotent")
_FILTERABLE = frozenset(
    {"label", "description", "input_schema", "output_schema", "meta"}
)
_SCOPE = re.compile(r"[a-z0-9-]+(:[a-z0-9-]+)*")
_NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Draft:
    """The arguments of `register_ability`, unchecked.

    They are named after WordPress's, with our own after `meta`.
    """

    label: Any = None
    description: Any = None
    category: Any = None
    execute_callback: Any = None
    permission_callback: Any = None
    input_schema: Any = None
    output_schema: Any = None
    meta: Any = None
    requires: Any = None
    changes: Any = None
    verify_callback: Any = None
    time_limit: Any = None
    renamed_from: Any = ()
    is_route: Any = False

    def as_dict(self) -> dict[str, Any]:
        """Give the arguments by name, for a filter."""
        return {name: getattr(self, name) for name in _ARGUMENTS}


_ARGUMENTS = tuple(item.name for item in fields(Draft))


def draft_of(name: str, arguments: Mapping[str, Any], pack: str) -> Draft:
    """Take arguments that exist; a misspelt one is refused.

    Args:
        name: the ability's name.
        arguments: what the pack wrote.
        pack: who wrote it.

    Returns:
        The draft.

    Raises:
        UnknownArgument: naming the one that was probably meant. WordPress ignores it
            with a notice; a misspelt `requires` would then loosen an ability.
    """
    for argument in arguments:
        if argument not in _ARGUMENTS:
            raise UnknownArgument(name, argument, _ARGUMENTS, pack=pack)
    return Draft(**arguments)


def filtered(
    name: str, draft: Draft, change: Callable[[dict[str, Any]], Any], pack: str
) -> Draft:
    """Let the pack's own filter change what a filter may change.

    Args:
        name: the ability's name.
        draft: the arguments.
        change: the filter; None from it means no change.
        pack: whose filter it is.

    Returns:
        The draft to go on with.

    Raises:
        ForbiddenFilter: when it changed callbacks, scope, changes or annotations.
        InvalidArgument: when it raised or did not answer with a mapping.
        UnknownArgument: when it added an argument that does not exist.
    """
    given = draft.as_dict()
    # Copies, or a filter could change annotations in place and nobody would see it.
    copies = {key: thaw(value) for key, value in given.items()}
    answer = _ask_filter(name, change, dict(copies), pack)
    if answer is None:
        return draft
    for key, value in copies.items():
        if key not in _FILTERABLE and answer.get(key, value) is not value:
            raise ForbiddenFilter(name, key, pack=pack)
    meta = answer.get("meta", draft.meta)
    if _annotations_of(meta) != _annotations_of(draft.meta):
        raise ForbiddenFilter(name, "meta.annotations", pack=pack)
    changed = {
        key: answer[key] for key in answer if key not in copies.keys() - _FILTERABLE
    }
    return draft_of(name, given | changed, pack)


def _ask_filter(
    name: str, change: Callable[[dict[str, Any]], Any], given: dict[str, Any], pack: str
) -> Mapping[str, Any] | None:
    try:
        answer = change(given)
    except Exception as error:
        expected = "a hook that does not raise"
        raise InvalidArgument(
            name, "filter_ability_args", expected, error, pack=pack
        ) from error
    if answer is None or isinstance(answer, Mapping):
        return answer
    expected = "a hook that returns a mapping or None"
    raise InvalidArgument(name, "filter_ability_args", expected, answer, pack=pack)


@dataclass(slots=True)
class AbilityBuilder:
    """Checks a draft in WordPress's order and makes the record.

    Attributes:
        name: a valid ability name.
        draft: the arguments.
        pack: who registers.
        limits: of schemas.
    """

    name: str
    draft: Draft
    pack: str = ""
    limits: SchemaLimits = field(default_factory=SchemaLimits)

    def build(self) -> Ability:
        """Make the record.

        Returns:
            The ability.

        Raises:
            RegistrationError: for the first argument that cannot be served.
        """
        draft = self.draft
        self._check_text("label", draft.label)
        self._check_text("description", draft.description)
        self._check_text("category", draft.category)
        self._check_callable("execute_callback", draft.execute_callback)
        self._check_callable("permission_callback", draft.permission_callback)
        taken = self._schema("input_schema", draft.input_schema)
        given = self._schema("output_schema", draft.output_schema)
        meta, annotations = self._meta()
        self._check_own(annotations)
        component = self._component(meta, annotations)
        return self._record(meta, annotations, taken, given, component)

    def _record(
        self,
        meta: Mapping[str, Any],
        annotations: Annotations,
        taken: Schemas | None,
        given: Schemas | None,
        component: Component,
    ) -> Ability:
        draft = self.draft
        input_schema, shown_input = _kept_and_shown(taken, is_result=False)
        output_schema, shown_output = _kept_and_shown(given, is_result=True)
        return Ability(
            name=self.name,
            label=draft.label,
            description=draft.description,
            category=draft.category,
            input_schema=input_schema,
            output_schema=output_schema,
            shown_input_schema=shown_input or freeze(_NO_ARGUMENTS),
            shown_output_schema=shown_output if output_schema else None,
            requires=draft.requires or ("read" if annotations.readonly else "write"),
            changes=draft.changes,
            annotations=annotations,
            meta=meta,
            time_limit=draft.time_limit,
            renamed_from=tuple(draft.renamed_from),
            pack=self.pack,
            is_route=draft.is_route,
            component=component,
        )

    def _component(
        self, meta: Mapping[str, Any], annotations: Annotations
    ) -> Component:
        component = component_of(meta.get("mcp"), self._refuse)
        if component.kind != "tool" and not annotations.readonly:
            expected = f"True for a {component.kind} (it is only ever read)"
            raise self._refuse(
                "meta.annotations.readonly", expected, annotations.readonly
            )
        if component.gives_content and self.draft.output_schema is not None:
            expected = "left out where meta.mcp.content is True"
            raise self._refuse("output_schema", expected, self.draft.output_schema)
        check_inputs(component, self.draft.input_schema, self._refuse)
        return component

    def _refuse(self, argument: str, expected: str, value: Any) -> InvalidArgument:
        return InvalidArgument(self.name, argument, expected, value, pack=self.pack)

    def _check_text(self, argument: str, value: Any) -> None:
        if not isinstance(value, str) or not value:
            raise self._refuse(argument, "a non-empty string", value)

    def _check_callable(self, argument: str, value: Any) -> None:
        if not callable(value):
            raise self._refuse(argument, "callable", value)
        if not takes_arguments(value):
            expected = "callable as (), (arguments) or (arguments, call)"
            raise self._refuse(argument, expected, value)

    def _schema(self, argument: str, value: Any) -> Schemas | None:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self._refuse(argument, "a mapping", value)
        return check_schema(
            value,
            subject=self.name,
            argument=argument,
            pack=self.pack,
            limits=self.limits,
        )

    def _meta(self) -> tuple[Mapping[str, Any], Annotations]:
        meta = {} if self.draft.meta is None else self.draft.meta
        if not isinstance(meta, Mapping):
            raise self._refuse("meta", "a mapping", meta)
        if find_flaw(meta):
            raise self._refuse("meta", "JSON, at most 64 deep", meta)
        said = meta.get("annotations")
        said = {} if said is None else said
        if not isinstance(said, Mapping):
            raise self._refuse("meta.annotations", "a mapping", said)
        shown = meta.get("show_in_rest", False)
        if not isinstance(shown, bool):
            raise self._refuse("meta.show_in_rest", "True or False", shown)
        notes = dict.fromkeys(_ANNOTATIONS) | dict(said)
        annotations = Annotations(
            **{key: self._hint(notes, key) for key in _ANNOTATIONS}
        )
        return freeze(
            {**meta, "annotations": notes, "show_in_rest": shown}
        ), annotations

    def _hint(self, notes: Mapping[str, Any], key: str) -> bool | None:
        value = notes[key]
        if value is None or isinstance(value, bool):
            return value
        raise self._refuse(f"meta.annotations.{key}", "True, False or None", value)

    def _check_own(self, annotations: Annotations) -> None:
        """Check what WordPress does not have."""
        draft = self.draft
        if draft.requires is not None and not _is_scope(draft.requires):
            raise self._refuse(
                "requires", "a scope such as 'notes:write'", draft.requires
            )
        if draft.changes is not None and not isinstance(draft.changes, Changes):
            raise self._refuse("changes", "Changes(domain, targets=…)", draft.changes)
        if draft.changes is not None and annotations.readonly:
            raise self._refuse(
                "changes", "left out of a read-only ability", draft.changes
            )
        if draft.verify_callback is not None:
            self._check_callable("verify_callback", draft.verify_callback)
        if draft.time_limit is not None and not _is_seconds(draft.time_limit):
            raise self._refuse("time_limit", "seconds over 0", draft.time_limit)
        if not isinstance(draft.renamed_from, list | tuple):
            raise self._refuse("renamed_from", "a tuple of names", draft.renamed_from)
        for old in draft.renamed_from:
            check_ability_name(old, pack=self.pack)


def build_category(slug: str, arguments: Mapping[str, Any], pack: str) -> Category:
    """Check a category's arguments and make the record.

    Args:
        slug: a valid slug.
        arguments: label, description and meta.
        pack: who registers.

    Returns:
        The category.

    Raises:
        RegistrationError: for the first argument that cannot be served.
    """
    for argument in arguments:
        if argument not in ("label", "description", "meta"):
            known = ("label", "description", "meta")
            raise UnknownArgument(slug, argument, known, pack=pack)
    for argument in ("label", "description"):
        value = arguments.get(argument)
        if not isinstance(value, str) or not value:
            expected = "a non-empty string"
            raise InvalidArgument(slug, argument, expected, value, pack=pack)
    meta = arguments.get("meta")
    meta = {} if meta is None else meta
    if not isinstance(meta, Mapping):
        raise InvalidArgument(slug, "meta", "a mapping", meta, pack=pack)
    if find_flaw(meta):
        expected = "JSON, at most 64 deep"
        raise InvalidArgument(slug, "meta", expected, meta, pack=pack)
    return Category(
        slug=slug,
        label=arguments["label"],
        description=arguments["description"],
        meta=freeze(meta),
        pack=pack,
    )


def _kept_and_shown(schemas: Schemas | None, *, is_result: bool) -> tuple[Any, Any]:
    """Freeze a schema and the form of it that is shown; where nothing differs, once."""
    if schemas is None:
        return None, None
    kept = freeze(schemas[0])
    shown = sanitize_mended(schemas, is_result=is_result)
    return kept, kept if shown is schemas[0] else freeze(shown)


def _annotations_of(meta: Any) -> Any:
    return meta.get("annotations") if isinstance(meta, Mapping) else None


def _is_scope(value: Any) -> bool:
    return isinstance(value, str) and _SCOPE.fullmatch(value) is not None


def _is_seconds(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < inf
