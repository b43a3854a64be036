"""A document that was exported is read as it was, and a broken one not at all."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.memory.portability.homes import CHECKOUT, document, entry

from abilities_host import CallError
from abilities_host.gate import Seal
from abilities_host.memory import (
    Class,
    Guidance,
    Proposal,
    Scope,
    Source,
    State,
    Status,
    Topic,
    Type,
)
from abilities_memory.cleaning import cleaned
from abilities_memory.document import (
    Document,
    DocumentBroken,
    DocumentTooNew,
    Entry,
    TooMuchToExport,
)
from abilities_memory.document_reading import read_document
from abilities_memory.exporting import export_document
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.topics import cleaned_topic

SECRET = "hunter2-hunter2"  # noqa: S105 - known to every reader

# --- what is exported ---------------------------------------------------------

FULL = Guidance(
    id="gm-014",
    type="guardrail",
    topic="checkout",
    text="Nunca activar Stripe.",
    rationale="Pedido do cliente.",
    recall=("stripe", "multibanco"),
    scope=Scope(site_wide=False, post_id=7, target="file:pay/*"),
    priority=3,
    class_="procedure",
    rule={"domain": "file", "arguments": {"é": [1, 2.5, None, True]}},
    supersedes="gm-002",
    status="approved",
    source="manual",
    proposed_by="agent-run-8821",
    proposed_at=1_800_000_000_000_001,
    reviewed_by="emanuel",
    reviewed_at=1_800_000_001_000_000,
    duplicate_of="gm-002",
)
FACT = Guidance(
    id="gm-002",
    type="fact",
    topic="checkout",
    text="The shop closes at six.",
    rationale="Said so.",
    proposed_by="ana",
    proposed_at=1_800_000_000_000_000,
)


def seal_of(id_: str) -> Seal:
    return Seal(
        "guidance", id_, "ab" * 32, "emanuel", 1_800_000_001_000_000, b"\1" * 64
    )


def test_everything_is_written_in_one_order() -> None:
    seals = {"gm-014": seal_of("gm-014"), "gm-999": seal_of("gm-999")}

    written = export_document([FULL, FACT], [Topic(name="z"), CHECKOUT], seals)

    assert json.dumps(written) == json.dumps(
        {
            "format": "abilities-memory",
            "version": 1,
            "guidance": [
                {
                    "id": "gm-002",
                    "type": "fact",
                    "domain": "checkout",
                    "text": "The shop closes at six.",
                    "rationale": "Said so.",
                    "recall": [],
                    "scope": {"site_wide": True, "post_id": None, "target": ""},
                    "priority": 0,
                    "class": "",
                    "rule": None,
                    "supersedes": "",
                    "status": "pending",
                    "source": "agent_proposal",
                    "proposed_by": "ana",
                    "proposed_at": "2027-01-15T08:00:00.000000Z",
                    "reviewed_by": "",
                    "reviewed_at": None,
                    "duplicate_of": "",
                },
                {
                    "id": "gm-014",
                    "type": "guardrail",
                    "domain": "checkout",
                    "text": "Nunca activar Stripe.",
                    "rationale": "Pedido do cliente.",
                    "recall": ["stripe", "multibanco"],
                    "scope": {"site_wide": False, "post_id": 7, "target": "file:pay/*"},
                    "priority": 3,
                    "class": "procedure",
                    "rule": {
                        "domain": "file",
                        "arguments": {"é": [1, 2.5, None, True]},
                    },
                    "supersedes": "gm-002",
                    "status": "approved",
                    "source": "manual",
                    "proposed_by": "agent-run-8821",
                    "proposed_at": "2027-01-15T08:00:00.000001Z",
                    "reviewed_by": "emanuel",
                    "reviewed_at": "2027-01-15T08:00:01.000000Z",
                    "duplicate_of": "gm-002",
                },
            ],
            "domains": {
                "checkout": {
                    "state": "inactive",
                    "always_on": True,
                    "recall": ["stripe", "gateway de pagamento"],
                    "exclude": ["docs"],
                    "rules": ["gm-014"],
                    "decisions": [],
                },
                "z": {
                    "state": "active",
                    "always_on": False,
                    "recall": [],
                    "exclude": [],
                    "rules": [],
                    "decisions": [],
                },
            },
            "seals": [
                {
                    "kind": "guidance",
                    "id": "gm-014",
                    "hash": "ab" * 32,
                    "reviewer": "emanuel",
                    "at": 1_800_000_001_000_000,
                    "signature": "AQEB" * 21 + "AQ==",
                }
            ],
        }
    )


def test_facts_in_force_are_the_decisions_of_their_domain() -> None:
    written = export_document([FACT], [CHECKOUT], {"gm-002": seal_of("gm-002")})

    assert written["domains"]["checkout"]["rules"] == []
    assert written["domains"]["checkout"]["decisions"] == ["gm-002"]


def test_entries_are_in_the_order_of_their_numbers() -> None:
    ids = ["gm-1000", "gm-999", "gm-10000", "gm-001"]
    guidance = [
        Guidance(
            id=id_,
            type="fact",
            topic="t",
            text="x",
            rationale="y",
            proposed_by="",
            proposed_at=0,
        )
        for id_ in ids
    ]

    written = export_document(guidance, [], {})

    assert [each["id"] for each in written["guidance"]] == [
        "gm-001",
        "gm-999",
        "gm-1000",
        "gm-10000",
    ]


@pytest.mark.parametrize(
    ("guidance", "topics", "what"),
    [
        ([FACT] * 10_001, [], "10000 entries"),
        ([], [CHECKOUT] * 10_001, "10000 topics"),
    ],
)
def test_nothing_is_exported_that_nobody_could_import(
    guidance: list[Guidance], topics: list[Topic], what: str
) -> None:
    with pytest.raises(TooMuchToExport, match=f"more than {what}"):
        export_document(guidance, topics, {})


# --- there and back -----------------------------------------------------------

PROSE = st.text(alphabet="abcé ñ中\n.-'*\"\\\u200d", min_size=1, max_size=30)
WORDS = st.lists(st.text("aáb c日", min_size=1, max_size=8), max_size=12).map(tuple)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def choice(literal: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(literal))


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    scope = Scope(
        site_wide=draw(st.booleans()),
        post_id=draw(st.none() | st.integers(-(2**63) + 1, 2**63 - 1)),
        target=draw(st.sampled_from(["", "file:a/*", "nota:ç"])),
    )
    return Proposal(
        type=draw(choice(Type)),
        topic=draw(st.text("aBç-", min_size=1, max_size=10)),
        text=draw(PROSE),
        rationale=draw(PROSE),
        recall=draw(WORDS),
        scope=scope,
        priority=draw(st.integers(-1000, 1000)),
        class_=draw(choice(Class)),
        rule=draw(st.none() | st.dictionaries(st.text(), JSON, max_size=3)),
        supersedes=draw(st.sampled_from(["", "gm-001", "gm-404"])),
    )


def suitable(make: Any) -> Any:
    try:
        return make()
    except UnsuitableWording:
        return None


KEPT = proposals().map(lambda each: suitable(lambda: cleaned(each))).filter(bool)
KEPT_TOPICS = (
    st.builds(
        Topic,
        name=st.text("aBç", min_size=1, max_size=5),
        state=choice(State),
        always_on=st.booleans(),
        recall=WORDS,
        exclude=WORDS,
    )
    .map(lambda each: suitable(lambda: cleaned_topic(each)))
    .filter(bool)
)


@st.composite
def shelves(draw: st.DrawFn) -> list[tuple[Guidance, Entry]]:
    """Give guidance, each with the entry that it is to become."""
    numbers = draw(st.lists(st.integers(1, 2000), unique=True, max_size=6).map(sorted))
    made = []
    for number in numbers:
        id_, says = f"gm-{number:03}", draw(KEPT)
        status = cast("Status", draw(choice(Status)))
        parts = {name: getattr(says, name) for name in Proposal.__slots__}
        guidance = Guidance(
            id=id_,
            **parts,
            status=status,
            source=cast("Source", draw(choice(Source))),
            proposed_by=draw(st.text(max_size=5)),
            proposed_at=draw(st.integers(0, 2**52)),
            reviewed_at=draw(st.none() | st.integers(0, 2**52)),
        )
        seal = seal_of(id_) if status == "approved" else None
        made.append((guidance, Entry(id=id_, proposal=says, status=status, seal=seal)))
    return made


@given(shelves(), st.lists(KEPT_TOPICS, unique_by=lambda topic: topic.name, max_size=3))
def test_what_was_exported_is_read_as_it_was(
    made: list[tuple[Guidance, Entry]], topics: list[Topic]
) -> None:
    seals = {each.id: each.seal for _, each in made if each.seal}
    written = json.dumps(export_document([each for each, _ in made], topics, seals))

    found = read_document(json.loads(written))

    assert found == Document(
        entries=tuple(each for _, each in made),
        topics=tuple(sorted(topics, key=lambda topic: topic.name)),
    )


def test_the_least_that_a_document_may_say() -> None:
    assert read_document(document(entry("x"))) == Document(
        entries=(
            Entry(
                id="x",
                proposal=Proposal(
                    type="guardrail",
                    topic="checkout",
                    text="Text of x.",
                    rationale="Asked for.",
                ),
            ),
        )
    )


# --- what is broken -----------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (None, "at the top, the value is null and has to be an object"),
        ([SECRET], "at the top, the value is a list and has to be an object"),
        ({}, "at the top, there is no 'guidance'"),
        (document(format=SECRET), "at format, the text is none of 'abilities-memory'"),
        (document(version=0), "at version, the version is none that ever was"),
        (document(version=True), "at version, the value is true or false"),
        ({"guidance": {}}, "at guidance, the value is an object and has to be a list"),
        (
            {"guidance": [0] * 10_001},
            "at guidance, there are 10001 items and 10000 may be",
        ),
        (document(entry(), entry()), r"at guidance[1].id, the id was given before"),
        (document(entry(id_="\x1b")), "at guidance[0].id, the id is empty or has"),
        (document(entry("x" * 201)), "the text is longer than 200 characters"),
        (document(entry(type=SECRET)), "at guidance[0].type, the text is none of 'gua"),
        (document({"id": SECRET}), "at guidance[0], there is no 'type'"),
        (
            document(entry(text=SECRET * 60)),
            "at guidance[0], the text cannot be taken: it is longer than 600",
        ),
        (
            document(entry(rationale=f"{SECRET}\u202e")),
            "at guidance[0], the rationale cannot be taken: it has a character that",
        ),
        (document(entry(recall=SECRET)), "at guidance[0].recall, the value is text"),
        (
            document(entry(recall=["a"] * 13)),
            "at guidance[0].recall, there are 13 items and 12 may be",
        ),
        (
            document(entry(recall=[1])),
            "at guidance[0].recall[0], the value is a number",
        ),
        (
            document(entry(priority=1001)),
            "the priority cannot be taken: it is not from",
        ),
        (document(entry(priority=1.0)), "at guidance[0].priority, the value is a num"),
        (document(entry(scope=SECRET)), "at guidance[0].scope, the value is text"),
        (
            document(entry(scope={"post_id": 1 << 64})),
            "at guidance[0], the scope cannot be taken",
        ),
        (document(entry(rule=[SECRET])), "at guidance[0].rule, the value is a list"),
        (
            document(entry(rule={"a": SECRET * 2000})),
            "at guidance[0], the rule cannot be taken: it is longer than 16000",
        ),
        (document(entry(rule={"a": float("nan")})), "the rule cannot be taken"),
        (document(entry(status=SECRET)), "at guidance[0].status, the text is none of"),
        (document(domains=[]), "at domains, the value is a list"),
        (
            document(domains={str(n): {} for n in range(10_001)}),
            "at domains, there are 10001 members and 10000 may be",
        ),
        (document(domains={"a": {}, "A": {}}), "at domains.A, another spelling"),
        (document(domains={"a": {"state": SECRET}}), "at domains.a.state, the text is"),
        (
            document(domains={"a": {"always_on": 1}}),
            "at domains.a.always_on, the value is a number and has to be true or false",
        ),
        (document(domains={"a\u202e": {}}), r"at domains.a\u202e, the topic cannot"),
        (
            document(entry(), domains={"a": {"decisions": ["gm-001"]}}),
            "at domains.a.decisions[0], there is no guidance of this id and kind",
        ),
        (document(domains={"a": {"rules": ["gm-001"]}}), "at domains.a.rules[0]"),
        (document(seals=[{}]), "at seals[0], there is no 'hash'"),
    ],
)
def test_what_is_broken_is_named_and_never_shown(raw: Any, sentence: str) -> None:
    with pytest.raises(DocumentBroken) as raised:
        read_document(raw)

    said = str(raised.value)
    assert sentence in said
    assert said.endswith("Nothing was imported.")
    assert SECRET not in said


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (
            {"hash": SECRET},
            "at seals[0].hash, the hash is not of 64 hexadecimal digits",
        ),
        ({"at": -1}, "at seals[0].at, the time is out of range"),
        ({"at": 1 << 63}, "at seals[0].at, the time is out of range"),
        ({"signature": "*"}, "at seals[0].signature, the signature is not in Base64"),
        ({"signature": "é"}, "at seals[0].signature, the signature is not in Base64"),
        ({"reviewer": None}, "at seals[0].reviewer, the value is null"),
    ],
)
def test_a_broken_seal_breaks_the_document(part: dict[str, Any], sentence: str) -> None:
    written = export_document([FULL], [], {"gm-014": seal_of("gm-014")})
    written["seals"][0] |= part

    with pytest.raises(DocumentBroken) as raised:
        read_document(written)

    assert sentence in str(raised.value)
    assert SECRET not in str(raised.value)


def test_an_entry_has_one_seal() -> None:
    written = export_document([FULL], [], {"gm-014": seal_of("gm-014")})
    written["seals"] *= 2

    with pytest.raises(DocumentBroken, match=r"seals\[1\]\.id, there is another seal"):
        read_document(written)


def test_a_later_version_is_refused() -> None:
    with pytest.raises(DocumentTooNew, match="a later version than 1"):
        read_document(document(version=2, format="abilities-memory", sealed=1))


def test_what_nobody_knows_stays_behind_and_is_told() -> None:
    seal = {
        "kind": "note",
        "id": "gm-001",
        "hash": "0" * 64,
        "reviewer": "ana",
        "at": 0,
        "signature": "",
        "color": 1,
    }
    raw = document(
        entry("a", mood=1, scope={"page": 1}),
        entry("b", mood=2),
        domains={"a": {"owner": "x"}},
        seals=[seal, {**seal, "kind": "guidance", "id": "\x1bgone"}],
        session_summaries=[],
        **{"line\nbreak": 1},
    )

    found = read_document(raw)

    assert found.left_out == (
        (
            "'session_summaries' stays behind: each belongs to the record of the host "
            "on which it was written."
        ),
        "'domains.owner' stays behind: nobody here knows it (1 times).",
        "'guidance.mood' stays behind: nobody here knows it (2 times).",
        "'guidance.scope.page' stays behind: nobody here knows it (1 times).",
        "'line break' stays behind: nobody here knows it (1 times).",
        "'seals.color' stays behind: nobody here knows it (2 times).",
        "The seal of gm-001 is of nothing that is here.",
        r"The seal of \u001bgone is of nothing that is here.",
    )


def test_only_a_hundred_unknown_names_are_told() -> None:
    found = read_document(document(**{f"x{number}": 1 for number in range(150)}))

    assert len(found.left_out) == 101
    assert found.left_out[-1] == "50 other names stay behind likewise."


def is_understood_or_refused(raw: Any) -> bool:
    try:
        return len(read_document(raw).entries) <= 2
    except CallError as error:
        return str(error).endswith("Nothing was imported.")


@given(JSON)
def test_any_json_is_understood_or_refused(raw: Any) -> None:
    assert is_understood_or_refused(raw)
    assert is_understood_or_refused({"guidance": raw})
    assert is_understood_or_refused(document(entry(), domains=raw, seals=raw))


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, each in inner:
        yield from places(each, (*at, key))


WHOLE = export_document([FULL, FACT], [CHECKOUT], {"gm-014": seal_of("gm-014")})


@given(st.sampled_from(list(places(WHOLE))[1:]), JSON)
def test_another_value_anywhere_is_understood_or_refused(
    place: tuple[Any, ...], value: Any
) -> None:
    raw = json.loads(json.dumps(WHOLE))
    owner = raw
    for key in place[:-1]:
        owner = owner[key]
    owner[place[-1]] = value

    assert is_understood_or_refused(raw)
