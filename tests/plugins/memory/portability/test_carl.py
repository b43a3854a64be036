"""CARL of either form comes as a document, with a word on what cannot come."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.memory.portability.homes import home

from abilities_host import CallError
from abilities_host.memory import Proposal, Status, Topic
from abilities_memory.carl import read_carl, read_carl_json
from abilities_memory.carl_files import FILE_BYTES, FILES, CarlFolder, CarlUnreadable
from abilities_memory.carl_lines import take_lines
from abilities_memory.document import Document, DocumentBroken, Entry
from abilities_memory.gathering import KINDLESS, Gathering

FIRST: Mapping[str, str] = {
    "manifest": """\
# What is on and what brings it up.
DEVMODE=true
POST_COMPACT_GATE=true
GLOBAL_EXCLUDE=*raw, plain
DOMAIN_ORDER=
GLOBAL_STATE=active
GLOBAL_ALWAYS_ON=true
CONTEXT_STATE=active
COMMANDS_STATE=active
Shop-Front_STATE=inactive
Shop-Front_RECALL= checkout , *pay,cart,
Shop-Front_EXCLUDE=docs only
LOST_STATE=active
LOST_FILE=../elsewhere/lost
[SETTINGS]
""",
    "global": """\
# Rule added: 2026-02-01
GLOBAL_RULE_0=Ask before each deploy.
 GLOBAL_RULE_1 = Keep a=b as it is.
