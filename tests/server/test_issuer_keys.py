"""Which of the keys that an issuer publishes are used, and when they are read."""

import json
import threading
from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st
from server.issuer_world import AUDIENCE, NAME, Clock, Signer, key_set, rsa_key

from abilities_host import Actor
from abilities_host.config.values import SIGNATURES
from abilities_host.server.issuer.fetching import KeysUnavailable
from abilities_host.server.issuer.keyring import Keyring
from abilities_host.server.issuer.keys import Keys, read_keys
from abilities_host.server.issuer.remembered import Remembered
from abilities_host.server.issuer.verdict import Believed, NotBelieved

PLACE = f"{NAME}/keys"
EC = Signer("ec")
RSA = Signer("rsa", "RS256", rsa_key())
OTHER = Signer("other")


def read(*entries: Any, algorithms: tuple[str, ...] = SIGNATURES) -> Keys:
    return read_keys(PLACE, key_set(OTHER.jwk(), *entries), algorithms)


def usable(keys: Keys, name: str | None) -> set[str]:
    return {each for each in SIGNATURES if keys.find(name, each) is not None}


@pytest.mark.parametrize(
    ("entry", "algorithms"),
    [
        (EC.jwk(), {"ES256"}),
        (EC.jwk(alg="ES256"), {"ES256"}),
        (EC.jwk(use=None, key_ops=["verify"]), set()),
        (EC.jwk(key_ops=["verify"]), {"ES256"}),
        (EC.jwk(key_ops=["sign"]), set()),
        (EC.jwk(key_ops="verify"), set()),
        (EC.jwk(use="enc"), set()),
        (EC.jwk(alg="ES384"), set()),
        (EC.jwk(alg="HS256"), set()),
        (EC.jwk(alg=["ES256"]), set()),
        (EC.jwk(crv="P-384"), set()),
        (EC.jwk(crv="secp256k1"), set()),
        (EC.jwk(crv=["P-256"]), set()),
        (EC.jwk(kty="oct", k="AAAA"), set()),
        (EC.jwk(kty=["EC"]), set()),
        (EC.jwk(x="AAAA"), set()),
        (EC.jwk(x=7), set()),
        (EC.jwk(x="é"), set()),
        (EC.jwk(y=EC.jwk()["x"]), set()),
        (EC.jwk(public=False), set()),
        (RSA.jwk(), {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
        (RSA.jwk(alg="PS256"), {"PS256"}),
        (RSA.jwk(public=False), set()),
        (Signer("rsa", "RS256", rsa_key(1024)).jwk(), set()),
        (RSA.jwk(n="AQAB"), set()),
        (
            Signer("p", "ES512", ec.generate_private_key(ec.SECP521R1())).jwk(),
            {"ES512"},
        ),
        (
            Signer("ed", "EdDSA", ed25519.Ed25519PrivateKey.generate()).jwk(),
            {"EdDSA"},
        ),
        ({"kty": "oct", "k": "AAAA", "alg": "HS256", "kid": "oct"}, set()),
    ],
    ids=lambda value: "-".join(sorted(value)),  # the keys are others each time
)
def test_only_public_signing_keys_of_a_strong_kind_are_used(
    entry: dict[str, Any], algorithms: set[str]
) -> None:
    keys = read(entry)

    assert usable(keys, entry["kid"]) == algorithms
    assert len(keys) == 1 + bool(algorithms)


def test_what_is_no_key_is_passed_over() -> None:
    keys = read(None, 7, "key", [EC.jwk()], {}, {"kid": "x"}, EC.jwk(kid=7), EC.jwk())

    assert (len(keys), usable(keys, "ec")) == (2, {"ES256"})


def test_only_believed_signatures_have_keys() -> None:
    keys = read(EC.jwk(), RSA.jwk(), algorithms=("RS256", "ES256"))

    assert usable(keys, "ec") == {"ES256"}
    assert usable(keys, "rsa") == {"RS256"}
    assert usable(keys, None) == {"RS256"}


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (b"", "is no key set"),
        (b"{", "is no key set"),
        (b"[]", "is no key set"),
        (b"7", "is no key set"),
        (b'{"keys": {}}', "is no key set"),
        (b"[" * 5_000, "is no key set"),
        (key_set(), "lists no public signing key of a believed kind"),
        (key_set(EC.jwk(public=False)), "lists no public signing key"),
        (key_set(*[EC.jwk()] * 101), "lists more than 100 keys"),
    ],
    ids=lambda value: value if isinstance(value, str) else "set",
)
def test_a_key_set_that_cannot_be_used_is_refused(
    document: bytes, problem: str
) -> None:
    with pytest.raises(KeysUnavailable, match=f"{PLACE} {problem}"):
        read_keys(PLACE, document, SIGNATURES)


