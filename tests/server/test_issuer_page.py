"""What the page about issuers says is what the host does."""

import re
import tomllib
from pathlib import Path

from server.issuer_world import AUDIENCE, NAME

from abilities_host.config import HostConfig
from abilities_host.server.issuer.issuer import Issuer
from abilities_host.server.issuer.keyring import (
    FRESH_SECONDS,
    KEPT_SECONDS,
    PAUSE_SECONDS,
)
from abilities_host.server.issuer.keys import MOST_KEYS, RSA_BITS
from abilities_host.server.issuer.resource import resource_document, resource_url
from abilities_host.server.issuer.token import LEEWAY_SECONDS, LONGEST
from abilities_host.server.issuer.verdict import Reason

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "how-to" / "use-an-issuer.md").read_text(encoding="utf-8")


def test_every_refusal_of_a_signed_token_is_explained() -> None:
    quoted = re.findall("“([^”]+)”", PAGE)

    told = {reason for reason in Reason for text in quoted if text in reason.value}

    assert [text for text in quoted if not any(text in each for each in Reason)] == []
    assert set(Reason) - told == {Reason.MALFORMED, Reason.SIGNATURE}
    assert f"{LONGEST} characters" in Reason.TOO_LONG


def test_the_example_is_a_configuration_that_serves_what_the_page_says() -> None:
    (block,) = re.findall(r"```toml\n(.+?)```", PAGE, re.DOTALL)

    http = HostConfig.model_validate(tomllib.loads(block)).http

    resource = resource_url(http.public_url, "/mcp")
    Issuer(http.issuer, audience=resource)
    assert resource == AUDIENCE
    assert resource_document(resource, http.issuer) == {
        "resource": AUDIENCE,
        "authorization_servers": [NAME],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["Auditors", "tools.see", "tools.use"],
    }


def test_the_limits_are_told_as_they_are() -> None:
    assert (FRESH_SECONDS, PAUSE_SECONDS, KEPT_SECONDS) == (600, 60, 86_400)
    assert "every ten\nminutes" in PAGE
    assert "at most once a minute" in PAGE
    assert "used for a day" in PAGE
    assert f"{MOST_KEYS} keys" in PAGE
    assert f"under {RSA_BITS.start:,} bits" in PAGE
    assert f"More than {LEEWAY_SECONDS:g} seconds" in PAGE
