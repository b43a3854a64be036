"""Every page, in the order of the navigation."""

from typing import Final

from abilities_host.admin.page import Page
from abilities_host.admin.pages.access import ACCESS
from abilities_host.admin.pages.guidance import GUIDANCE, GUIDANCE_EXPORT
from abilities_host.admin.pages.guidance_entry import EDIT as GUIDANCE_EDIT
from abilities_host.admin.pages.guidance_entry import ENTRY as GUIDANCE_ENTRY
from abilities_host.admin.pages.home import HOME
from abilities_host.admin.pages.ledger import EXPORT, LEDGER
from abilities_host.admin.pages.ledger_entry import ENTRY
from abilities_host.admin.pages.log import LIVE, LOG
from abilities_host.admin.pages.review import REVIEW
from abilities_host.admin.pages.review_list import REVIEW_LIST
from abilities_host.admin.pages.tools import TOOL, TOOLS
from abilities_host.admin.pages.topics import TOPICS

PAGES: Final[tuple[Page, ...]] = (
    HOME,
    REVIEW,
    REVIEW_LIST,
    GUIDANCE,
    GUIDANCE_EXPORT,
    TOPICS,
    GUIDANCE_ENTRY,
    GUIDANCE_EDIT,
    LEDGER,
    EXPORT,
    ENTRY,
    LOG,
    LIVE,
    TOOLS,
    TOOL,
    ACCESS,
)
