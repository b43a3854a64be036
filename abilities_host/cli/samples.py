"""Samples: the first files of a new host."""

from collections.abc import Mapping
from typing import Final

SAMPLES: Final[Mapping[str, str]] = {
    "content/welcome.md": """\
# Welcome

This folder is what the abilities files/* work in. An agent can list it, read and
search it, and write to it as far as you let it.

Try: abilities call files/read '{"path": "welcome.md"}'
""",
    "content/notes/ideas.md": """\
# Ideas

- Ask the agent to add a line here, and see with your own eyes what it changed.
- Write disabled = ["files/delete"] into abilities.toml, and see that no way leads
  to that ability any more.
""",
    "content/data/fruit.csv": """\
fruit,colour,count
apple,red,3
banana,yellow,5
plum,blue,8
""",
    "plugins/hello.py.example": '''\
"""A pack in one file. Rename it to hello.py and it is served at the next start."""

from abilities_host import Declaration, RegistryView, hookimpl


@hookimpl
def declare_pack() -> Declaration:
    return Declaration(namespaces=("hello",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("hello", label="Hello", description="Says hello.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    @registry.ability(
        "hello/greet",
        label="Greet",
        category="hello",
        permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}},
    )
    def greet(name: str = "world") -> str:
        """Greets somebody by name."""
        return f"Hello, {name}!"
''',
}
"""Path below the host's folder to content; a pack is inactive while it ends so."""
