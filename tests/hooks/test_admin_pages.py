"""A pack may add pages for people, in its own place; what is wrong with one is said."""

import logging
from pathlib import Path
from typing import Any

import pytest
from server.world import pack, running

from abilities_host import Declaration
from abilities_host.hooks.packs import Pack
from abilities_host.pages import Action, Confirm, Content, Done, Form, Page, Visit
from abilities_host.testing import check_pack

WHERE = "its path must be below /packs/test, such as "
PARTS = (
    "its path must be up to 8 parts of letters, digits, '_' and '-', or '{name}' or "
    "'{name:int}', such as '/packs/test/entry/{number:int}'"
)
NO_WORDS: tuple[Any, ...] = (
    *("de", {"german": {}}, {"de": "x"}),
    *({"de": {"a": 5}}, {5: {}}),
)
TEMPLATES = "its templates must be 1 to 64 texts by name, 256,000 characters together"
WORDS = "its words must be languages such as 'de' to texts by what they are in English"


def show(visit: Visit) -> Content:
    return Content("page.html")


def act(visit: Visit, form: Form) -> Done:
    return Done("Done.")


def a_page(path: Any = "/packs/test", **changed: Any) -> Page:
    given: dict[str, Any] = {
        "title": "Test",
        "render": show,
        "templates": {"page.html": ""},
        **changed,
    }
    return Page(path=path, **given)


def offering(answer: Any, name: str = "test", **hooks: Any) -> Pack:
    def admin_pages() -> Any:
        return answer

    return pack(name=name, admin_pages=admin_pages, **hooks)


async def refused_of(folder: Path, *pages: Page, name: str = "test") -> list[str]:
    """Give the reasons why pages were refused."""
    own = offering(list(pages), name)
    async with running(folder, own):
        pass
    assert own.state == "healthy", own.reason
    return [each.partition(" was not added: ")[2][:-1] for each in own.refused_pages]


@pytest.mark.parametrize("kind", [list, tuple])
async def test_the_host_has_the_pages_that_its_packs_add(
    tmp_path: Path, kind: Any
) -> None:
    pages = kind([a_page(), a_page("/packs/test/{id}", is_listed=False)])
    own, none = offering(pages), offering(None, "none")
    async with running(tmp_path, none, own) as host:
        assert dict(host.admin_pages) == {"local/test": tuple(pages)}
    assert [each.refused_pages for each in (own, none)] == [[], []]


