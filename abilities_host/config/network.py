"""Network settings: where the host listens, whom it believes, what it logs."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from abilities_host.config.merging import Merge
from abilities_host.config.section import Section
from abilities_host.config.values import (
    Address,
    Algorithms,
    Auth,
    HostPatterns,
    IssuerAddress,
    Loose,
    Networks,
    Origins,
    Scopes,
    WebAddress,
)
from abilities_host.frozen import FrozenDict, freeze


class IssuerSettings(Section):
    """An outside issuer whose tokens are believed."""

    url: Annotated[IssuerAddress, Merge.FILE] = Field(
        default="",
        examples=["https://login.example.org"],
        description="The issuer, exactly as its tokens name it; empty for none.",
    )
    audience: Annotated[str, Field(max_length=2000), Merge.FILE] = Field(
        default="",
        description="What its tokens must be meant for; empty for the server's own "
        "address below public_url.",
    )
    keys: Annotated[WebAddress, Merge.FILE] = Field(
        default="",
        examples=["https://login.example.org/jwks.json"],
        description="Where its public keys are; empty to ask its metadata.",
    )
    algorithms: Annotated[Algorithms, Merge.WITHIN] = Field(
        default=("RS256", "ES256", "EdDSA"),
        description="Signatures that are believed; none with a shared secret.",
    )
    actor_claim: Annotated[str, Field(min_length=1, max_length=200), Merge.FILE] = (
        Field(default="sub", description="The claim that names the actor.")
    )
    scopes: Annotated[Mapping[str, Scopes], AfterValidator(freeze), Merge.FILE] = Field(
        default=FrozenDict(),
        examples=[{"tools.use": ["read", "write"]}],
        description="What its scopes and roles stand for here; others give nothing.",
    )


class HttpSettings(Section):
    """Serving over HTTP."""

    address: Address = Field(
        default="127.0.0.1", description="The address that is listened on."
    )
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        default=8765, description="The port; 0 for any that is free."
    )
    auth: Annotated[Auth, Merge.STRICTER] = Field(
        default="token",
        description="Who may call: 'token' asks for one, 'none' lets every program of "
        "this machine call.",
    )
    public_url: WebAddress = Field(
        default="",
        examples=["https://abilities.example.org"],
        description="How clients reach the host; empty for the address itself.",
    )
    hosts: Annotated[HostPatterns, Merge.WITHIN] = Field(
        default=(),
        examples=[["abilities.example.org", "*.example.org:443"]],
        description="Further names it is reached by, with * for one part and a port "
        "where only that one is right.",
    )
    origins: Annotated[Origins, Merge.WITHIN] = Field(
        default=(),
        examples=[["https://app.example.org"]],
        description="Origins whose pages may call it, besides its own.",
    )
    trusted_proxies: Annotated[Networks, Merge.WITHIN] = Field(
        default=(),
        examples=[["127.0.0.1", "10.0.0.0/8"]],
        description="Proxies whose forwarded headers are believed.",
    )
    issuer: IssuerSettings = IssuerSettings()


class RequestSettings(Section):
    """The log of requests."""

    enabled: Annotated[bool, Merge.REPLACE] = Field(
        default=True,
        description="Keep what was asked, by whom and how it ended; never arguments "
        "or results.",
    )
    keep_days: Annotated[int, Field(ge=1, le=3_650)] = Field(
        default=30, description="Days that requests are kept."
    )
    keep_entries: Annotated[int, Field(ge=1_000, le=100_000_000)] = Field(
        default=1_000_000, description="Requests that are kept; older ones go first."
    )
    traces: Annotated[bool, Merge.REPLACE] = Field(
        default=False,
        description="Send traces where the OTEL_* variables say; needs the extra otel.",
    )


Roles = Annotated[Mapping[str, Scopes], Loose, AfterValidator(freeze), Merge.FILE]

BUILT_IN_ROLES: Mapping[str, tuple[str, ...]] = FrozenDict(
    {
        "viewer": ("read", "*:read"),
        "agent": ("read", "write", "*:read", "*:write"),
        "operator": ("*", "*:*"),
    }
)
