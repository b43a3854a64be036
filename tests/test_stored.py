"""What the store says stands between file and environment, and only tightens."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.calls import Actor
from abilities_host.config import (
    LoadedConfig,
    ServerSettings,
    check_stored,
    load_config,
    stored_key,
    with_stored,
    written_value,
)
from abilities_host.config.layers import Layer, file_layer
from abilities_host.errors import ConfigError, LookupFailed

TEAM = '[[servers]]\nid = "team"\ncompact = "on"\nexclude = ["files/*"]\n'


def loaded_of(folder: Path, text: str = "", **environ: str) -> LoadedConfig:
    path = folder / "abilities.toml"
    path.write_text(text)
    path.chmod(0o600)
    return load_config(path, environ=environ, cwd=folder)


def test_it_is_over_the_file_and_under_the_environment(tmp_path: Path) -> None:
    text = "disabled = ['a/a']\n[limits]\ncalls = 1\nqueue = 1\nnesting = 1\n"
    loaded = loaded_of(tmp_path, text, ABILITIES_LIMITS__QUEUE="3")
    stored = {"limits.calls": 2, "limits.queue": 2, "disabled": ["b/b"]}

    made = with_stored(loaded, stored)

    limits = made.config.limits
    assert (limits.calls, limits.queue, limits.nesting) == (2, 3, 1)
    assert made.config.disabled == ("a/a", "b/b")
    assert made.stored == stored
    assert [made.sources[f"limits.{k}"] for k in ("calls", "queue", "nesting")] == [
        "store",
        "ABILITIES_LIMITS__QUEUE",
        "file",
    ]
    assert made.sources["disabled"] == "file + store"


def test_what_is_taken_back_leaves_no_trace(tmp_path: Path) -> None:
    loaded = loaded_of(tmp_path, TEAM)
    set_ = with_stored(loaded, {"limits.calls": 2, "servers.team.compact": "off"})

    assert set_.config != loaded.config
    assert with_stored(set_, {}) == loaded


def test_a_key_of_a_further_server_acts_by_the_rule_of_the_first(
    tmp_path: Path,
) -> None:
    stored = {
        "servers.team.compact": "split",
        "servers.team.exclude": ["core/*"],
        "servers.team.title": "Ours",
        "servers.team.enabled": False,
    }

    other = '[[servers]]\nid = "other"\n'
    made = with_stored(loaded_of(tmp_path, other + TEAM), stored)

    assert made.config.servers == (
        ServerSettings(id="other"),
        ServerSettings(
            id="team",
            compact="split",
            exclude=("files/*", "core/*"),
            title="Ours",
            enabled=False,
        ),
    )
    assert {k: v for k, v in made.sources.items() if k.startswith("servers.")} == {
        "servers.team.compact": "store",
        "servers.team.exclude": "file + store",
        "servers.team.title": "store",
        "servers.team.enabled": "store",
    }


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("servers.gone.title", "x", "there is no server 'gone'."),
        ("servers.team.route", "/x", "what may be set of a further server is "),
        ("plugins_dir", "x", "takes effect at the next start; "),
        ("roles", {}, "only the configuration file may say it."),
        ("memory.notify", ["sh"], "only the configuration file may say it."),
        ("no.such", 1, "there is no such setting."),
        ("limits.calls", {}, "expected a whole number from 1 to 100000, but a table"),
        ("server.route", "/mcp/team", "two servers have the route '/mcp/team'; "),
        ("http.hosts", ["example.org"], "while [http] auth"),
    ],
)
def test_what_fits_no_more_is_left_out_with_a_warning_and_nothing_else_is(
    tmp_path: Path, key: str, value: object, problem: str
) -> None:
    loaded = loaded_of(tmp_path, f'http.auth = "none"\n{TEAM}')
    good = {"limits.queue": 2, "read_only": True, "title": "New"}

    made = with_stored(loaded, {key: value, **good})

    assert made.config == with_stored(loaded, good).config
    [warning] = made.warnings
    assert warning.startswith(f"`abilities set {key}` has no effect: {problem}")
    with pytest.raises(ConfigError) as caught:
        check_stored(loaded, {key: value, **good}, key)
    assert caught.value.problem.startswith(problem)


@pytest.mark.parametrize(
    ("text", "key", "value", "words"),
    [
        ("read_only = true", "read_only", False, "may turn it on, never off"),
        ("server.enabled = false", "server.enabled", True, "may turn it off, never on"),
        (TEAM + "enabled = false", "servers.team.enabled", True, "never on"),
        ("http.hosts = ['a.b']", "http.hosts", ["c.d"], "keeps only what the file"),
        ("", "actors.cli.scopes", ["*"], "keeps only what the file allows"),
    ],
)
def test_what_would_be_looser_than_the_file_is_refused(
    tmp_path: Path, text: str, key: str, value: object, words: str
) -> None:
    loaded = loaded_of(tmp_path, text)

    with pytest.raises(ConfigError) as caught:
        check_stored(loaded, {key: value}, key)

    assert caught.value.key == key
    assert words in caught.value.problem
    assert caught.value.problem.endswith("Change it in abilities.toml.")


def test_a_file_that_became_stricter_is_obeyed_and_the_log_can_say_so(
    tmp_path: Path,
) -> None:
    made = with_stored(loaded_of(tmp_path, "read_only = true"), {"read_only": False})

    assert made.config.read_only
    assert made.warnings == ("`abilities set read_only` may turn it on, never off.",)


def test_keys_have_one_spelling_and_mistakes_are_guessed(tmp_path: Path) -> None:
    config = loaded_of(tmp_path, TEAM).config

    assert [
        stored_key(config, "limits.calls"),
        stored_key(config, "compact", "default"),
        stored_key(config, "server.compact", "default"),
        stored_key(config, "servers.default.compact"),
        stored_key(config, "compact", "team"),
    ] == ["limits.calls", *["server.compact"] * 3, "servers.team.compact"]
    with pytest.raises(LookupFailed, match="Did you mean 'team'"):
        stored_key(config, "compact", "tem")
    with pytest.raises(ConfigError, match=r"Did you mean 'limits\.calls'"):
        stored_key(config, "limits.cals")
    with pytest.raises(ConfigError, match="Did you mean 'compact'"):
        stored_key(config, "compakt", "team")


def test_a_written_value_is_what_a_variable_would_be() -> None:
    written = {"read_only": "yes", "limits.calls": "5", "server.exclude": "a/a, b/*"}
    found = [written_value(key, text) for key, text in written.items()]
    assert found == [True, 5, ["a/a", "b/*"]]
    assert written_value("servers.team.exclude", '["a/a"]') == ["a/a"]
    assert written_value("limits.calls", "many") == "many"


NAMES = st.lists(st.sampled_from(["a/a", "b/*", "*"]), max_size=2)
SCOPES = st.lists(st.sampled_from(["read", "write", "*", "notes:*"]), max_size=2)
RESTRICTED = {
    "disabled": NAMES,
    "treat_as_write": NAMES,
    "read_only": st.booleans(),
    "kill_switch": st.booleans(),
    "memory.enabled": st.booleans(),
    "server.enabled": st.booleans(),
    "server.exclude": NAMES,
    "server.include": NAMES,
    "actors.http.scopes": SCOPES,
    "servers.team.enabled": st.booleans(),
    "servers.team.exclude": NAMES,
}


def values_of(keys: Mapping[str, st.SearchStrategy[Any]]) -> Any:
    return st.fixed_dictionaries({}, optional=dict(keys))


@given(values_of(RESTRICTED), values_of(RESTRICTED))
def test_whatever_is_set_nothing_is_looser_than_in_the_file(
    file: dict[str, Any], stored: dict[str, Any]
) -> None:
    loaded = parsed(file)
    before, after = loaded.config, with_stored(loaded, stored).config

    assert set(before.disabled) <= set(after.disabled)
    assert set(before.treat_as_write) <= set(after.treat_as_write)
    assert after.read_only >= before.read_only
    assert after.kill_switch >= before.kill_switch
    assert after.memory.enabled <= before.memory.enabled
    assert set(before.server.include) <= set(after.server.include)
    for one, other in zip(before.all_servers, after.all_servers, strict=True):
        assert other.enabled <= one.enabled
        assert set(one.exclude) <= set(other.exclude)
        assert (one.id, one.route) == (other.id, other.route)
    allowed = Actor("", scopes=frozenset(before.actors.http.scopes))
    assert all(map(allowed.may, after.actors.http.scopes))


def parsed(values: dict[str, Any]) -> LoadedConfig:
    """Write values as a file and read them, without a disk."""
    here, team = Path("/nowhere"), ['[[servers]]\nid = "team"']
    lines = list[str]()
    for key, value in values.items():
        line = f"{key.removeprefix('servers.team.')} = {json.dumps(value)}"
        (team if key.startswith("servers.") else lines).append(line)
    layer: Layer = file_layer(here / "abilities.toml", "\n".join([*lines, *team]))
    bare = LoadedConfig(
        config=None,  # type: ignore[arg-type]  # made from the layers below
        path=here / "abilities.toml",
        folder=here,
        sources={},
        replaced={},
        warnings=(),
        layers=(layer,),
        unknown=(),
        state_folder=here,
        reload=lambda: bare,
    )
    return with_stored(bare, {})
