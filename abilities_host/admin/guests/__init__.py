"""Guests: the pages of packs, in the frame of the host's own.

A page of a pack is a `Guest`. What the pack writes is a fragment, put into the frame as
a whole: it sees neither the frame's values nor its templates, and the frame takes no
harm from it, whatever it does.
"""

from abilities_host.admin.guests.guest import Guest as Guest
from abilities_host.admin.guests.guests import Guests as Guests
