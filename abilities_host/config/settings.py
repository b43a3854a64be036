"""The settings: what `abilities.toml` may say, with defaults, limits and help."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated

from pydantic import AfterValidator, Field

from abilities_host.calls import Actor, ActorKind, Limits
from abilities_host.config.admin import AdminSettings
from abilities_host.config.merging import Merge
from abilities_host.config.network import (
    BUILT_IN_ROLES,
    HttpSettings,
    RequestSettings,
    Roles,
)
from abilities_host.config.section import Section
from abilities_host.config.servers import ServerSettings, distinct
from abilities_host.config.values import (
    AnchorText,
    Bytes,
    Command,
    Count,
    Depth,
    Held,
    Loose,
    Name,
    Pack,
    PathText,
    Patterns,
    Required,
    Scope,
    Seconds,
    Table,
    Title,
)
from abilities_host.denylist import Switches
from abilities_host.frozen import FrozenDict, freeze


class PluginSettings(Section):
    """Which plugins must, may and must not be there."""

    required: Annotated[tuple[Required, ...], Loose, Merge.UNION] = Field(
        default=(),
        examples=[["my-pack/guard>=1.2"]],
        description="Plugins without which the host serves reads only.",
    )
    optional: Annotated[tuple[Pack, ...], Loose, Merge.FILE] = Field(
        default=(),
        examples=[["my-pack/guard"]],
        description="Policy plugins that may be missing; all others must be healthy.",
    )
    blocked: Annotated[tuple[Pack, ...], Loose, Merge.UNION] = Field(
        default=(),
        examples=[["my-pack/notes"]],
        description="Packs that are never loaded.",
    )
    namespaces: Annotated[Mapping[str, Pack], AfterValidator(freeze), Merge.TABLE] = (
        Field(
            default=FrozenDict(),
            examples=[{"notes": "my-pack/notes"}],
            description="Which pack has a namespace that two packs claim.",
        )
    )
    changed_definitions: Annotated[Held, Merge.STRICTER] = Field(
        default="show",
        description="What becomes of abilities that say otherwise after an upgrade: "
        "'show' tells, 'hold' also keeps them off until a person accepts them.",
    )


class LedgerSettings(Section):
    """The record of writes."""

    required: Annotated[bool, Merge.EITHER] = Field(
        default=True,
        description="Run no write without a durable record of it.",
    )
    anchor: AnchorText = Field(
        default="",
        examples=["/var/lib/abilities/anchor.json"],
        description="The file, out of the store's folder, that shows a changed or "
        "replaced record; empty for one in the user's state folder, 'none' for none.",
    )
    keep_days: Annotated[int, Field(ge=7, le=36_500)] = Field(
        default=365, description="Days that entries are kept."
    )
    keep_entries: Annotated[int, Field(ge=500, le=1_000_000_000)] = Field(
        default=1_000_000, description="Entries that are kept; older ones go first."
    )
    keep_bytes: Annotated[int, Field(ge=2 << 20, le=1 << 46)] = Field(
        default=4 << 30, description="Bytes of states that are kept."
    )
    refusals_per_minute: Count = Field(
        default=60,
        description="Different refusals of one actor recorded in a minute; more are "
        "counted as one.",
    )


class MemorySettings(Section):
    """What agents are told of the project, and who hears of proposals."""

    enabled: Annotated[bool, Merge.BOTH] = Field(
        default=True,
        description="Tell agents unasked what was approved and the site context; "
        "approved rules hold either way.",
    )
    tokens: Annotated[int, Field(ge=0, le=8000)] = Field(
        default=1500, description="Tokens of approved guidance in the instructions."
    )
    notify: Command = Field(
        default=(),
        examples=[["notify-send", "abilities"]],
        description="A command that is run, with ids and counts, when something waits "
        "for review; empty for none.",
    )


class StoreSettings(Section):
    """Where the host keeps its state."""

    path: PathText = Field(
        default="abilities.db",
        description="The store's file; a relative path starts at this file's folder.",
    )


class ActorSettings(Section):
    """Who calls over one surface of this machine, and what it may do."""

    id: Name
    scopes: Annotated[tuple[Scope, ...], Loose, Merge.NARROW] = Field(
        default=("read", "write"),
        examples=[["read", "notes:write"]],
        description="What it may do; * stands for one whole part.",
    )

    def actor(self, kind: ActorKind) -> Actor:
        """Make the actor.

        Args:
            kind: what calls over this surface.

        Returns:
            The actor with these scopes.
        """
        return Actor(self.id, kind, frozenset(self.scopes))


class StdioActor(ActorSettings):
    """Who calls over stdio."""

    id: Name = Field(
        default="stdio", description="The name of who calls over stdio, in the record."
    )


class CliActor(ActorSettings):
    """Who calls on the command line."""

    id: Name = Field(
        default="cli",
        description="The name of who calls on the command line, in the record.",
    )


class HttpActor(ActorSettings):
    """Who calls over HTTP with the token of this machine."""

    id: Name = Field(
        default="http", description="The name of who calls over HTTP, in the record."
    )


class ActorsSettings(Section):
    """The actors of this machine's surfaces."""

    stdio: StdioActor = StdioActor()
    cli: CliActor = CliActor()
    http: HttpActor = HttpActor()


