"""Whose token is believed: of the right issuer, for this server, now; no other."""

import json
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st
from server.issuer_world import (
    AUDIENCE,
    NAME,
    SCOPES,
    Clock,
    Signer,
    claims,
    key_set,
    part,
    rsa_key,
    settings,
)

from abilities_host import Actor
from abilities_host.errors import StartRefused
from abilities_host.server.issuer.issuer import Issuer
from abilities_host.server.issuer.verdict import Believed, Disbelieved, Reason

KEYS = f"{NAME}/keys"


class Desk:
    """An issuer's keys behind a plain function, and the host's view of it."""

    def __init__(self, *signers: Signer, **changes: Any) -> None:
        self.clock = Clock()
        self.signers = list(signers) or [Signer()]
        self.fetched: list[str] = []
        self.issuer = Issuer(
            settings(keys=KEYS, **changes),
            audience=AUDIENCE,
            clock=self.clock,
            fetch=self._fetch,
        )

    def _fetch(self, address: str) -> bytes:
        self.fetched.append(address)
        return key_set(*(signer.jwk() for signer in self.signers))

    def token(self, **changes: Any) -> str:
        """Sign a token that is right but for the changes."""
        return self.signers[0].sign(claims(self.clock.now, **changes))


async def reason_of(issuer: Issuer, token: str) -> Reason | None:
    verdict = await issuer.verify(token)
    return verdict.reason if isinstance(verdict, Disbelieved) else None


async def test_a_right_token_stands_for_an_actor_until_it_expires() -> None:
    desk = Desk()

    verdict = await desk.issuer.verify(desk.token())

    assert verdict == Believed(
        Actor("login.example.org|ada", "agent", frozenset({"read", "write"})),
        desk.clock.now + 630,
    )
    assert (desk.fetched, desk.issuer.problem) == ([KEYS], "")


