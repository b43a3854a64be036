"""The page about the log of requests says what the code keeps."""

from docs.pages import page, rows

from abilities_host.requestlog import metrics, writer
from abilities_host.requestlog.record import STATUSES, Record

TEXT = page("reference/request-log.md")


def test_every_field_and_every_status_is_explained() -> None:
    fields = [row[0].strip("`") for row in rows(TEXT, "## What is kept")]
    [*_, statuses] = TEXT.split("| Status | Meaning |\n|---|---|\n")
    named = [line.split("`")[1] for line in statuses.split("\n\n")[0].splitlines()]

    assert fields == [*Record._fields]
    assert named == [*STATUSES]


def test_every_metric_is_in_the_table_with_its_labels() -> None:
    build = {"version": "1", "mcp": "1", "python": "1"}
    counted = metrics.Metrics(build)
    counted.begin("default")
    counted.sessions["default"] = int
    counted.note(Record(0, *("a",) * 7, "ok", "", 1, 1, 1, "", "", 1, "", "", ""))
    counted.tokens_refused.add(("expired",))

    table = rows(TEXT, "## Metrics")
    told = {row[0].strip("`"): "".join(row[2:]).replace("`", "") for row in table}
    labels = {
        family.name: ", ".join(family.samples[-1][1]) for family in counted.families()
    }
    assert told == labels


def test_the_limits_are_those_of_the_code() -> None:
    for told in (
        f"most\n{writer.WAITING:,} requests wait",
        f"{metrics.COMBINATIONS:,} combinations",
    ):
        assert told in TEXT
