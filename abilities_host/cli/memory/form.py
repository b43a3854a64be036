"""Form: what guidance is to say, as a text that a person can edit."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast, get_args

from abilities_host.cli.exits import Refused
from abilities_host.errors import listed, nearest
from abilities_host.jsontext import json_text
from abilities_host.memory import Class, Guidance, Proposal, Scope, Type

T = TypeVar("T")

BYTES: Final = 256 * 1024
TYPES: Final[tuple[str, ...]] = get_args(Type)
CLASSES: Final[tuple[str, ...]] = get_args(Class)

_FIELDS: Final[Mapping[str, str]] = {
    "type": f"One of {', '.join(TYPES)}.",
    "topic": "What it is sorted under; a new one is made on approval.",
    "text": "What agents are to know, at most 600 characters.",
    "rationale": "Why, at most 400 characters.",
    "recall": "At most 12 words that bring it up.",
    "site_wide": "Whether it holds everywhere.",
    "post_id": "Number of the one thing it is about; 0 for none.",
    "target": "Of the one target it is about, 'domain:pattern'; empty for none.",
    "priority": "From -1000 to 1000; greater comes first.",
    "class": "Empty, or one of identity, procedure, fact.",
    "rule": "What is enforced, as JSON; empty for advice that stops nothing.",
    "supersedes": "Id of the guidance it is to replace; empty for none.",
}
_LONG: Final = frozenset({"text", "rationale"})
_NEEDED: Final = ("type", "topic", "text", "rationale")


class FormBroken(Refused):
    """Raised when a form cannot be understood; nothing was proposed."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"The form cannot be taken: {problem} Nothing was proposed.")


def proposal_of(guidance: Guidance) -> Proposal:
    """Give what guidance says, as the start of another version."""
    return Proposal(
        type=guidance.type,
        topic=guidance.topic,
        text=guidance.text,
        rationale=guidance.rationale,
        recall=guidance.recall,
        scope=guidance.scope,
        priority=guidance.priority,
        class_=guidance.class_,
        rule=guidance.rule,
        supersedes=guidance.supersedes,
    )


def write_form(proposal: Proposal, heading: str) -> str:
    """Write a form.

    Args:
        proposal: what it says at the start.
        heading: harmless lines for the person.

    Returns:
        TOML with an explanation of each field.
    """
    head = "".join(f"# {line}\n" for line in heading.split("\n"))
    fields = _values(proposal).items()
    return f"{head}\n" + "\n".join(_field(name, value) for name, value in fields)


def read_form(text: str) -> Proposal:
    """Read a form.

    Args:
        text: TOML, or one JSON object with the same names.

    Returns:
        What it says; whether its wording can be taken is for the memory to say.

    Raises:
        FormBroken: when it cannot be understood.
    """
    given = _parsed(text)
    for name in given:
        if name not in _FIELDS:
            raise FormBroken(f"there is no field {name!r}.{nearest(name, _FIELDS)}")
    for name in _NEEDED:
        if not given.get(name):
            raise FormBroken(f"{name!r} is needed.")
    scope = Scope(
        site_wide=_taken(given, "site_wide", bool, default=not given.get("target")),
        post_id=_taken(given, "post_id", int, default=0) or None,
        target=_taken(given, "target", str, default="").strip(),
    )
    return Proposal(
        type=cast("Type", _one_of(given, "type", TYPES)),
        topic=_taken(given, "topic", str, default="").strip(),
        text=_taken(given, "text", str, default="").strip(),
        rationale=_taken(given, "rationale", str, default="").strip(),
        recall=_words(given),
        scope=scope,
        priority=_taken(given, "priority", int, default=0),
        class_=cast("Class", _one_of(given, "class", CLASSES)),
        rule=read_rule(given.get("rule")),
        supersedes=_taken(given, "supersedes", str, default="").strip(),
    )


def read_rule(written: Any) -> dict[str, Any] | None:
    """Read a rule.

    Args:
        written: JSON text, an object, or nothing.

    Returns:
        The rule as JSON values; None for advice.

    Raises:
        FormBroken: when it is no object.
    """
    value = written
    if isinstance(written, str):
        if not written.strip():
            return None
        try:
            value = json.loads(written)
        except (ValueError, RecursionError):
            raise FormBroken("'rule' is not JSON.") from None
    if value is None or isinstance(value, dict):
        return value
    raise FormBroken("'rule' is one JSON object.")


def _values(proposal: Proposal) -> dict[str, Any]:
    scope, rule = proposal.scope, proposal.rule
    return {
        "type": proposal.type,
        "topic": proposal.topic,
        "text": proposal.text,
        "rationale": proposal.rationale,
        "recall": list(proposal.recall),
        "site_wide": scope.site_wide,
        "post_id": scope.post_id or 0,
        "target": scope.target,
        "priority": proposal.priority,
        "class": proposal.class_,
        "rule": "" if rule is None else json_text(dict(rule)),
        "supersedes": proposal.supersedes,
    }


def _field(name: str, value: Any) -> str:
    return f"# {_FIELDS[name]}\n{name} = {_toml(name, value)}\n"


def _toml(name: str, value: Any) -> str:
    if name == "rule" and value:
        # JSON can write an apostrophe otherwise, so nothing ends the literal text.
        quoted = value.replace("'", "\\u0027")
        return f"'''\n{quoted}\n'''"
    if name in _LONG:
        return f'"""\n{_escaped(value, keeps_lines=True)}"""'
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    if isinstance(value, list):
        return f"[{', '.join(_toml('', each) for each in value)}]"
    return json.dumps(value)


def _escaped(text: str, *, keeps_lines: bool = False) -> str:
    """Escape what TOML must not have, and what nobody would see in an editor."""

    def written(character: str) -> str:
        if character in '"\\':
            return f"\\{character}"
        if character.isprintable() or (keeps_lines and character == "\n"):
            return character
        return f"\\U{ord(character):08x}"

    return "".join(map(written, text))


def _parsed(text: str) -> Mapping[str, Any]:
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except (ValueError, RecursionError):
            raise FormBroken("it is not a JSON object.") from None
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"\(at (.+)\)", str(error))
        where = f" at {place[1]}" if place else ""
        raise FormBroken(f"it is not TOML{where}.") from None


def _taken(given: Mapping[str, Any], name: str, kind: type[T], *, default: T) -> T:
    value = given.get(name, default)
    # A flag is a number to Python.
    if type(value) is not kind:
        words = {str: "a text", int: "a whole number", bool: "true or false"}
        raise FormBroken(f"{name!r} is {words[kind]}.")
    return value


def _one_of(given: Mapping[str, Any], name: str, known: Iterable[str]) -> str:
    value = _taken(given, name, str, default="")
    if value not in known:
        raise FormBroken(f"{name!r} is one of {listed(filter(None, known))}.")
    return value


def _words(given: Mapping[str, Any]) -> tuple[str, ...]:
    words = given.get("recall", [])
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return tuple(words)
    raise FormBroken("'recall' is a list of texts.")
