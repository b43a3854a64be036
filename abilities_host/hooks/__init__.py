"""The door for packs: the name they implement hooks under, and the marker."""

import pluggy

NAME = "abilities_host"

hookimpl = pluggy.HookimplMarker(NAME)
hookspec = pluggy.HookspecMarker(NAME)
