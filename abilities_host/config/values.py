"""The kinds of value a setting may have, and what is wrong with one in words."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from abilities_host.config.addresses import (
    host_pattern,
    issuer_address,
    network,
    origin,
    web_address,
)
from abilities_host.config.merging import Merge
from abilities_host.config.required import RequiredPlugin, parse_required_plugin
from abilities_host.errors import listed
from abilities_host.frozen import freeze
from abilities_host.schema.profiles import AUTO, PROFILE_NAME

OWN_ROUTES = (".well-known", "admin", "healthz", "metrics", "readyz")
"""What the host itself answers below ``/``."""

SIGNATURES = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)

BOOLEANS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}
"""How a text says true or false."""

_ARGUMENTS = 64


def _matching(pattern: str, expected: str) -> AfterValidator:
    whole = re.compile(pattern)

    def check(written: str) -> str:
        if whole.fullmatch(written):
            return written
        msg = f"expected {expected}."
        raise ValueError(msg)

    return AfterValidator(check)


def _path(written: str) -> str:
    if written.strip() and "\0" not in written:
        return written
    msg = "expected a path, which is not empty and has no NUL in it."
    raise ValueError(msg)


def _anchor(written: str) -> str:
    return written and _path(written)


def _scope(written: str) -> str:
    if re.fullmatch(r"(\*|[a-z0-9-]+)(:(\*|[a-z0-9-]+))*", written):
        return written
    msg = "expected scopes such as 'read', 'write' or 'notes:write'."
    raise ValueError(msg)


def _profile(written: str) -> str:
    # Packs add some, so whether there is one of this name is known after the start.
    if PROFILE_NAME.fullmatch(written):
        return written
    msg = (
        f"expected {AUTO}, or the name of a profile such as gemini: 1 to 64 lower-case "
        "letters, digits and dashes."
    )
    raise ValueError(msg)


def _command(written: tuple[str, ...]) -> tuple[str, ...]:
    if len(written) <= _ARGUMENTS and (not written or written[0].strip()):
        return written
    msg = (
        f"expected a program and its arguments, at most {_ARGUMENTS} texts, such as "
        "['notify-send', 'abilities']."
    )
    raise ValueError(msg)


def _argument(written: str) -> str:
    if "\0" not in written:
        return written
    msg = "expected a text that has no NUL in it."
    raise ValueError(msg)


def _route(written: str) -> str:
    is_path = re.fullmatch(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*", written)
    if is_path and written.partition("/")[2].partition("/")[0] not in OWN_ROUTES:
        return written
    msg = (
        "expected a path such as '/team/mcp' that begins with none of "
        f"{listed(OWN_ROUTES, len(OWN_ROUTES))}."
    )
    raise ValueError(msg)


def _compact(written: object) -> object:
    if isinstance(written, bool):
        return "on" if written else "off"
    # As a variable says it of any other setting that is true or false.
    if isinstance(written, str) and written.strip().lower() in BOOLEANS:
        return _compact(BOOLEANS[written.strip().lower()])
    return written


def _one_of(*words: str) -> AfterValidator:
    def check(written: str) -> str:
        if written in words:
            return written
        *others, last = map(repr, words)
        msg = f"expected {', '.join(others)} or {last}."
        raise ValueError(msg)

    return AfterValidator(check)


def _required_scope(written: str) -> str:
    return written and _scope(written)


def _required(written: object) -> object:
    return parse_required_plugin(written) if isinstance(written, str) else written


def _layer(written: object) -> object:
    return (written,) if isinstance(written, list) else written


Loose = Field(strict=False)  # TOML has lists, a frozen record holds tuples
Pattern = Annotated[
    str,
    _matching(
        r"[a-z0-9/*?-]+",
        "ability names or patterns of lower-case letters, digits, dashes and a slash, "
        "with * and ? as wildcards, such as 'files/*'",
    ),
]
Pack = Annotated[
    str,
    _matching(r"[\w.-]+(/[\w.-]+)?", "a pack's identity, such as 'my-pack/notes'"),
]
ProfileName = Annotated[str, AfterValidator(_profile)]
PathText = Annotated[str, AfterValidator(_path), Field(max_length=4096)]
AnchorText = Annotated[str, AfterValidator(_anchor), Field(max_length=4096)]
Argument = Annotated[str, AfterValidator(_argument), Field(max_length=4096)]
Command = Annotated[tuple[Argument, ...], Loose, AfterValidator(_command)]
Held = Annotated[str, _one_of("show", "hold")]
ServerId = Annotated[
    str,
    _matching(
        r"[a-z0-9-]{1,100}",
        "lower-case letters, digits and dashes, at most 100 of them",
    ),
]
Scope = Annotated[str, AfterValidator(_scope)]
RequiredScope = Annotated[str, AfterValidator(_required_scope)]
Scopes = Annotated[tuple[Scope, ...], Loose]
Route = Annotated[str, AfterValidator(_route), Field(max_length=200)]
Compact = Annotated[str, BeforeValidator(_compact), _one_of("off", "on", "split")]
Category = Annotated[
    str, _matching(r"[a-z0-9]+(?:-[a-z0-9]+)*", "categories such as 'files'")
]
Categories = Annotated[tuple[Category, ...], Loose]
Address = Annotated[
    str,
    _matching(r"[A-Za-z0-9:.%_-]{1,255}", "an address such as '127.0.0.1' or '::1'"),
]
Auth = Annotated[str, _one_of("token", "none")]
Algorithms = Annotated[tuple[Annotated[str, _one_of(*SIGNATURES)], ...], Loose]
HostPatterns = Annotated[
    tuple[Annotated[str, AfterValidator(host_pattern)], ...], Loose
]
Networks = Annotated[tuple[Annotated[str, AfterValidator(network)], ...], Loose]
Origins = Annotated[tuple[Annotated[str, AfterValidator(origin)], ...], Loose]
IssuerAddress = Annotated[str, AfterValidator(issuer_address), Field(max_length=2000)]
WebAddress = Annotated[str, AfterValidator(web_address), Field(max_length=2000)]
Required = Annotated[RequiredPlugin, BeforeValidator(_required)]
Patterns = Annotated[tuple[Pattern, ...], Loose]
Layers = Annotated[tuple[Patterns, ...], BeforeValidator(_layer), Merge.LAYERS]
Table = Annotated[Mapping[str, Any], AfterValidator(freeze)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Title = Annotated[str, Field(max_length=200)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Bytes = Annotated[int, Field(ge=1024, le=1 << 30)]
Depth = Annotated[int, Field(ge=1, le=128)]
Count = Annotated[int, Field(ge=1, le=100_000)]
