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
from abilities_host.admin.pages.ledger_session import SESSION as LEDGER_SESSION
from abilities_host.admin.pages.ledger_state import STATE
from abilities_host.admin.pages.log import LIVE, LOG
from abilities_host.admin.pages.review import REVIEW
from abilities_host.admin.pages.review_list import REVIEW_LIST
from abilities_host.admin.pages.sessions import SESSION, SESSIONS
from abilities_host.admin.pages.tool_try import TRY
from abilities_host.admin.pages.tools import TOOL, TOOLS
from abilities_host.admin.pages.topics import TOPICS
from abilities_host.admin.pages.waiting import WAITING, WAITING_ENTRY

PAGES: Final[tuple[Page, ...]] = (
    HOME,
    REVIEW,
    REVIEW_LIST,
    WAITING,
    WAITING_ENTRY,
    GUIDANCE,
    GUIDANCE_EXPORT,
    TOPICS,
    GUIDANCE_ENTRY,
    GUIDANCE_EDIT,
    SESSIONS,
    SESSION,
    LEDGER,
    EXPORT,
    ENTRY,
    LEDGER_SESSION,
    STATE,
    LOG,
    LIVE,
    TOOLS,
    TOOL,
    TRY,
    ACCESS,
)
