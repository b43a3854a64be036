"""The page of the pack says what the code does, or a test here fails."""

import inspect
import json
import re

from docs.pages import page, rows

from abilities_database import catalogue, query, refusals
from abilities_database.settings import Settings

PAGE = "reference/database-pack.md"


def test_the_settings_of_the_page_are_those_of_the_code() -> None:
    table = rows(page(PAGE), "## Settings")
    assert [(row[0], row[1]) for row in table] == [
        (f"`{name}`", f"`{json.dumps(getattr(Settings(), name))}`")
        for name in Settings.__slots__
    ]


def test_the_codes_of_the_page_are_those_of_the_code() -> None:
    source = inspect.getsource(refusals)
    words = set(re.findall(r'\b(?:code=|word = )"(\w+)"', source))
    words |= set(re.findall(r'SqlRefused\(\s*"(\w+)"', inspect.getsource(query)))
    documented = {row[0].strip("`") for row in rows(page(PAGE), "## Refusals")}
    assert documented == words


def test_the_abilities_of_the_page_are_those_of_the_code() -> None:
    source = inspect.getsource(catalogue)
    registered = re.findall(r'register_ability\(\s*"([a-z/-]+)"', source)
    documented = [row[0].strip("`") for row in rows(page(PAGE), "## Abilities")]
    assert documented == registered
