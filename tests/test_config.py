"""The configuration: found, layered, checked, and only ever tightened."""

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.calls import Actor, Limits
from abilities_host.config import (
    HostConfig,
    LoadedConfig,
    RequiredPlugin,
    load_config,
    protected_paths_of,
    settings_table,
)
from abilities_host.config.file import is_trusted
from abilities_host.config.merging import Merge, is_loosened, merge
from abilities_host.denylist import ServerView, Switches
from abilities_host.errors import ConfigError


def written(folder: Path, text: str) -> Path:
    path = folder / "abilities.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


def load(
    folder: Path,
    text: str,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> LoadedConfig:
    written(folder, text)
    return load_config(environ=environ or {}, flags=flags, cwd=folder)


# --- found ----------------------------------------------------------------------------


def test_the_file_is_searched_upwards(tmp_path: Path) -> None:
    path = written(tmp_path, "title = 'Here'")
    (tmp_path / "a" / "b").mkdir(parents=True)

    loaded = load_config(environ={}, cwd=tmp_path / "a" / "b")

    assert (loaded.path, loaded.folder, loaded.config.title) == (path, tmp_path, "Here")


def test_a_named_file_comes_before_the_variable_and_that_before_the_search(
    tmp_path: Path,
) -> None:
    written(tmp_path, "title = 'found'")
    for name in ("variable", "named"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, f"title = '{name}'")
    environ = {"ABILITIES_CONFIG": "variable/abilities.toml"}
    named = Path("named/abilities.toml")

    titles = [
        load_config(named, environ=environ, cwd=tmp_path).config.title,
        load_config(environ=environ, cwd=tmp_path).config.title,
        load_config(environ={"ABILITIES_CONFIG": ""}, cwd=tmp_path).config.title,
    ]

    assert titles == ["named", "variable", "found"]


def test_no_file_is_an_error_with_the_command_that_makes_one(tmp_path: Path) -> None:
    top = Path(tmp_path.anchor)

    with pytest.raises(ConfigError) as caught:
        load_config(environ={}, cwd=top)

    assert str(caught.value) == (
        f"{top}: no abilities.toml here or in a folder above. "
        "`abilities init` makes one."
    )


def test_a_named_file_that_is_missing_is_never_searched_for(tmp_path: Path) -> None:
    written(tmp_path, "")

    with pytest.raises(ConfigError) as caught:
        load_config(Path("other.toml"), environ={}, cwd=tmp_path)

    assert str(caught.value) == (
        f"{tmp_path / 'other.toml'}: there is no such file. `abilities init` makes one."
    )


def test_a_file_met_by_searching_must_be_of_somebody_we_trust(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    owners = {"root": 0, "us": 7, "owner-of-the-folder": 8, "stranger": 9}

    trusted = [name for name, uid in owners.items() if is_trusted(uid, 7, 8)]

    assert trusted == ["root", "us", "owner-of-the-folder"]
    assert load_config(environ={}, cwd=tmp_path).path == path


@pytest.mark.parametrize(
    ("mode", "is_safe"),
    [(0o600, True), (0o644, True), (0o400, True), (0o620, False), (0o602, False)],
)
def test_a_file_that_others_may_write_refuses(
    tmp_path: Path, mode: int, *, is_safe: bool
) -> None:
    path = written(tmp_path, "title = 'x'")
    path.chmod(mode)

    try:
        answer = load_config(environ={}, cwd=tmp_path).config.title
    except ConfigError as error:
        answer = str(error)

    refusal = f"{path}: others may write it. Run `chmod 600 {path}`."
    assert answer == ("x" if is_safe else refusal)


def test_what_is_not_a_file_refuses_at_once(tmp_path: Path) -> None:
    path = tmp_path / "abilities.toml"
    path.mkdir()

    with pytest.raises(ConfigError, match="is not a file; name the file itself"):
        load_config(environ={}, cwd=tmp_path)


def test_a_pipe_in_the_place_of_the_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "abilities.toml", 0o600)

    with pytest.raises(ConfigError, match="is not a file"):
        load_config(environ={}, cwd=tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_an_impossible_name_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(Path(name), environ={}, cwd=tmp_path)


# --- values ---------------------------------------------------------------------------


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    loaded = load(tmp_path, "")

    assert loaded.config == HostConfig()
    assert set(loaded.sources.values()) == {"default"}
    assert (loaded.replaced, loaded.warnings) == ({}, ())
    assert loaded.config.switches == Switches()
    assert loaded.config.server.view == ServerView("default")
    assert loaded.config.actors.stdio.actor("agent") == Actor("stdio")
    assert loaded.config.actors.cli.actor("local") == Actor("cli", "local")
    assert loaded.plugins_path is None


def test_every_key_of_the_file_arrives(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        """\ufeff
        title = "Notes"
        plugins_dir = "plugins"
        disabled = ["files/*"]
        enabled = ["files/read"]
        treat_as_write = ["reports/*"]
        read_only = true
        kill_switch = true
        [plugins]
        required = ["Abilities_Host/memory_enforcer >=0.1,<2"]
        optional = ["my-pack/guard"]
        blocked = ["my-pack/notes"]
        namespaces = { notes = "my-pack/notes" }
        changed_definitions = "hold"
        [ledger]
        required = false
        anchor = "anchor.json"
        keep_days = 30
        keep_entries = 5000
        keep_bytes = 10000000
        refusals_per_minute = 10
        [store]
        path = "data/abilities.db"
        [actors.stdio]
        id = "claude"
        scopes = ["read", "notes:*"]
        [server]
        id = "one"
        include = ["files/*", "notes/*"]
        exclude = ["files/delete"]
        [limits]
        calls = 3
        [protect]
        paths = ["~/.ssh"]
        [packs.files]
        root = "content"
        deep = { list = [1, { a = 2 }] }
        """,
    )

    config = loaded.config
    assert config.switches == Switches(
        disabled=("files/*",),
        enabled=("files/read",),
        read_only=True,
        kill_switch=True,
        treat_as_write=("reports/*",),
    )
    assert config.plugins.required == (
        RequiredPlugin("abilities-host", "memory_enforcer", "<2,>=0.1"),
    )
    assert config.plugins.namespaces == {"notes": "my-pack/notes"}
    assert config.plugins.changed_definitions == "hold"
    assert config.ledger.required is False
    assert config.actors.stdio.actor("agent").scopes == {"read", "notes:*"}
    assert config.server.view == ServerView(
        "one", include=(("files/*", "notes/*"),), exclude=("files/delete",)
    )
    assert config.packs == {
        "files": {"root": "content", "deep": {"list": [1, {"a": 2}]}}
    }
    assert loaded.store_path == tmp_path / "data" / "abilities.db"
    assert loaded.plugins_path == tmp_path / "plugins"
    assert loaded.resolve("~/.ssh") == Path.home() / ".ssh"
    assert loaded.resolve("~no-such-user/x") == tmp_path / "~no-such-user" / "x"
    assert {k for k, source in loaded.sources.items() if source != "file"} == {
        *("summary", "context", "actors.cli.id", "actors.cli.scopes"),
        *("actors.http.id", "actors.http.scopes"),
        *(
            f"server.{name}"
            for name in type(config.server).model_fields
            if name not in ("id", "include", "exclude")
        ),
        *(
            key
            for key in loaded.sources
            if key.startswith(("admin.", "http.", "requests."))
            or key in ("roles", "servers")
        ),
        *("memory.enabled", "memory.tokens", "memory.notify"),
        *(f"limits.{n}" for n in type(config.limits).model_fields if n != "calls"),
    }


def test_the_configuration_is_frozen_at_every_depth(tmp_path: Path) -> None:
    config = load(tmp_path, "[packs.files]\nlist = [1]").config

    with pytest.raises(TypeError, match="frozen"):
        config.packs["files"]["list"].append(2)
    with pytest.raises(TypeError, match="frozen"):
        config.plugins.namespaces["a"] = "b/c"  # type: ignore[index]  # refusing is the point
    with pytest.raises(ValueError, match="frozen"):
        setattr(config, "ti" + "tle", "x")


def test_the_limits_of_a_run_are_settings_with_the_same_defaults() -> None:
    limits = HostConfig().limits

    assert limits.of_a_run == Limits()
    assert {field.name for field in fields(Limits)} <= set(type(limits).model_fields)


def test_every_setting_has_a_type_a_help_and_a_variable() -> None:
    table = settings_table()

    assert [setting.key for setting in table if not setting.help] == []
    assert len({setting.variable for setting in table}) == len(table)
    assert [(s.key, s.type, s.default) for s in table[4:8]] == [
        ("disabled", 'a list of texts, such as ["files/*"]', ()),
        ("enabled", 'a list of texts, such as ["files/write"]', ()),
        ("read_only", "true or false", False),
        ("kill_switch", "true or false", False),
    ]


# --- layers ---------------------------------------------------------------------------


def test_environment_goes_over_the_file_and_flags_over_that(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        "title = 'file'\nsummary = 'file'\n[limits]\ncalls = 1\n[packs.files]\na = 1",
        {
            "ABILITIES_TITLE": "variable",
            "ABILITIES_SUMMARY": "variable",
            "ABILITIES_LIMITS__CALLS": "2",
            "ABILITIES_LIMITS__CALL_SECONDS": "2.5",
            "ABILITIES_SERVER__COMPACT": "YES",
            "ABILITIES_CONTEXT": "",
            "ABILITIES_PACKS__FILES__ROOT": "content",
            "ABILITIES_PACKS__FILES__MAX": "5",
            "ABILITIES_PLUGINS__NAMESPACES": '{"notes": "my-pack/notes"}',
            "ABILITIES_TRACE": "1",
            "HOME": "/root",
        },
        {"title": "flag", "limits.calls": 3, "server.id": None},
    )

    config = loaded.config
    assert (config.title, config.summary) == ("flag", "variable")
    assert (config.limits.calls, config.limits.call_seconds) == (3, 2.5)
    assert config.server.compact == "on"
    assert config.packs == {"files": {"a": 1, "root": "content", "max": 5}}
    assert config.plugins.namespaces == {"notes": "my-pack/notes"}
    assert {k: s for k, s in loaded.sources.items() if s != "default"} == {
        "title": "--title",
        "summary": "ABILITIES_SUMMARY",
        "limits.calls": "--limits-calls",
        "limits.call_seconds": "ABILITIES_LIMITS__CALL_SECONDS",
        "server.compact": "ABILITIES_SERVER__COMPACT",
        "packs": "file + ABILITIES_PACKS__FILES__MAX + ABILITIES_PACKS__FILES__ROOT",
        "plugins.namespaces": "ABILITIES_PLUGINS__NAMESPACES",
    }
    assert loaded.replaced["title"] == ("file", "variable")
    assert loaded.warnings == ()


STRICT = """
disabled = ["files/*"]
enabled = ["notes/add"]
read_only = true
kill_switch = true
treat_as_write = ["reports/*"]
[plugins]
required = ["my-pack/guard>=1"]
optional = ["my-pack/other"]
blocked = ["my-pack/notes"]
[ledger]
required = true
[memory]
enabled = false
[actors.stdio]
scopes = ["read", "notes:*"]
[server]
enabled = false
include = ["files/*"]
exclude = ["files/delete"]
[protect]
paths = ["secrets"]
"""


def test_restrictions_add_up_and_are_never_replaced(tmp_path: Path) -> None:
    environ = {
        "ABILITIES_DISABLED": "core/x, core/y",
        "ABILITIES_READ_ONLY": "false",
        "ABILITIES_KILL_SWITCH": "off",
        "ABILITIES_TREAT_AS_WRITE": "[]",
        "ABILITIES_PLUGINS__REQUIRED": "my-pack/guard>=2, <3,my-pack/second",
        "ABILITIES_PLUGINS__BLOCKED": '["my-pack/third"]',
        "ABILITIES_LEDGER__REQUIRED": "0",
        "ABILITIES_MEMORY__ENABLED": "true",
        "ABILITIES_SERVER__ENABLED": "true",
        "ABILITIES_SERVER__INCLUDE": "*/read",
        "ABILITIES_SERVER__EXCLUDE": "core/*",
        "ABILITIES_PROTECT__PATHS": "more",
        "ABILITIES_ACTORS__STDIO__SCOPES": "write,notes:read,read",
    }
    flags = {"disabled": ["files/*", "z/*"], "server.include": ("files/*",)}

    loaded = load(tmp_path, STRICT, environ, flags)

    config = loaded.config
    assert config.switches == Switches(
        disabled=("files/*", "core/x", "core/y", "z/*"),
        enabled=("notes/add",),
        read_only=True,
        kill_switch=True,
        treat_as_write=("reports/*",),
    )
    assert [str(each) for each in config.plugins.required] == [
        "my-pack/guard>=1",
        "my-pack/guard<3,>=2",
        "my-pack/second",
    ]
    assert config.plugins.blocked == ("my-pack/notes", "my-pack/third")
    assert config.ledger.required is True
    assert config.memory.enabled is False
    assert config.actors.stdio.scopes == ("read", "notes:read")
    assert config.server.view == ServerView(
        "default",
        enabled=False,
        include=(("files/*",), ("*/read",)),
        exclude=("files/delete", "core/*"),
    )
    assert config.protect.paths == ("secrets", "more")
    assert loaded.sources["disabled"] == "file + ABILITIES_DISABLED + --disabled"
    assert loaded.sources["read_only"] == "file"
    assert loaded.warnings == (
        "ABILITIES_ACTORS__STDIO__SCOPES keeps only what the file allows too.",
        "ABILITIES_KILL_SWITCH may turn it on, never off.",
        "ABILITIES_LEDGER__REQUIRED may turn it on, never off.",
        "ABILITIES_MEMORY__ENABLED may turn it off, never on.",
        "ABILITIES_READ_ONLY may turn it on, never off.",
        "ABILITIES_SERVER__ENABLED may turn it off, never on.",
    )


def test_environment_and_flags_may_tighten_everything(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        "[ledger]\nrequired = false",
        {
            "ABILITIES_READ_ONLY": "1",
            "ABILITIES_LEDGER__REQUIRED": "on",
            "ABILITIES_SERVER__ENABLED": "no",
            "ABILITIES_ACTORS__CLI__SCOPES": "read",
        },
        {"kill_switch": True},
    )

    config = loaded.config
    assert (config.read_only, config.kill_switch) == (True, True)
    assert (config.ledger.required, config.server.enabled) == (True, False)
    assert config.actors.cli.scopes == ("read",)
    assert loaded.sources["ledger.required"] == "file + ABILITIES_LEDGER__REQUIRED"
    assert loaded.warnings == ()


def test_what_only_the_file_may_say_is_ignored_elsewhere_with_a_warning(
    tmp_path: Path,
) -> None:
    loaded = load(
        tmp_path,
        "",
        {"ABILITIES_PLUGINS__OPTIONAL": "my-pack/guard"},
        {"enabled": ["files/write"]},
    )

    assert (loaded.config.plugins.optional, loaded.config.enabled) == ((), ())
    assert loaded.warnings == (
        "ABILITIES_PLUGINS__OPTIONAL is ignored, only the file may say it.",
        "--enabled is ignored, only the file may say it.",
    )


def test_a_variable_that_means_nothing_is_a_warning_with_the_nearest_name(
    tmp_path: Path,
) -> None:
    environ = {
        "ABILITIES_READONLY": "true",
        "ABILITIES_PACKS__": "x",
        "ABILITIES_QQQQQQQQQQ": "",
        "ABILITIES_CONFIG": str(written(tmp_path, "")),
    }

    loaded = load_config(environ=environ, cwd=tmp_path)

    assert loaded.warnings == (
        "ABILITIES_PACKS__ is not a setting. Did you mean 'ABILITIES_PACKS'?",
        "ABILITIES_QQQQQQQQQQ is not a setting.",
        "ABILITIES_READONLY is not a setting. Did you mean 'ABILITIES_READ_ONLY'?",
    )


RULES: dict[Merge, st.SearchStrategy[Any]] = {
    Merge.UNION: st.lists(st.sampled_from("abcd")).map(tuple),
    Merge.LAYERS: st.lists(st.sampled_from("abcd")).map(tuple),
    Merge.EITHER: st.booleans(),
    Merge.BOTH: st.booleans(),
    Merge.STRICTER: st.sampled_from(["show", "hold"]),
    Merge.NARROW: st.lists(
        st.sampled_from(["read", "*", "a:b", "a:*", "*:b", "*:*"])
    ).map(tuple),
}


@given(st.data(), st.sampled_from(list(RULES)))
def test_a_restriction_never_loosens_whatever_comes_later(
    data: st.DataObject, rule: Merge
) -> None:
    old, new = data.draw(RULES[rule]), data.draw(RULES[rule])

    merged = merge(rule, old, new)

    match rule:
        case Merge.UNION | Merge.LAYERS:
            assert set(merged) == set(old) | set(new)
        case Merge.EITHER:
            assert merged is (old or new)
        case Merge.BOTH:
            assert merged is (old and new)
        case Merge.STRICTER:
            assert merged == ("hold" if "hold" in (old, new) else "show")
            assert is_loosened(rule, new, merged) == (merged != new)
        case _:
            mine = Actor("", scopes=frozenset(old))
            theirs = Actor("", scopes=frozenset(new))
            assert all(mine.may(scope) and theirs.may(scope) for scope in merged)
            assert is_loosened(rule, new, merged) == (not set(new) <= set(merged))


# --- protected ------------------------------------------------------------------------


def test_the_host_s_own_files_are_protected_and_content_is_not(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        "plugins_dir = 'plugins'\n[store]\npath = 'data/a.db'\n"
        "[protect]\npaths = ['secret']",
        {"ABILITIES_STORE__PATH": "other.db", "ABILITIES_PLUGINS_DIR": "more"},
    )

    guard = protected_paths_of(loaded)

    names = ["abilities.toml", "plugins/x.py", "more/x.py", "secret"]
    for store in ("other.db", "data/a.db"):
        names += [f"{store}{end}" for end in ("", "-wal", "-shm", "-journal")]
    names += ["locks/1", "backups/1", "data/locks/1", "data/blobs/1", "data/anchor"]
    assert [name for name in names if not guard.protects(tmp_path / name)] == []
    assert guard.protects(Path(pytest.__file__)) is True
    assert guard.protects(Path(load_config.__code__.co_filename)) is True
    free = ["content", "content/plugins/x.py", "data", "data/other", "other.txt"]
    assert [name for name in free if guard.protects(tmp_path / name)] == []


def test_what_is_kept_outside_the_store_is_protected_with_all_beside_it(
    tmp_path: Path,
) -> None:
    guard = protected_paths_of(load(tmp_path, "[ledger]\nanchor = 'out/side'"))

    kept = [
        f"out/side{each}"
        for each in ("", ".keys", ".pins", ".seals", "-lock", ".keys.new")
    ]
    assert [name for name in kept if not guard.protects(tmp_path / name)] == []
    assert guard.protects(tmp_path / "out" / "other") is False


# --- required plugins -----------------------------------------------------------------


def test_a_required_plugin_knows_which_versions_will_do() -> None:
    plugin = RequiredPlugin("my-pack", "guard", ">=1.2,<2")
    versions = ["1.1", "1.2", "2.0", "1.3rc1"]

    assert (plugin.identity, str(plugin)) == ("my-pack/guard", "my-pack/guard>=1.2,<2")
    assert [plugin.allows(each) for each in versions] == [False, True, False, True]
    assert RequiredPlugin("my-pack", "guard").allows("0.0.1") is True
