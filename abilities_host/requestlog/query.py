"""Query: which requests somebody wants to see."""

from dataclasses import dataclass
from typing import Any, Final

_EXACT: Final = ("server", "actor", "client", "status", "code", "method")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestQuery:
    """What requests must be; all that is given must fit.

    Attributes:
        server: id of the server.
        ability: name or pattern with ``*`` and ``?``.
        actor: who asked.
        client: what the client calls itself.
        status: how it ended.
        code: the error's code.
        method: of the protocol.
        since: microseconds since 1970, from this time on.
        before: only numbers less than this.
        after: only numbers greater than this.
    """

    server: str | None = None
    ability: str | None = None
    actor: str | None = None
    client: str | None = None
    status: str | None = None
    code: str | None = None
    method: str | None = None
    since: int | None = None
    before: int | None = None
    after: int | None = None

    def condition(self) -> tuple[str, dict[str, Any]]:
        """Write it for SQL.

        Returns:
            A condition and its values.
        """
        values: dict[str, Any] = {}
        terms = ["1"]
        for name in _EXACT:
            self._add(terms, values, name, f"{name} = :{name}")
        self._add(terms, values, "ability", "ability GLOB :ability")
        if "ability" in values:
            values["ability"] = values["ability"].replace("[", "[[]")
        self._add(terms, values, "since", "at >= :since")
        self._add(terms, values, "before", "seq < :before")
        self._add(terms, values, "after", "seq > :after")
        return " AND ".join(terms), values

    def _add(
        self, terms: list[str], values: dict[str, Any], name: str, term: str
    ) -> None:
        value = getattr(self, name)
        if value is not None:
            terms.append(term)
            values[name] = value
