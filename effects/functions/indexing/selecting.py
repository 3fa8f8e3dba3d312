"""The first of several values whose condition holds. Names and semantics are NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects.arguments import check_callable, sequence
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, as_type, common_type, convert
from effects.errors import ArgumentError, ConcretizationError, DTypeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.indexing import taking
from effects.functions.indexing.keys import listed
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.types import dtypes


def _conditions(function: str, argument: str, conditions: object) -> list[Array]:
    arrays = [as_array(c, function, argument) for c in sequence(function, argument, conditions, "arrays of bools")]
    for condition in arrays:
        if condition.aval.dtype is not dtypes.bool_:
            raise DTypeError(f"{function}: {argument} must be of bools, got {condition.aval}")
    return arrays


def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> Array:
    """For each element the choice of the first condition that holds, `default` where none does.

    >>> import effects as fx
    >>> x = fx.asarray([-1.0, 0.5, 2.0])
    >>> fx.select([x < 0, x < 1], [-x, x * x])
    Array([1.  , 0.25, 0.  ], float64)
    """
    conditions = _conditions("select", "condlist", condlist)
    choices = [as_array(c, "select", "choicelist") for c in sequence("select", "choicelist", choicelist, "arrays")]
    if len(conditions) != len(choices) or not choices:
        raise ArgumentError(
            "select: condlist and choicelist must be of one length, 1 at least, got "
            f"{len(conditions)} and {len(choices)}"
        )
    last = as_array(default, "select", "default")
    dtype, weak = common_type([c.aval for c in (*choices, last)])
    out = as_type(last, dtype, weak, "select", "default")
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        out = logic.where(condition, convert(choice, dtype, weak), out)
    return out


def piecewise(
    x: Like[DT], /, condlist: Sequence[ArrayLike], funclist: Sequence[Callable[[Array], ArrayLike] | ArrayLike]
) -> Array[DT]:
    """For each element what the function (or the number) of the last condition that holds gives, in the dtype of x.

    One more function than conditions is for where none holds; without it that is 0. Every function is called with all
    of x.

    >>> import effects as fx
    >>> x = fx.asarray([-1.0, 2.0])
    >>> fx.piecewise(x, [x < 0], [lambda x: -x, 7.0])
    Array([1., 7.], float64)
    """
    array = as_array(x, "piecewise", "x")
    conditions = _conditions("piecewise", "condlist", condlist)
    functions = list(sequence("piecewise", "funclist", funclist, "functions"))
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ArgumentError(
            f"piecewise: {len(conditions)} conditions in condlist take as many or one more in funclist, got "
            f"{len(functions)}"
        )
    out = creation.zeros_like(array)
    if len(functions) > len(conditions):
        out = _piece(functions.pop(), array)
    for condition, function in zip(conditions, functions, strict=True):
        out = logic.where(condition, _piece(function, array), out)
    return out


def _piece(function: object, x: Array) -> Array:
    if callable(function) and not isinstance(function, Array):
        check_callable("piecewise", function, "funclist")
        piece: Array = as_array(function(x), "piecewise", "funclist")
    else:
        piece = as_array(function, "piecewise", "funclist")
    return convert(piece, x.aval.dtype, x.aval.weak_type)


@outside_of_tracing
def extract(condition: ArrayLike | Sequence[bool], x: Like[DT], /) -> Array[DT]:
    """The elements of x, in row-major order, where those of `condition` in that order are not zero.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.extract(np.array([[True, False], [False, True]]), np.array([[1, 2], [3, 4]]))
    Array([1, 4], int64)
    """
    if isinstance(condition, list | tuple):
        condition = listed("extract", condition, "condition")
    mask = unary.astype(as_array(condition, "extract", "condition"), dtypes.bool_)
    if mask.known() is None:
        raise ConcretizationError(
            "extract: condition must be known, since its values decide the shape of the result; it is "
            f"{mask.unknown_reason()}. Choose with where(condition, x, y), which keeps the shape"
        )
    flat = movement.reshape(as_array(x, "extract", "x"), (-1,))
    return taking.compress(movement.reshape(mask, (-1,)), flat)
