r"""The pages for people, at ``/admin``: decide and look after a host in a browser.

A page is one `Page` in a module of ``pages/`` with a template in ``templates/``, and
one line in `abilities_host.admin.pages.PAGES`, which is the order of the navigation.

* ``render(visit)`` reads and gives a `Content`: the name of the template and its
  values; or a finished `Response` for a download or a stream. It changes nothing.
* Whatever changes something is an `Action` in ``Page.actions``: a POST to the page's
  path, a slash, and the action's name. ``run(visit, form)`` calls a service that
  writes the record (or ``visit.note``), and gives a `Done`: what the person is told,
  and where they go; or a `Content` to show at once. A refusal (`AbilitiesError`) is
  told at the page by itself.
* The frame does the rest, in this order: session, form token, role, confirmation.
  ``Action(confirm=Confirm.APPROVE)`` has the secret asked for if it was not in the
  last five minutes, and then ``form.unlocked`` is the person who can sign.
* A form names what was seen, ``{% call form("/review/approve", seen=review.hash) %}``,
  and the action compares, ``form.check_seen(now)``, unless the service does.
* Every word is in `abilities_host.admin.english`: ``{{ t("key", name=value) }}`` and
  ``{{ many("key", count) }}`` in templates, ``visit.texts`` in Python.
* Text of others is escaped, and what does not print is shown as ``\u202e``, by
  itself; ``{{ text|e }}`` gives it unchanged, for the fields of forms. The policy of
  the pages forbids inline styles and scripts. A key is ``data-key="a"`` on a button
  or link.
"""

__all__ = (
    "Action",
    "AdminApp",
    "Confirm",
    "Content",
    "Done",
    "Form",
    "Page",
    "SeenOther",
    "Visit",
)

from abilities_host.admin.app import AdminApp as AdminApp
from abilities_host.admin.form import Form as Form
from abilities_host.admin.form import SeenOther as SeenOther
from abilities_host.admin.page import Action as Action
from abilities_host.admin.page import Confirm as Confirm
from abilities_host.admin.page import Content as Content
from abilities_host.admin.page import Done as Done
from abilities_host.admin.page import Page as Page
from abilities_host.admin.visit import Visit as Visit