def test_a_hundred_keys_are_read() -> None:
    entries = [EC.jwk(kid=str(number)) for number in range(100)]

    assert len(read_keys(PLACE, key_set(*entries), SIGNATURES)) == 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "kty": st.sampled_from(["EC", "RSA", "OKP", "oct"]) | JSON,
        "crv": st.sampled_from(["P-256", "P-384", "Ed25519"]) | JSON,
        **{
            name: st.sampled_from([EC.jwk()["x"], EC.jwk()["y"], "AQAB"]) | JSON
            for name in ("x", "y", "n", "e")
        },
        "alg": st.just("ES256") | JSON,
        "kid": st.just("x") | JSON,
        "use": st.just("sig") | JSON,
        "key_ops": st.just(["verify"]) | JSON,
    },
)


@given(st.lists(ENTRIES | JSON, max_size=4))
def test_whatever_an_issuer_publishes_harms_no_other_key(entries: list[Any]) -> None:
    keys = read_keys(
        PLACE, key_set(*entries, OTHER.jwk(kid="mine")), algorithms=("ES256", "EdDSA")
    )

    assert keys.find("mine", "ES256") is not None


@given(st.binary(max_size=100) | JSON.map(json.dumps).map(str.encode))
def test_whatever_an_issuer_answers_is_refused_in_one_way(document: bytes) -> None:
    with pytest.raises(KeysUnavailable):
        read_keys(PLACE, document, SIGNATURES)


