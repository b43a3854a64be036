"""What a client without a token is told, so that it can get one."""

import re

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.client.auth.utils import (
    build_protected_resource_metadata_discovery_urls,
    extract_field_from_www_auth,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
)
from mcp.shared.auth import ProtectedResourceMetadata
from mcp.shared.auth_utils import resource_url_from_server_url
from server.issuer_world import AUDIENCE, NAME, settings

from abilities_host.server.issuer.resource import (
    challenge,
    document_paths,
    document_url,
    resource_document,
    resource_url,
    scope_for,
)

WELL_KNOWN = "/.well-known/oauth-protected-resource"
BASE = "https://abilities.example.org"


@pytest.mark.parametrize(
    ("base", "route", "url"),
    [
        (BASE, "/mcp", AUDIENCE),
        (BASE + "/", "/mcp", AUDIENCE),
        ("HTTPS://Abilities.Example.ORG:443", "/mcp", AUDIENCE),
        (BASE + ":8443", "/mcp/team", BASE + ":8443/mcp/team"),
        (BASE + "/tools", "/mcp", BASE + "/tools/mcp"),
        ("http://127.0.0.1:8765", "/mcp", "http://127.0.0.1:8765/mcp"),
        ("http://[::1]:8765", "/mcp", "http://[::1]:8765/mcp"),
    ],
)
def test_a_server_has_one_address_which_is_what_clients_make_of_it(
    base: str, route: str, url: str
) -> None:
    resource = resource_url(base, route)

    read = ProtectedResourceMetadata.model_validate(
        resource_document(resource, settings())
    )
    assert resource == url
    assert str(read.resource) == resource_url_from_server_url(url) == url


@pytest.mark.parametrize(
    ("resource", "route", "is_first", "suffixes"),
    [
        (AUDIENCE, "/mcp", True, ["/mcp", ""]),
        (AUDIENCE + "/team", "/mcp/team", False, ["/mcp/team"]),
        (BASE + "/tools/mcp", "/mcp", True, ["/tools/mcp", "/mcp", ""]),
        (BASE + "/tools/mcp/b", "/mcp/b", False, ["/tools/mcp/b", "/mcp/b"]),
    ],
)
def test_the_metadata_is_where_clients_look_for_it(
    resource: str, route: str, *, is_first: bool, suffixes: list[str]
) -> None:
    paths = document_paths(resource, route, is_first=is_first)

    looked = build_protected_resource_metadata_discovery_urls(None, resource)
    assert paths == tuple(WELL_KNOWN + suffix for suffix in suffixes)
    assert document_url(resource) == looked[0] == BASE + paths[0]
    assert (looked[1] == BASE + paths[-1]) is is_first


def test_the_document_names_the_resource_the_issuer_and_what_to_ask_for() -> None:
    strange = {"a b": ("read",), 'x"': ("read",), "é": ("read",)}
    described = settings(scopes={"tools.use": ("write",), "a": (), **strange})

    assert resource_document(AUDIENCE, described, title="Notes") == {
        "resource": AUDIENCE,
        "authorization_servers": [NAME],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["a", "tools.use"],
        "resource_name": "Notes",
    }
    assert resource_document(AUDIENCE, settings(scopes={})) == {
        "resource": AUDIENCE,
        "authorization_servers": [NAME],
        "bearer_methods_supported": ["header"],
    }


@pytest.mark.parametrize(
    ("required", "name"),
    [("read", "see"), ("write", "use"), ("notes:write", "all"), ("ledger", None)],
)
def test_a_client_is_told_to_ask_for_the_least_that_is_enough(
    required: str, name: str | None
) -> None:
    scopes = {"use": ("read", "write"), "see": ("read",), "all": ("*:*", "read", "a:b")}

    assert scope_for(required, settings(scopes=scopes)) == name


def test_a_challenge_says_where_what_and_why() -> None:
    said = challenge(
        AUDIENCE,
        error="invalid_token",
        description='It has "expired".\r\nX: y',
        scopes=["tools.use", 'bad"', "tools.see"],
    )

    assert challenge(AUDIENCE) == f'Bearer resource_metadata="{BASE}{WELL_KNOWN}/mcp"'
    assert said == (
        'Bearer error="invalid_token", error_description="It has _expired_.__X: y", '
        'scope="tools.use tools.see", '
        f'resource_metadata="{BASE}{WELL_KNOWN}/mcp"'
    )


WHOLE = re.compile(r'Bearer [a-z_]+="[^"\\]*"(, [a-z_]+="[^"\\]*")*')


@example(description="", error="=", scopes=[])
@given(
    description=st.text(max_size=50),
    error=st.text(max_size=20),
    scopes=st.lists(st.text(max_size=8)),
)
def test_no_text_ends_a_challenge_early_and_clients_read_it(
    description: str, error: str, scopes: list[str]
) -> None:
    said = challenge(AUDIENCE, error=error, description=description, scopes=scopes)

    assert said.isascii()
    assert said.isprintable()
    assert WHOLE.fullmatch(said)
    response = httpx2.Response(401, headers={"WWW-Authenticate": said})
    found = extract_resource_metadata_from_www_auth(response)
    assert found == f"{BASE}{WELL_KNOWN}/mcp"
    shown = extract_scope_from_www_auth(response)
    assert set((shown or "").split()) <= set(scopes)
    assert bool(extract_field_from_www_auth(response, "error")) is bool(error)
