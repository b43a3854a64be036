"""Pins: what abilities of foreign packs said when first seen, and what they say now."""

__all__ = (
    "Change",
    "PinFile",
    "Pins",
    "headline",
    "is_foreign",
    "lines_of",
    "pins_beside",
)

from abilities_host.pins.change import Change as Change
from abilities_host.pins.outside import PinFile as PinFile
from abilities_host.pins.outside import pins_beside as pins_beside
from abilities_host.pins.pins import Pins as Pins
from abilities_host.pins.telling import headline as headline
from abilities_host.pins.telling import lines_of as lines_of
from abilities_host.pins.trust import is_foreign as is_foreign
