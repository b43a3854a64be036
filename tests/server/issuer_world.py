"""What a test of an issuer stands in: keys, tokens, and an issuer on a real port."""

import json
import secrets
import socket
import threading
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from abilities_host.config.network import IssuerSettings

NAME = "https://login.example.org"
AUDIENCE = "https://abilities.example.org/mcp"
SCOPES = {"tools.use": ("read", "write"), "tools.see": ("read",)}

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@cache
def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    """Make an RSA key, the same each time: they are slow to make."""
    return rsa.generate_private_key(65_537, bits)


@dataclass(frozen=True)
class Signer:
    """A key that an issuer signs with."""

    name: str | None = "first"
    algorithm: str = "ES256"
    key: PrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def sign(self, claims: Mapping[str, Any], *, without: str = "", **head: Any) -> str:
        """Sign a token; what is given for the head replaces what it has."""
        named = {"kid": self.name} if self.name else {}
        shown = {"typ": "at+jwt", **named, **head}
        shown = {key: value for key, value in shown.items() if value is not None}
        kept = {key: value for key, value in claims.items() if key != without}
        if "typ" not in shown:
            shown["typ"] = ""
        return jwt.encode(kept, self.key, algorithm=self.algorithm, headers=shown)

    def jwk(self, *, public: bool = True, **changes: Any) -> dict[str, Any]:
        """Give the key as an issuer publishes it."""
        algorithm = jwt.get_algorithm_by_name(self.algorithm)
        key = self.key.public_key() if public else self.key
        written: dict[str, Any] = algorithm.to_jwk(key, as_dict=True)
        written.pop("key_ops", None)
        named = {"kid": self.name} if self.name else {}
        return {**written, **named, "use": "sig", **changes}

    @property
    def pem(self) -> bytes:
        """The public key, which is no secret."""
        return self.key.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )


def key_set(*entries: Any) -> bytes:
    """Write a key set."""
    return json.dumps({"keys": list(entries)}).encode()


def claims(now: float, **changes: Any) -> dict[str, Any]:
    """Write the claims of a token that is right; None leaves one out."""
    right = {
        "iss": NAME,
        "aud": AUDIENCE,
        "sub": "ada",
        "scope": "tools.use",
        "iat": now,
        "exp": now + 600,
    }
    return {k: v for k, v in {**right, **changes}.items() if v is not None}


def part(value: Any) -> str:
    """Write one part of a token by hand."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).decode().rstrip("=")


def settings(**changes: Any) -> IssuerSettings:
    """Write the settings of an issuer."""
    return IssuerSettings(**{"url": NAME, "scopes": SCOPES, **changes})


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Issuer:
    """An issuer that approves everybody at once.

    Attributes:
        url: its name.
        signers: what it publishes, of which it signs with the last.
        asked: how often each path was.
        is_down: answer everything with 503.
        answers: what paths answer in place of what they should.
    """

    def __init__(self, url: str) -> None:
        self.url: Final = url
        self.signers = [Signer()]
        self.asked = Counter[str]()
        self.is_down = False
        self.answers: dict[str, Response] = {}
        self._clients: Final = dict[str, list[str]]()
        self._codes: Final = dict[str, dict[str, str]]()
        self._refreshes: Final = dict[str, dict[str, str]]()

    def rotate(self, name: str) -> None:
        """Sign with a new key, and publish no other."""
        self.signers = [Signer(name)]

    def token(self, **changes: Any) -> str:
        """Sign a token."""
        right = claims(time.time(), iss=self.url)
        return self.signers[-1].sign({**right, **changes})

    @property
    def app(self) -> Starlette:
        """What answers."""
        path = self.url.partition("//")[2].partition("/")[2]
        suffix = f"/{path}" if path else ""
        metadata = f"/.well-known/oauth-authorization-server{suffix}"
        routes = {
            metadata: self._metadata,
            f"{suffix}/keys": self._keys,
            f"{suffix}/register": self._register,
            f"{suffix}/authorize": self._authorize,
            f"{suffix}/token": self._token,
            "/{anything:path}": self._nothing,
        }
        return Starlette(
            routes=[
                Route(at, self._counted(answer), methods=["GET", "POST"])
                for at, answer in routes.items()
            ]
        )

    def _counted(
        self, answer: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def counted(request: Request) -> Response:
            self.asked[request.url.path] += 1
            if self.is_down:
                return Response(status_code=503)
            return self.answers.get(request.url.path) or await answer(request)

        return counted

    async def _metadata(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "registration_endpoint": f"{self.url}/register",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": True,
            }
        )

    async def _nothing(self, _request: Request) -> Response:
        return Response(status_code=404)

    async def _keys(self, _request: Request) -> Response:
        return Response(key_set(*(signer.jwk() for signer in self.signers)))

    async def _register(self, request: Request) -> Response:
        client = secrets.token_hex(8)
        asked = await request.json()
        self._clients[client] = asked["redirect_uris"]
        known = {"client_id": client, "token_endpoint_auth_method": "none"}
        return JSONResponse({**asked, **known}, status_code=201)

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        places = self._clients.get(asked["client_id"], [])
        if asked["redirect_uri"] not in places:
            return Response("unknown client", status_code=400)
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_hex(8)
        self._codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.url}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 302)

    async def _token(self, request: Request) -> Response:
        shown = {k: v[0] for k, v in parse_qs((await request.body()).decode()).items()}
        if shown["grant_type"] == "refresh_token":
            asked = self._refreshes.pop(shown["refresh_token"], None)
        else:
            asked = self._redeemed(shown)
        if asked is None or asked["client_id"] != shown["client_id"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        return JSONResponse(self._granted(asked))

    def _redeemed(self, shown: Mapping[str, str]) -> dict[str, str] | None:
        asked = self._codes.pop(shown["code"], None)
        proof = part(sha256(shown["code_verifier"].encode()).digest())
        is_right = asked is not None and proof == asked["code_challenge"]
        return asked if is_right else None

    def _granted(self, asked: dict[str, str]) -> dict[str, Any]:
        refresh = secrets.token_hex(8)
        self._refreshes[refresh] = asked
        scope = asked.get("scope", "")
        return {
            "access_token": self.token(aud=asked["resource"], scope=scope),
            "token_type": "Bearer",
            "expires_in": 600,
            "refresh_token": refresh,
            "scope": scope,
        }


@contextmanager
def issuing(path: str = "") -> Iterator[Issuer]:
    """Run an issuer on a free port of this machine, in a thread."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        issuer = Issuer(f"http://127.0.0.1:{listener.getsockname()[1]}{path}")
        config = uvicorn.Config(
            issuer.app, lifespan="off", ws="none", log_config=None, access_log=False
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield issuer
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive()
