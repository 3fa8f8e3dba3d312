"""Functions that multiply and add over shared axes: matrix products, tensor contractions, outer products.

All of them are `DotGeneral` with axes moved before or after. Operands are promoted to one dtype, which the result has.
Narrow floats are multiplied and added in float32, and each product is rounded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from effects.arguments import choice, entries, integer, integers, refusal, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, multiplied_in, promote_pair
from effects.errors import ArgumentError
from effects.functions.elementwise import unary
from effects.functions.manipulation import diagonals, movement
from effects.functions.reductions import reduction
from effects.operations.contraction import MATRICES, NO_AXES, AxisPairs, DotGeneral, Precision
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import shapes
from effects.types.signatures.contraction import MatMul, Outer, TensorDot, VecDot
from effects.types.signatures.fractions import Trace

if TYPE_CHECKING:
    from effects.types.dtypes import DTypeLike
    from effects.types.shapes import Ints, TensordotAxes

_TWO: Final = ("x1", "x2")
_IN_ORDER: Final = tuple(range(64))

type _Plan = tuple[Ints, Ints, AxisPairs, AxisPairs, Ints]


def _plan(lead_a: Ints, rows: Ints, lead_b: Ints, columns: Ints, k: int) -> _Plan:
    """Arrangement of the axes for `[*lead_a, *rows, k] @ [*lead_b, k, *columns]`, the leading axes of which broadcast.

    It returns the shapes for the operands, the contracting and the batch axes, and the permutation of the result. A
    leading axis that both have becomes a batch axis; one that only one has, or that has size 1 in the other (from which
    it is dropped), stays a free axis, so that nothing is repeated.
    """
    rank = max(len(lead_a), len(lead_b))
    kept_a: list[int] = []
    kept_b: list[int] = []
    batch: list[tuple[int, int]] = []
    shared: list[int] = []  # positions in the result of batch axes, of those of a, of those of b
    only_a: list[int] = []
    only_b: list[int] = []
    for i in range(rank):
        d = lead_a[i - rank] if i - rank >= -len(lead_a) else None
        e = lead_b[i - rank] if i - rank >= -len(lead_b) else None
        if d is not None and e is not None and d == e:
            batch.append((len(kept_a), len(kept_b)))
            shared.append(i)
            kept_a.append(d)
            kept_b.append(e)
        elif d is not None and (e is None or e == 1):
            only_a.append(i)
            kept_a.append(d)
        elif e is not None:
            only_b.append(i)
            kept_b.append(e)
    order = [*shared, *only_a, *[rank] * len(rows), *only_b, *[rank + 1] * len(columns)]
    return (
        (*kept_a, *rows, k),
        (*kept_b, k, *columns),
        ((len(kept_a) + len(rows),), (len(kept_b),)),
        (tuple([i for i, _ in batch]), tuple([j for _, j in batch])),
        tuple(sorted(range(len(order)), key=order.__getitem__)),
    )


@memoised
def _matmul_plan(a: Ints, b: Ints) -> _Plan:
    shapes.matmul(a, b)
    return _plan(a[:-2], a[-2:-1], b[:-2], b[-1:] if len(b) > 1 else (), a[-1])


@memoised
def _vecdot_plan(a: Ints, b: Ints) -> _Plan:
    shapes.vecdot(a, b)
    return _plan(a[:-1], (), b[:-1], (), a[-1])


def _planned(plan: _Plan, x: Array, y: Array) -> Array:
    shape_x, shape_y, contracting, batch, perm = plan
    if shape_x == x.aval.shape and shape_y == y.aval.shape and perm == _IN_ORDER[: len(perm)]:
        return perform(DotGeneral(contracting, batch, x, y))
    product = perform(DotGeneral(contracting, batch, movement.reshape(x, shape_x), movement.reshape(y, shape_y)))
    return movement.permute_dims(product, perm)


@MatMul
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """out[..., i, j] = Σ_k x1[..., i, k] x2[..., k, j]; leading axes broadcast, a vector has no i (no j).

    Raises ShapeError when the contracted sizes differ, and for scalars.

    >>> import effects as fx
    >>> fx.matmul(fx.asarray([[1, 2], [3, 4]]), fx.asarray([1, 1]))
    Array([3, 7], int64)
    """
    x, y = promote_pair("matmul", x1, x2, _TWO)
    a, b = x.aval, y.aval
    if a.ndim == 2 == b.ndim and a.shape[1] == b.shape[0]:
        return perform(DotGeneral(MATRICES, NO_AXES, x, y))
    return _planned(_matmul_plan(x.aval.shape, y.aval.shape), x, y)


def dot_general(
    x: ArrayLike,
    y: ArrayLike,
    /,
    contracting: AxisPairs,
    batch: AxisPairs = ((), ()),
    *,
    preferred_element_type: DTypeLike | None = None,
    precision: Precision = "default",
) -> Array:
    """Products of x and y summed over the `contracting` pairs of axes, for each position of the `batch` pairs.

    Each is a pair (axes of x, axes of y). The axes of the result are the batch axes, then what is left of x, then what
    is left of y, each in order. With `preferred_element_type` products and sums are of that dtype, and the result is.
    `precision` is how accelerators multiply float32: "default" is their fastest way, "highest" that of a CPU.

    Raises ShapeError where sizes differ, DTypeError when `preferred_element_type` cannot hold
    fractions or imaginary parts that operands may have.

    >>> import effects as fx
    >>> fx.dot_general(fx.zeros((2, 3, 4)), fx.zeros((2, 4, 5)), ((2,), (1,)), ((0,), (0,))).shape
    (2, 3, 5)
    """
    a, b = promote_pair("dot_general", x, y)
    if preferred_element_type is not None:
        a = multiplied_in(a, preferred_element_type, "dot_general", "x")
        b = multiplied_in(b, preferred_element_type, "dot_general", "y")
    choice("dot_general", "precision", precision, Precision)
    summed, shared = _pairs("contracting", contracting, a, b), _pairs("batch", batch, a, b)
    return perform(DotGeneral(summed, shared, a, b, precision))


def _pairs(argument: str, pairs: AxisPairs, x: Array, y: Array) -> AxisPairs:
    sides: object = pairs
    if isinstance(sides, tuple | list) and any(
        [isinstance(side, tuple | list) for pair in sides for side in entries(pair)]
    ):
        raise ArgumentError(
            f"dot_general: {argument} must be a pair, axes of x and axes of y, got {shown(sides)}; what is contracted "
            "and what is batched are two arguments: dot_general(x, y, ((1,), (0,)), ((), ()))"
        )
    if not isinstance(sides, tuple | list) or len(sides) != 2:
        raise refusal("dot_general", argument, "a pair, axes of x and axes of y", sides)
    left, right = [integers("dot_general", argument, side) for side in sides]
    return (
        tuple([shapes.normalize_axis("dot_general", x.aval.shape, i, argument) for i in left]),
        tuple([shapes.normalize_axis("dot_general", y.aval.shape, j, argument) for j in right]),
    )


@TensorDot
def tensordot(x1: ArrayLike, x2: ArrayLike, /, axes: TensordotAxes = 2) -> Array:
    """Products summed over pairs of axes: the last n of x1 with the first n of x2 (an int n), or those of a pair.

    The axes of the result are the others of x1, then the others of x2.

    >>> import effects as fx
    >>> fx.tensordot(fx.ones((2, 3)), fx.ones((4, 3)), axes=(1, 1)).shape
    (2, 4)
    """
    x, y = promote_pair("tensordot", x1, x2, _TWO)
    axes_given: object = axes
    if not isinstance(axes_given, tuple | list):
        pairs: int | Sequence[Ints] = integer("tensordot", "axes", axes_given)
    elif len(axes_given) == 2:
        pairs = tuple([integers("tensordot", "axes", side) for side in axes_given])
    else:
        raise refusal("tensordot", "axes", "an int or a pair", axes_given)
    shapes.tensordot(x.aval.shape, y.aval.shape, pairs)
    return perform(DotGeneral(shapes.tensordot_axes(x.aval.shape, y.aval.shape, pairs), ((), ()), x, y))


@VecDot
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Σ conj(x1[i]) x2[i] along `axis` of each; the other axes broadcast.

    >>> import effects as fx
    >>> fx.vecdot(fx.asarray([1, 2]), fx.asarray([3, 4]))
    Array(11, int64)
    """
    x, y = promote_pair("vecdot", x1, x2, _TWO)
    axis = integer("vecdot", "axis", axis)
    if axis != -1:
        shapes.vecdot(x.aval.shape, y.aval.shape, axis)
        x, y = movement.moveaxis(x, axis, -1), movement.moveaxis(y, axis, -1)
    return _planned(_vecdot_plan(x.aval.shape, y.aval.shape), unary.conj(x), y)


