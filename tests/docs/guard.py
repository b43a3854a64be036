"""A policy plugin, as docs/how-to/write-a-policy.md shows it."""

# -- start policy --
from abilities_host import MISSING, Ask, ProposedWrite, Veto, hookimpl


@hookimpl
async def before_write(write: ProposedWrite) -> Veto | Ask | None:
    """Keep the bookmarks of the team, and ask before another one goes."""
    for target in write.targets:
        if target.domain != "bookmarks":
            continue
        if target.name.startswith("team-"):
            return Veto("bookmarks of the team are kept", rule="team")
        before = await write.before(target)
        if write.ability.annotations.destructive and before is not MISSING:
            return Ask(f"Remove the bookmark {target.name}?", rule="remove")
    return None


# -- end policy --
