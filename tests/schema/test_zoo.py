"""Every animal of the zoo in every profile: shown and taken, or left out and why."""

from typing import Any

import pytest
from schema.strategies import accepts
from schema.test_projection_properties import as_json_schema
from schema.zoo import ZOO, Animal

from abilities_host.schema.check import check_schema
from abilities_host.schema.checkers import accepts as refusals
from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.schema.projection import LeftOut, Projected, project, project_output
from abilities_host.schema.projection.combine import canonical
from abilities_host.schema.reading import as_read
from abilities_host.schema.repair import repair

EACH = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
ANIMALS = pytest.mark.parametrize("animal", ZOO.values(), ids=ZOO)


def test_the_zoo_is_large_and_every_animal_is_a_schema_with_a_value() -> None:
    assert len(ZOO) >= 60
    for animal in ZOO.values():
        mended = check_schema(animal.schema, subject="zoo", argument="schema")[0]
        for value in animal.values:
            assert accepts(as_read(mended), value), animal


@EACH
@ANIMALS
def test_an_animal_is_taken_by_the_clients_of_a_profile(
    animal: Animal, profile: Profile
) -> None:
    made = project(animal.schema, profile)

    assert isinstance(made, Projected), made
    assert refusals(profile, made.schema) == []
    again = project(made.schema, profile)
    assert isinstance(again, Projected)
    assert again.schema == made.schema
    for value in animal.values:
        check_value(made, profile, value)


def check_value(made: Projected, profile: Profile, value: Any) -> None:
    plain = as_json_schema(made.schema) if profile.null == "nullable" else made.schema
    sent = made.reverse.image(value)
    assert accepts(plain, sent)
    assert canonical(made.reverse.apply(sent)) == canonical(value)


@EACH
@ANIMALS
def test_a_result_of_an_animal_is_taken_or_told_without_a_schema(
    animal: Animal, profile: Profile
) -> None:
    made = project_output(repair(animal.schema), profile)

    if isinstance(made, LeftOut):
        assert made.reason
        return
    assert made.reverse.is_identity
    for value in animal.values:
        assert accepts(made.schema, value)
