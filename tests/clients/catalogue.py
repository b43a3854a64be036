"""Catalogue: which clients are tried, and how each of them is met."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from clients.drivers.job import Mode, Transport

from abilities_host.schema.profiles import GENERIC, PROFILES

Runtime = Literal["node", "modern", "legacy", "here"]
HostKind = Literal["full", "compact", "zoo", "issuer"]

EVERY: Final = (*PROFILES, "windsurf")
"""The built-in profiles, and that of a pack of this repository."""

BOTH_MODES: Final[tuple[Mode, ...]] = ("auto", "legacy")
BOTH_TRANSPORTS: Final[tuple[Transport, ...]] = ("http", "stdio")


class Meeting(NamedTuple):
    """How a client is met.

    Attributes:
        profile: in which the host answers.
        mode: what the client does about the two eras.
        transport: how it connects.
    """

    profile: str
    mode: Mode
    transport: Transport


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    Attributes:
        title: how people call it.
        runtime: the environment it runs in.
        driver: the file in `drivers` that has it meet a host.
        profiles: that it is tried with over HTTP; over stdio it is the generic one.
        modes: what it can do about the two eras.
        transports: that it is tried with.
        hosts: that it meets.
    """

    title: str
    runtime: Runtime
    driver: str
    profiles: tuple[str, ...] = (GENERIC.name,)
    modes: tuple[Mode, ...] = BOTH_MODES
    transports: tuple[Transport, ...] = ("http",)
    hosts: tuple[HostKind, ...] = ("zoo", "compact")

    def meetings(self) -> Iterator[Meeting]:
        """Give every meeting, in the order of the table."""
        for transport in self.transports:
            profiles = self.profiles if transport == "http" else (GENERIC.name,)
            for mode in self.modes:
                for profile in profiles:
                    yield Meeting(profile, mode, transport)


CLIENTS: Final = (
    Client(
        "TypeScript SDK 1.x",
        "node",
        "sdk1.mjs",
        profiles=EVERY,
        modes=("legacy",),
        transports=BOTH_TRANSPORTS,
    ),
    Client(
        "TypeScript client 2.x",
        "node",
        "sdk2.mjs",
        profiles=EVERY,
        transports=BOTH_TRANSPORTS,
    ),
    Client(
        "Inspector, strict",
        "here",
        "inspector",
        profiles=EVERY,
        hosts=("full", "compact", "zoo"),
    ),
    Client("Inspector, token of an issuer", "here", "inspector", hosts=("issuer",)),
    Client("FastMCP", "modern", "fastmcp_client", transports=BOTH_TRANSPORTS),
    Client(
        "LangChain adapters",
        "legacy",
        "langchain_adapters",
        modes=("legacy",),
        transports=BOTH_TRANSPORTS,
    ),
    Client(
        "OpenAI agents",
        "modern",
        "openai_agents",
        profiles=("openai-strict", "openai"),
        modes=("auto",),
    ),
    Client("Google GenAI", "modern", "google_genai", profiles=("gemini",)),
    Client(
        "Pydantic AI agent",
        "modern",
        "pydantic_ai_agent",
        profiles=(GENERIC.name, "anthropic", "openai-strict", "gemini"),
        modes=("auto",),
    ),
)
"""In the order of the table."""
