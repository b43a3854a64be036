"""What was wrong is remembered for a while; what waits is counted and not read."""

from pathlib import Path

from gate.world import AT, Notes, World, opened_gate

from abilities_host.gate import Seal, hash_of
from abilities_host.gate.journal import Journal
from abilities_host.gate.looking import LATELY_SECONDS, Looking

MISSING = "DELETE FROM note WHERE id = 'n1'"


class Steady:
    """Seconds as a test sets them."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def approve(world: World, *ids: str) -> None:
    ana = await world.ana()
    for id_ in ids:
        await world.gate.approve("note", id_, await world.draft(id_, "yes"), ana)


async def problems(looking: Looking, world: World) -> list[tuple[str, str]]:
    alarms = await looking.alarms(Notes(world.store))
    return [(each.id, each.problem) for each in alarms]


async def test_that_nothing_is_wrong_is_remembered_also_after_a_decision(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        steady, journal = Steady(), Journal(None)
        looking = Looking(world.store, world.accounts, journal, steady=steady)
        await approve(world, "n1")
        first = await problems(looking, world)
        await world.sql(MISSING)
        await approve(world, "n2")
        steady.now += LATELY_SECONDS - 1
        early = await problems(looking, world)
        steady.now += 1
        late = await problems(looking, world)

    assert (first, early, late) == ([], [], [("n1", "missing")])


async def test_what_is_wrong_is_looked_for_again_after_each_decision(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        looking = Looking(world.store, world.accounts, Journal(None), steady=Steady())
        await approve(world, "n1", "n2")
        await world.sql(MISSING)
        first = await problems(looking, world)
        await world.sql("DELETE FROM note WHERE id = 'n2'")
        same = await problems(looking, world)
        await world.gate.acknowledge("note", "n1", await world.ana())
        after = await problems(looking, world)

    assert first == same == [("n1", "missing")]
    assert after == [("n2", "missing")]


async def test_a_survey_is_always_made_and_is_what_is_remembered(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        await approve(world, "n1")
        before = await world.gate.alarms()
        await world.sql(MISSING)
        survey = await world.gate.survey("note")
        after = await world.gate.alarms()

    assert before == ()
    assert after == survey.alarms
    assert [each.id for each in after] == ["n1"]


async def test_what_waits_is_counted(tmp_path: Path) -> None:
    class Counting(Notes):
        """Counts more than it would list."""

        name = "counting"

        async def count(self) -> int:
            return 2_000

    async with opened_gate(tmp_path) as world:
        world.gate.register_kind(Counting(world.store))
        await world.draft("n1", "yes")
        await world.draft("n2", "no")
        counts = await world.gate.counts()

    assert counts == {"note": 2, "counting": 2_000}


async def test_the_hashes_of_several_are_those_of_each(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = {id_: await world.draft(id_, f"text {id_}") for id_ in ("n1", "n2")}
        hashes = await world.gate.hashes("note", ["n2", "gone", "n1"])

    assert hashes == shown


def test_a_journal_is_read_anew_once_it_is_another(tmp_path: Path) -> None:
    path = tmp_path / "s.seals"
    writing, reading = Journal(path), Journal(path)
    none = reading.read("note")
    writing.add("approve", _seal("n1"), binds=True)
    first, again = reading.read("note"), reading.read("note")
    writing.add("withdraw", _seal("n1"), binds=False)
    second, other = reading.read("note"), reading.read("other")
    path.write_bytes(path.read_bytes().replace(b'"n1"', b'"n2"'))
    changed = reading.read("note")
    path.unlink()
    gone = reading.read("note")

    assert none == gone == other == {}
    assert first == again == {"n1": ("approve", AT, True)}
    assert second == {"n1": ("withdraw", AT, False)}
    assert changed == {"n2": ("withdraw", AT, False)}


def test_lines_of_a_journal_that_are_none_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "s.seals"
    journal = Journal(path)
    journal.add("approve", _seal("n1"), binds=True)
    line = b'{"verb":"approve","kind":%s,"id":%s,"at":%s,"binds":true}\n'
    with path.open("ab") as file:
        file.write(b"cut of\n[1]\n{}\n")
        file.write(line % (b"[]", b'"n2"', b"1"))
        file.write(line % (b'"note"', b"[]", b"1"))
        file.write(line % (b'"note"', b'"n3"', b'"late"'))

    assert journal.read("note") == {"n1": ("approve", AT, True)}


def _seal(id_: str) -> Seal:
    return Seal("note", id_, hash_of(b"yes"), "ana", AT, b"")
