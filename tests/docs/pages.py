"""The pages of the documentation, taken apart for the tests that hold them to it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<to>[^)\s]+)\)")
_SAMPLE = re.compile(
    r"^ *# -- start (?P<name>[\w-]+) --\n(?P<text>.*?)^ *# -- end (?P=name) --$",
    re.MULTILINE | re.DOTALL,
)
_TEST = re.compile(r"`(tests/[\w/.-]+\.py)::(\w+)`")
_MODULE = re.compile(r"`((?:abilities_host|plugins|contrib|docs)/[\w/.-]+)`")


class Block(NamedTuple):
    """A fenced block of a page, with the comment above it."""

    mark: str
    language: str
    text: str


def page(name: str) -> str:
    """Read a page below docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    return [
        Block(found["mark"] or "", found["language"], found["text"])
        for found in _BLOCK.finditer(text)
    ]


def samples(file: Path) -> dict[str, str]:
    """Cut the samples out of a file of this folder."""
    text = file.read_text(encoding="utf-8")
    return {
        found["name"]: dedent(found["text"]).strip("\n")
        for found in _SAMPLE.finditer(text)
    }


def links(text: str) -> list[str]:
    return [found["to"] for found in _LINK.finditer(_prose(text))]


def anchors(text: str) -> set[str]:
    """Give the names under which the headings of a page can be linked to."""
    titles = re.findall(r"^#+ (.+)$", _prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def rows(text: str, title: str) -> list[tuple[str, ...]]:
    """Give the cells of the first table under a heading, without the two head rows."""
    section = text.split(f"\n{title}\n", 1)[1]
    table = re.search(r"^\|.*(?:\n\|.*)*", section, re.MULTILINE)
    assert table is not None, title
    return [
        tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("| ")))
        for line in table[0].splitlines()[2:]
    ]


def named_tests(text: str) -> Iterator[tuple[str, str]]:
    yield from _TEST.findall(text)


def named_modules(text: str) -> Iterator[str]:
    yield from _MODULE.findall(text)


def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name for node in tree.body if isinstance(node, kinds)}


def _prose(text: str) -> str:
    return _BLOCK.sub("", text)
