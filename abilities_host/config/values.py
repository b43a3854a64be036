"""The kinds of value a setting may have, and what is wrong with one in words."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from abilities_host.config.merging import Merge
from abilities_host.config.required import RequiredPlugin, parse_required_plugin
from abilities_host.errors import listed
from abilities_host.frozen import freeze
from abilities_host.schema.profiles import PROFILES

_ARGUMENTS = 64


def _pattern(written: str) -> str:
    if re.fullmatch(r"[a-z0-9/*?-]+", written):
        return written
    msg = (
        "expected ability names or patterns of lower-case letters, digits, dashes and "
        "a slash, with * and ? as wildcards, such as 'files/*'."
    )
    raise ValueError(msg)


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


def _pack(written: str) -> str:
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", written):
        return written
    msg = "expected a pack's identity, such as 'my-pack/notes'."
    raise ValueError(msg)


def _profile(written: str) -> str:
    if written == "auto" or written in PROFILES:
        return written
    msg = f"expected auto, or one of {listed(PROFILES, len(PROFILES))}."
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


def _held(written: str) -> str:
    if written in ("show", "hold"):
        return written
    msg = "expected 'show' or 'hold'."
    raise ValueError(msg)


def _server_id(written: str) -> str:
    if re.fullmatch(r"[a-z0-9-]{1,100}", written):
        return written
    msg = "expected lower-case letters, digits and dashes, at most 100 of them."
    raise ValueError(msg)


def _required(written: object) -> object:
    return parse_required_plugin(written) if isinstance(written, str) else written


def _layer(written: object) -> object:
    return (written,) if isinstance(written, list) else written


Loose = Field(strict=False)  # TOML has lists, a frozen record holds tuples
Pattern = Annotated[str, AfterValidator(_pattern)]
Pack = Annotated[str, AfterValidator(_pack)]
ProfileName = Annotated[str, AfterValidator(_profile)]
PathText = Annotated[str, AfterValidator(_path), Field(max_length=4096)]
AnchorText = Annotated[str, AfterValidator(_anchor), Field(max_length=4096)]
Argument = Annotated[str, AfterValidator(_argument), Field(max_length=4096)]
Command = Annotated[tuple[Argument, ...], Loose, AfterValidator(_command)]
Held = Annotated[str, AfterValidator(_held)]
ServerId = Annotated[str, AfterValidator(_server_id)]
Scope = Annotated[str, AfterValidator(_scope)]
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
