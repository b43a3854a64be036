"""Network checks: what ``doctor`` sees of names, proxies, the issuer and the clock."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import httpx2

from abilities_host.cli.findings import Finding
from abilities_host.errors import AbilitiesError, StartRefused
from abilities_host.server.exposure import check_exposure

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

SECONDS: Final = 3.0
SKEW_SECONDS: Final = 120.0

_BUILT: Final = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
_CLOCK_FIX: Final = "set the clock of this machine, such as timedatectl set-ntp true"


def check_network(loaded: "LoadedConfig", *, is_serving: bool) -> Iterator[Finding]:
    """Look at how the host is reached, from where it stands.

    Args:
        loaded: the configuration.
        is_serving: whether a host answers at the configured port now.

    Yields:
        What was seen.
    """
    yield _check_exposure(loaded)
    yield from _check_clock(loaded)
    if loaded.config.http.issuer.url:
        yield _check_issuer(loaded)
    if loaded.config.http.public_url and is_serving:
        yield from _check_public(loaded)


def _check_exposure(loaded: "LoadedConfig") -> Finding:
    try:
        warnings = check_exposure(loaded.config)
    except StartRefused as error:
        fix = "write it as the sentence says, into [http]"
        return Finding("error", "exposure", error.sentence, fix)
    if warnings:
        fix = "serve behind a proxy with TLS, and name it: [http] public_url"
        return Finding("warning", "exposure", warnings[0], fix)
    http = loaded.config.http
    asks = "a token is asked for" if http.auth == "token" else "no token is asked for"
    return Finding("ok", "exposure", f"It listens on {http.address}; {asks}.")


def _check_clock(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Tokens end, and entries are ordered, by this machine's clock."""
    now = time.time()
    if now < _BUILT:
        sentence = "The clock says a time before this host was made."
        yield Finding("error", "clock", sentence, _CLOCK_FIX)
    written = _written_at(loaded)
    if written - now > SKEW_SECONDS:
        ahead = int(written - now)
        sentence = (
            f"The store was written {ahead} seconds from now: the clock is wrong."
        )
        yield Finding("error", "clock", sentence, _CLOCK_FIX)


def _written_at(loaded: "LoadedConfig") -> float:
    try:
        return loaded.store_path.stat().st_mtime
    except OSError:
        return 0.0


def _check_issuer(loaded: "LoadedConfig") -> Finding:
    # Slow imports, for who has an issuer.
    from abilities_host.server.issuer.discovery import load_keys  # noqa: PLC0415
    from abilities_host.server.issuer.fetching import fetch_document  # noqa: PLC0415

    settings = loaded.config.http.issuer
    try:
        load_keys(settings, fetch_document)
    except AbilitiesError as error:
        fix = "mend [http.issuer] url or keys, or wait until the issuer answers"
        return Finding("error", "issuer", error.sentence, fix)
    sentence = f"The keys of {settings.url} can be read."
    if not settings.scopes:
        sentence = f"{sentence[:-1]}, and none of its scopes stands for one here."
        fix = 'write [http.issuer] scopes, such as { "tools.use" = ["read"] }'
        return Finding("warning", "issuer", sentence, fix)
    return Finding("ok", "issuer", sentence)


def _check_public(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Ask as a client does, through whatever stands before the host."""
    base = loaded.config.http.public_url
    path = loaded.config.server.path(is_first=True)
    try:
        with httpx2.Client(timeout=SECONDS, follow_redirects=False) as client:
            health = client.get(f"{base}/healthz")
            refused = client.post(f"{base}{path}", content=b"{}")
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        sentence = f"{base} does not answer ({type(error).__name__})."
        fix = "start what stands before the host, or mend [http] public_url"
        yield Finding("error", "public", sentence, fix)
        return
    yield _judge_health(base, health)
    yield from _judge_refusal(base, refused)
    yield from _judge_date(base, health)


def _judge_health(base: str, health: Any) -> Finding:
    if health.status_code == httpx2.codes.MISDIRECTED_REQUEST:
        sentence = f"{base} leads here with a name that is not allowed."
        fix = "let the proxy pass the name on, or add it to [http] hosts"
        return Finding("error", "public", sentence, fix)
    if health.status_code != httpx2.codes.OK or not _is_ours(health):
        sentence = f"{base}/healthz is answered with {health.status_code} by others."
        fix = "let the proxy pass /healthz on, or mend [http] public_url"
        return Finding("warning", "public", sentence, fix)
    return Finding("ok", "public", f"{base} leads to a host.")


def _judge_refusal(base: str, refused: Any) -> Iterator[Finding]:
    """Without a token the host itself must say no, and no cache may keep that."""
    if refused.status_code != httpx2.codes.UNAUTHORIZED:
        sentence = f"A request without a token to {base} got {refused.status_code}."
        fix = "let the proxy pass requests and answers on as they are"
        yield Finding("error", "public", sentence, fix)
    elif "no-store" not in refused.headers.get("cache-control", ""):
        sentence = f"Something before {base} takes Cache-Control: no-store away."
        fix = "let the proxy keep the host's Cache-Control header"
        yield Finding("warning", "public", sentence, fix)


def _judge_date(base: str, health: Any) -> Iterator[Finding]:
    try:
        said = parsedate_to_datetime(health.headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return
    skew = int(abs(said - time.time()))
    if skew > SKEW_SECONDS:
        sentence = f"The clocks of {base} and of this machine differ by {skew} seconds."
        yield Finding("warning", "clock", sentence, _CLOCK_FIX)


def _is_ours(health: Any) -> bool:
    try:
        said = health.json()
    except ValueError:
        return False
    return isinstance(said, dict) and said.keys() == {"ok"}
