"""What a pack adds to the pages for people; see the hook `admin_pages`.

A pack imports everything it needs for a page from here. Nothing else of the pages for
people is for packs, and importing this is cheap.
"""

__all__ = (
    "Action",
    "Confirm",
    "Content",
    "Done",
    "Form",
    "Page",
    "SeenOther",
    "Visit",
    "read_templates",
)

from abilities_host.pages.content import Confirm as Confirm
from abilities_host.pages.content import Content as Content
from abilities_host.pages.content import Done as Done
from abilities_host.pages.form import Form as Form
from abilities_host.pages.form import SeenOther as SeenOther
from abilities_host.pages.page import Action as Action
from abilities_host.pages.page import Page as Page
from abilities_host.pages.templates import read_templates as read_templates
from abilities_host.pages.visit import Visit as Visit