GLOBAL_RULE_2=
OTHER_RULE_0=Of nobody.
a line of prose
""",
    "shop-front.env": "SHOPFRONT_RULE_1=Só Multibanco.\n",
    "old": "OLD_RULE_7=Still here.\nOLD_RULE_7=Also here.\n",
    "context": "FRESH_RULES=true\nFRESH_RULE_1=Be lean.\nDEPLETED_RULE_1=Sum up.\n",
    "commands": "BRIEF_RULE_0=Bullets.\nBRIEF_RULE_1=Few.\nPLAN_RULE_0=Steps.\n",
    "notes.md": "# Not CARL's",
    ".hidden": "x",
    "staging.json": json.dumps(
        {
            "proposals": [
                {
                    "id": "prop-001",
                    "proposed": "2026-02-01",
                    "source": "psmm",
                    "domain": "GLOBAL",
                    "rule_text": "Write tests.",
                    "rationale": "Asked for twice.",
                    "status": "pending",
                },
                {
                    "id": "prop-002",
                    "domain": "GLOBAL",
                    "rule_text": "Shout.",
                    "rationale": "",
                    "status": "archived",
                },
            ]
        }
    ),
    "decisions/shop-front.json": json.dumps(
        {
            "domain": "SHOP-FRONT",
            "decisions": [
                {
                    "id": "shop-front-001",
                    "decision": "The bank is Multibanco.",
                    "rationale": "The client said so.",
                    "recall": ["bank", "multibanco"],
                }
            ],
            "archived": [
                {
                    "id": "shop-front-002",
                    "decision": "The bank is another.",
                    "rationale": None,
                    "recall": "bank, other",
                }
            ],
        }
    ),
    "decisions/readme": "x",
}


def written(folder: Path, files: Mapping[str, str] = FIRST) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def instruction(
    id_: str, topic: str, text: str, why: str, status: Status = "pending"
) -> Entry:
    says = Proposal(type="instruction", topic=topic, text=text, rationale=why)
    return Entry(id=id_, proposal=says, status=status)


# --- the first form -----------------------------------------------------------


def test_a_folder_with_a_manifest_is_read_whole(tmp_path: Path) -> None:
    found = read_carl(written(tmp_path / ".carl"))

    fact = Proposal(
        type="fact",
        topic="shop-front",
        text="The bank is Multibanco.",
        rationale="The client said so.",
        recall=("bank", "multibanco"),
    )
    past = Proposal(
        type="fact",
        topic="shop-front",
        text="The bank is another.",
        rationale="Decision shop-front-002 of the CARL domain Shop-Front.",
        recall=("bank", "other"),
    )
    assert found.entries == (
        instruction(
            "GLOBAL rule 0",
            "global",
            "Ask before each deploy.",
            "Rule 0 of the CARL domain GLOBAL.",
        ),
        instruction(
            "GLOBAL rule 1",
            "global",
            "Keep a=b as it is.",
            "Rule 1 of the CARL domain GLOBAL.",
        ),
        instruction(
            "OLD rule 7", "old", "Still here.", "Rule 7 of the CARL domain OLD."
        ),
        instruction(
            "OLD rule 7 (2)", "old", "Also here.", "Rule 7 of the CARL domain OLD."
        ),
        instruction(
            "Shop-Front rule 1",
            "shop-front",
            "Só Multibanco.",
            "Rule 1 of the CARL domain Shop-Front.",
        ),
        instruction(
            "GLOBAL proposal prop-001", "global", "Write tests.", "Asked for twice."
        ),
        instruction(
            "GLOBAL proposal prop-002",
            "global",
            "Shout.",
            "Proposal prop-002 of the CARL domain GLOBAL.",
            "archived",
        ),
        Entry(id="Shop-Front decision shop-front-001", proposal=fact),
        Entry(
            id="Shop-Front decision shop-front-002", proposal=past, status="archived"
        ),
    )
    assert found.topics == (
        Topic(name="global", always_on=True),
        Topic(
            name="shop-front",
            state="inactive",
            recall=("checkout", "cart"),
            exclude=("docs only",),
        ),
        Topic(name="lost"),
    )
    assert found.left_out == (
        (
            "There is no counterpart to these settings: DEVMODE, POST_COMPACT_GATE, "
            "GLOBAL_EXCLUDE, LOST_FILE."
        ),
        "Lines of manifest that CARL does not use: 1.",
        "Shop-Front, recall: star-commands have no counterpart: *pay.",
        "Not read, being links or no files of domains: .hidden, notes.md.",
        "There is no counterpart to CARL's star-commands: BRIEF, PLAN.",
        (
            "There is no counterpart to CARL's rules by how full the context is: "
            "FRESH, DEPLETED."
        ),
        "Lines of global that CARL does not use: 2.",
        "old is in no manifest, so CARL does not use it.",
        "No file is there for these domains: LOST.",
        "Not read, being a link or no JSON: readme.",
        KINDLESS,
    )


@pytest.mark.parametrize("at", [".", ".carl", ".carl/carl.json"])
def test_the_folder_is_found_from_where_a_person_would_name_it(
    tmp_path: Path, at: str
) -> None:
    written(tmp_path / ".carl", {"carl.json": json.dumps({"domains": {"A": {}}})})

    assert read_carl(tmp_path / at).topics == (Topic(name="a", state="inactive"),)


def test_windows_lines_and_a_mark_at_the_beginning_are_read(tmp_path: Path) -> None:
    manifest = "\ufeffA_STATE=active\r\nA_ALWAYS_ON=yes\r\n"
    (tmp_path / "manifest").write_bytes(manifest.encode())
    (tmp_path / "a").write_bytes(b"A_RULE_1=One.\r\n")

    found = read_carl(tmp_path)

    assert found.topics == (Topic(name="a", always_on=True),)
    assert [each.proposal.text for each in found.entries] == ["One."]


# --- the second form ----------------------------------------------------------


def second(**parts: Any) -> dict[str, Any]:
    return {"version": 1, "last_modified": None, "domains": {}, "staging": [], **parts}


def test_a_carl_json_is_read_whole() -> None:
    raw = second(
        config={
            "devmode": True,
            "post_compact_gate": False,
            "global_exclude": [],
            "context_brackets": {
                "FRESH": {"enabled": True, "rules": []},
                "DEPLETED": {"enabled": True, "rules": ["Sum up."]},
            },
            "commands": {"BRIEF": ["Bullets."]},
        },
        domains={
            "GLOBAL": {
                "state": "active",
                "always_on": True,
                "recall": ["universal"],
                "exclude": [],
                "rules": [
                    {"id": 0, "text": "Ask before.", "added": None, "source": "psmm"},
                    {"id": None, "text": "  "},
                ],
                "decisions": [
                    {
                        "id": "global-001",
                        "decision": "We use OAuth.",
                        "rationale": "Safer.",
                        "date": "2026-02-01",
                        "recall": ["oauth", "*auth"],
                        "status": "active",
                    },
                    {"id": "global-002", "decision": "Keys.", "status": "archived"},
                ],
                "color": "red",
            },
            "OFF": {"state": False, "recall": None},
        },
        staging=[
            {
                "id": "stg-001",
                "proposed_domain": "NEW",
                "rule_text": "Shout.",
                "rationale": "Louder.",
                "status": "rejected",
            }
        ],
        psmm=[],
    )

    found = read_carl_json(raw)

    oauth = Proposal(
        type="fact",
        topic="global",
        text="We use OAuth.",
        rationale="Safer.",
        recall=("oauth",),
    )
    keys = Proposal(
        type="fact",
        topic="global",
        text="Keys.",
        rationale="Decision global-002 of the CARL domain GLOBAL.",
    )
    assert found == Document(
        entries=(
            instruction(
                "GLOBAL rule 0",
                "global",
                "Ask before.",
                "Rule 0 of the CARL domain GLOBAL.",
            ),
            Entry(id="GLOBAL decision global-001", proposal=oauth),
            Entry(id="GLOBAL decision global-002", proposal=keys, status="archived"),
            instruction("NEW proposal stg-001", "new", "Shout.", "Louder.", "rejected"),
        ),
        topics=(
            Topic(name="global", always_on=True, recall=("universal",)),
            Topic(name="off", state="inactive"),
        ),
        left_out=(
            "Nobody here knows these of carl.json: psmm.",
            "Nobody here knows these of GLOBAL: color.",
            (
                "GLOBAL, decision global-001: recall: star-commands have no "
                "counterpart: *auth."
            ),
            "There is no counterpart to CARL's settings: devmode.",
            (
                "There is no counterpart to CARL's rules by how full the context is: "
                "DEPLETED."
            ),
            "There is no counterpart to CARL's star-commands: BRIEF.",
            KINDLESS,
        ),
    )


def test_what_does_not_fit_stays_behind_and_is_told() -> None:
    long, sly = "x" * 601, "say\u202e it"
    raw = second(
        domains={
            "A": {
                "recall": [f"w{number}" for number in range(12)] + ["x" * 41, "late"],
                "rules": [
                    {"id": number, "text": text}
                    for number, text in enumerate([long, "Fits.", sly, long])
                ],
            },
            "a": {"state": "active"},
            "B" * 41: {"rules": [{"id": 1, "text": "Fits."}]},
        }
    )

    found = read_carl_json(raw)

    assert [each.id for each in found.entries] == ["A rule 1"]
    assert [topic.name for topic in found.topics] == ["a"]
    assert found.left_out == (
        (
            "A, recall: at most 12 words, each plain and of at most 40 characters, "
            f"are kept; not these: {'x' * 41}, late."
        ),
        "a is set twice; the first counts.",
        (
            "A: rule 0, rule 3 stay behind. The text cannot be taken: it is longer "
            "than 600 characters."
        ),
        (
            "A: rule 2 stay behind. The text cannot be taken: it has a character that "
            "turns the direction of writing at character 4."
        ),
        (
            f"{'B' * 41}: its settings, rule 1 stay behind. The topic cannot be taken: "
            "it is longer than 40 characters."
        ),
        KINDLESS,
    )


def test_only_the_second_form_is_read_where_both_are(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "carl.json").write_text(json.dumps(second()))

    found = read_carl(tmp_path)

    assert (found.entries, found.topics) == ((), ())
    assert found.left_out == (
        (
            "Not read, since carl.json is there: .hidden, commands, context, "
            "decisions, global, manifest, notes.md, old, shop-front.env, staging.json."
        ),
    )


async def test_what_carl_knew_waits_here(tmp_path: Path) -> None:
    folder = written(tmp_path / "there" / ".carl")
    async with home(tmp_path / "here") as here:
        imported = await here.take(folder.parent)
        again = await here.take(second(domains={"A": {"rules": [{"text": "One."}]}}))
        counts, last = await here.shelf.counts(), (await here.all())[-1]

    assert len(imported.ids) == 9
    assert again.ids == {"A rule without a number": "gm-010"}
    assert counts == {"pending": 10, "approved": 0, "rejected": 0, "archived": 0}
    assert (last.text, last.topic, last.proposed_by) == ("One.", "a", "ana")


# --- what is broken -----------------------------------------------------------

SECRET = "hunter2-hunter2"  # noqa: S105 - known to every reader


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ([], "at the top, the value is a list and has to be an object"),
        ({}, "at the top, there is no 'domains'"),
        (second(domains=[SECRET]), "at domains, the value is a list"),
        (second(domains={"A": {"rules": {}}}), "at domains.A.rules, the value is an"),
        (
            second(domains={"A": {"rules": [SECRET]}}),
            "at domains.A.rules[0], the value is text and has to be an object",
        ),
        (second(domains={"A": {"rules": [{}]}}), "at domains.A.rules[0], there is no"),
        (second(domains={"A": {"always_on": SECRET}}), "at domains.A.always_on"),
        (second(domains={"A": {"recall": [1]}}), "at domains.A.recall[0]"),
        (
            second(staging=[{"rule_text": SECRET}]),
            "at staging[0], there is no 'domain'",
        ),
        (second(config=[SECRET]), "at config, the value is a list"),
        (
            second(
                domains={
                    name: {"rules": [{"text": "a"}] * 5_001} for name in ("A", "B")
                }
            ),
            "at the top, there are more than 10000 entries",
        ),
    ],
)
def test_what_is_broken_is_named_and_never_shown(raw: Any, sentence: str) -> None:
    with pytest.raises(DocumentBroken) as raised:
        read_carl_json(raw)

    assert sentence in str(raised.value)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "CARL's folder cannot be read: there is no carl.json and no manifest"),
        ({"carl.json": "{"}, "CARL's carl.json cannot be read: line 1 is not JSON"),
        (
            {"manifest": "", "staging.json": "{}\n{"},
            "staging.json cannot be read: line",
        ),
        (
            {"manifest": "", "a": "A_RULE_1=\0\udcff"},
            "CARL's a cannot be read: it is no",
        ),
        ({"manifest": "", "decisions/a.json": "x"}, "CARL's a.json cannot be read"),
        ({"manifest": "x" * (FILE_BYTES + 1)}, "manifest cannot be read: it is larger"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, files: Mapping[str, str], sentence: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(CarlUnreadable) as raised:
        read_carl(tmp_path)

    assert sentence in str(raised.value)
    assert str(raised.value).endswith("Nothing was imported.")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("staging.json", "at staging.json, there is no 'proposals'"),
        ("decisions/a.json", "at a.json.decisions, the value is an object"),
    ],
)
def test_the_file_is_named_in_which_something_is_broken(
    tmp_path: Path, name: str, sentence: str
) -> None:
    written(tmp_path, {"manifest": "", name: '{"decisions": {}}'})

    with pytest.raises(DocumentBroken) as raised:
        read_carl(tmp_path)

    assert sentence in str(raised.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CarlUnreadable, match="folder cannot be read: No such file"):
        read_carl(tmp_path / "nowhere")
    with pytest.raises(CarlUnreadable, match="folder cannot be read: Not a directory"):
        read_carl(tmp_path / "file")
    with pytest.raises(CarlUnreadable, match="Not a directory"):
        CarlFolder(tmp_path / "file", by_path=True)


def test_a_folder_with_too_many_names_is_refused(tmp_path: Path) -> None:
    for number in range(FILES + 1):
        (tmp_path / str(number)).touch()

    with pytest.raises(CarlUnreadable, match="it holds more than 1000 names"):
        read_carl(tmp_path)


# --- what is not in the folder ------------------------------------------------


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside = written(tmp_path / "outside", {"x": f"X_RULE_1={SECRET}\n"})
    folder = written(tmp_path / ".carl", {"manifest": "X_STATE=active\n"})
    (folder / "x").symlink_to(outside / "x")
    (folder / "decisions").symlink_to(outside, target_is_directory=True)

    found = read_carl(folder)

    assert found.entries == ()
    assert found.left_out == (
        "Not read, being links or no files of domains: decisions, x.",
        "No file is there for these domains: X.",
    )


@pytest.mark.parametrize("name", ["manifest", "carl.json"])
def test_a_link_in_the_place_of_the_main_file_is_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "real").write_text(SECRET)
    folder = written(tmp_path / ".carl", {"a": ""})
    (folder / name).symlink_to(tmp_path / "real")

    with pytest.raises(CarlUnreadable) as raised:
        read_carl(folder)

    assert SECRET not in str(raised.value)


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "other", {"manifest": ""})
    project = tmp_path / "project"
    project.mkdir()
    (project / ".carl").symlink_to(tmp_path / "other", target_is_directory=True)

    with pytest.raises(CarlUnreadable, match=r"CARL's \.carl cannot be read: "):
        read_carl(project)


def test_where_no_folder_can_be_opened_no_link_is_followed_either(
    tmp_path: Path,
) -> None:
    outside = written(tmp_path / "outside", {"x": SECRET})
    inside = written(tmp_path / "in", {"a": "A_RULE_1=One.", "decisions/a.json": "{}"})
    (inside / "x").symlink_to(outside / "x")
    with CarlFolder(inside, by_path=True) as folder:
        assert folder.names() == {
            "a": stat.S_IFREG,
            "decisions": stat.S_IFDIR,
            "x": stat.S_IFLNK,
        }
        assert folder.text("a") == "A_RULE_1=One."
        with folder.folder("decisions") as inner:
            assert inner.json("a.json") == {}
        with pytest.raises(CarlUnreadable, match="x cannot be read: it is a link"):
            folder.text("x")
        with pytest.raises(CarlUnreadable, match="x cannot be read: it is a link"):
            folder.folder("x")


def test_files_in_capitals_are_those_of_the_same_name(tmp_path: Path) -> None:
    files = {
        "manifest": "GLOBAL_STATE=active\n",
        "GLOBAL": "GLOBAL_RULE_1=One.\n",
        "COMMANDS": "",
        "CONTEXT": "FRESH_RULE_0=Be lean.\n",
    }

    found = read_carl(written(tmp_path, files))

    assert [each.id for each in found.entries] == ["GLOBAL rule 1"]
    assert found.left_out[0].endswith("how full the context is: FRESH.")


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    written(tmp_path, {"manifest": ""})
    os.mkfifo(tmp_path / "a")
    os.mkfifo(tmp_path / "staging.json")

    with pytest.raises(CarlUnreadable, match="it is no plain file"):
        read_carl(tmp_path)


@pytest.mark.parametrize("name", ["../outside", "a/b", "..", "", "/etc/passwd"])
def test_only_names_are_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_text(SECRET)
    inside = tmp_path / "in"
    inside.mkdir()

    with CarlFolder(inside) as folder, pytest.raises(CarlUnreadable):
        folder.text(name)


def test_a_folder_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = written(tmp_path / "outside", {"a.json": SECRET})
    inside = written(tmp_path / "in", {"decisions/a.json": "{}"})
    with CarlFolder(inside) as folder:
        assert folder.names() == {"decisions": stat.S_IFDIR}
        (inside / "decisions").rename(inside / "old")
        (inside / "decisions").symlink_to(outside, target_is_directory=True)
        with pytest.raises(CarlUnreadable):
            folder.folder("decisions")


# --- anything -----------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def is_understood_or_refused(raw: Any) -> bool:
    try:
        return isinstance(read_carl_json(raw), Document)
    except CallError as error:
        return str(error).endswith("Nothing was imported.")


@given(JSON, st.sampled_from(["rules", "decisions", "recall", "state", "always_on"]))
def test_any_json_is_understood_or_refused(raw: Any, name: str) -> None:
    assert is_understood_or_refused(raw)
    assert is_understood_or_refused(second(domains=raw, config=raw, staging=raw))
    assert is_understood_or_refused(second(domains={"A": {name: raw}}))
    item = {"id": raw, "text": raw, "decision": "a", "rationale": raw, "recall": raw}
    domain = {"rules": [item], "decisions": [item]}
    assert is_understood_or_refused(second(domains={"A": domain}))


LINES = st.lists(
    st.sampled_from(
        ["A_STATE=", "A_RECALL=", "A_RULE_1=", "_RULE_", "#", "=", ""]
    ).flatmap(lambda start: st.text(max_size=20).map(lambda rest: start + rest)),
    max_size=6,
).map("\n".join)


@given(LINES, LINES)
def test_any_lines_are_read(
    tmp_path_factory: pytest.TempPathFactory, manifest: str, rules: str
) -> None:
    folder = tmp_path_factory.mktemp("carl")
    (folder / "manifest").write_bytes(manifest.encode(errors="ignore"))
    (folder / "a").write_bytes(rules.encode(errors="ignore"))
    gathering = Gathering()

    with CarlFolder(folder) as opened:
        take_lines(gathering, opened)

    for entry in gathering.document().entries:
        assert entry.proposal.text
        assert entry.proposal.topic