async def test_a_hook_that_waits_is_awaited(tmp_path: Path) -> None:
    page = a_page()

    async def admin_pages() -> list[Page]:
        return [page]

    async with running(tmp_path, pack(admin_pages=admin_pages)) as host:
        assert dict(host.admin_pages) == {"local/test": (page,)}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/review", f"{WHERE}'/packs/test/review'"),
        ("/packs/other/x", f"{WHERE}'/packs/test/packs/other/x'"),
        ("/packs/testing", f"{WHERE}'/packs/test/packs/testing'"),
        ("", f"{WHERE}'/packs/test/lately'"),
        ("packs/test", f"{WHERE}'/packs/test/lately'"),
        ("/packs/test/../../review", PARTS),
        ("/packs/test/", PARTS),
        ("/packs/test/a b", PARTS),
        ("/packs/test/{rest:path}", PARTS),
        ("/packs/test" + "/a" * 9, PARTS),
        (5, "its path must be a text such as '/packs/test/lately'"),
        (
            "/packs/test/{id}/{id}",
            "two parameters of its path have the same name; change one",
        ),
    ],
)
async def test_a_page_is_in_the_packs_own_place_only(
    tmp_path: Path, path: Any, reason: str
) -> None:
    own, good = offering([a_page(path), a_page()]), a_page()
    async with running(tmp_path, own) as host:
        pages = host.admin_pages["local/test"]
    assert own.refused_pages == [
        f"Pack 'local/test': page {path!r} was not added: {reason}."
    ]
    assert [each.path for each in pages] == [good.path]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"title": ""}, "its title must be a text of 1 to 80 characters"),
        ({"title": "x" * 81}, "its title must be a text of 1 to 80 characters"),
        ({"render": "page"}, "its render must be a function that takes a Visit"),
        ({"role": "owner"}, "its role must be 'reviewer' or 'operator'"),
        ({"role": []}, "its role must be 'reviewer' or 'operator'"),
        ({"is_listed": 1}, "its is_listed must be True or False"),
        ({"actions": [act]}, "its actions must be at most 50 by name"),
        *(
            (
                {"templates": templates},
                TEMPLATES,
            )
            for templates in (
                {},
                "<p>",
                {"a.html": 5},
                {"../a.html": ""},
                {5: ""},
                {"a.html": "x" * 256_001},
                {f"{n}.html": "" for n in range(65)},
            )
        ),
        *(
            (
                {"words": words},
                WORDS,
            )
            for words in NO_WORDS
        ),
        (
            {"actions": {"Two words": Action(run=act)}},
            "the name of an action, 'Two words', must be words joined by dashes",
        ),
        (
            {"actions": {"do": act}},
            "its action 'do' must be an Action with a function",
        ),
        (
            {"actions": {"do": Action(run=5)}},  # type: ignore[arg-type]  # what a pack may do
            "its action 'do' must be an Action with a function",
        ),
        (
            {"actions": {"do": Action(run=act, confirm="approve")}},  # type: ignore[arg-type]  # likewise
            "the confirm of its action 'do' must be a Confirm or None",
        ),
        (
            {"actions": {"do": Action(run=act, role="owner")}},  # type: ignore[arg-type]  # likewise
            "the role of its action 'do' must be 'reviewer' or 'operator'",
        ),
        (
            {"actions": {"do": Action(run=act, form_bytes=8_000_001)}},
            "the form_bytes of its action 'do' must be 1 to 8,000,000",
        ),
        (
            {"path": "/packs/test/{id}"},
            "the navigation cannot lead to a path with parameters: is_listed=False",
        ),
    ],
)
async def test_what_can_be_no_page_is_refused_alone(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    assert await refused_of(tmp_path, a_page(**changed)) == [reason]


async def test_two_pages_of_one_address_are_one(tmp_path: Path) -> None:
    one, two = (
        a_page(f"/packs/test/{{{name}}}", is_listed=False) for name in ("a", "b")
    )
    assert await refused_of(tmp_path, one, two) == [
        "an earlier one of this pack has the same path; change one"
    ]


async def test_a_pack_adds_so_many_and_no_more(tmp_path: Path) -> None:
    pages = [a_page(f"/packs/test/{n}") for n in range(22)]
    assert await refused_of(tmp_path, *pages) == [
        "a pack adds 20 pages at most, and no more"
    ]


async def test_a_name_that_can_be_no_path_is_said(tmp_path: Path) -> None:
    own = offering([a_page()])
    own.name = "a pack"
    async with running(tmp_path, own) as host:
        pages = dict(host.admin_pages)
    [sentence] = own.refused_pages
    assert (pages, own.state) == ({}, "healthy")
    assert "the name of the pack, 'a pack', is part of the path" in sentence


async def test_a_place_belongs_to_the_pack_that_had_it_first(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def declare_pack() -> Declaration:
        return Declaration(namespaces=("ours",))

    foreign = offering([a_page()])
    ours = offering([a_page()], "ours", declare_pack=declare_pack)
    ours.identity, ours.name = "abilities-host/test", "test"
    with caplog.at_level(logging.WARNING):
        async with running(tmp_path, foreign, ours) as host:
            owners = list(host.admin_pages)
    assert owners == ["abilities-host/test"]
    [sentence] = foreign.refused_pages
    assert sentence == (
        "Pack 'local/test': page '/packs/test' was not added: /packs/test belongs to "
        "pack 'abilities-host/test'; give this pack another name."
    )
    assert sentence in caplog.text


@pytest.mark.parametrize("answer", [5, "page", {"a": 1}, ["page"], [None]])
async def test_what_is_no_list_of_pages_sets_the_pack_aside_whole(
    tmp_path: Path, answer: Any
) -> None:
    bad, good = offering(answer), offering([a_page("/packs/good")], "good")
    async with running(tmp_path, bad, good) as host:
        pages = list(host.admin_pages)
        categories = [each.slug for each in host.registry.list_categories()]
    reason = "admin_pages: it must return a list of Page"
    assert (bad.state, bad.reason) == ("set aside", reason)
    assert (pages, categories) == (["local/good"], ["good"])


async def test_a_policy_that_fails_there_is_one_that_is_missing(tmp_path: Path) -> None:
    def admin_pages() -> Any:
        raise ValueError("no pages")

    def before_write() -> None:
        return None

    guard = pack(admin_pages=admin_pages, before_write=before_write)
    guard.is_policy = True
    async with running(tmp_path, guard) as host:
        assert guard.reason == "admin_pages: it raised ValueError: no pages"
        assert host.hooks.missing_policy == ("local/test",)


async def test_a_packs_author_is_told_of_what_would_be_refused(tmp_path: Path) -> None:
    problems = await check_pack(offering([a_page("/review")]), tmp_path)

    assert problems[0].startswith("Pack 'local/test': page '/review' was not added: ")


async def test_a_confirmation_has_a_class(tmp_path: Path) -> None:
    action = Action(run=act, confirm=Confirm.TOKEN, role="operator", form_bytes=1)
    assert await refused_of(tmp_path, a_page(actions={"do-it": action})) == []