class LimitSettings(Section):
    """What may be taken; at each limit there is a clear error."""

    call_seconds: Seconds = Field(default=60.0, description="One run.")
    hook_seconds: Seconds = Field(default=5.0, description="One pass over the hooks.")
    capture_seconds: Seconds = Field(
        default=10.0, description="Reading all states of one call."
    )
    lock_seconds: Seconds = Field(
        default=10.0, description="Waiting for targets in use."
    )
    settle_seconds: Seconds = Field(
        default=15.0, description="The shielded end of a run."
    )
    question_seconds: Seconds = Field(
        default=600.0, description="A question to a person."
    )
    input_bytes: Bytes = Field(default=1 << 20, description="Arguments as JSON.")
    result_bytes: Bytes = Field(default=1 << 20, description="A result as JSON.")
    schema_bytes: Bytes = Field(default=64_000, description="One schema as JSON.")
    listing_bytes: Bytes = Field(default=4_000_000, description="One listing as JSON.")
    schema_depth: Depth = Field(default=64, description="Nesting of a schema.")
    nesting: Annotated[int, Field(ge=1, le=64)] = Field(
        default=8, description="Calls inside calls."
    )
    calls: Count = Field(default=64, description="Calls at once.")
    calls_per_actor: Count = Field(
        default=16, description="Calls at once by one actor."
    )
    queue: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=256, description="Calls waiting for a slot."
    )
    http_requests: Count = Field(
        default=1000, description="Requests at once over HTTP, open streams included."
    )
    http_sessions: Count = Field(
        default=500, description="Open sessions over HTTP, of clients that have one."
    )
    http_session_seconds: Seconds = Field(
        default=1800.0, description="A session over HTTP without a request."
    )
    requests_per_actor: Count = Field(
        default=64, description="Requests at once by one actor over HTTP."
    )
    requests_per_minute: Count = Field(
        default=3000, description="Requests of one actor over HTTP in a minute."
    )
    failures_per_minute: Count = Field(
        default=60,
        description="Requests without a good token from one address in a minute.",
    )
    request_seconds: Seconds = Field(
        default=900.0, description="One request over HTTP; open streams may stay."
    )
    targets: Count = Field(default=1000, description="Targets of one call.")
    state_bytes: Bytes = Field(
        default=8 << 20, description="A state kept in the record, before packing."
    )
    abandoned_threads: Count = Field(
        default=8, description="Threads of one pack that never returned."
    )
    abilities: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=20_000, description="Registered abilities."
    )

    @property
    def of_a_run(self) -> Limits:
        """The limits that the envelope keeps."""
        names = [field.name for field in fields(Limits)]
        return Limits(**{name: getattr(self, name) for name in names})


class ProtectSettings(Section):
    """What no pack may touch, besides what is protected always."""

    paths: Annotated[tuple[PathText, ...], Loose, Merge.UNION] = Field(
        default=(),
        examples=[["~/.ssh"]],
        description="More files and folders that no ability may touch.",
    )


class HostConfig(Section):
    """The whole configuration."""

    title: Title = Field(
        default="Abilities", description="What a person reads as the host's name."
    )
    summary: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="What this host is for, in a sentence or two."
    )
    context: Annotated[str, Field(max_length=20_000)] = Field(
        default="", description="What every model should know about this site."
    )
    plugins_dir: PathText | None = Field(
        default=None, description="A folder whose .py files are packs."
    )
    disabled: Annotated[Patterns, Merge.UNION] = Field(
        default=(),
        examples=[["files/*"]],
        description="Abilities that are off, whatever else says so.",
    )
    enabled: Annotated[Patterns, Merge.FILE] = Field(
        default=(),
        examples=[["files/write"]],
        description="Abilities that are on although they come switched off.",
    )
    read_only: Annotated[bool, Merge.EITHER] = Field(
        default=False, description="Turn every write off."
    )
    kill_switch: Annotated[bool, Merge.EITHER] = Field(
        default=False, description="No server answers; this machine still may call."
    )
    treat_as_write: Annotated[Patterns, Merge.UNION] = Field(
        default=(),
        examples=[["reports/*"]],
        description="Abilities taken for writes, whatever their author says.",
    )
    plugins: PluginSettings = PluginSettings()
    ledger: LedgerSettings = LedgerSettings()
    memory: MemorySettings = MemorySettings()
    store: StoreSettings = StoreSettings()
    actors: ActorsSettings = ActorsSettings()
    server: ServerSettings = ServerSettings()
    servers: Annotated[
        tuple[ServerSettings, ...], Loose, AfterValidator(distinct), Merge.FILE
    ] = Field(
        default=(),
        max_length=100,
        description="Further servers: [[servers]] tables, each with an id of its own "
        "and what [server] may say.",
    )
    http: HttpSettings = HttpSettings()
    admin: AdminSettings = AdminSettings()
    roles: Roles = Field(
        default=FrozenDict(),
        examples=[{"auditor": ["read", "ledger:read"]}],
        description="Named sets of scopes for tokens, besides viewer, agent and "
        "operator.",
    )
    requests: RequestSettings = RequestSettings()
    limits: LimitSettings = LimitSettings()
    protect: ProtectSettings = ProtectSettings()
    packs: Annotated[Mapping[str, Table], AfterValidator(freeze), Merge.TABLE] = Field(
        default=FrozenDict(),
        examples=[{"files": {"root": "content"}}],
        description="A table of settings for each pack, read by the pack.",
    )

    @property
    def all_servers(self) -> tuple[ServerSettings, ...]:
        """Every server, that of ``[server]`` first."""
        return (self.server, *self.servers)

    def scopes_of(self, role: str) -> tuple[str, ...] | None:
        """Give the scopes of a role, None for one that nobody described."""
        known = {**BUILT_IN_ROLES, **self.roles}
        return tuple(known[role]) if role in known else None

    @property
    def switches(self) -> Switches:
        """What the deny-list needs to know."""
        return Switches(
            disabled=self.disabled,
            enabled=self.enabled,
            read_only=self.read_only,
            kill_switch=self.kill_switch,
            treat_as_write=self.treat_as_write,
        )
