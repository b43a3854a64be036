"""Problems: what is wrong with a setting, in words and without the value."""

from typing import Any

from pydantic import ValidationError

from abilities_host.config.table import keys_of_section, settings_by_key
from abilities_host.errors import nearest

_RECEIVED = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
}


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Say the first thing that is wrong.

    Args:
        error: what the models made of the values.

    Returns:
        The dotted key and the sentence.
    """
    details = error.errors(include_url=False)[0]
    key = ".".join(part for part in details["loc"] if isinstance(part, str))
    if details["type"] == "extra_forbidden":
        return key, f"there is no such key.{_hint(key)}"
    if details["type"] == "value_error":
        return key, str(details["ctx"]["error"])
    return key, f"expected {_expected(key)}{_received(details)}."


def _expected(key: str) -> str:
    key = key.replace("servers.", "server.", 1)  # each may say what the first may
    for setting in settings_by_key().values():
        if key == setting.key:
            return setting.type
    # Below a table of texts or of tables, or a section that is none.
    return "a text" if key.startswith("plugins.namespaces.") else "a table"


def _received(details: Any) -> str:
    if not details["type"].endswith("_type"):
        return ""
    inside = " in it" if isinstance(details["loc"][-1], int) else ""
    received = _RECEIVED.get(type(details["input"]), "a value of another kind")
    return f", but {received} came{inside}"


def _hint(key: str) -> str:
    section, _, name = key.rpartition(".")
    section = "server" if section == "servers" else section
    for known in settings_by_key():
        if known.rpartition(".")[2] == name:
            return f" Did you mean {known!r}?"
    return nearest(name, keys_of_section(section))
