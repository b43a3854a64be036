"""The rule that makes one object of a root that is composed."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from abilities_host.schema.projection.combine import (
    ANNOTATIONS,
    join_objects,
    kinds_of,
    meet,
)
from abilities_host.schema.projection.relax import merge
from abilities_host.schema.projection.work import Work

FORMS_LIMIT = 64


def flatten_root(work: Work) -> Work:
    """Unite the forms of a root: the properties of all, required what all require.

    Args:
        work: its schema has no reference and no `allOf`.

    Returns:
        The same with one object at the root; unchanged where a form is no object.
    """
    root = work.schema
    forms = list(forms_of(root))
    if not all(kinds_of(form) == ["object"] for form in forms):
        return work
    united = join_objects([_without_annotations(form) for form in forms])
    notes = work.notes
    if "anyOf" in root:
        notes = (*notes, "/: the forms of the root are shown as one")
    said = {k: root[k] for k in ANNOTATIONS if k in root}
    return replace(work, schema=merge({**said, **united}), notes=notes)


def forms_of(node: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the forms a schema has, each as a whole.

    Args:
        node: has no `allOf`.

    Returns:
        One for each end of its `anyOf`; the node without its `anyOf` when there are
        more than 64.
    """
    rest = {k: v for k, v in node.items() if k != "anyOf"}
    if "anyOf" not in node or _count(node) > FORMS_LIMIT:
        yield rest
        return
    for form in node["anyOf"]:
        yield from forms_of(meet(rest, form)) if isinstance(form, Mapping) else [rest]


def _count(node: Any) -> int:
    forms = node.get("anyOf", ()) if isinstance(node, Mapping) else ()
    return sum(map(_count, forms)) if forms else 1


def _without_annotations(form: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in form.items() if k not in ANNOTATIONS}
