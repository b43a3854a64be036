"""JSON values that refuse to be changed.

They are real dicts and lists, so validators, serialisers and comparisons treat them
as such; a proxy object would break exactly what policy plugins do with arguments.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Never

_PLAIN = frozenset({str, int, float, bool, type(None)})


class FrozenError(TypeError):
    """Raised when somebody tries to change a frozen value."""

    def __init__(self) -> None:
        super().__init__("this value is frozen; copy it with thaw() to change it")


def _refuse(*_: object, **__: object) -> Never:
    raise FrozenError


class FrozenDict(dict[str, Any]):
    """A dict that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (freeze, (dict(self),))

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, _: object) -> Any:
        return thaw(self)


class FrozenList(list[Any]):
    """A list that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = _refuse
    clear = sort = reverse = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (freeze, (list(self),))

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, _: object) -> Any:
        return thaw(self)


def freeze(value: Any) -> Any:
    """Copy a JSON value into one that refuses changes at every depth.

    Args:
        value: dicts, lists, tuples and scalars; other objects are kept as they are.

    Returns:
        The frozen copy; tuples become frozen lists.
    """
    if type(value) in _PLAIN:  # most values are, and need no further question
        return value
    if type(value) is dict or isinstance(value, Mapping):
        return FrozenDict(
            {k: v if type(v) in _PLAIN else freeze(v) for k, v in value.items()}
        )
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return FrozenList([v if type(v) in _PLAIN else freeze(v) for v in value])
    return value


def thaw(value: Any) -> Any:
    """Copy a JSON value into plain dicts and lists.

    Args:
        value: a frozen or a plain JSON value.

    Returns:
        A copy that may be changed.
    """
    if type(value) in _PLAIN:
        return value
    if type(value) is dict or isinstance(value, Mapping):
        return {k: v if type(v) in _PLAIN else thaw(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value
