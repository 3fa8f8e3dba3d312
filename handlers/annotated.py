"""Which fields of a carrier are arrays, by what their annotations mean."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import UnionType
from typing import Any, TypeAliasType, Union, get_args, get_origin

from effects.arrays.array import Array
from effects.errors import ArgumentError


def are_arrays(cls: type, names: Sequence[str]) -> list[bool]:
    """Whether each of these fields of a class is annotated as an array.

    Raises ArgumentError for one that may be an array or something else, and for a name that cannot be found.
    """
    return [_is_array(cls, name, _meaning(cls, name)) for name in names]


def _meaning(cls: type, name: str) -> Any:
    """What the annotation of a field means, where it was written: in the module or in the function around the class."""
    owner = next(c for c in cls.__mro__ if name in vars(c).get("__annotations__", {}))
    said: object = owner.__annotations__[name]
    if not isinstance(said, str):
        return said
    module: dict[str, Any] = vars(sys.modules[owner.__module__]) if owner.__module__ in sys.modules else {}
    frame = sys._getframe(1)
    while frame is not None:
        here = frame.f_globals is module
        try:
            if here:
                return eval(said, frame.f_globals, {**vars(owner), **frame.f_locals})
        except NameError:
            pass
        if frame.f_back is None:
            break
        frame = frame.f_back
    try:
        return eval(said, module, dict(vars(owner)))
    except NameError as error:
        raise ArgumentError(
            f"{cls.__name__}.{name}: its annotation {said!r} has to be known when the class is made, since it says "
            f"whether the field is an array: {error}; import it outside of TYPE_CHECKING"
        ) from None


def _is_array(cls: type, name: str, said: Any) -> bool:
    if isinstance(said, TypeAliasType):
        return _is_array(cls, name, said.__value__)
    origin = get_origin(said)
    if origin is Union or origin is UnionType:
        found = {_is_array(cls, name, each) for each in get_args(said)}
        if len(found) > 1:
            raise ArgumentError(
                f"{cls.__name__}.{name}: a field of a carrier is an array or it is static, and {said} may be either"
            )
        return found.pop()
    kind = origin or said
    return isinstance(kind, type) and issubclass(kind, Array)
