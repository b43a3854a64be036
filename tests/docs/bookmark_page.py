"""A pack that adds a page, as docs/how-to/add-a-page.md shows it."""

# -- start page --
from abilities_host import hookimpl
from abilities_host.pages import Action, Confirm, Content, Done, Form, Page, Visit

ENTRY = """
<dl class="facts">
  <dt>{{ t("Name") }}</dt><dd>{{ name }}</dd>
  <dt>{{ t("Address") }}</dt><dd>{{ url }}</dd>
</dl>
{% call form("save", seen=url) %}
  <input type="hidden" name="name" value="{{ name|e }}">
  <label for="url">{{ t("Another address") }}</label>
  <input id="url" name="url" type="url" value="{{ url|e }}" required>
  <button class="main">{{ t("Keep it") }}</button>
{% endcall %}
"""


async def address_of(visit: Visit, name: str) -> str:
    found = await visit.call("bookmarks/get", {"name": name})
    return found.unwrap()["url"] if found.is_ok else ""


async def show(visit: Visit) -> Content:
    name = visit.query.get("name", "home")
    values = {"name": name, "url": await address_of(visit, name)}
    return Content("entry.html", values)


async def save(visit: Visit, form: Form) -> Done:
    name, url = form.get("name"), form.get("url")
    form.check_seen(await address_of(visit, name))
    saved = await visit.call("bookmarks/save", {"name": name, "url": url})
    saved.unwrap()
    return Done("{name} leads to another address now.", {"name": name})


# -- end page --
# -- start hook --
@hookimpl
def admin_pages() -> list[Page]:
    return [
        Page(
            path="/packs/bookmarks",
            title="Bookmarks",
            render=show,
            templates={"entry.html": ENTRY},
            actions={"save": Action(run=save, confirm=Confirm.APPROVE)},
            words={"de": {"Bookmarks": "Lesezeichen", "Address": "Adresse"}},
        )
    ]


# -- end hook --
