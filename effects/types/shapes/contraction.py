"""Contractions: dot_general, of which matmul, vecdot and tensordot are special cases."""

from __future__ import annotations

from collections.abc import Sequence

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.axes import check_axes, normalize_axis
from effects.types.shapes.broadcasting import broadcast_dims
from effects.types.shapes.dims import Ints, show

type AxisPairs = tuple[tuple[int, ...], tuple[int, ...]]
"""Axes of the left operand, and the axes of the right operand that they go with."""


@memoised
def dot_general(lhs: Ints, rhs: Ints, contracting: AxisPairs, batch: AxisPairs = ((), ())) -> Ints:
    """Batch axes, then the free axes of ``lhs``, then the free axes of ``rhs``; paired axes have equal sizes.

    >>> dot_general((2, 3, 4), (2, 4, 5), ((2,), (1,)), ((0,), (0,)))
    (2, 3, 5)
    >>> dot_general((3, 4), (3, 5), ((1,), (0,)))
    Traceback (most recent call last):
    effects.errors.ShapeError: dot_general contraction mismatch: axis 1 of [3, 4] and axis 0 of [3, 5]: 4 vs 3
      at ...
    """
    for shape, own in ((lhs, (*contracting[0], *batch[0])), (rhs, (*contracting[1], *batch[1]))):
        check_axes("dot_general", shape, own)
    _check_pairs("dot_general contraction mismatch", lhs, rhs, contracting)
    _check_pairs("dot_general batch mismatch", lhs, rhs, batch)
    return (
        *[lhs[i] for i in batch[0]],
        *_free(lhs, (*contracting[0], *batch[0])),
        *_free(rhs, (*contracting[1], *batch[1])),
    )


def _free(shape: Ints, used: Sequence[int]) -> list[int]:
    return [d for i, d in enumerate(shape) if i not in used]


def _check_pairs(message: str, lhs: Ints, rhs: Ints, pairs: AxisPairs) -> None:
    left, right = pairs
    if len(left) != len(right):
        raise ShapeError(
            f"{message}: {len(left)} axes {left} of {show(lhs)} but {len(right)} axes {right} of {show(rhs)}"
        )
    for i, j in zip(left, right, strict=True):
        if lhs[i] != rhs[j]:
            raise ShapeError(f"{message}: axis {i} of {show(lhs)} and axis {j} of {show(rhs)}: {lhs[i]} vs {rhs[j]}")


@memoised
def matmul(a: Ints, b: Ints) -> Ints:
    """``[..., n, k] @ [..., k, m] -> [..., n, m]``, leading axes broadcast; a vector has no n (left) or no m (right).

    >>> matmul((5, 2, 3), (3, 4)), matmul((3,), (3, 4)), matmul((3,), (3,))
    ((5, 2, 4), (4,), ())
    >>> matmul((3, 4), (3,))
    Traceback (most recent call last):
    effects.errors.ShapeError: matmul contraction mismatch: [3, 4] @ [3]: 4 vs 3
      at ...
    """
    if not a or not b:
        raise ShapeError(f"matmul needs rank >= 1, got {show(a)} @ {show(b)}; a product with a number is written *")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise ShapeError(f"matmul contraction mismatch: {show(a)} @ {show(b)}: {a[-1]} vs {inner}")
    rows, columns = a[-2:-1], b[-1:] if len(b) > 1 else ()
    lead = broadcast_dims(a[:-2], b[:-2], f"matmul batch mismatch: {show(a)} @ {show(b)}", last=-3)
    return (*lead, *rows, *columns)


@memoised
def vecdot(a: Ints, b: Ints, axis: int = -1) -> Ints:
    """The sum of products along ``axis`` of each operand, of equal size; the other axes broadcast.

    >>> vecdot((5, 3), (3,)), vecdot((3, 5), (3, 1), 0)
    ((5,), (5,))
    >>> vecdot((5, 3), (4,))
    Traceback (most recent call last):
    effects.errors.ShapeError: vecdot contraction mismatch: [5, 3] and [4]: 3 vs 4
      at ...
    """
    i, j = normalize_axis("vecdot", a, axis), normalize_axis("vecdot", b, axis)
    if a[i] != b[j]:
        raise ShapeError(f"vecdot contraction mismatch: {show(a)} and {show(b)}: {a[i]} vs {b[j]}")
    message = f"vecdot batch mismatch: {show(a)} and {show(b)} without axis {axis}"
    return broadcast_dims((*a[:i], *a[i + 1 :]), (*b[:j], *b[j + 1 :]), message)


type TensordotAxes = int | Sequence[int | Sequence[int]]


def tensordot_axes(a: Ints, b: Ints, axes: TensordotAxes = 2) -> AxisPairs:
    """The pairs that ``axes`` of `tensordot` means: an int n pairs the last n axes of ``a`` with the first n of ``b``.

    >>> tensordot_axes((2, 3, 4), (3, 4, 5)), tensordot_axes((2, 3), (4, 3), (-1, [1]))
    (((1, 2), (0, 1)), ((1,), (1,)))
    """
    if isinstance(axes, int):
        if not 0 <= axes <= min(len(a), len(b)):
            raise ShapeError(f"tensordot: cannot contract {axes} axes of shapes {show(a)} and {show(b)}")
        return tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    if len(axes) != 2:
        raise ShapeError(f"tensordot: axes must be an int or a pair, got {axes}")
    left, right = [tuple(x) if isinstance(x, Sequence) else (x,) for x in axes]
    pairs = (
        tuple([normalize_axis("tensordot", a, i) for i in left]),
        tuple([normalize_axis("tensordot", b, j) for j in right]),
    )
    check_axes("tensordot", a, pairs[0])
    check_axes("tensordot", b, pairs[1])
    return pairs


def tensordot(a: Ints, b: Ints, axes: TensordotAxes = 2) -> Ints:
    """The axes of ``a`` that are not contracted, then those of ``b``.

    >>> tensordot((2, 3, 4), (3, 4, 5)), tensordot((2,), (3,), 0)
    ((2, 5), (2, 3))
    >>> tensordot((2, 3), (4, 5), 1)
    Traceback (most recent call last):
    effects.errors.ShapeError: tensordot contraction mismatch: axis 1 of [2, 3] and axis 0 of [4, 5]: 3 vs 4
      at ...
    """
    if not isinstance(axes, int):
        axes = tuple([tuple(side) if isinstance(side, Sequence) else side for side in axes])
    return _tensordot(a, b, axes)


@memoised
def _tensordot(a: Ints, b: Ints, axes: TensordotAxes) -> Ints:
    pairs = tensordot_axes(a, b, axes)
    _check_pairs("tensordot contraction mismatch", a, b, pairs)
    return (*_free(a, pairs[0]), *_free(b, pairs[1]))
