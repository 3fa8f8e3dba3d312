"""Broadcasting: shapes aligned at their last axis, sizes equal or 1. Every elementwise operation uses these rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.axes import check_axes
from effects.types.shapes.dims import Ints, show


def broadcast(a: Ints, b: Ints) -> Ints:
    """The shape of an elementwise operation on operands of shapes ``a`` and ``b`` (NumPy's rule).

    Raises `ShapeError` with the first axis, from the last, at which the sizes differ and neither is 1.

    >>> broadcast((3, 1), (4,))
    (3, 4)
    >>> broadcast((3, 4), (3,))
    Traceback (most recent call last):
    effects.errors.ShapeError: cannot broadcast [3, 4] with [3]: dimension 4 vs 3 (axis -1)
      at ...
    """
    if a == b or not b:
        return a
    if not a:
        return b
    return _broadcast(a, b)


def broadcast_all(shapes: Sequence[Ints]) -> Ints:
    """The common shape of any number of operands; () of none.

    >>> broadcast_all([(3, 1), (), (1, 4)])
    (3, 4)
    """
    out: Ints = ()
    for shape in shapes:
        if out != shape:
            out = broadcast(out, shape)
    return out


def broadcast_named(function: str, shapes: Mapping[str, Ints]) -> Ints:
    """The common shape of a function's arguments, by their names, which its error says.

    >>> broadcast_named("beta", {"a": (3,), "b": (2,)})
    Traceback (most recent call last):
    effects.errors.ShapeError: beta: shapes do not broadcast: a [3], b [2]
      at ...
    """
    try:
        return broadcast_all([*shapes.values()])
    except ShapeError:
        listed = ", ".join([f"{name} {show(shape)}" for name, shape in shapes.items() if shape])
        raise ShapeError(f"{function}: shapes do not broadcast: {listed}") from None


@memoised
def broadcast_to(shape: Ints, target: Ints) -> Ints:
    """``target``, to which ``shape`` must broadcast without ``target`` changing.

    >>> broadcast_to((3, 1), (2, 3, 4))
    (2, 3, 4)
    >>> broadcast_to((3,), (3, 4))
    Traceback (most recent call last):
    effects.errors.ShapeError: broadcast_to: cannot broadcast [3] to [3, 4]: dimension 3 vs 4 (axis -1)
      at ...
    """
    if len(shape) > len(target):
        raise ShapeError(
            f"broadcast_to: cannot broadcast {show(shape)} to {show(target)}: rank {len(shape)} exceeds {len(target)}"
        )
    for i in range(-1, -len(shape) - 1, -1):
        if shape[i] != 1 and shape[i] != target[i]:
            raise ShapeError(
                f"broadcast_to: cannot broadcast {show(shape)} to {show(target)}: "
                f"dimension {shape[i]} vs {target[i]} (axis {i})"
            )
    return target


@memoised
def broadcast_in_dim(shape: Ints, out_shape: Ints, dims: tuple[int, ...]) -> Ints:
    """``out_shape``, whose axis ``dims[i]`` is axis i of ``shape``: of the same size, or axis i has size 1.

    >>> broadcast_in_dim((3, 1), (3, 2, 4), (0, 2))
    (3, 2, 4)
    >>> broadcast_in_dim((3,), (3, 4), (1,))
    Traceback (most recent call last):
    effects.errors.ShapeError: broadcast_in_dim: dimension 3 vs 4 (axis 0 of [3], axis 1 of [3, 4])
      at ...
    """
    if len(dims) != len(shape):
        raise ShapeError(f"broadcast_in_dim: {len(dims)} dims for shape {show(shape)} (rank {len(shape)})")
    check_axes("broadcast_in_dim", out_shape, dims)
    for i, (d, k) in enumerate(zip(shape, dims, strict=True)):
        if d not in (1, out_shape[k]):
            raise ShapeError(
                f"broadcast_in_dim: dimension {d} vs {out_shape[k]} "
                f"(axis {i} of {show(shape)}, axis {k} of {show(out_shape)})"
            )
    return out_shape


def broadcast_dims(a: Ints, b: Ints, message: str, last: int = -1) -> Ints:
    """`broadcast` of ``a`` and ``b`` whose `ShapeError` is ``message`` and the sizes; ``last`` names the last axis.

    >>> broadcast_dims((2,), (3,), "batch mismatch", last=-3)
    Traceback (most recent call last):
    effects.errors.ShapeError: batch mismatch: dimension 2 vs 3 (axis -3)
      at ...
    """
    if len(a) < len(b):
        head, n = b[: len(b) - len(a)], len(a)
    else:
        head, n = a[: len(a) - len(b)], len(b)
    tail_a, tail_b = a[len(a) - n :], b[len(b) - n :]
    if tail_a == tail_b:
        return (*head, *tail_a)
    # From the last axis to the first, so that an error names the last axis that differs.
    tail = [_join(tail_a[i], tail_b[i], message, last - n + 1 + i) for i in range(n - 1, -1, -1)]
    return (*head, *reversed(tail))


@memoised
def _broadcast(a: Ints, b: Ints) -> Ints:
    return broadcast_dims(a, b, f"cannot broadcast {show(a)} with {show(b)}")


def _join(d: int, e: int, message: str, axis: int) -> int:
    if d == e or e == 1:
        return d
    if d == 1:
        return e
    raise ShapeError(f"{message}: dimension {d} vs {e} (axis {axis})")
