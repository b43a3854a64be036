"""What the configuration says of servers, addresses, roles and the issuer."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.config import HostConfig, load_config
from abilities_host.config.addresses import (
    host_pattern,
    network,
    origin,
    web_address,
)
from abilities_host.config.load import LoadedConfig
from abilities_host.errors import ConfigError


def load(
    folder: Path, text: str, environ: dict[str, str] | None = None
) -> LoadedConfig:
    path = folder / "abilities.toml"
    path.write_text(text)
    path.chmod(0o600)
    return load_config(path, environ=environ or {}, cwd=folder)


def test_servers_are_tables_with_defaults_of_their_own(tmp_path: Path) -> None:
    text = """
    [server]
    title = "All"
    [[servers]]
    id = "team"
    compact = "split"
    categories = ["files"]
    requires = "team:use"
    [[servers]]
    id = "read"
    route = "/read"
    include = ["*/read*"]
    compact = true
    """
    config = load(tmp_path, text).config

    first, team, read = config.all_servers
    assert [each.id for each in config.all_servers] == ["default", "team", "read"]
    assert [each.compact for each in config.all_servers] == ["off", "split", "on"]
    assert (first.path(is_first=True), team.path(is_first=False)) == (
        "/mcp",
        "/mcp/team",
    )
    assert read.path(is_first=False) == "/read"
    assert (team.title, team.enabled, team.requires) == ("", True, "team:use")
    assert team.view.categories == {"files"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '[[servers]]\nid = "default"',
            "servers: two servers have the id 'default'; give each its own.",
        ),
        (
            '[[servers]]\nid = "a"\nroute = "/x"\n[[servers]]\nid = "b"\nroute = "/x"',
            "servers: two servers have the route '/x'; give each its own.",
        ),
        (
            '[[servers]]\nid = "a"\nroute = "/mcp"',
            "servers: two servers have the route '/mcp'; give each its own.",
        ),
        (
            '[[servers]]\nid = "A"',
            "servers.id: expected lower-case letters, digits and dashes, at most 100",
        ),
        (
            '[[servers]]\nid = "a"\nenabled = 1',
            "servers.enabled: expected true or false, but a whole number came.",
        ),
        (
            '[[servers]]\nid = "a"\ntitel = "x"',
            "servers.titel: there is no such key. Did you mean 'title'?",
        ),
        (
            '[server]\nroute = "/admin/mcp"',
            "that begins with none of .well-known, admin, healthz, metrics, readyz.",
        ),
        (
            '[server]\ncompact = "half"',
            "server.compact: expected 'off', 'on' or 'split'.",
        ),
        ("servers = 3", "servers: expected a list of tables, at most 100, but"),
    ],
)
def test_a_wrong_server_is_named_with_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)

    assert problem in str(refused.value)


@pytest.mark.parametrize(
    "route",
    ["mcp", "/", "//mcp", "/mcp/", "/a/../b", "/a b", "/%2e", "/é", "/healthz/x"],
)
def test_a_route_is_one_spelling_of_one_path(tmp_path: Path, route: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.route: expected"):
        load(tmp_path, f'[server]\nroute = "{route}"')


def test_only_the_file_describes_further_servers_and_roles(tmp_path: Path) -> None:
    said = {
        "ABILITIES_SERVERS": '[{"id": "more"}]',
        "ABILITIES_ROLES": '{"agent": ["*"]}',
    }
    loaded = load(tmp_path, "", said)

    assert (loaded.config.servers, loaded.config.roles) == ((), {})
    assert loaded.warnings == (
        "ABILITIES_ROLES is ignored, only the file may say it.",
        "ABILITIES_SERVERS is ignored, only the file may say it.",
    )


@pytest.mark.parametrize(
    ("key", "file", "variable", "effective"),
    [
        ("hosts", '["a.org", "b.org"]', "b.org,c.org", ("b.org",)),
        ("hosts", '["a.org"]', "c.org", ("a.org",)),
        ("hosts", "[]", "c.org", ("c.org",)),
        ("trusted_proxies", '["10.0.0.0/8"]', "10.0.0.0/8,0.0.0.0/0", ("10.0.0.0/8",)),
        ("origins", '["https://a.org"]', "https://a.org", ("https://a.org",)),
    ],
)
def test_what_is_allowed_is_only_narrowed(
    tmp_path: Path, key: str, file: str, variable: str, effective: tuple[str, ...]
) -> None:
    environ = {f"ABILITIES_HTTP__{key.upper()}": variable}
    loaded = load(tmp_path, f"[http]\n{key} = {file}", environ)

    assert getattr(loaded.config.http, key) == effective
    assert bool(loaded.warnings) == (not set(variable.split(",")) <= set(effective))


@pytest.mark.parametrize(
    ("file", "variable", "auth"),
    [
        ("token", "none", "token"),
        ("none", "token", "token"),
        ("none", "none", "none"),
    ],
)
def test_asking_for_a_token_can_be_turned_on_and_not_off(
    tmp_path: Path, file: str, variable: str, auth: str
) -> None:
    environ = {"ABILITIES_HTTP__AUTH": variable}

    assert load(tmp_path, f'[http]\nauth = "{file}"', environ).config.http.auth == auth


def test_categories_are_never_widened_by_having_nothing_in_common(
    tmp_path: Path,
) -> None:
    environ = {"ABILITIES_SERVER__CATEGORIES": "notes"}
    loaded = load(tmp_path, '[server]\ncategories = ["files"]', environ)

    assert loaded.config.server.categories == ("files",)


def test_roles_of_the_file_come_beside_the_built_in_ones() -> None:
    config = HostConfig.model_validate(
        {"roles": {"auditor": ["read", "ledger:read"], "agent": ["read"]}}
    )

    assert config.scopes_of("auditor") == ("read", "ledger:read")
    assert config.scopes_of("agent") == ("read",)
    assert config.scopes_of("viewer") == ("read", "*:read")
    assert config.scopes_of("nobody") is None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Example.ORG.", "example.org"),
        ("*.example.org:443", "*.example.org:443"),
        ("[::1]:80", "[::1]:80"),
        ("localhost", "localhost"),
    ],
)
def test_a_host_name_has_one_spelling(written: str, kept: str) -> None:
    assert host_pattern(written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "",
        "*",
        "a..b",
        "a b",
        "a/b",
        "http://a",
        "a:b",
        "a:123456",
        "a.*",
        "-a",
        "a" * 300,
    ],
)
def test_what_is_no_host_name(written: str) -> None:
    with pytest.raises(ValueError, match="expected host names"):
        host_pattern(written)


@pytest.mark.parametrize("written", ["10.0.0.1/8", "example.org", "", "1.2.3"])
def test_what_is_no_network(written: str) -> None:
    with pytest.raises(ValueError, match="expected addresses or networks"):
        network(written)


@pytest.mark.parametrize(
    "written",
    ["a.org", "https://a.org/x", "ftp://a.org", "https://u@a.org", "null", "https://"],
)
def test_what_is_no_origin(written: str) -> None:
    with pytest.raises(ValueError, match="expected origins"):
        origin(written)


@pytest.mark.parametrize(
    "written",
    ["a.org", "https://a.org?x", "https://u:p@a.org", "https://a.org:0", "https://[a"],
)
def test_what_is_no_web_address(written: str) -> None:
    with pytest.raises(ValueError, match="expected an address"):
        web_address(written)


@given(st.text(max_size=40))
def test_no_text_breaks_a_check_of_addresses(written: str) -> None:
    for check in (host_pattern, network, origin, web_address):
        checked: Any = None
        try:
            checked = check(written)
        except ValueError as error:
            assert "expected" in str(error)  # noqa: PT017 - the sentence counts
        else:
            assert check(checked) == checked
