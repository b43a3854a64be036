"""Connecting: what an MCP client needs to reach a server of this host."""

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

from abilities_host.tokens import Change

if TYPE_CHECKING:
    from abilities_host.config import HostConfig


def client_settings(change: Change, config: "HostConfig") -> dict[str, Any]:
    """Write what an MCP client needs to connect.

    Args:
        change: that made the token.
        config: the configuration; it says where the server is.

    Returns:
        The ``mcpServers`` object that most clients read.
    """
    headers = {"Authorization": f"Bearer {change.value}"}
    url = server_url(config, change.record.server)
    return {
        "mcpServers": {"abilities": {"type": "http", "url": url, "headers": headers}}
    }


def server_url(config: "HostConfig", server: str = "") -> str:
    """Give the address of a server.

    Args:
        config: the configuration; it says where the host is.
        server: its id, empty for the first.

    Returns:
        An absolute address.
    """
    return _address(config) + _path(config, server)


def _path(config: "HostConfig", server: str) -> str:
    first, *others = config.all_servers
    for each in others:
        if each.id == server:
            return each.path(is_first=False)
    return first.path(is_first=True)


def _address(config: "HostConfig") -> str:
    http = config.http
    if http.public_url:
        return http.public_url.rstrip("/")
    return f"http://{_reachable(http.address)}:{http.port}"


def _reachable(address: str) -> str:
    """A client reaches no address that stands for every one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if parsed.is_unspecified:
        return "127.0.0.1"
    return f"[{parsed}]" if isinstance(parsed, IPv6Address) else address
