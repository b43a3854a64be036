"""Profiles: what each client family accepts, as data.

The rows named in comments are those of the collected failures (I-…), rules (G…) and
facts about the earlier system (C-…); a change in a client is one line here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from abilities_host.schema.client import Client

AUTO: Final = "auto"
"""No profile's name: the choice is left to the request and the client."""

PROFILE_NAME: Final = re.compile(r"[a-z0-9-]{1,64}")

_SEPARATOR = 1  # between the server's name and the tool's
_SHORTEST_NAME = 12


@dataclass(frozen=True, slots=True)
class Profile:
    """What one client family accepts.

    Attributes:
        name: how it is chosen.
        clients: who is meant, for a reader.
        keywords: the only keywords it knows; None when it knows all.
        unknown: keywords it refuses or dislikes although it knows the others; such as
            can be left out by themselves.
        null: whether null is a type, or a mark beside one.
        type_arrays: whether `type` may be a list.
        root_composition: whether the root may be composed or a reference.
        references: whether it follows `$ref`.
        boolean_schemas: whether a property's schema may be true or false.
        enums: of which values there may be an enum.
        formats: whether it takes every `format`.
        empty_objects: whether an object without properties is taken as it is, taken
            with an empty `properties`, or refused below the root.
        free_form_objects: whether an object with unnamed properties is taken, makes
            the ability not strict, or is told as JSON text.
        needs_items: whether an array without `items` is refused.
        strict: whether it wants the strict form where there is one.
        property_key: the pattern of a property's name; empty for any.
        tool_name: the pattern of a tool's name.
        tool_name_limit: characters of a tool's name with what the client adds.
        adds_server_name: whether the client puts the server's name before it.
        tools: how many tools it takes; None when no limit is known.
        numbers_in_strings: whether its numbers are known to come as strings.
        names: what such clients call themselves, as their handshakes have it.
    """

    name: str
    clients: str
    keywords: frozenset[str] | None = None
    unknown: frozenset[str] = frozenset()
    null: Literal["type", "nullable"] = "type"
    type_arrays: bool = True
    root_composition: bool = True
    references: bool = True
    # One such property makes the whole listing throw in the 1.x TypeScript client
    # (client findings 3.3), which most hosts are said to embed.
    boolean_schemas: bool = False
    enums: Literal["any", "strings"] = "any"
    formats: bool = True
    empty_objects: Literal["taken", "with properties", "refused"] = "taken"
    free_form_objects: Literal["taken", "not strict", "as text"] = "taken"
    needs_items: bool = True  # I-02, I-20
    strict: bool = False
    property_key: str = ""
    tool_name: str = "^[A-Za-z0-9_-]+$"  # I-33
    tool_name_limit: int = 64  # I-33
    adds_server_name: bool = False
    tools: int | None = None
    numbers_in_strings: bool = False
    names: tuple[Client, ...] = ()

    @property
    def has_own_dialect(self) -> bool:
        """Whether schemas are said in single types, marks for null and few words."""
        return (
            self.keywords is not None
            or not self.type_arrays
            or self.null == "nullable"
            or self.enums == "strings"
            or self.empty_objects == "refused"
            or self.free_form_objects == "as text"
        )

    def name_budget(self, server: str) -> int:
        """Say how long an exposed tool name may be.

        Args:
            server: the name under which the client knows the server.

        Returns:
            Characters, at least 12, of which the client's prefix is taken off.
        """
        prefix = len(server) + _SEPARATOR if self.adds_server_name else 0
        return max(self.tool_name_limit - prefix, _SHORTEST_NAME)


_OPENAI: Final = Profile(
    name="openai",
    clients="OpenAI and Azure models, Copilot CLI, ChatGPT",
    unknown=frozenset({"$schema"}),  # I-15
    root_composition=False,  # client findings 3.3: no root oneOf or anyOf
    empty_objects="with properties",  # I-05
    tools=128,  # I-38
    names=(Client("openai-mcp"), Client("codex-mcp-client")),
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile(name="generic", clients="every client that takes what MCP allows"),
            Profile(
                name="anthropic",
                clients="Claude, Claude Code",
                names=(Client("claude"),),
                root_composition=False,  # I-09
                references=False,  # I-11: "tools fetch failed"
                property_key="^[a-zA-Z0-9_.-]{1,64}$",  # I-36
            ),
            _OPENAI,
            replace(
                _OPENAI,
                name="openai-strict",
                names=(),  # nobody says so; it is chosen
                clients="OpenAI in strict mode, CrewAI",
                # I-17, I-18, C-SCH-05, C-SCH-09: all required, closed, few keywords.
                strict=True,
                formats=False,  # I-18
                free_form_objects="not strict",  # I-19, C-SCH-06
            ),
            Profile(
                name="gemini",
                clients="Gemini, Gemini CLI, Antigravity",
                names=(Client("gemini-cli-mcp-client"),),
                # What the rows show it to take, and no more: I-12, I-14, I-15.
                keywords=frozenset(
                    {
                        "anyOf",
                        "description",
                        "enum",
                        "items",
                        "maximum",
                        "minimum",
                        "nullable",
                        "properties",
                        "required",
                        "title",
                        "type",
                    }
                ),
                null="nullable",  # I-12
                type_arrays=False,  # I-12
                root_composition=False,  # client findings 3.3: dropped on the way
                references=False,  # I-11
                enums="strings",  # I-14
                formats=False,  # I-15
                empty_objects="refused",  # I-06
                free_form_objects="as text",  # I-06
                tools=100,  # I-37
            ),
            Profile(
                name="vscode",
                clients="VS Code, GitHub Copilot",
                names=(Client("visual studio code"), Client("visual-studio-code")),
                tools=128,  # I-38
            ),
            Profile(
                name="cursor",
                clients="Cursor",
                names=(Client("cursor"),),
                tool_name_limit=60,  # I-34
                adds_server_name=True,  # I-34
                tools=40,  # I-38
            ),
        )
    }
)

GENERIC: Final = PROFILES["generic"]


def profile_of_client(
    name: str, version: str, profiles: Mapping[str, Profile]
) -> Profile:
    """Give the profile of a client by what it calls itself.

    Args:
        name: from its handshake, empty when it does not say.
        version: likewise.
        profiles: by name; where two fit equally well, the first is taken.

    Returns:
        The one with the longest name that fits, of such with one length one that names
        versions; `GENERIC` for a client that nobody knows.
    """
    fitting = [
        (len(client.name), bool(client.versions), profile)
        for profile in profiles.values()
        for client in profile.names
        if client.fits(name, version)
    ]
    return max(fitting, key=lambda each: each[:2])[2] if fitting else GENERIC
