"""Every id of the list has a test, and the table of differences names real ones."""

import ast
import re
from itertools import chain
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "docs" / "reference" / "parity.md"
COUNTS = {"REG": 30, "ABL": 21, "FN": 20, "CAT": 17, "Q": 6}
EVERY_ID = {
    *(f"A-{kind}-{n:02}" for kind, last in COUNTS.items() for n in range(1, last + 1)),
    "A-LIFE-08",
}
ID = re.compile(r"A-(?:REG|ABL|FN|CAT|Q|LIFE)-\d\d")


def names_by_test() -> dict[str, str]:
    """Map each test of this folder to everything it is called by."""
    found: dict[str, str] = {}
    for file in sorted(HERE.glob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name, called = node.name, node.name.upper().replace("_", "-")
                if name.startswith("test_"):
                    found[name] = " ".join([called, *parameter_ids(node)])
    return found


def parameter_ids(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Give the ids of a test's parameters, as its decorators write them."""
    parts = chain.from_iterable(ast.walk(each) for each in node.decorator_list)
    keywords = (part for part in parts if isinstance(part, ast.keyword))
    return [
        str(keyword.value.value)
        for keyword in keywords
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant)
    ]


def test_every_id_of_the_list_is_in_the_name_of_a_test() -> None:
    tested = set(ID.findall(" ".join(names_by_test().values())))
    assert tested == EVERY_ID


def test_the_table_of_differences_names_tests_that_exist_and_show_the_id() -> None:
    tests = names_by_test()
    rows = [line for line in TABLE.read_text("utf-8").splitlines() if ID.search(line)]
    assert rows
    for row in rows:
        first, *_, last = row.strip("|").split("|")
        named = re.findall(r"`(test_\w+)`", last)
        assert named, f"no test: {row}"
        shown = " ".join(tests.get(name, "") for name in named)
        assert set(ID.findall(first)) <= set(ID.findall(shown)), row
