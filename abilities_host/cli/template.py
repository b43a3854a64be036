"""Template: the configuration file that ``init`` writes, every setting explained."""

import json
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from abilities_host.config import settings_table

if TYPE_CHECKING:
    from abilities_host.config import Setting

_HEAD: Final = """\
# The configuration of a host for abilities.
#
# What stands behind a '#' holds anyway: remove the '#' to change it. Paths
# start at the folder of this file. Variables such as ABILITIES_READ_ONLY come
# on top; they make restrictions only stricter. 'abilities config' shows what
# came of it.
"""

_WRITTEN: Final[Mapping[str, str]] = {
    "plugins_dir": '"plugins"',
}
"""Settings that the file says."""

_SHOWN_BELOW: Final = frozenset({"packs", "roles", "servers"})

_FURTHER: Final = """\
# Further servers for other clients are tables [[servers]]: each has an id of
# its own and what [server] may say. Named sets of scopes for tokens, besides
# viewer, agent and operator, are a table [roles].
"""

_FILES: Final = """\
[packs.files]
# The folder that files/* work in; they reach nothing outside of it.
root = "content"
"""


def config_text() -> str:
    """Write the configuration file.

    Returns:
        TOML with every setting, those at their default as comments.
    """
    lines = [_HEAD]
    section = ""
    for setting in settings_table():
        table, _, name = setting.key.rpartition(".")
        if setting.key in _SHOWN_BELOW:
            continue
        if table != section:
            lines.append(f"\n[{table}]")
            section = table
        lines += _said(setting, name)
    return "\n".join([*lines, "", _FURTHER, _FILES])


def _said(setting: "Setting", name: str) -> Iterator[str]:
    kind = f" ({setting.type})" if setting.kind in (int, float, tuple) else ""
    yield from (f"# {line}" for line in wrap(f"{setting.help}{kind}", 78))
    if setting.key in _WRITTEN:
        yield f"{name} = {_WRITTEN[setting.key]}"
    else:
        yield f"# {name} = {_toml(setting.default)}"


def _toml(value: Any) -> str:
    """Write a default; JSON's texts, numbers and lists are TOML's as well."""
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        value = value[0]  # lists of patterns add up; the file says the first
    return json.dumps(value)
