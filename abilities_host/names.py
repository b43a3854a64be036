"""Rules for ability names and category slugs, and their reversible tool names."""

import re
from hashlib import sha256

from abilities_host.errors import InvalidName, InvalidSlug

ABILITY_NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
CATEGORY_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

RESERVED_NAMESPACES = frozenset(
    {"abilities", "core", "database", "dispatcher", "files", "ledger", "memory"}
)

TOOL_NAME_LIMIT = 64
_HASH_LENGTH = 8


def check_ability_name(name: object, *, pack: str = "") -> str:
    """Check that a name is ``namespace/name``.

    Args:
        name: what the pack wrote.
        pack: who wrote it, for the error.

    Returns:
        The name itself.

    Raises:
        InvalidName: when it does not match ``^[a-z0-9-]+/[a-z0-9-]+$``; the rule is
            WordPress's, which sets no length limit.
    """
    if isinstance(name, str) and ABILITY_NAME.fullmatch(name):
        return name
    raise InvalidName(name, _suggest_ability_name(name), pack=pack)


def check_category_slug(slug: object, *, pack: str = "") -> str:
    """Check that a category slug is lower-case words joined by single dashes.

    Args:
        slug: what the pack wrote.
        pack: who wrote it, for the error.

    Returns:
        The slug itself.

    Raises:
        InvalidSlug: when it does not match WordPress's rule.
    """
    if isinstance(slug, str) and CATEGORY_SLUG.fullmatch(slug):
        return slug
    fix = "-".join(re.findall(r"[a-z0-9]+", str(slug).lower()))
    raise InvalidSlug(slug, fix, pack=pack)


def namespace_of(name: str) -> str:
    """Return the part of an ability name before the slash."""
    return name.partition("/")[0]


def exposed_name(name: str, limit: int = TOOL_NAME_LIMIT) -> str:
    """Turn an ability name into a tool name that every client accepts.

    ``_`` is never legal in an ability name, so the map needs no table: a tool name
    with one ``_`` is a whole name, one with more is a shortened one.

    Args:
        name: a valid ability name.
        limit: longest tool name in characters, at least 12.

    Returns:
        ``files_write`` for ``files/write``; a longer one is cut and ends in ``_`` and
        8 characters of its hash.
    """
    tool = name.replace("/", "_")
    if len(tool) <= limit:
        return tool
    digest = sha256(name.encode()).hexdigest()[:_HASH_LENGTH]
    start = tool[: limit - _HASH_LENGTH - 1]
    if "_" not in start:  # cut inside the namespace: with one `_` it would look whole
        start = f"{start[:-1]}_"
    return f"{start}_{digest}"


def original_name(tool: str) -> str | None:
    """Turn a tool name back into the ability name, if it says it whole.

    Args:
        tool: what a client sent.

    Returns:
        The ability name, or None for a shortened or impossible one.
    """
    name = tool.replace("_", "/")
    return name if ABILITY_NAME.fullmatch(name) and "/" not in tool else None


def _suggest_ability_name(name: object) -> str:
    words = re.findall(r"[a-z0-9-]+", str(name).lower().replace("_", "-"))
    return f"{words[0]}/{'-'.join(words[1:])}" if len(words) > 1 else ""
