"""Every page, in the order of the navigation."""

from typing import Final

from abilities_host.admin.page import Page
from abilities_host.admin.pages.access import ACCESS
from abilities_host.admin.pages.home import HOME
from abilities_host.admin.pages.ledger import EXPORT, LEDGER
from abilities_host.admin.pages.ledger_entry import ENTRY
from abilities_host.admin.pages.log import LIVE, LOG
from abilities_host.admin.pages.review import REVIEW
from abilities_host.admin.pages.tools import TOOL, TOOLS

PAGES: Final[tuple[Page, ...]] = (
    HOME,
    REVIEW,
    LEDGER,
    EXPORT,
    ENTRY,
    LOG,
    LIVE,
    TOOLS,
    TOOL,
    ACCESS,
)
