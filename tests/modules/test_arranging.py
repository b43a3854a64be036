"""In which order modules start, and which of them are active: for any graph."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from abilities_host import Module
from abilities_host.modules import arrange, judge
from abilities_host.modules.arranging import Judgement

SLUGS = ("a", "b", "c", "d", "e")
OWN = ("parts",)

graphs = st.dictionaries(
    st.sampled_from(SLUGS),
    st.lists(st.sampled_from((*SLUGS, "nobody")), unique=True, max_size=4),
)
choices = st.dictionaries(st.sampled_from(SLUGS), st.booleans())
obstacles = st.dictionaries(st.sampled_from(SLUGS), st.just("no disk"))


def modules_of(graph: Mapping[str, list[str]]) -> list[Module]:
    return [
        Module(slug, slug, slug, requires=tuple(required))
        for slug, required in graph.items()
    ]


def reachable(graph: Mapping[str, list[str]], start: str) -> set[str]:
    found, left = set(), list(graph.get(start, []))
    while left:
        slug = left.pop()
        if slug not in found:
            found.add(slug)
            left += graph.get(slug, [])
    return found


@given(graphs)
def test_every_module_is_placed_once_and_after_what_it_requires(
    graph: dict[str, list[str]],
) -> None:
    order, faults = arrange(modules_of(graph), OWN)

    slugs = [module.slug for module in order]
    assert sorted(slugs) == sorted(graph)
    for module in order:
        if module.slug not in faults:
            before = slugs[: slugs.index(module.slug)]
            assert set(module.requires) <= set(before)


@given(graphs)
def test_exactly_circles_and_unknown_requirements_set_a_module_aside(
    graph: dict[str, list[str]],
) -> None:
    _, faults = arrange(modules_of(graph), OWN)

    expected = {
        slug
        for slug, required in graph.items()
        if slug in reachable(graph, slug) or not graph.keys() >= set(required)
    }
    assert faults.keys() == expected


@given(graphs, choices, obstacles)
def test_on_is_what_is_chosen_and_available_and_whose_requirements_are_on(
    graph: dict[str, list[str]], chosen: dict[str, bool], missing: dict[str, str]
) -> None:
    arrangement = arrange(modules_of(graph), OWN)

    judged = judge(arrangement, chosen, missing)

    on = {slug for slug, judgement in judged.items() if judgement.verdict == "on"}
    assert judged.keys() == graph.keys()
    assert on == {
        slug
        for slug in graph
        if slug not in arrangement.faults
        and chosen.get(slug, False)
        and slug not in missing
        and set(graph[slug]) <= on
    }
    assert all(
        each.why for s, each in judged.items() if each.verdict not in ("on", "off")
    )


@given(graphs, choices)
def test_the_order_in_which_modules_are_declared_decides_nothing(
    graph: dict[str, list[str]], chosen: dict[str, bool]
) -> None:
    modules = modules_of(graph)

    forwards = judge(arrange(modules, OWN), chosen, {})
    backwards = judge(arrange(modules[::-1], OWN), chosen, {})

    verdicts = [
        {s: j.verdict for s, j in each.items()} for each in (forwards, backwards)
    ]
    assert verdicts[0] == verdicts[1]


def test_the_reasons_name_what_is_wrong_and_guess_the_mistake() -> None:
    modules = [
        Module("index", "I", "I"),
        Module("search", "S", "S", requires=("indx",)),
        Module("chicken", "C", "C", requires=("egg",)),
        Module("egg", "E", "E", requires=("chicken",)),
        Module("eater", "E", "E", default_active=True, requires=("egg",)),
        Module("thief", "T", "T", abilities=("memory/*",)),
        Module("loose", "L", "L", abilities=("pa*/x",)),
        Module("later", "L", "L", default_active=True, requires=("index",)),
        Module("last", "L", "L", default_active=True, requires=("later",)),
    ]
    arrangement = arrange(modules, OWN)

    judged = judge(arrangement, {}, {})

    spaces = "names no abilities of its pack, which has the namespaces parts"
    missing = "it requires 'indx', which its pack does not declare."
    assert judged == {
        "index": Judgement("off"),
        "search": Judgement("set aside", f"{missing} Did you mean 'index'?"),
        "egg": Judgement("set aside", "it requires itself: egg → chicken → egg"),
        "chicken": Judgement(
            "set aside", "it requires itself: chicken → egg → chicken"
        ),
        "eater": Judgement("waiting", "it requires 'egg', which was set aside"),
        "thief": Judgement("set aside", f"'memory/*' {spaces}"),
        "loose": Judgement("set aside", f"'pa*/x' {spaces}"),
        "later": Judgement("waiting", "it requires 'index', which is off"),
        "last": Judgement("waiting", "it requires 'later', which waits too"),
    }
