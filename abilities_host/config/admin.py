"""Admin settings: the pages for people."""

from typing import Annotated

from pydantic import Field

from abilities_host.config.merging import Merge
from abilities_host.config.section import Section


class AdminSettings(Section):
    """The pages for people."""

    enabled: Annotated[bool, Merge.BOTH] = Field(
        default=True,
        description="Serve the pages for people, at /admin, wherever HTTP is served.",
    )
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        default=0,
        description="A port for the pages alone; 0 to have them where the servers are.",
    )
