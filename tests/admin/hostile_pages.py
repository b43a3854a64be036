"""What is wrong with a page that shows what others wrote; empty for a good one."""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Final

from httpx2 import Response

from abilities_host.admin.headers import HEADERS, SEALED

VOID: Final = ("br", "img", "input", "link", "meta")
WHERE: Final = ("action", "data-live", "formaction", "href", "src", "srcset")
UNCHANGED: Final = ("name", "value")  # a field gives back what it was given
COMPUTED: Final = "60481729"  # what a template would make of {{7777*7777}}
_NAMES: Final = re.compile(r"zqx-([a-z-]+)")
_POLICY: Final = "content-security-policy"


class Strict(HTMLParser):
    """Reads a page as a browser does, and notes whatever no page of ours has.

    Attributes:
        faults: what is wrong.
        names: of the texts that are read on the page, or are in a field.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: Final[list[str]] = []
        self.names: Final[set[str]] = set()
        self._open: Final[list[str]] = []
        self._scripts = 0
        self.feed(html)
        self.close()
        if self._open or self._scripts != 1:
            self.faults.append(f"open {self._open}, scripts {self._scripts}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._scripts += tag == "script"
        if tag not in VOID:
            self._open.append(tag)
        has_source = tag != "script" or "src" in dict(attrs)
        if "zqx" in tag or tag in {"style", "iframe", "object"} or not has_source:
            self.faults.append(f"element {tag}")
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def _attribute(self, tag: str, name: str, value: str) -> None:
        said = f"{tag} {name}={value[:80]!r}"
        if "zqx" in name or name.startswith("on") or name == "style":
            self.faults.append(said)
        if name in UNCHANGED:
            self.names.update(_NAMES.findall(value))
        elif not value.isprintable():
            self.faults.append(said)
        if name in WHERE and not is_inside(value):
            self.faults.append(said)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"end of {tag}")

    def handle_data(self, data: str) -> None:
        self.names.update(_NAMES.findall(data))
        is_field = self._open[-1:] == ["textarea"]
        if COMPUTED in data or not (is_field or _is_visible(data)):
            self.faults.append(f"text {data[:200]!r}")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data[:80]!r}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data[:80]!r}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"declaration {data[:80]!r}")


def is_inside(address: str) -> bool:
    """Answer whether an address of a page or a header leads to a page of ours."""
    is_plain = re.fullmatch(r"(?:/admin[\w./~?=&%+:{}-]*)?(?:#[\w-]+)?", address)
    return bool(is_plain) and "//" not in address.partition("?")[0]


def _is_visible(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").isprintable()


def faults_of(reply: Response, secrets: Sequence[str] = ()) -> list[str]:
    """Say what is wrong with an answer, whatever it is.

    Args:
        reply: to a browser.
        secrets: what is nowhere in it.
    """
    faults = list(_of_headers(reply))
    kind = reply.headers.get("content-type", "")
    if kind.startswith("text/html") and reply.content:
        faults += Strict(reply.text).faults
    elif "svg" in kind and "/static/" not in str(reply.url):
        faults.append(f"served as {kind}")
    said = reply.content.decode("latin-1") + str(reply.headers)
    return faults + ["a secret"] * any(each in said for each in secrets)


def _of_headers(reply: Response) -> Iterator[str]:
    expected = dict(HEADERS)
    if reply.headers.get("content-type", "").startswith("image/"):
        expected[_POLICY] = SEALED
    for name, value in expected.items():
        if reply.headers.get_list(name) != [value]:
            yield f"{name}: {reply.headers.get_list(name)}"
    for name, value in reply.headers.multi_items():
        if not value.isprintable() or ("zqx" in value and name != "location"):
            yield f"{name}: {value!r}"
        if name.startswith("access-control") or name == "content-location":
            yield f"{name}: {value}"
    if not is_inside(reply.headers.get("location", "")):
        yield f"location: {reply.headers['location']}"