class Publisher:
    """What reads the keys of an issuer, and can be held up or fail."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.read = 0
        self.error: Exception | None = None
        self.signer = EC
        self.may_end = threading.Event()
        self.may_end.set()
        self.began = threading.Event()
        self.ring = Keyring(self._load, self.clock)

    def _load(self) -> Keys:
        self.read += 1
        self.began.set()
        assert self.may_end.wait(10)
        if self.error is not None:
            raise self.error
        return read_keys(PLACE, key_set(self.signer.jwk()), SIGNATURES)

    def fail(self) -> None:
        self.error = KeysUnavailable(PLACE, "answers 503")


async def until(is_true: Callable[[], object]) -> None:
    with anyio.fail_after(10):
        while not is_true():
            await anyio.sleep(0.001)


async def test_keys_are_read_once_for_all_who_wait() -> None:
    world = Publisher()
    world.may_end.clear()
    found: list[Keys] = []

    async def ask() -> None:
        found.append(await world.ring.current())

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(ask)
        await until(world.began.is_set)
        assert world.ring.settled is None
        world.may_end.set()

    assert (world.read, len(found), len(set(map(id, found)))) == (1, 50, 1)
    assert world.ring.settled is found[0]


async def test_one_who_waits_no_more_leaves_the_reading_to_the_others() -> None:
    world = Publisher()
    world.may_end.clear()

    with anyio.move_on_after(0.01) as scope:
        await world.ring.current()
    assert scope.cancelled_caught
    world.may_end.set()

    assert usable(await world.ring.current(), "ec") == {"ES256"}
    assert world.read == 1


async def test_keys_are_read_again_after_ten_minutes() -> None:
    world = Publisher()
    first = await world.ring.current()

    world.clock.now += 599
    assert await world.ring.current() is first
    assert world.ring.settled is first
    world.clock.now += 1
    assert world.ring.settled is None
    assert await world.ring.current() is first  # they are the same still
    world.signer, world.clock.now = OTHER, world.clock.now + 600
    assert usable(await world.ring.current(), "other") == {"ES256"}
    assert world.read == 3


async def test_a_clock_that_is_set_back_makes_keys_old_and_not_eternal() -> None:
    world = Publisher()
    await world.ring.current()

    world.clock.now -= 86_400
    await world.ring.current()

    assert world.read == 2


async def test_keys_are_read_for_unknown_names_once_a_minute() -> None:
    world = Publisher()
    await world.ring.current()

    counts = []
    for seconds in (0, 59, 1, 30, 30):
        world.clock.now += seconds
        await world.ring.renewed()
        counts.append(world.read)

    assert counts == [1, 1, 2, 2, 3]


async def test_while_the_issuer_is_down_the_keys_go_on_for_a_day(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = Publisher()
    keys = await world.ring.current()
    world.fail()

    world.clock.now += 600
    assert await world.ring.current() is keys
    assert world.ring.settled is keys  # until it is tried again
    assert world.ring.problem.endswith("answers 503.")
    world.clock.now += 60
    assert await world.ring.current() is keys
    await until(lambda: world.ring.settled is keys)
    assert world.read == 3
    world.clock.now += 86_400 - 660
    with pytest.raises(NotBelieved, match="cannot be read at the moment"):
        await world.ring.current()

    assert len(caplog.records) == 1  # it went on being the same problem


async def test_an_issuer_known_to_be_down_holds_nobody_up() -> None:
    world = Publisher()
    keys = await world.ring.current()
    world.fail()
    world.clock.now += 600
    await world.ring.current()

    world.may_end.clear()
    world.clock.now += 60
    found = await world.ring.current()
    world.error = None
    world.signer = OTHER
    world.may_end.set()
    await until(lambda: world.ring.problem == "")

    assert found is keys
    assert world.ring.settled is not keys


async def test_an_issuer_that_was_never_up_is_asked_every_five_seconds() -> None:
    world = Publisher()
    world.fail()

    counts = []
    for seconds in (0, 4, 1, 4, 1):
        world.clock.now += seconds
        with pytest.raises(NotBelieved):
            await world.ring.current()
        with pytest.raises(NotBelieved):
            await world.ring.renewed()
        counts.append(world.read)
    world.error, world.clock.now = None, world.clock.now + 5

    assert usable(await world.ring.current(), "ec") == {"ES256"}
    assert counts == [1, 1, 2, 2, 3]


async def test_a_reading_that_never_ends_is_given_up_after_a_minute() -> None:
    world = Publisher()
    await world.ring.current()
    held = threading.Event()
    world.may_end, free = held, world.may_end
    world.began.clear()

    world.clock.now += 600
    with anyio.move_on_after(0.01):
        await world.ring.current()
    await until(world.began.is_set)
    world.may_end, world.signer, world.clock.now = free, OTHER, world.clock.now + 60
    keys = await world.ring.renewed()
    world.fail()
    held.set()
    await until(lambda: "abilities-call" not in map(_name, threading.enumerate()))
    for _ in range(3):  # until the loop has heard of its end
        await anyio.lowlevel.checkpoint()

    assert usable(keys, "other") == {"ES256"}
    assert (world.ring.settled, world.ring.problem) == (keys, "")
    assert world.read == 3


def _name(thread: threading.Thread) -> str:
    return thread.name


async def test_a_mistake_in_reading_is_named_and_no_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = Publisher()
    world.error = RuntimeError("secret")

    with pytest.raises(NotBelieved):
        await world.ring.current()

    assert world.ring.problem == "Reading failed: RuntimeError."
    assert "secret" not in caplog.text


def test_the_token_used_least_lately_is_forgotten_first() -> None:
    keys, remembered = read(), Remembered(2)
    believed = Believed(Actor(AUDIENCE), 10.0)
    for digest in (b"a", b"b"):
        remembered.keep(digest, believed, keys)

    assert remembered.find(b"a", keys, 9.0) is believed
    remembered.keep(b"c", believed, keys)

    found = [remembered.find(digest, keys, 9.0) for digest in (b"a", b"b", b"c")]
    assert found == [believed, None, believed]
    assert remembered.find(b"a", keys, 10.0) is None
    assert len(remembered) == 1


def test_no_token_is_remembered_when_the_keys_change() -> None:
    old, new, remembered = read(), read(EC.jwk()), Remembered()
    believed = Believed(Actor(AUDIENCE), 10.0)
    remembered.keep(b"a", believed, old)

    assert remembered.find(b"a", new, 0.0) is None
    remembered.keep(b"b", believed, old)
    remembered.keep(b"c", believed, new)

    assert [remembered.find(each, new, 0.0) for each in (b"b", b"c")] == [
        None,
        believed,
    ]
    assert len({old, new, read()}) == 2
