"""The operator's way: doctor tells what changed, and the queue takes the decision."""

from pathlib import Path

from cli.at_terminal import Ended, at_terminal
from cli.conftest import Command, command
from cli.memory_world import make_memory, plain
from cli.record_world import ANA
from pins.world import ANN

from abilities_host.cli.running import load
from abilities_host.opening import open_host
from abilities_host.pins import Pins
from abilities_host.threads import run_in_thread

__all__ = ("command",)

SOURCE = """
from abilities_host import hookimpl


@hookimpl
def register_categories(registry):
    registry.register_category("acme", label="Acme", description="For the tests.")


@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "acme/add", label="Add", category="acme", description={description!r},
        execute_callback=lambda: "done", permission_callback=lambda: True,
        meta={{"annotations": {{"readonly": True}}}})
"""


def write(config: Path, description: str) -> None:
    text = SOURCE.format(description=description)
    (config.parent / "plugins" / "acme.py").write_text(text, encoding="utf-8")


def queue(config: Path, *given: str) -> Ended:
    answers = [(b"Secret of ana: ", f"{ANA}\n".encode())]
    ended = at_terminal(config.parent, "queue", *given, answers=answers)
    return Ended(ended.code, plain(ended.screen))


def of_definitions(command: Command, config: Path) -> list[list[str]]:
    findings = command("doctor", "--json", "--config", config).value["findings"]
    return [
        [each["severity"], each["message"], each["fix"]]
        for each in findings
        if each["about"] == "definition"
    ]


def make_host(folder: Path) -> Path:
    """Make a host that holds changes back, with the account of ana."""
    config = make_memory(folder, "ana")
    text = config.read_text(encoding="utf-8")
    setting = '[plugins]\nchanged_definitions = "hold"\n'
    config.write_text(text.replace("[plugins]\n", setting), encoding="utf-8")
    write(config, "Adds.")
    return config


def test_doctor_tells_what_changed_and_the_queue_accepts_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path)
    before = command("call", "acme/add", "--config", config)
    write(config, "Adds.\u202e Well.")

    [warning, info] = of_definitions(command, config)
    held = command("call", "acme/add", "--config", config)
    id_ = warning[2].rpartition(":")[2]
    shown = command("queue", "show", f"definition:{id_}", "--config", config)
    ended = queue(config, "approve", f"definition:{id_}")
    after = command("call", "acme/add", "--config", config)

    sentence = (
        "Pack plugins_dir/acme says otherwise than before: acme/add (description). "
        "They wait for a person and are not served. See: abilities queue show "
        f"definition:{id_}"
    )
    assert warning == ["warning", sentence, f"abilities queue approve definition:{id_}"]
    line = 'acme/add: description was "Adds.", is "Adds.\u202e Well."'
    assert info == ["info", line, ""]
    assert (before.code, after.code, held.code != 0) == (0, 0, True)
    assert '"now": "Adds.\\u202e Well."' in shown.out
    assert ended.screen.endswith(f"definition:{id_} is approved.\n")


async def test_what_another_process_accepts_runs_at_the_next_call(
    tmp_path: Path,
) -> None:
    config = await run_in_thread(lambda: make_host(tmp_path))
    loaded = await run_in_thread(lambda: load(config))
    async with open_host(loaded) as host:
        first = await host.execute("acme/add", actor=ANN)
    await run_in_thread(lambda: write(config, "Adds well."))
    async with open_host(loaded) as host:
        [change] = host.services.find(Pins).changes
        held = await host.execute("acme/add", actor=ANN)
        entry = f"definition:{change.id}"
        await run_in_thread(lambda: queue(config, "approve", entry))
        accepted = await host.execute("acme/add", actor=ANN)
        await run_in_thread(lambda: queue(config, "withdraw", entry))
        withdrawn = await host.execute("acme/add", actor=ANN)

    codes = [first.code, held.code, accepted.code, withdrawn.code]
    assert codes == ["", "ability_not_found", "", "ability_not_found"]
