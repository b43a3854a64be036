"""Every page, in the order of the navigation."""

from typing import Final

from abilities_host.admin.page import Page
from abilities_host.admin.pages.home import HOME
from abilities_host.admin.pages.review import REVIEW

PAGES: Final[tuple[Page, ...]] = (HOME, REVIEW)
