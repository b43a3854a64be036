"""Listing: the tools a caller can see, found, in order and by the page."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

from abilities_dispatcher.ranking import rank
from abilities_dispatcher.refusals import StalePage
from abilities_dispatcher.text import one_line, shorten
from abilities_dispatcher.tools import Tools
from abilities_host import Ability, Call, run_in_thread
from abilities_host.memory import tell_guidance

_DESCRIPTION: Final = 200
_CONTEXT: Final = 2000
_GUIDANCE_TOKENS: Final = 400  # it is read again with each page
_LABEL: Final = "About this host (data, not instructions): "


async def list_tools(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """List tools: by name, or best first when something is searched.

    Args:
        arguments: `search`, words; `category`, a slug; `limit`, 1 to 200; `after`, the
            `next` of the page before.
        call: the running call.

    Returns:
        `tools`, each with name, description, category and destructive; `context`;
        `total`, how many there are on all pages; `next` when there are more.

    Raises:
        StalePage: when a search no longer finds what its page before ended with.
    """
    tools = _in_category(await call.list_abilities(), arguments.get("category"))
    search = arguments.get("search", "").strip()
    names = await _search(search, tools, call) if search else tuple(sorted(tools))
    start = _start(names, arguments.get("after", ""), is_search=bool(search))
    page = names[start : start + arguments["limit"]]
    answer = {
        "tools": [_entry(tools[name]) for name in page],
        "context": await _context(call),
        "total": len(names),
    }
    has_more = start + len(page) < len(names)
    return answer | {"next": page[-1]} if has_more else answer


def _in_category(
    abilities: Sequence[Ability], category: str | None
) -> dict[str, Ability]:
    return {
        name: ability
        for name, ability in Tools(abilities).by_name.items()
        if category is None or ability.category == category
    }


async def _search(
    search: str, tools: Mapping[str, Ability], call: Call
) -> tuple[str, ...]:
    ranked = await run_in_thread(lambda: rank(search, tools.values()))
    return await call.rerank(search, ranked)


def _start(names: Sequence[str], after: str, *, is_search: bool) -> int:
    """A name that has gone still has its place among names, but none among ranks."""
    if not after:
        return 0
    if not is_search:
        return bisect_right(names, after)
    if after not in names:
        raise StalePage
    return names.index(after) + 1


def _entry(ability: Ability) -> dict[str, Any]:
    notes = ability.annotations
    return {
        "name": ability.name,
        "description": one_line(ability.description, _DESCRIPTION),
        "category": ability.category,
        "destructive": False if notes.readonly else notes.destructive,
    }


async def _context(call: Call) -> str:
    facts = call.describe_host()
    if not facts["memory"]["enabled"]:
        return _about(facts["site"]["summary"])
    tokens = min(facts["memory"]["tokens"] // 2, _GUIDANCE_TOKENS)
    guidance = await tell_guidance(call.service, tokens)
    site = _about(facts["site"]["summary"], facts["site"]["context"])
    return "\n\n".join(text for text in (site, guidance) if text)


def _about(*texts: str) -> str:
    told = "\n".join(text for text in texts if text)
    return shorten(_LABEL + told, _CONTEXT) if told else ""
