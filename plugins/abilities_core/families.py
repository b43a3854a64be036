"""Families: clients that differ from every built-in profile in a count or two."""

from typing import Final

from abilities_host import Client, Profile

WINDSURF: Final = Profile(
    name="windsurf",
    clients="Windsurf",
    names=(Client("windsurf"),),  # seen: windsurf-client, Windsurf
    tools=50,  # I-38
)