@pytest.mark.parametrize(
    ("signer", "algorithms"),
    [
        (Signer(algorithm="RS256", key=rsa_key()), ("RS256",)),
        (Signer(algorithm="PS512", key=rsa_key()), ("RS256", "PS512")),
        (Signer(), ("ES256",)),
        (Signer("a", "ES384", ec.generate_private_key(ec.SECP384R1())), ("ES384",)),
        (Signer("a", "ES512", ec.generate_private_key(ec.SECP521R1())), ("ES512",)),
        (Signer("a", "EdDSA", ed25519.Ed25519PrivateKey.generate()), ("EdDSA",)),
        (Signer(None), ("ES256",)),
    ],
    ids=lambda value: value.algorithm if isinstance(value, Signer) else "",
)
async def test_every_kind_of_signature_that_the_settings_allow_is_believed(
    signer: Signer, algorithms: tuple[str, ...]
) -> None:
    desk = Desk(signer, algorithms=algorithms)

    assert await reason_of(desk.issuer, desk.token()) is None


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        (None, {}),
        (None, {"iss": NAME + "/"}),
        (None, {"aud": ["https://other.example.org", AUDIENCE]}),
        (None, {"iat": None}),
        (None, {"jti": "one"}),
        (None, {"exp": 1_800_000_600.5}),
        (Reason.ISSUER, {"iss": "https://evil.example.org"}),
        (Reason.ISSUER, {"iss": NAME + "//"}),
        (Reason.ISSUER, {"iss": NAME.upper()}),
        (Reason.CLAIMS, {"iss": None}),
        (Reason.AUDIENCE, {"aud": "https://abilities.example.org"}),
        (Reason.AUDIENCE, {"aud": AUDIENCE + "/"}),
        (Reason.AUDIENCE, {"aud": AUDIENCE + "/other"}),
        (Reason.AUDIENCE, {"aud": ["https://other.example.org"]}),
        (Reason.AUDIENCE, {"aud": [AUDIENCE, 1]}),
        (Reason.AUDIENCE, {"aud": {AUDIENCE: 1}}),
        (Reason.CLAIMS, {"aud": None}),
        (Reason.CLAIMS, {"aud": []}),
        (Reason.CLAIMS, {"aud": ""}),
        (Reason.EXPIRED, {"exp": 1_800_000_000 - 30}),
        (None, {"exp": 1_800_000_000 - 29}),
        (Reason.EXPIRED, {"exp": 0}),
        (Reason.EXPIRED, {"exp": -1}),
        (Reason.CLAIMS, {"exp": None}),
        (Reason.CLAIMS, {"exp": "1800000600"}),
        (Reason.CLAIMS, {"exp": True}),
        (Reason.CLAIMS, {"exp": 10**400}),
        (Reason.CLAIMS, {"exp": float("inf")}),
        (Reason.CLAIMS, {"exp": float("nan")}),
        (Reason.CLAIMS, {"exp": [1_800_000_600]}),
        (Reason.TOO_EARLY, {"nbf": 1_800_000_031}),
        (None, {"nbf": 1_800_000_030}),
        (Reason.TOO_EARLY, {"iat": 1_800_000_031}),
        (Reason.CLAIMS, {"nbf": "soon"}),
        (Reason.CLAIMS, {"iat": {}}),
        (Reason.CLAIMS, {"sub": None}),
        (Reason.CLAIMS, {"sub": ""}),
        (Reason.CLAIMS, {"sub": " "}),
        (Reason.CLAIMS, {"sub": 7}),
        (Reason.CLAIMS, {"sub": ["ada"]}),
        (Reason.MALFORMED, {"jti": 7}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
async def test_a_signed_token_is_believed_for_what_it_claims_and_refused_for(
    reason: Reason | None, changes: dict[str, Any]
) -> None:
    desk = Desk()

    assert await reason_of(desk.issuer, desk.token(**changes)) is reason


def _unsigned(desk: Desk) -> str:
    head = {"alg": "none", "typ": "at+jwt", "kid": "first"}
    return f"{part(head)}.{part(claims(desk.clock.now))}."


def _shared_secret(desk: Desk) -> str:
    """Sign with what everybody knows, as if it were a secret."""
    head = {"alg": "HS256", "typ": "at+jwt", "kid": "first"}
    said = f"{part(head)}.{part(claims(desk.clock.now))}"
    algorithm = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    return f"{said}.{part(algorithm.sign(said.encode(), desk.signers[0].pem))}"


def _signed(**head: Any) -> Callable[[Desk], str]:
    return lambda desk: desk.signers[0].sign(claims(desk.clock.now), **head)


def _by_hand(head: Any) -> Callable[[Desk], str]:
    return lambda desk: f"{part(head)}.{desk.token().split('.', 1)[1]}"


def _tampered(desk: Desk) -> str:
    head, _, signature = desk.token().split(".")
    return f"{head}.{part(claims(desk.clock.now, sub='root'))}.{signature}"


GOOD_HEAD = {"alg": "ES256", "typ": "at+jwt", "kid": "first"}


@pytest.mark.parametrize(
    ("reason", "make"),
    [
        (None, _signed()),
        (None, _signed(typ="JWT")),
        (None, _signed(typ="application/AT+JWT")),
        (None, _signed(kid=None)),
        (Reason.ALGORITHM, _unsigned),
        (Reason.ALGORITHM, _shared_secret),
        (Reason.ALGORITHM, _by_hand({**GOOD_HEAD, "alg": "None"})),
        (Reason.ALGORITHM, _by_hand({**GOOD_HEAD, "alg": "es256"})),
        (Reason.ALGORITHM, _by_hand({**GOOD_HEAD, "alg": ["ES256"]})),
        (Reason.ALGORITHM, _by_hand({"typ": "at+jwt"})),
        (Reason.KEY, _by_hand({**GOOD_HEAD, "alg": "RS256"})),
        (Reason.TYPE, _signed(typ=None)),
        (Reason.TYPE, _signed(typ="id_token")),
        (Reason.TYPE, _signed(typ="dpop+jwt")),
        (Reason.TYPE, _by_hand({**GOOD_HEAD, "typ": 1})),
        (Reason.KEY, _signed(kid="second")),
        (Reason.KEY, _signed(kid="")),
        (Reason.MALFORMED, _by_hand({**GOOD_HEAD, "kid": 1})),
        (Reason.MALFORMED, _by_hand({**GOOD_HEAD, "x": "y" * 2_000})),
        (Reason.MALFORMED, _by_hand({**GOOD_HEAD, "crit": ["exp"]})),
        (Reason.MALFORMED, _by_hand({**GOOD_HEAD, "b64": False, "crit": ["b64"]})),
        (Reason.MALFORMED, _by_hand([GOOD_HEAD])),
        (Reason.MALFORMED, _by_hand(b"{")),
        (Reason.MALFORMED, _by_hand(b"\xff\xfe")),
        (Reason.SIGNATURE, _by_hand({**GOOD_HEAD, "jku": "https://evil.example.org"})),
        (Reason.SIGNATURE, _tampered),
        (Reason.SIGNATURE, lambda desk: Signer().sign(claims(desk.clock.now))),
        (Reason.SIGNATURE, lambda desk: desk.token().rpartition(".")[0] + "."),
        (Reason.MALFORMED, lambda desk: desk.token() + "!"),
        (Reason.MALFORMED, lambda desk: desk.token() + ".x"),
        (Reason.MALFORMED, lambda desk: desk.token().replace(".", "", 1)),
        (Reason.MALFORMED, lambda _: "🜁.🜂.🜃"),
        (Reason.MALFORMED, lambda _: "\ud800.a.b"),
        (Reason.MALFORMED, lambda _: ".."),
        (Reason.MALFORMED, lambda _: "abilities-0123456789"),
        (Reason.MALFORMED, lambda _: ""),
        (Reason.TOO_LONG, lambda desk: desk.token(pad="x" * 16_384)),
        (Reason.TOO_LONG, lambda _: "x" * 16_385),
        (None, lambda desk: desk.token(pad="x" * 11_000)),
    ],
)
async def test_a_token_is_refused_for_how_it_is_signed(
    reason: Reason | None, make: Callable[[Desk], str]
) -> None:
    desk = Desk()

    assert await reason_of(desk.issuer, make(desk)) is reason


async def test_even_settings_that_allow_it_make_no_shared_secret_right() -> None:
    desk = Desk()
    loose = settings(keys=KEYS).model_copy(
        update={"algorithms": ("HS256", "none", "ES256")}
    )
    issuer = Issuer(
        loose,
        audience=AUDIENCE,
        clock=desk.clock,
        fetch=lambda _: key_set(
            desk.signers[0].jwk(alg="HS256"), desk.signers[0].jwk()
        ),
    )

    reasons = [
        await reason_of(issuer, make(desk))
        for make in (_shared_secret, _unsigned, Desk.token)
    ]

    assert reasons == [Reason.KEY, Reason.KEY, None]


async def test_a_token_must_name_its_key_where_there_are_several() -> None:
    desk = Desk(Signer("a"), Signer("b"))
    said = claims(desk.clock.now)

    named = [await reason_of(desk.issuer, each.sign(said)) for each in desk.signers]
    nameless = desk.signers[0].sign(said, kid=None)
    crossed = desk.signers[0].sign(said, kid="b")

    assert named == [None, None]
    assert await reason_of(desk.issuer, nameless) is Reason.KEY
    assert await reason_of(desk.issuer, crossed) is Reason.SIGNATURE


async def test_a_token_for_another_server_of_the_host_is_refused() -> None:
    desk = Desk()
    other = desk.issuer.at(AUDIENCE + "/other")
    mine, its = desk.token(), desk.token(aud=AUDIENCE + "/other")

    found = [
        await reason_of(issuer, token)
        for issuer in (desk.issuer, other)
        for token in (mine, its)
    ]

    assert found == [None, Reason.AUDIENCE, Reason.AUDIENCE, None]
    assert desk.fetched == [KEYS]


async def test_an_audience_of_the_settings_stands_for_all_servers() -> None:
    desk = Desk(audience="abilities")
    other = desk.issuer.at(AUDIENCE + "/other")

    found = [
        await reason_of(issuer, desk.token(aud=audience))
        for issuer in (desk.issuer, other)
        for audience in ("abilities", AUDIENCE, AUDIENCE + "/other")
    ]

    assert found == [None, Reason.AUDIENCE, Reason.AUDIENCE] * 2


@pytest.mark.parametrize(
    ("granted", "scopes"),
    [
        ({}, set()),
        ({"scope": "tools.use"}, {"read", "write"}),
        ({"scope": "openid tools.see email"}, {"read"}),
        ({"scope": "read write *"}, set()),
        ({"scp": "tools.see"}, {"read"}),
        ({"scp": ["tools.see", "tools.use", 7, None]}, {"read", "write"}),
        ({"roles": ["Auditor"]}, {"read", "ledger:read"}),
        ({"roles": ["auditor"]}, set()),
        ({"scope": "tools.see", "roles": ["Auditor"]}, {"read", "ledger:read"}),
        ({"scope": ["tools.see"]}, {"read"}),
        ({"scope": {"tools.see": 1}, "scp": 7, "roles": None}, set()),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
async def test_only_scopes_and_roles_of_the_settings_give_anything(
    granted: dict[str, Any], scopes: set[str]
) -> None:
    desk = Desk(scopes={**SCOPES, "Auditor": ("read", "ledger:read")})

    verdict = await desk.issuer.verify(desk.token(**{"scope": None, **granted}))

    assert isinstance(verdict, Believed)
    assert verdict.actor.scopes == scopes


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ada", "ada"),
        ("auth0|5f7c8ec7c33c6c004bbafe82", "auth0|5f7c8ec7c33c6c004bbafe82"),
        ("jürgen@example.org", "jürgen@example.org"),
        ("x" * 200, "x" * 200),
        ("x" * 201, None),
        ("ada ", None),
        ("a\nb", None),
        ("a\u202eb", None),
        ("a\ud800b", None),
        ("~ada", None),
    ],
)
async def test_an_actor_is_named_by_issuer_and_claim_and_no_two_are_one(
    name: str, shown: str | None
) -> None:
    desk = Desk(url=f"{NAME}/realms/a", actor_claim="upn")
    token = desk.token(iss=f"{NAME}/realms/a", upn=name)

    verdict = await desk.issuer.verify(token)

    assert isinstance(verdict, Believed)
    place, _, rest = verdict.actor.id.partition("|")
    assert place == "login.example.org/realms/a"
    if shown is not None:
        assert rest == shown
    else:
        assert (rest[0], len(rest), rest.isascii()) == ("~", 33, True)


async def test_why_a_token_is_refused_is_logged_and_nothing_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    desk = Desk()
    tokens = [desk.token(exp=1, sub="ada"), desk.token(), "a.b.c"]

    for token in tokens:
        await desk.issuer.verify(token)

    assert caplog.messages == [
        "a token of the issuer was refused: The token has expired.",
        "a token of the issuer was refused: The token is no signed JSON Web Token.",
    ]


async def test_a_token_is_checked_once_and_then_known_until_it_expires() -> None:
    desk = Desk()
    token = desk.token()

    first, again = await desk.issuer.verify(token), await desk.issuer.verify(token)
    assert again is first
    desk.clock.now += 629
    assert (await desk.issuer.verify(token)) == first
    desk.clock.now += 1
    assert await reason_of(desk.issuer, token) is Reason.EXPIRED


async def test_a_known_token_is_refused_once_its_key_has_gone() -> None:
    desk = Desk()
    token = desk.token()
    assert await reason_of(desk.issuer, token) is None

    desk.signers = [Signer("second")]
    assert await reason_of(desk.issuer, token) is None
    desk.clock.now += 600

    assert await reason_of(desk.issuer, token) is Reason.KEY
    assert await reason_of(desk.issuer, desk.token()) is None


async def test_a_new_key_is_fetched_for_the_first_token_that_names_it() -> None:
    desk = Desk()
    assert await reason_of(desk.issuer, desk.token()) is None

    desk.clock.now += 60
    desk.signers = [Signer("second")]
    found = [await reason_of(desk.issuer, desk.token()) for _ in range(3)]

    assert (found, len(desk.fetched)) == ([None] * 3, 2)


async def test_tokens_with_unknown_keys_do_not_make_the_host_ask_for_each() -> None:
    desk = Desk()
    stranger = Signer("stranger")

    found = set()
    for _ in range(120):
        desk.clock.now += 1
        found.add(await reason_of(desk.issuer, stranger.sign(claims(desk.clock.now))))

    assert (found, len(desk.fetched)) == ({Reason.KEY}, 2)


async def test_while_the_issuer_is_down_an_unknown_key_may_be_right() -> None:
    desk = Desk()
    assert await reason_of(desk.issuer, desk.token()) is None

    desk.signers, desk.clock.now = [], desk.clock.now + 60
    verdict = await desk.issuer.verify(Signer("new").sign(claims(desk.clock.now)))

    assert verdict == Disbelieved(Reason.UNREACHABLE)
    assert verdict.is_temporary
    assert not Disbelieved(Reason.KEY).is_temporary
    assert desk.issuer.problem.endswith(
        "lists no public signing key of a believed kind."
    )


@pytest.mark.parametrize(
    ("changes", "audience", "problem"),
    [
        ({"url": ""}, AUDIENCE, "needs url"),
        ({}, "", "needs url, the issuer's name, and an audience"),
        ({"url": "http://login.example.org"}, AUDIENCE, "url must begin with https"),
        ({"keys": "http://login.example.org"}, AUDIENCE, "keys must begin with https"),
        ({"algorithms": ()}, AUDIENCE, "algorithms is empty"),
    ],
)
async def test_settings_that_cannot_be_used_safely_are_refused(
    changes: dict[str, Any], audience: str, problem: str
) -> None:
    with pytest.raises(StartRefused, match=problem):
        Issuer(settings(**changes), audience=audience)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
HEADS = st.fixed_dictionaries(
    {},
    optional={
        "alg": st.sampled_from(["ES256", "none", "HS256"]) | JSON,
        "typ": st.just("JWT") | JSON,
        "kid": st.just("first") | JSON,
        "crit": JSON,
        "b64": JSON,
    },
)
CLAIMS = st.fixed_dictionaries(
    {},
    optional={
        "iss": st.just(NAME) | JSON,
        "aud": st.just(AUDIENCE) | JSON,
        "exp": st.just(1_900_000_000) | JSON,
        "nbf": JSON,
        "iat": JSON,
        "sub": JSON,
        "jti": JSON,
        "scope": JSON,
        "scp": JSON,
        "roles": JSON,
    },
)
TOKENS = st.one_of(
    st.text(max_size=200),
    st.lists(st.text("abcDEF012-_=.", max_size=40), min_size=3, max_size=3).map(
        ".".join
    ),
    st.builds(
        lambda head, said, end: f"{part(head)}.{part(said)}.{end}",
        HEADS | JSON,
        CLAIMS | JSON,
        st.sampled_from(["", "AAAA", part(b"x" * 64)]),
    ),
)


@given(TOKENS)
async def test_whatever_a_client_shows_is_refused_and_never_an_error(
    token: str,
) -> None:
    assert isinstance(await Desk().issuer.verify(token), Disbelieved)


SIGNER = Signer()


@given(CLAIMS)
async def test_whatever_an_issuer_signs_is_a_verdict_and_never_an_error(
    said: dict[str, Any],
) -> None:
    head = part(json.dumps({"alg": "ES256", "typ": "JWT", "kid": "first"}).encode())
    text = f"{head}.{part(said)}"
    raw = jwt.get_algorithm_by_name("ES256").sign(text.encode(), SIGNER.key)
    desk = Desk(SIGNER)

    verdict = await desk.issuer.verify(f"{text}.{part(raw)}")

    if isinstance(verdict, Believed):
        assert said["iss"] == NAME
        assert AUDIENCE in said["aud"]
        assert verdict.actor.id.isprintable()
        assert verdict.actor.scopes <= {"read", "write"}
    else:
        assert verdict.reason not in {Reason.SIGNATURE, Reason.KEY, Reason.TOO_LONG}
