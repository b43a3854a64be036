"""`enable` and `disable` hold in every host of the store, and say what still rules."""

from pathlib import Path
from typing import Any

from cli.conftest import Command
from cli.world import make_demo


def test_a_pattern_is_switched_off_and_on_again(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    off = command("disable", "demo/e*", "--config", config)
    listed = command("list", "--config", config).out
    on = command("enable", "demo/echo", "--json", "--config", config)
    forgotten = command("enable", "demo/e*", "--forget", "--config", config)

    on_now = "demo/echo is on now.\ndemo/empty is on now.\n"
    assert off == (0, "demo/echo is off now.\ndemo/empty is off now.\n", "")
    assert "demo/e" not in listed
    assert (on.code, on.err) == (0, "")
    assert on.value == {
        "name": "demo/echo",
        "choice": "on",
        "abilities": [
            {
                "name": "demo/echo",
                "active": True,
                "why": "toggle: 'demo/echo' is on",
                "allowed": True,
                "exposed": True,
                "exposed_why": "toggle: 'demo/echo' is on",
            }
        ],
    }
    assert forgotten == (0, on_now, "")


def test_the_floor_of_the_file_is_said_to_hold(
    tmp_path: Path, command: Command
) -> None:
    server = '[server]\nexclude = ["demo/fail"]'
    config = make_demo(tmp_path, top='disabled = ["demo/e*"]', end=server)

    floor = command("enable", "demo/echo", "--config", config)
    hidden = command("enable", "demo_fail", "--config", config)

    why = "configuration: disabled has 'demo/e*'"
    assert floor == (0, "", f"warning: demo/echo stays off: {why}.\n")
    excluded = "server 'default' excludes 'demo/fail'"
    assert hidden == (
        0,
        "demo/fail is on now.\n",
        f"warning: clients do not see demo/fail: {excluded}.\n",
    )


def test_an_unknown_name_is_guessed_and_kept_only_by_force(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    def ended(*arguments: str) -> Any:
        return command(*arguments, "--config", config)

    guess = "error: There is no ability 'demo/ecco'. Did you mean 'demo/echo'?\n"
    kept = "Kept: demo/ecco is off, and no ability has this name now.\n"
    forgotten = "Kept: demo/ecco is default, and no ability has this name now.\n"
    assert ended("disable", "demo/ecco") == (3, "", guess)
    assert ended("disable", "demo/ecco", "--force") == (0, kept, "")
    assert ended("disable", "demo/ecco", "--forget") == (0, forgotten, "")
    assert ended("disable", "demo/ecco", "--forget") == (3, "", guess)


def test_what_can_be_no_name_is_refused(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)

    ended = command("disable", "Demo Echo", "--force", "--config", config)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: 'Demo Echo': an ability name is ")


def test_all_abilities_of_a_pack_are_switched_and_its_policy_goes_on(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    def ended(*words: str) -> Any:
        return command(*words, "--config", config)

    off = ended("disable", "--pack", "demo")
    call = ended("call", "demo/echo", '{"key": "a"}')
    forgotten = ended("enable", "--forget", "--pack", "plugins_dir/demo", "--json")

    names = ("echo", "crash", "fail", "put", "empty", "question", "admin")
    assert (off.code, off.out) == (0, "".join(f"demo/{n} is off now.\n" for n in names))
    assert off.err == (
        "note: plugins_dir/demo still judges every write: only its abilities were "
        "switched. [plugins] blocked keeps a pack out from the next start on.\n"
    )
    assert call.code == 3
    assert (forgotten.code, forgotten.value["name"]) == (0, "plugins_dir/demo")
    assert {each["active"] for each in forgotten.value["abilities"]} == {True}


def test_a_pack_that_cannot_be_switched_is_refused_with_the_reason(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack="raise OSError\n")

    unknown = command("disable", "--pack", "demmo", "--config", config)
    aside = command("disable", "--pack", "demo", "--config", config)
    both = command("disable", "demo/echo", "--pack", "demo", "--config", config)
    neither = command("disable", "--config", config)

    guess = "error: There is no pack 'demmo'. Did you mean 'demo'?\n"
    assert (unknown.code, unknown.err.endswith(guess)) == (3, True)
    assert aside.code == 3
    assert "'plugins_dir/demo' has no abilities to switch: import: " in aside.err
    for ended in (both, neither):
        assert (ended.code, ended.out) == (2, "")
        assert "give either NAME or --pack." in ended.err