@Outer
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """out[i, j] = x1[i] x2[j]; arguments of other ranks are flattened.

    >>> import effects as fx
    >>> fx.outer(fx.asarray([1, 2]), fx.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], int64)
    """
    x, y = promote_pair("outer", x1, x2, _TWO)
    return movement.reshape(x, (x.aval.size, 1)) * movement.reshape(y, (1, y.aval.size))


@Outer
def kron(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The products of all elements: x2 once for each element of x1, times that, along every axis.

    The one of lower rank gets leading axes of size 1.

    >>> import effects as fx
    >>> fx.kron(fx.asarray([1, 10]), fx.asarray([[1, 2], [3, 4]]))
    Array([[ 1,  2, 10, 20],
           [ 3,  4, 30, 40]], int64)
    """
    x, y = promote_pair("kron", x1, x2, _TWO)
    rank = max(x.aval.ndim, y.aval.ndim)
    a = (*(1,) * (rank - x.aval.ndim), *x.aval.shape)
    b = (*(1,) * (rank - y.aval.ndim), *y.aval.shape)
    outer = movement.reshape(x, tuple([d for n in a for d in (n, 1)]))
    inner = movement.reshape(y, tuple([d for n in b for d in (1, n)]))
    return movement.reshape(outer * inner, tuple([n * m for n, m in zip(a, b, strict=True)]))


@Trace
def trace(x: ArrayLike, /, offset: int = 0, axis1: int = -2, axis2: int = -1, dtype: DTypeLike | None = None) -> Array:
    """Σ x[..., i, i + offset] over the last two axes (or `axis1` and `axis2`); dtypes as in `sum`.

    >>> import effects as fx
    >>> fx.trace(fx.asarray([[1, 2], [3, 4]]))
    Array(5, int64)
    """
    return reduction.sum(diagonals.diagonal(as_array(x, "trace", "x"), offset, axis1, axis2), axis=-1, dtype=dtype)
