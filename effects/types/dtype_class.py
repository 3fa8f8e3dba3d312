"""Attributes of the classes of dtypes: a name, equality with NumPy's dtypes, and NumPy's attributes of a dtype."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

import numpy as np

_OF_NUMPY: Final = ("byteorder", "char", "fields", "itemsize", "kind", "names", "num", "str", "subdtype", "type")


class DTypeClass(type):
    """Gives the dtype classes their short repr and their order-free identity."""

    def __repr__(cls) -> str:
        return cls.__name__.rstrip("_")

    __str__ = __repr__

    kind: builtins.str
    char: builtins.str
    str: builtins.str
    type: builtins.type[np.generic]
    itemsize: int
    if not TYPE_CHECKING:

        def __getattr__(cls, name):
            """Attributes of NumPy's dtype, for other libraries, which read them from `x.dtype`."""
            if name in _OF_NUMPY and hasattr(cls, "dtype"):
                return getattr(cls.dtype, name)
            raise AttributeError(f"{cls} has no attribute {name!r}", name=name, obj=cls)

    @property
    def name(cls) -> builtins.str:
        """Name of the dtype."""
        return repr(cls)

    def __eq__(cls, other: object) -> bool:
        """Equal also to what NumPy calls the dtype: `x.dtype == numpy.float32`, `x.dtype == "float32"`."""
        if cls is other:
            return True
        if isinstance(other, DTypeClass) or not hasattr(cls, "dtype"):
            return False
        return isinstance(other, type | str | np.dtype) and bool(cls.dtype == other)

    __hash__ = type.__hash__
