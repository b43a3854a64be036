from typing import Any

import pytest

from abilities_host.config import HostConfig
from abilities_host.errors import StartRefused
from abilities_host.server.exposure import check_exposure, is_loopback


def config(**http: Any) -> HostConfig:
    return HostConfig.model_validate({"http": http})


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - what is told apart
        ("::", False),
        ("::ffff:192.0.2.1", False),
        ("192.0.2.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_what_only_this_machine_reaches(address: str, answer: bool) -> None:  # noqa: FBT001 - a column
    assert is_loopback(address) is answer


@pytest.mark.parametrize(
    "http",
    [
        {"address": "0.0.0.0"},  # noqa: S104 - what is refused
        {"address": "::"},
        {"address": "192.0.2.1", "public_url": "https://example.org"},
        {"address": "example.org", "hosts": ["example.org"]},
    ],
)
def test_others_reach_it_only_by_a_name_that_is_allowed(http: dict[str, Any]) -> None:
    with pytest.raises(StartRefused):
        check_exposure(config(**http))


@pytest.mark.parametrize(
    ("key", "http"),
    [
        ("address", {"address": "192.0.2.1", "hosts": ["example.org"]}),
        ("hosts", {"hosts": ["example.org"]}),
        ("trusted_proxies", {"trusted_proxies": ["127.0.0.1"]}),
        ("public_url", {"public_url": "https://example.org"}),
        ("issuer.url", {"issuer": {"url": "https://login.example.org"}}),
    ],
)
def test_without_a_token_nothing_else_may_open_the_host(
    key: str, http: dict[str, Any]
) -> None:
    with pytest.raises(StartRefused) as refused:
        check_exposure(config(auth="none", **http))

    assert str(refused.value).startswith(
        f'[http] auth = "none" lets everybody call, and {key} = '
    )


def test_without_a_token_this_machine_may_call() -> None:
    assert check_exposure(config(auth="none")) == ()


@pytest.mark.parametrize(
    ("public_url", "warnings"),
    [("", 1), ("http://example.org", 1), ("https://example.org", 0)],
)
def test_tokens_in_the_clear_are_warned_of(public_url: str, warnings: int) -> None:
    said = check_exposure(
        config(address="192.0.2.1", hosts=["example.org"], public_url=public_url)
    )

    assert len(said) == warnings
