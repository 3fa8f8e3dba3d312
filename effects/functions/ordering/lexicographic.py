"""Complex numbers in NumPy's order, by real and then by imaginary parts, composed of operations on the parts.

No operation compares complex numbers, so handlers and compilers need not either. Among equal elements the first one is
chosen, and has the whole derivative.
"""

from __future__ import annotations

import math
from functools import reduce

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.errors import EffaxError
from effects.functions.manipulation import movement
from effects.functions.reductions.prefixes import prefixes
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind, Select, Unary, UnaryKind
from effects.operations.gathering import Bounds, Gather
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.program.chain import perform
from effects.types import dtypes

_K = CompareKind


def is_complex(x: Array) -> bool:
    """Return True for complex x."""
    return issubclass(x.aval.dtype, dtypes.Complex)


def _parts(x: Array) -> tuple[Array, Array]:
    return perform(Unary(UnaryKind.REAL, x)), perform(Unary(UnaryKind.IMAG, x))


def _all(*bools: Array) -> Array:
    return reduce(lambda a, b: perform(Binary(BinaryKind.AND, a, b)), bools)


def _any(*bools: Array) -> Array:
    return reduce(lambda a, b: perform(Binary(BinaryKind.OR, a, b)), bools)


def _is(kind: CompareKind, x: Array, y: Array) -> Array:
    return perform(Compare(kind, x, y))


def missing(x: Array) -> Array:
    """Mask of the elements that have a NaN part."""
    return _is(_K.NE, x, x)


def compared(kind: CompareKind, x: Array, y: Array, error: EffaxError) -> Array:
    """Comparison of complex numbers, which `Compare` refuses with `error`; False where a part is NaN."""
    if not is_complex(x):
        raise error
    return _compared(kind, x, y)


def _compared(kind: CompareKind, x: Array, y: Array) -> Array:
    strict = _K.LT if kind in (_K.LT, _K.LE) else _K.GT
    (xr, xi), (yr, yi) = _parts(x), _parts(y)
    numbers = _is(_K.EQ, xi, xi), _is(_K.EQ, yi, yi)
    return _any(_all(_is(strict, xr, yr), *numbers), _all(_is(_K.EQ, xr, yr), _is(kind, xi, yi)))


def chosen(kind: BinaryKind, x: Array, y: Array, error: EffaxError) -> Array:
    """Maximum or minimum of complex x and y, which `Binary` refuses with `error`; a NaN if there is one."""
    if not is_complex(x):
        raise error
    return _chosen(kind, x, y)


def _chosen(kind: BinaryKind, x: Array, y: Array) -> Array:
    first = _compared(_K.GE if kind is BinaryKind.MAX else _K.LE, x, y)
    return perform(Select(_any(missing(x), first), x, y))


def position(kind: ArgReduceKind, x: Array, axis: int) -> Array:
    """Index along `axis` of the first NaN, else of the first greatest or least element."""
    greatest = kind is ArgReduceKind.ARGMAX
    end, fold = (-math.inf, ReduceKind.MAX) if greatest else (math.inf, ReduceKind.MIN)
    real, imag = _parts(x)
    candidates = _is(_K.EQ, real, perform(Reduce(fold, (axis,), real, True)))
    others = perform(Select(candidates, imag, constant_like(end, imag)))
    candidates = _all(candidates, _is(_K.EQ, imag, perform(Reduce(fold, (axis,), others, True))))
    nan = missing(x)
    some = perform(Reduce(ReduceKind.OR, (axis,), nan, True))
    return perform(ArgReduce(ArgReduceKind.ARGMAX, axis, perform(Select(some, nan, candidates))))


def extreme(kind: ReduceKind, x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The element over `axes` that is at the `position`."""
    shape = x.aval.shape
    rest = [a for a in range(len(shape)) if a not in axes]
    lead = tuple([shape[a] for a in rest])
    line = movement.reshape(movement.permute_dims(x, (*rest, *axes)), (math.prod(lead), -1))
    place = position(ArgReduceKind.ARGMAX if kind is ReduceKind.MAX else ArgReduceKind.ARGMIN, line, 1)
    element = perform(Gather((1,), 1, 0, Bounds.CLIP, 0, line, (place,)))
    sizes = tuple([1 if a in axes else n for a, n in enumerate(shape)]) if keepdims else lead
    return movement.reshape(element, sizes)


def running(kind: BinaryKind, x: Array, axis: int, reverse: bool) -> Array:
    """The extremes so far along `axis`."""
    line = movement.flip(x, axis=axis) if reverse else x
    (prefix,) = prefixes(lambda a, b: [_chosen(kind, a[0], b[0])], [line], [axis])
    return movement.flip(prefix, axis=axis) if reverse else prefix
