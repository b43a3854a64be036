"""The pages for people, as `abilities serve` puts them beside the servers."""

from abilities_host.accounts import Accounts
from abilities_host.admin.app import AdminApp
from abilities_host.admin.paths import ROOT
from abilities_host.host import Host
from abilities_host.server.annex import Annex


def admin_annex(host: Host) -> Annex | None:
    """Make the pages for people of a host.

    Args:
        host: running.

    Returns:
        None when the configuration does not want them.
    """
    settings = host.config.admin
    if not settings.enabled:
        return None
    accounts: Accounts = host.accounts
    port = 0 if settings.port == host.config.http.port else settings.port
    return Annex(AdminApp(host, accounts), ROOT, port)
