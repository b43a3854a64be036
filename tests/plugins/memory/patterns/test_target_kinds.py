"""Names of things of one sort have one kind, which is short and which they match."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_memory.target_kinds import FOLDER_CHARACTERS, KIND_CHARACTERS, kind_of
from abilities_memory.wording import findings

NAMES = st.lists(
    st.one_of(st.text(max_size=60), st.sampled_from(["docs", "a.md", "7", "x.PY", ""])),
    max_size=6,
).map("/".join)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a", "*"),
        ("", "*"),
        ("readme.md", "*.md"),
        ("README.MD", "*.md"),
        ("docs/a.md", "docs/*.md"),
        ("docs/how-to/a.md", "docs/how-to/*.md"),
        ("docs/how-to/x/y/a.md", "docs/how-to/*.md"),
        ("docs/", "docs/*"),
        ("/etc/hosts.conf", "/etc/*.conf"),
        ("docs/.env", "docs/*"),
        ("docs/...md", "docs/*"),
        ("a/archive.tar.gz", "a/*.gz"),
        ("a/v1.5", "a/*"),
        ("a/b.extensionless", "a/*"),
        # Rows, with keys that are JSON.
        ("users/7", "users/*"),
        ('users/"a.b"', "users/*"),
        ('urls/"https://x/y.html"', "urls/*"),
        ('members/["a",2]', "members/*"),
        ("50%25/7", "50%25/*"),
        # Folders that are different for each thing of one sort.
        ("users/7/avatar.png", "users/*.png"),
        ("posts/2026-05/a.md", "posts/*.md"),
        ("blobs/0a1b2c3d4e/x", "blobs/*"),
        ("e2e/deadbeef/x", "e2e/deadbeef/*"),
        (f"{'a' * 41}/x.md", "*.md"),
        # What a pattern is written with, and what nobody would see.
        ("a*/x", "*"),
        ("a[b]/x", "*"),
        ("a\u202e/x.md", "*.md"),
        ("d\u043ecs/x.md", "*.md"),
        ("a\nb/x.md", "*.md"),
    ],
)
def test_a_name_has_this_kind(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@given(NAMES)
def test_every_name_matches_its_kind_which_is_short_and_plain(name: str) -> None:
    kind = kind_of(name)

    assert fnmatchcase(name.casefold(), kind.casefold())
    assert len(kind) <= KIND_CHARACTERS
    assert list(findings(kind)) == []


@given(NAMES, st.text("abcxyz", min_size=1), st.text("abcxyz", min_size=1))
def test_two_things_of_one_folder_and_extension_are_of_one_kind(
    folder: str, one: str, other: str
) -> None:
    assert kind_of(f"{folder}/{one}.md") == kind_of(f"{folder}/{other}.md")


@given(st.text("abcdefghijklmnop-", min_size=1, max_size=FOLDER_CHARACTERS))
def test_things_of_two_folders_are_of_two_kinds(folder: str) -> None:
    assert kind_of(f"{folder}/a") != kind_of(f"{folder}z/a") or len(folder) == 40
