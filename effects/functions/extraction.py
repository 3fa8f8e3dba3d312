"""Functions of NumPy's whose result's shape or dtype depends on values, which must therefore be known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from effects.arguments import choice, number
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ConcretizationError
from effects.functions import elementwise, indexing, inspection, movement
from effects.functions.keys import listed
from effects.functions.settled import settled
from effects.operations.indexing import Slice
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike, Like
    from effects.arrays.operators import DT
    from effects.functions.reduction import Axes


type Ends = Literal["f", "b", "fb", "bf", "F", "B", "FB", "BF"]


@settled
def extract(condition: ArrayLike | Sequence[bool], x: Like[DT], /) -> Array[DT]:
    """The elements of x, in row-major order, where those of `condition` in that order are not zero.

    >>> import numpy as np
    >>> extract(np.array([[True, False], [False, True]]), np.array([[1, 2], [3, 4]]))
    Array([1, 4], int64)
    """
    if isinstance(condition, list | tuple):
        condition = listed("extract", condition, "condition")
    mask = elementwise.astype(as_array(condition, "extract", "condition"), dtypes.bool_)
    if mask.known() is None:
        raise ConcretizationError(
            "extract: condition must be known, since its values decide the shape of the result; it is "
            f"{mask.unknown_reason()}. Choose with where(condition, x, y), which keeps the shape"
        )
    flat = movement.reshape(as_array(x, "extract", "x"), (-1,))
    return indexing.compress(movement.reshape(mask, (-1,)), flat)


def trim_zeros(x: Like[DT], /, trim: Ends = "fb", axis: Axes = None) -> Array[DT]:
    """x without the zeros at its ends: the front one ("f"), the back one ("b"), or both, of the given axes or of all.

    Where the zeros are must be known; otherwise cut with a slice.

    >>> import numpy as np
    >>> trim_zeros(np.array([0, 0, 3, 0, 4, 0])), trim_zeros(np.array([0, 3, 0]), "f")
    (Array([3, 0, 4], int64), Array([3, 0], int64))
    """
    array = as_array(x, "trim_zeros", "x")
    ends = choice("trim_zeros", "trim", trim, Ends)
    shape = array.aval.shape
    axes = shapes.normalize_axes("trim_zeros", shape, shapes.as_axes("trim_zeros", axis))
    known = array.known()
    if known is None:
        raise ConcretizationError(
            "trim_zeros: x must be known, since its values decide the shape of the result; it is "
            f"{array.unknown_reason()}. Write x[start:stop]"
        )
    if not shape:
        return array
    places = np.nonzero(known.fetch())
    starts, stops = [0] * len(shape), list(shape)
    for a in axes:
        if not places[a].size:
            starts[a] = stops[a] = 0
            continue
        starts[a] = int(places[a].min()) if "f" in ends.lower() else 0
        stops[a] = int(places[a].max()) + 1 if "b" in ends.lower() else shape[a]
    return perform(Slice(tuple(starts), tuple(stops), (1,) * len(shape), array))


def real_if_close(x: ArrayLike, /, tol: float = 100) -> Array:
    """The real part of x where every imaginary part is less than `tol` times the spacing of floats at 1, else x.

    A `tol` of at most 1 is the bound itself. Complex values must be known, since they decide the dtype.

    >>> import numpy as np
    >>> real_if_close(np.array([2 + 1e-15j])), real_if_close(np.array([2 + 1e-3j]))
    (Array([2.], float64), Array([2.+0.001j], complex128))
    """
    array = as_array(x, "real_if_close", "x")
    bound = number("real_if_close", "tol", tol)
    if not issubclass(array.aval.dtype, dtypes.Complex):
        return array
    known = array.known()
    if known is None:
        raise ConcretizationError(
            f"real_if_close: x must be known, since its values decide the dtype of the result; it is "
            f"{array.unknown_reason()}. Write real(x)"
        )
    least = bound * inspection.finfo(array.aval.dtype).eps if bound > 1 else bound
    return elementwise.real(array) if (np.abs(known.fetch().imag) < least).all() else array
