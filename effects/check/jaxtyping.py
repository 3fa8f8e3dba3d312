"""Annotations that say dimensions in a string, as jaxtyping has them: `Float[Array, "*batch n d"]`.

jaxtyping is not imported: such an annotation is a class with the names of its `dtypes`, its `dim_str` and `array_type`.
"""

from __future__ import annotations

from typing import Any

from effects.arrays.array import Array
from effects.check.dims import Dim, Name, NotSaid, Pack, formula
from effects.check.meanings import Arrays, Meaning, NoMeaning
from effects.types import dtypes
from effects.types.dtypes import DType


def is_jaxtyping(annotation: object) -> bool:
    """True for an annotation that says its dimensions in a string."""
    words = getattr(annotation, "dim_str", None)
    return isinstance(words, str) and hasattr(annotation, "dtypes") and hasattr(annotation, "array_type")


def jaxtyping_meaning(
    annotation: Any, scope: object
) -> Meaning:  # Any: a class of a library that may be absent, by its names
    """The meaning of an annotation whose names are those of a `scope`; None is one that is not known.

    Raises NotSaid for arrays that are not effax's.
    """
    array_type = annotation.array_type
    if isinstance(array_type, type) and not issubclass(array_type, Array):
        raise NotSaid(f"{annotation.__name__} is of another library's arrays")
    try:
        dims = tuple([_dim(word, scope) for word in annotation.dim_str.split()])
        dtype = _dtype(annotation.dtypes)
    except NotSaid as reason:
        return NoMeaning(str(reason), has_arrays=True)
    return Arrays(dtype, dtype, dims)


def _dtype(names: object) -> type[DType]:
    """The smallest class of the dtypes that have names."""
    if not isinstance(names, tuple | list):
        return DType
    known: list[type[DType]] = [getattr(dtypes, name) for name in names if hasattr(dtypes, name)]
    if not known:
        raise NotSaid(f"no dtype is called {' or '.join(map(str, names))}")
    return next(base for base in known[0].__mro__ if all([issubclass(one, base) for one in known]))


def _dim(word: str, scope: object) -> Dim | Pack:
    text = word.partition("=")[2] or word
    name = text.removeprefix("*")
    if name == "..." or (name.startswith("_") and name != text):
        return Pack(None, "?")
    if name.startswith("_"):
        return None
    if text.isdecimal():
        return int(text)
    if name[0] in "#?":
        raise NotSaid(f"the dimension {word} may be several sizes")
    if scope is None:
        raise NotSaid(f"the dimension {word} is of a class, whose sizes are known in its methods alone")
    if name != text:
        return Pack((scope, name), name)
    return formula(text, lambda name: Name((scope, name), name))
