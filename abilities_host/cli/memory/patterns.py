"""The command ``memory patterns``: propose what the record shows again and again."""

from abilities_host.cli.memory.list import shortened
from abilities_host.cli.memory.opened import with_memory
from abilities_host.cli.memory.values import guidance_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import printable, say, say_json
from abilities_host.cli.running import load


def propose_patterns(
    config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Propose what the record shows again and again."""
    kept = with_memory(load(config), lambda memory: memory.propose_patterns())
    if as_json:
        say_json({"proposed": [guidance_as_json(each) for each in kept]})
    elif not kept:
        say("Nothing new happens again and again.")
    for each in () if as_json else kept:
        say(f"{each.id} waits for a review: {printable(shortened(each.text))}")
