"""Protocol packages that are there twice, from elsewhere, or do not fit are named."""

import sys
from collections.abc import Mapping
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from abilities_host.installed import (
    HOST,
    PROTOCOL,
    Installed,
    Misfit,
    find_imported,
    find_installed,
    find_misfits,
    look_for_misfits,
    place_of,
    sources_of,
    without_shadows,
)

SITE, OTHER, SOURCES = Path("/site"), Path("/other"), Path("/sources")
PIP = f"{sys.executable} -m pip"


def copy(
    name: str,
    version: str,
    *requires: str,
    place: Path = SITE,
    sources: Path | None = None,
) -> Installed:
    return Installed(name, version, place, requires, sources)


SOUND = (
    copy(HOST, "1", "mcp<2.4,>=2.3", "rich>=13", "anyio>=4; extra == 'x'", "not one!"),
    copy("mcp", "2.3.1", "mcp-types==2.3.1", "anyio>=99; python_version < '3'"),
    copy("mcp-types", "2.3.1", "Pydantic>=2"),
    copy("anyio", "3.0"),
    copy("pydantic", "2.14"),
)


def test_what_fits_together_is_no_finding() -> None:
    assert find_misfits(SOUND, {"mcp": SITE, "mcp-types": SITE}) == []


@pytest.mark.parametrize(
    ("more", "imported", "misfit"),
    [
        pytest.param(
            [copy("mcp-types", "2.2.0", place=OTHER)],
            {},
            Misfit(
                "mcp-types is installed 2 times: 2.3.1 in /site is used, not 2.2.0 in "
                "/other.",
                f"{PIP} uninstall mcp-types",
            ),
            id="twice",
        ),
        pytest.param(
            [],
            {"mcp": OTHER},
            Misfit(
                "mcp is imported from /other, and installed is 2.3.1 in /site.",
                "remove /other/mcp",
            ),
            id="elsewhere",
        ),
        pytest.param(
            [copy("starlette", "1.0", "anyio>=4,<5")],
            {},
            Misfit(
                "starlette 1.0 needs anyio<5,>=4, and 3.0 in /site is what is used.",
                f"{PIP} install 'anyio<5,>=4'",
            ),
            id="version",
        ),
    ],
)
def test_each_misfit_is_named_with_places_versions_and_what_mends_it(
    more: list[Installed], imported: Mapping[str, Path], misfit: Misfit
) -> None:
    assert find_misfits([*SOUND, *more], imported) == [misfit]


def test_the_first_copy_is_what_counts() -> None:
    old = copy("mcp-types", "2.2.0", place=OTHER)

    [twice, unfit] = find_misfits([old, *SOUND], {})

    assert "2.2.0 in /other is used, not 2.3.1 in /site" in twice.sentence
    assert unfit.fix == f"{PIP} install 'mcp-types==2.3.1'"


def test_one_place_and_editable_sources_are_no_second_copy() -> None:
    first = copy("mcp", "2.3.1", sources=SOURCES)
    same = [
        copy("mcp", "2.3.1"),
        copy("mcp", "2.3.0", place=SOURCES),
        copy("mcp", "2.3.0", place=SOURCES / "src"),
    ]
    apart = copy("mcp", "2.3.0", place=SOURCES / "venv" / "lib" / "site-packages")

    assert without_shadows([first, *same, apart]) == [first, apart]
    assert without_shadows([same[1], first]) == [same[1]]


def test_what_is_imported_from_editable_sources_is_no_finding() -> None:
    editable = copy("mcp", "2.3.1", sources=SOURCES)

    assert find_misfits([editable], {"mcp": SOURCES / "src"}) == []


@pytest.mark.parametrize(
    ("said", "sources"),
    [
        ('{"url": "file:///a%20b", "dir_info": {"editable": true}}', Path("/a b")),
        ('{"url": "file:///a", "dir_info": {}}', None),
        ('{"dir_info": {"editable": true}}', None),
        ("[]", None),
        ("{", None),
        (None, None),
    ],
)
def test_the_sources_of_an_editable_installation_are_found(
    tmp_path: Path, said: str | None, sources: Path | None
) -> None:
    folder = tmp_path / "x-1.dist-info"
    folder.mkdir()
    if said is not None:
        (folder / "direct_url.json").write_text(said)
    distribution = PathDistribution(folder)

    assert sources_of(distribution) == sources
    assert place_of(distribution) == tmp_path.resolve()


def test_this_python_is_sound() -> None:
    names = [each.name for each in find_installed()]

    assert names == [HOST, *PROTOCOL]
    assert all(each.version and each.requires for each in find_installed([HOST, "mcp"]))
    assert find_imported().keys() == set(PROTOCOL)
    assert find_imported(["no-such-package"]) == {}
    assert look_for_misfits() == []
