"""Lenses: pairs of a function that reads a part of an array, or its elements in another order, and one that writes it.

get(put(a, part)) = part          put(a, get(a)) = a
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

import effects as fx
from effects.arrays.array import Array
from effects.functions.indexing import taking
from effects.functions.indexing.keys import Index
from effects.types import dtypes


class Lens(NamedTuple):
    """A part of an array: `get(a)` is the part, `put(a, part)` the array with another one in its place."""

    get: Callable[[Array], Array]
    put: Callable[[Array, Array], Array]


def basic(key: object) -> tuple[Index, Any] | None:
    """A key of integers and slices, with the current values of its arrays, and this key for shadows; None for others.

    In the key for shadows unknown integers are 0.
    """
    key_now: list[Any] = []
    shadow_key: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, Array) and not part.aval.shape and issubclass(part.aval.dtype, dtypes.Integer):
            index = part.now()
            key_now.append(index)
            shadow_key.append(0 if index.known() is None else int(index))
        elif isinstance(part, int | np.integer | slice | None | type(...)) and not isinstance(part, bool):
            key_now.append(part)
            shadow_key.append(part)
        else:
            return None
    return tuple(key_now), tuple(shadow_key)


def at(key: Index) -> Lens:
    """The elements at integers and slices."""
    return Lens(lambda a: taking.getitem(a, key), lambda a, part: a.at[key].set(part))


def permuted(axes: Sequence[int]) -> Lens:
    """The axes in another order."""
    inverse = tuple([int(i) for i in np.argsort(axes)])
    return Lens(lambda a: fx.permute_dims(a, tuple(axes)), lambda _, part: fx.permute_dims(part, inverse))


def reshaped(shape: Sequence[int], order: Any = "C") -> Lens:
    """The elements in another shape, in the same order."""
    return Lens(
        lambda a: fx.reshape(a, tuple(shape), order=order), lambda a, part: fx.reshape(part, a.aval.shape, order=order)
    )


REAL: Final = Lens(fx.real, lambda a, part: fx.complex(part, fx.imag(a)))
"""The real part of complex numbers."""
IMAG: Final = Lens(fx.imag, lambda a, part: fx.complex(fx.real(a), part))
"""Their imaginary part."""


def rearranged(get: Callable[[Array], Array], positions: npt.NDArray[np.int64]) -> Lens:
    """Lens of a function that only moves elements; `positions` has the origin of each element of its result."""

    def put(a: Array, part: Array) -> Array:
        flat = fx.reshape(a, (-1,)).at[positions.ravel()].set(fx.reshape(part, (-1,)))
        return fx.reshape(flat, a.aval.shape)

    return Lens(get, put)
