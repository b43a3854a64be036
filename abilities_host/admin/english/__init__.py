"""Every word of the pages in English, in one place."""

from collections.abc import Mapping
from typing import Final

from abilities_host.admin.english.deciding import DECIDING
from abilities_host.admin.english.frame import FRAME
from abilities_host.admin.english.remembering import REMEMBERING
from abilities_host.admin.english.running import RUNNING
from abilities_host.admin.english.seeing import SEEING
from abilities_host.frozen import FrozenDict

ENGLISH: Final[Mapping[str, str]] = FrozenDict(
    {**FRAME, **DECIDING, **REMEMBERING, **SEEING, **RUNNING}
)
