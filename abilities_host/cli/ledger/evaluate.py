"""The command ``ledger evaluate``: judge what nobody has judged."""

from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.ledger.progress import shown_progress
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say, say_json
from abilities_host.cli.running import load


def evaluate_writes(
    config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Have every write judged that nobody has judged yet."""
    loaded = load(config)
    with shown_progress("evaluating") as progress:
        counts = with_ledger(loaded, lambda ledger: ledger.evaluate(progress))
    if as_json:
        say_json(dict(counts))
        return
    if not any(counts.values()):
        say("No pack judged a write that nobody had judged.")
        return
    for word, count in counts.items():
        say(f"{word:<12} {count:,}")
