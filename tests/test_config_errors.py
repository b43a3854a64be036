"""A bad configuration names file, line, key and what was expected."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.config.file import FILE_BYTES, line_of
from abilities_host.config.layers import file_layer
from abilities_host.config.load import load_config
from abilities_host.errors import ConfigError

PATTERN = (
    "expected ability names or patterns of lower-case letters, digits, dashes and a "
    "slash, with * and ? as wildcards, such as 'files/*'."
)
COMMAND = (
    "expected a program and its arguments, at most 64 texts, such as "
    "['notify-send', 'abilities']."
)


def problem_of(text: str | bytes, folder: Path) -> tuple[int, str, str]:
    path = folder / "abilities.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(0o600)
    with pytest.raises(ConfigError) as caught:
        load_config(environ={}, cwd=folder)
    assert caught.value.source == path
    return caught.value.line, caught.value.key, caught.value.problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "title = 'x'\n\nreadonly = true\n",
            (3, "readonly", "there is no such key. Did you mean 'read_only'?"),
            id="unknown-key",
        ),
        pytest.param(
            "[limits]\ncall_secnds = 5\n",
            (
                2,
                "limits.call_secnds",
                "there is no such key. Did you mean 'call_seconds'?",
            ),
            id="unknown-key-in-a-table",
        ),
        pytest.param(
            "[server]\nread_only = true\n",
            (2, "server.read_only", "there is no such key. Did you mean 'read_only'?"),
            id="key-in-the-wrong-table",
        ),
        pytest.param(
            "[limit]\ncalls = 5\n",
            (1, "limit", "there is no such key. Did you mean 'limits'?"),
            id="unknown-table",
        ),
        pytest.param(
            "[actors.pager]\nid = 'x'\n",
            (1, "actors.pager", "there is no such key."),
            id="unknown-table-far-from-all",
        ),
        pytest.param(
            "read_only = 'true'\n",
            (1, "read_only", "expected true or false, but a text came."),
            id="text-for-true",
        ),
        pytest.param(
            "disabled = 'files/*'\n",
            (
                1,
                "disabled",
                'expected a list of texts, such as ["files/*"], but a text came.',
            ),
            id="text-for-list",
        ),
        pytest.param(
            "disabled = [\n  'files/*',\n  3,\n]\n",
            (
                1,
                "disabled",
                (
                    'expected a list of texts, such as ["files/*"], but a whole number '
                    "came in it."
                ),
            ),
            id="number-in-list",
        ),
        pytest.param(
            "title = 1979-05-27\n",
            (
                1,
                "title",
                (
                    "expected a text of at most 200 characters, but a value of another "
                    "kind came."
                ),
            ),
            id="date-for-text",
        ),
        pytest.param(
            "limits = { call_seconds = 0 }\n",
            (1, "limits.call_seconds", "expected a number above 0 and at most 86400."),
            id="too-small-in-an-inline-table",
        ),
        pytest.param(
            "[limits]\ncall_seconds = inf\n",
            (2, "limits.call_seconds", "expected a number above 0 and at most 86400."),
            id="infinite",
        ),
        pytest.param(
            "limits.calls = true\n",
            (
                1,
                "limits.calls",
                "expected a whole number from 1 to 100000, but true or false came.",
            ),
            id="dotted-key",
        ),
        pytest.param(
            f"context = '{'x' * 20_001}'\n",
            (1, "context", "expected a text of at most 20000 characters."),
            id="context-too-long",
        ),
        pytest.param(
            "limits = 3\n",
            (1, "limits", "expected a table, but a whole number came."),
            id="number-for-table",
        ),
        pytest.param(
            "[packs]\nfiles = 'content'\n",
            (2, "packs.files", "expected a table, but a text came."),
            id="text-for-pack",
        ),
        pytest.param(
            "[plugins.namespaces]\nnotes = 5\n",
            (
                2,
                "plugins.namespaces.notes",
                "expected a text, but a whole number came.",
            ),
            id="number-for-namespace",
        ),
        pytest.param(
            "disabled = ['Files/*']\n", (1, "disabled", PATTERN), id="pattern"
        ),
        pytest.param(
            "[server]\n\n# only these\ninclude = ['a b']\n",
            (4, "server.include", PATTERN),
            id="pattern-of-a-server",
        ),
        pytest.param(
            "[plugins]\nrequired = ['guard>=1']\n",
            (
                2,
                "plugins.required",
                "expected 'distribution/entry-point', such as 'my-pack/guard>=1.2'.",
            ),
            id="required-without-entry-point",
        ),
        pytest.param(
            "[plugins]\nrequired = ['my-pack/guard 1.2']\n",
            (
                2,
                "plugins.required",
                "expected versions such as '>=1.2,<2' after the entry point.",
            ),
            id="required-with-bad-version",
        ),
        pytest.param(
            "[plugins]\nrequired = [1]\n",
            (
                2,
                "plugins.required",
                (
                    'expected a list of texts, such as ["my-pack/guard>=1.2"], but '
                    "a whole number came in it."
                ),
            ),
            id="required-number",
        ),
        pytest.param(
            "[server]\nprofile = 'Gemini CLI'\n",
            (
                2,
                "server.profile",
                (
                    "expected auto, or the name of a profile such as gemini: 1 to 64 "
                    "lower-case letters, digits and dashes."
                ),
            ),
            id="profile",
        ),
        pytest.param(
            "[plugins]\nblocked = ['a/b/c']\n",
            (
                2,
                "plugins.blocked",
                "expected a pack's identity, such as 'my-pack/notes'.",
            ),
            id="blocked",
        ),
        pytest.param(
            "[store]\npath = 'a\\u0000'\n".replace("'", '"'),
            (
                2,
                "store.path",
                "expected a path, which is not empty and has no NUL in it.",
            ),
            id="path-with-nul",
        ),
        pytest.param(
            "[actors.stdio]\nscopes = ['Read']\n",
            (
                2,
                "actors.stdio.scopes",
                "expected scopes such as 'read', 'write' or 'notes:write'.",
            ),
            id="scope",
        ),
        pytest.param(
            "server.id = 'a/b'\n",
            (
                1,
                "server.id",
                "expected lower-case letters, digits and dashes, at most 100 of them.",
            ),
            id="server-id",
        ),
        pytest.param(
            "[memory]\nnotify = ['']\n",
            (2, "memory.notify", COMMAND),
            id="command-without-a-program",
        ),
        pytest.param(
            f"[memory]\nnotify = {['a'] * 65}\n",
            (2, "memory.notify", COMMAND),
            id="command-with-too-many-arguments",
        ),
        pytest.param(
            '[memory]\nnotify = ["a", "b\\u0000"]\n',
            (2, "memory.notify", "expected a text that has no NUL in it."),
            id="argument-with-a-nul",
        ),
        pytest.param(
            "[memory]\ntokens = 8001\n",
            (2, "memory.tokens", "expected a whole number from 0 to 8000."),
            id="tokens",
        ),
        pytest.param(
            "title = 'a'\ntitle = 'b'\n",
            (2, "", "not TOML: Cannot overwrite a value."),
            id="said-twice",
        ),
        pytest.param(
            "title = 'a'\n[server\n",
            (2, "", "not TOML: Expected ']' at the end of a table declaration."),
            id="not-toml",
        ),
        pytest.param(
            "\ntitle = '''a\n",
            (3, "", "not TOML: Expected \"'''\"."),
            id="not-closed",
        ),
        pytest.param(
            "x = " + "[" * 100_000,
            (0, "", "values are nested too deep."),
            id="nested-too-deep",
        ),
        pytest.param(
            '[packs.x]\nb = { "a" . ' + "a." * 50_000 + "a = 1 }\n",
            (2, "", "a key has more than 64 parts."),
            id="key-too-deep",
        ),
        pytest.param(
            "x = " + "1" * 10_000,
            (0, "", "a number is too large."),
            id="number-too-large",
        ),
        pytest.param(
            b"title = 'a'\nsummary = '\xff'\n",
            (2, "", "is not UTF-8 text."),
            id="utf-8",
        ),
        pytest.param(
            "#" * (FILE_BYTES + 1),
            (0, "", f"is larger than {FILE_BYTES} bytes."),
            id="too-large",
        ),
    ],
)
def test_a_bad_file_says_line_key_and_what_was_expected(
    tmp_path: Path, text: str | bytes, expected: tuple[int, str, str]
) -> None:
    assert problem_of(text, tmp_path) == expected


@pytest.mark.parametrize(
    ("environ", "flags", "message"),
    [
        (
            {"ABILITIES_READ_ONLY": "maybe"},
            {},
            "ABILITIES_READ_ONLY: read_only: expected true or false, but a text came.",
        ),
        (
            {"ABILITIES_LIMITS__CALLS": "many"},
            {},
            (
                "ABILITIES_LIMITS__CALLS: limits.calls: expected a whole number "
                "from 1 to 100000, but a text came."
            ),
        ),
        (
            {"ABILITIES_LIMITS__CALL_SECONDS": "nan"},
            {},
            (
                "ABILITIES_LIMITS__CALL_SECONDS: limits.call_seconds: expected "
                "a number above 0 and at most 86400."
            ),
        ),
        (
            {"ABILITIES_DISABLED": "[files"},
            {},
            (
                "ABILITIES_DISABLED: disabled: expected a list of texts, such as "
                '["files/*"], but a text came.'
            ),
        ),
        (
            {"ABILITIES_PACKS__FILES": "content"},
            {},
            "ABILITIES_PACKS__FILES: packs.files: expected a table, but a text came.",
        ),
        (
            {},
            {"readonly": True},
            "--readonly: readonly: there is no such setting. Did you mean 'read_only'?",
        ),
        (
            {},
            {"limits.calls": 0},
            "--limits-calls: limits.calls: expected a whole number from 1 to 100000.",
        ),
    ],
)
def test_a_bad_variable_or_flag_is_named(
    tmp_path: Path, environ: Mapping[str, str], flags: Mapping[str, Any], message: str
) -> None:
    path = tmp_path / "abilities.toml"
    path.touch(0o600)

    with pytest.raises(ConfigError) as caught:
        load_config(environ=environ, flags=flags, cwd=tmp_path)

    assert str(caught.value) == message


def test_no_message_holds_a_value(tmp_path: Path) -> None:
    secrets = "api_key = 'hunter2'\ntitle = ['hunter2']\ndisabled = ['HUNTER2 hunter2']"

    said = [problem_of(line, tmp_path) for line in secrets.splitlines()]

    assert "hunter2" not in str(said).lower()


LINES = """\
title = "a"   # limits.calls = 1

