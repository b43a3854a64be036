"""ServerSettings: what one server that clients connect to is."""

from typing import Annotated

from pydantic import Field, ValidationInfo

from abilities_host.config.merging import Merge
from abilities_host.config.section import Section
from abilities_host.config.values import (
    Categories,
    Compact,
    Layers,
    Loose,
    Pattern,
    ProfileName,
    RequiredScope,
    Route,
    ServerId,
    Title,
)
from abilities_host.denylist import ServerView

MCP_ROUTE = "/mcp"


class ServerSettings(Section):
    """The server that clients connect to."""

    id: ServerId = Field(
        default="default",
        description="The server's id: lower-case letters, digits, dashes.",
    )
    enabled: Annotated[bool, Merge.BOTH] = Field(
        default=True, description="The server's own kill switch: false answers nothing."
    )
    route: Route = Field(
        default="",
        examples=["/team/mcp"],
        description="Its path over HTTP; empty for /mcp, and for /mcp/ with the id of "
        "a further server.",
    )
    requires: RequiredScope = Field(
        default="",
        examples=["read"],
        description="A scope without which nobody may use it; empty for none.",
    )
    compact: Compact = Field(
        default="off",
        description="List three tools that lead to all the others: 'on' or true; "
        "'split' for a fourth that only reads, so that a client can allow it alone.",
    )
    profile: ProfileName = Field(
        default="auto",
        description="Which client family tools are shown to; auto asks the request "
        "and the client's name.",
    )
    title: Title = Field(
        default="", description="What a client shows; empty for the host's title."
    )
    include: Layers = Field(
        default=(("*",),),
        examples=[["files/*"]],
        description="Abilities it exposes: names or patterns.",
    )
    exclude: Annotated[tuple[Pattern, ...], Loose, Merge.UNION] = Field(
        default=(),
        examples=[["files/delete"]],
        description="Abilities it never exposes: names or patterns.",
    )
    categories: Annotated[Categories, Merge.WITHIN] = Field(
        default=(),
        examples=[["files"]],
        description="Categories it exposes; empty for all.",
    )
    instructions: Annotated[str, Field(max_length=20_000)] = Field(
        default="", description="More for the model, after the host's own instructions."
    )

    @property
    def view(self) -> ServerView:
        """What the deny-list needs to know of it."""
        return ServerView(
            self.id,
            self.enabled,
            self.include,
            self.exclude,
            frozenset(self.categories),
            self.requires,
        )

    def path(self, *, is_first: bool) -> str:
        """Say where it is served over HTTP.

        Args:
            is_first: whether it is the one of ``[server]``.

        Returns:
            An absolute path.
        """
        return self.route or (MCP_ROUTE if is_first else f"{MCP_ROUTE}/{self.id}")


def distinct(
    further: tuple[ServerSettings, ...], info: ValidationInfo
) -> tuple[ServerSettings, ...]:
    """Check that no two servers have one id or one path.

    Args:
        further: the servers beside the first.
        info: of the configuration; it has the first.

    Returns:
        The same.

    Raises:
        ValueError: names the id or the path.
    """
    first = info.data.get("server", ServerSettings())
    _check_distinct("id", [first.id, *(each.id for each in further)])
    paths = [
        first.path(is_first=True),
        *(each.path(is_first=False) for each in further),
    ]
    _check_distinct("route", paths)
    return further


def _check_distinct(what: str, values: list[str]) -> None:
    for value in values:
        if values.count(value) > 1:
            msg = f"two servers have the {what} {value!r}; give each its own."
            raise ValueError(msg)
