"""Classification of a carrier's fields as arrays or static values by their annotations."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import UnionType
from typing import Any, TypeAliasType, Union, get_args, get_origin

from effects.arrays.array import Array
from effects.errors import ArgumentError


def are_arrays(cls: type, names: Sequence[str]) -> list[bool]:
    """For each of these fields of a class, True if it is annotated as an array.

    Raises ArgumentError for one that may be an array or something else, and for a name that cannot be found.
    """
    return [_is_array(cls, name, _meaning(cls, name)) for name in names]


def _meaning(cls: type, name: str) -> Any:
    """The annotation of a field, evaluated where it was written: in the module or in the function around the class."""
    owner = next(c for c in cls.__mro__ if name in vars(c).get("__annotations__", {}))
    annotation: object = owner.__annotations__[name]
    if not isinstance(annotation, str):
        return annotation
    module: dict[str, Any] = vars(sys.modules[owner.__module__]) if owner.__module__ in sys.modules else {}
    frame = sys._getframe(1)
    while frame is not None:
        in_module = frame.f_globals is module
        try:
            if in_module:
                return eval(annotation, frame.f_globals, {**vars(owner), **frame.f_locals})
        except NameError:
            pass
        if frame.f_back is None:
            break
        frame = frame.f_back
    try:
        return eval(annotation, module, dict(vars(owner)))
    except NameError as error:
        raise ArgumentError(
            f"{cls.__name__}.{name}: its annotation {annotation!r} has to be known when the class is made, since it "
            f"says whether the field is an array: {error}; import it outside of TYPE_CHECKING"
        ) from None


def _is_array(cls: type, name: str, annotation: Any) -> bool:
    if isinstance(annotation, TypeAliasType):
        return _is_array(cls, name, annotation.__value__)
    origin = get_origin(annotation)
    if origin is Union or origin is UnionType:
        answers = {_is_array(cls, name, each) for each in get_args(annotation)}
        if len(answers) > 1:
            raise ArgumentError(
                f"{cls.__name__}.{name}: a field of a carrier is an array or it is static, and {annotation} may be "
                "either"
            )
        return answers.pop()
    kind = origin or annotation
    return isinstance(kind, type) and issubclass(kind, Array)
