"""Every word of the pages in English, in one place."""

from collections.abc import Mapping
from typing import Final

from abilities_host.admin.english.deciding import DECIDING
from abilities_host.admin.english.frame import FRAME
from abilities_host.admin.english.packs import PACKS
from abilities_host.admin.english.remembering import REMEMBERING
from abilities_host.admin.english.running import RUNNING
from abilities_host.admin.english.seeing import SEEING
from abilities_host.admin.english.telling import TELLING
from abilities_host.admin.english.trying import TRYING
from abilities_host.admin.english.undoing import UNDOING
from abilities_host.admin.english.waiting import WAITING
from abilities_host.frozen import FrozenDict

ENGLISH: Final[Mapping[str, str]] = FrozenDict(
    {
        **FRAME,
        **DECIDING,
        **REMEMBERING,
        **TELLING,
        **SEEING,
        **RUNNING,
        **PACKS,
        **UNDOING,
        **TRYING,
        **WAITING,
    }
)
