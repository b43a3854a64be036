"""Packs find each other's services by protocol."""

from typing import Protocol

import pytest

from abilities_host.errors import ServiceTaken
from abilities_host.services import Services


class Clock(Protocol):
    def read(self) -> int: ...


class Sun:
    def read(self) -> int:
        return 12


def test_what_is_offered_is_found_by_its_protocol() -> None:
    services, sun = Services(), Sun()
    services.offer(Clock, sun, pack="sky")

    assert services.find(Clock) is sun


def test_what_nobody_offers_is_not_found() -> None:
    with pytest.raises(LookupError, match="no healthy pack offers Clock"):
        Services().find(Clock)


def test_two_packs_cannot_offer_the_same() -> None:
    services, sun = Services(), Sun()
    services.offer(Clock, sun, pack="sky")

    with pytest.raises(ServiceTaken, match=r"moon.*sky|sky.*moon"):
        services.offer(Clock, Sun(), pack="moon")

    assert services.find(Clock) is sun


def test_a_pack_that_is_set_aside_takes_back_all_that_it_offered_and_no_more() -> None:
    services, sun = Services(), Sun()
    services.offer(Clock, Sun(), pack="moon")
    services.offer(Sun, sun, pack="sky")

    services.withdraw("moon")

    assert services.find(Sun) is sun
    with pytest.raises(LookupError):
        services.find(Clock)
    services.offer(Clock, sun, pack="sky")
