"""Seen: a call as a policy sees it, of which everything can be read and nothing set."""

from typing import Any, Final, Never

from abilities_host.calls.call import Call
from abilities_host.domain import MISSING
from abilities_host.frozen import freeze

_COPIED: Final = tuple(
    name for name in Call.__slots__ if name not in {"arguments", "parent"}
)
_OWN: Final = ("_arguments", "_frozen", "_parent")


class SeenCall(Call):
    """A call that a policy is shown.

    Args:
        call: the running call.
    """

    __slots__ = _OWN

    _arguments: Any
    _frozen: Any
    _parent: Call | None

    def __init__(self, call: Call) -> None:
        keep = object.__setattr__
        for name in _COPIED:
            keep(self, name, getattr(call, name))
        keep(self, "_arguments", call.arguments)
        keep(self, "_frozen", MISSING)  # not yet made; None is a legal value
        keep(self, "_parent", call.parent)

    @property
    def arguments(self) -> Any:
        """The validated arguments, frozen; made when first read."""
        if self._frozen is MISSING:
            object.__setattr__(self, "_frozen", freeze(self._arguments))
        return self._frozen

    @property
    def parent(self) -> Call | None:  # type: ignore[override]  # nobody may set it
        """The call it is nested in, as a policy sees it."""
        return None if self._parent is None else SeenCall(self._parent)

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a policy reads {name!r} of a call and changes nothing")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"a policy reads {name!r} of a call and changes nothing")
