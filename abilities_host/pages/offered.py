"""Offered: the pages of one host's packs, as far as they can be pages."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from abilities_host.errors import AbilitiesError
from abilities_host.pages.content import Confirm
from abilities_host.pages.page import Action, Page

LIMIT: Final = 20
"""Pages that one pack may add."""

PLACE: Final = "/packs"
TITLE_LIMIT: Final = 80

_SHOWN: Final = 80
_TEMPLATES: Final = 64
_CHARACTERS: Final = 256_000
_ACTIONS: Final = 50
_FORM_BYTES: Final = 8_000_000
_LANGUAGES: Final = 50
_PACK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_REST: Final = re.compile(
    r"(?:/(?:[A-Za-z0-9_-]{1,64}|\{[a-z_]{1,32}(?::int)?\})){0,8}"
)
_PARAMETER: Final = re.compile(r"\{([a-z_]+)")
_TEMPLATE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._/-]{0,99}")
_ACTION: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_ROLES: Final = ("reviewer", "operator")


class PageRefused(AbilitiesError):
    """Raised when a pack's page cannot be added; the pack itself is kept.

    Attributes:
        pack: the pack's identity.
        path: of what it offered.
        reason: what is wrong with it, and what to write.
    """

    def __init__(self, pack: str, path: object, reason: str) -> None:
        self.pack = pack
        self.path = path
        self.reason = reason
        shown = repr(path)[:_SHOWN]
        super().__init__(f"Pack {pack!r}: page {shown} was not added: {reason}.")


class OfferedPages:
    """The pages that the packs of one host add, in order."""

    def __init__(self) -> None:
        self._pages: Final[dict[str, tuple[Page, ...]]] = {}
        self._owners: Final[dict[str, str]] = {}

    @property
    def pages(self) -> Mapping[str, tuple[Page, ...]]:
        """Identity of the pack to its pages."""
        return dict(self._pages)

    def add(self, pack: str, name: str, offered: Sequence[Page]) -> list[str]:
        """Add what a pack offers, as far as it can be added.

        Args:
            pack: identity of the pack.
            name: of the pack, which is in the path of its pages.
            offered: any number of pages, however made.

        Returns:
            One sentence for each that was refused, and for all that were too many.
        """
        refused, kept = [], list[Page]()
        for page in offered[:LIMIT]:
            fault = self._clash(pack, name) or fault_of(page, name)
            if not fault and any(_shape(page) == _shape(each) for each in kept):
                fault = "an earlier one of this pack has the same path; change one"
            if fault:
                refused.append(PageRefused(pack, page.path, fault).sentence)
            else:
                kept.append(page)
        if len(offered) > LIMIT:
            reason = f"a pack adds {LIMIT} pages at most, and no more"
            refused.append(PageRefused(pack, offered[LIMIT].path, reason).sentence)
        if kept:
            self._pages[pack] = tuple(kept)
            self._owners[name] = pack
        return refused

    def _clash(self, pack: str, name: str) -> str:
        owner = self._owners.get(name, pack)
        if owner == pack:
            return ""
        return f"{PLACE}/{name} belongs to pack {owner!r}; give this pack another name"


def fault_of(page: Page, name: str) -> str:
    """Say why a page cannot be added, whoever made it and how.

    Args:
        page: its fields may hold anything.
        name: of the pack.

    Returns:
        The end of a sentence; empty when nothing is wrong.
    """
    if not _PACK.fullmatch(name):
        return (
            f"the name of the pack, {name!r:.80}, is part of the path, so it must be "
            "letters, digits, '_' and '-'"
        )
    if fault := _path_fault(page.path, f"{PLACE}/{name}"):
        return fault
    for field, (is_right, what) in _FIELDS.items():
        if not is_right(getattr(page, field)):
            return f"its {field} must be {what}"
    if page.is_listed and "{" in page.path:
        return "the navigation cannot lead to a path with parameters: is_listed=False"
    return next(filter(None, map(_action_fault, page.actions.items())), "")


def _path_fault(path: object, place: str) -> str:
    if not isinstance(path, str):
        return f"its path must be a text such as '{place}/lately'"
    if path != place and not path.startswith(f"{place}/"):
        tail = path if _REST.fullmatch(path) and path else "/lately"
        return f"its path must be below {place}, such as '{place}{tail}'"
    if not _REST.fullmatch(path.removeprefix(place)):
        return (
            "its path must be up to 8 parts of letters, digits, '_' and '-', or "
            f"'{{name}}' or '{{name:int}}', such as '{place}/entry/{{number:int}}'"
        )
    names = _PARAMETER.findall(path)
    if len(names) != len(set(names)):
        return "two parameters of its path have the same name; change one"
    return ""


def _shape(page: Page) -> str:
    """Two paths of one shape would be the same addresses."""
    return re.sub(r"\{[a-z_]+", "{", page.path)


def _action_fault(named: tuple[object, object]) -> str:
    name, action = named
    if not (isinstance(name, str) and _ACTION.fullmatch(name)):
        return f"the name of an action, {name!r:.80}, must be words joined by dashes"
    if not (isinstance(action, Action) and callable(action.run)):
        return f"its action {name!r} must be an Action with a function"
    if not (action.confirm is None or isinstance(action.confirm, Confirm)):
        return f"the confirm of its action {name!r} must be a Confirm or None"
    if action.role not in _ROLES:
        return f"the role of its action {name!r} must be 'reviewer' or 'operator'"
    size: object = action.form_bytes
    if type(size) is not int or not 0 < size <= _FORM_BYTES:
        return f"the form_bytes of its action {name!r} must be 1 to {_FORM_BYTES:,}"
    return ""


def _is_title(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= TITLE_LIMIT


def _are_templates(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and 0 < len(value) <= _TEMPLATES
        and all(isinstance(each, str) for each in value.values())
        and sum(map(len, value.values())) <= _CHARACTERS
        and all(isinstance(name, str) and _TEMPLATE.fullmatch(name) for name in value)
    )


def _are_actions(value: object) -> bool:
    return isinstance(value, Mapping) and len(value) <= _ACTIONS


def _are_words(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and len(value) <= _LANGUAGES
        and all(isinstance(key, str) and _LANGUAGE.fullmatch(key) for key in value)
        and all(_are_texts(texts) for texts in value.values())
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str) for pair in value.items() for each in pair
    )


def _is_role(value: Any) -> bool:
    return value in _ROLES


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_FIELDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "title": (_is_title, f"a text of 1 to {TITLE_LIMIT} characters"),
    "render": (callable, "a function that takes a Visit"),
    "templates": (
        _are_templates,
        f"1 to {_TEMPLATES} texts by name, {_CHARACTERS:,} characters together",
    ),
    "actions": (_are_actions, f"at most {_ACTIONS} by name"),
    "words": (
        _are_words,
        "languages such as 'de' to texts by what they are in English",
    ),
    "role": (_is_role, "'reviewer' or 'operator'"),
    "is_listed": (_is_flag, "True or False"),
}
