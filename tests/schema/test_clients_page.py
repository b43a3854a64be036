"""The page about clients says what the profiles and the zoo say."""

import re

from docs.pages import page, rows
from schema.zoo import ZOO

from abilities_host.schema.client import Client
from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.schema.projection import Projected, project
from abilities_host.schema.projection.rules import RULES
from abilities_host.schema.sanitize import sanitize

PAGE = "reference/clients.md"


def yes(is_taken: bool) -> str:  # noqa: FBT001 - the one word it is about
    return "yes" if is_taken else "no"


def row_of(profile: Profile) -> tuple[str, ...]:
    key = profile.property_key
    return (
        f"`{profile.name}`",
        profile.null,
        yes(profile.type_arrays),
        yes(profile.root_composition),
        yes(profile.references),
        profile.enums,
        profile.empty_objects,
        profile.free_form_objects,
        f"`{key}`" if key else "any",
    )


def test_the_table_of_what_is_accepted_is_that_of_the_profiles() -> None:
    assert rows(page(PAGE), "## What each profile accepts") == [
        row_of(profile) for profile in PROFILES.values()
    ]


def name_row_of(profile: Profile) -> tuple[str, ...]:
    counted = "with the server's name" if profile.adds_server_name else "alone"
    tools = str(profile.tools or "no limit known")
    limit = str(profile.tool_name_limit)
    return f"`{profile.name}`", profile.clients, limit, counted, tools


def test_the_table_of_names_and_counts_is_that_of_the_profiles() -> None:
    assert rows(page(PAGE), "## Names and counts of tools") == [
        name_row_of(profile) for profile in PROFILES.values()
    ]


def test_the_words_of_the_narrowest_dialect_are_listed() -> None:
    listed = re.search(r"knows\nthese keywords: (.+?)\.\n", page(PAGE), re.DOTALL)

    assert listed is not None
    words = set(re.findall("`(.+?)`", listed[1]))
    assert frozenset(words) == PROFILES["gemini"].keywords


def test_the_rules_are_listed_in_their_order() -> None:
    listed = [row[0] for row in rows(page(PAGE), "## The rules, in their order")]

    assert listed == [rule.name for rule in RULES]


def counts_of(profile: Profile) -> tuple[str, ...]:
    made = {name: project(animal.schema, profile) for name, animal in ZOO.items()}
    shown = {name: each for name, each in made.items() if isinstance(each, Projected)}
    same = [n for n, each in shown.items() if each.schema == sanitize(ZOO[n].schema)]
    mapped = [each for each in shown.values() if not each.reverse.is_identity]
    counts = len(same), len(shown) - len(same), len(mapped), len(made) - len(shown)
    return (f"`{profile.name}`", *map(str, counts))


def test_the_counts_of_the_zoo_are_told() -> None:
    text = page(PAGE)

    assert rows(text, "## The zoo") == [counts_of(p) for p in PROFILES.values()]
    assert f"{len(ZOO)} schemas" in text


def client_cell(client: Client) -> str:
    return f"`{client.name}` {client.versions}".strip()


def test_the_table_of_client_names_is_that_of_the_profiles() -> None:
    table = rows(page(PAGE), "## Which profile a client gets")

    assert table == [
        (f"`{profile.name}`", ", ".join(map(client_cell, profile.names)))
        for profile in PROFILES.values()
        if profile.names
    ]