text = \"\"\"
[limits]
calls = 1
\"\"\"
"quoted.key" = 1
[ limits ] # comment
calls = 2
'call_seconds'=3
[packs."my files"]
root = '''x'''
list = [
  "title = 1",
]
[[servers]]
id = 1
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("title", 1),
        ("limits", 8),
        ("limits.calls", 9),
        ("limits.call_seconds", 10),
        ("limits.unsaid", 8),
        ("packs.my files.root", 12),
        ("packs.my files.list.deeper", 13),
        ("servers.id", 17),
        ("nothing", 0),
    ],
)
def test_the_line_of_a_key_is_found(key: str, line: int) -> None:
    assert line_of(LINES, key) == line


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('a"' * 20_000, id="quotes"),
        pytest.param('a\\"' * 20_000, id="escaped-quotes"),
        pytest.param("a " * 20_000 + "b" * 100_000, id="words"),
        pytest.param("." * 100_000, id="dots"),
    ],
)
def test_a_long_text_is_read_whatever_it_looks_like(tmp_path: Path, text: str) -> None:
    path = tmp_path / "abilities.toml"

    layer = file_layer(path, f"[packs.x]\ny = '''{text}'''")

    assert layer.values == {"packs": {"x": {"y": text}}}


@given(st.text(max_size=200) | st.from_regex(r"(\[?[a-z_.]+\]? ?= ?[\['\"0-9a-z]*\n)+"))
def test_any_text_is_a_layer_or_a_configuration_error(text: str) -> None:
    try:
        answer = file_layer(Path("abilities.toml"), text).source
    except ConfigError as error:
        answer = str(error.source)

    assert answer in {"file", "abilities.toml"}
