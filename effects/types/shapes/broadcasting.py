"""Broadcasting: shapes aligned at their last axis, sizes equal or 1. Every elementwise operation uses these rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from effects.errors import ShapeError
from effects.types.shapes.axes import check_axes
from effects.types.shapes.dims import Dim, Ints, Shape, Star, agree, is_ranked, rule, show, with_rank


@overload
def broadcast(a: Ints, b: Ints) -> Ints: ...
@overload
def broadcast(a: Shape, b: Shape) -> Shape: ...
def broadcast(a: Shape, b: Shape) -> Shape:
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


@overload
def broadcast_all(shapes: Sequence[Ints]) -> Ints: ...
@overload
def broadcast_all(shapes: Sequence[Shape]) -> Shape: ...
def broadcast_all(shapes: Sequence[Shape]) -> Shape:
    """The common shape of any number of operands; () of none.

    >>> broadcast_all([(3, 1), (), (1, 4)])
    (3, 4)
    """
    out: Shape = ()
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
        given = ", ".join([f"{name} {show(shape)}" for name, shape in shapes.items() if shape])
        raise ShapeError(f"{function}: shapes do not broadcast: {given}") from None


@overload
def select(pred: Ints, x: Ints, y: Ints) -> Ints: ...
@overload
def select(pred: Shape, x: Shape, y: Shape) -> Shape: ...
def select(pred: Shape, x: Shape, y: Shape) -> Shape:
    """The shape of ``where(pred, x, y)``: all three broadcast.

    >>> select((), (3,), (2, 1))
    (2, 3)
    """
    return broadcast(pred, broadcast(x, y))


@overload
def broadcast_to(shape: Ints, target: Ints) -> Ints: ...
@overload
def broadcast_to(shape: Shape, target: Shape) -> Shape: ...
@rule
def broadcast_to(shape: Shape, target: Shape) -> Shape:
    """``target``, to which ``shape`` must broadcast without ``target`` changing.

    >>> broadcast_to((3, 1), (2, 3, 4))
    (2, 3, 4)
    >>> broadcast_to((3,), (3, 4))
    Traceback (most recent call last):
    effects.errors.ShapeError: broadcast_to: cannot broadcast [3] to [3, 4]: dimension 3 vs 4 (axis -1)
      at ...
    """
    if not is_ranked(shape) or not is_ranked(target):
        return target
    if len(shape) > len(target):
        raise ShapeError(
            f"broadcast_to: cannot broadcast {show(shape)} to {show(target)}: rank {len(shape)} exceeds {len(target)}"
        )
    for i in range(-1, -len(shape) - 1, -1):
        if shape[i] != 1 and not agree(shape[i], target[i]):
            raise ShapeError(
                f"broadcast_to: cannot broadcast {show(shape)} to {show(target)}: "
                f"dimension {shape[i]} vs {target[i]} (axis {i})"
            )
    return target


@overload
def broadcast_in_dim(shape: Ints, out_shape: Ints, dims: tuple[int, ...]) -> Ints: ...
@overload
def broadcast_in_dim(shape: Shape, out_shape: Shape, dims: tuple[int, ...]) -> Shape: ...
@rule
def broadcast_in_dim(shape: Shape, out_shape: Shape, dims: tuple[int, ...]) -> Shape:
    """``out_shape``, whose axis ``dims[i]`` is axis i of ``shape``: of the same size, or axis i has size 1.

    >>> broadcast_in_dim((3, 1), (3, 2, 4), (0, 2))
    (3, 2, 4)
    >>> broadcast_in_dim((3,), (3, 4), (1,))
    Traceback (most recent call last):
    effects.errors.ShapeError: broadcast_in_dim: dimension 3 vs 4 (axis 0 of [3], axis 1 of [3, 4])
      at ...
    """
    source = with_rank(shape, len(dims))
    if len(dims) != len(source):
        raise ShapeError(f"broadcast_in_dim: {len(dims)} dims for shape {show(shape)} (rank {len(source)})")
    if not is_ranked(out_shape):
        return out_shape
    check_axes("broadcast_in_dim", out_shape, dims)
    for i, (d, k) in enumerate(zip(source, dims, strict=True)):
        if d != 1 and not agree(d, out_shape[k]):
            raise ShapeError(
                f"broadcast_in_dim: dimension {d} vs {out_shape[k]} "
                f"(axis {i} of {show(shape)}, axis {k} of {show(out_shape)})"
            )
    return out_shape


@overload
def broadcast_dims(a: Ints, b: Ints, message: str, last: int = ...) -> Ints: ...
@overload
def broadcast_dims(a: Shape, b: Shape, message: str, last: int = ...) -> Shape: ...
def broadcast_dims(a: Shape, b: Shape, message: str, last: int = -1) -> Shape:
    """`broadcast` of ``a`` and ``b`` whose `ShapeError` is ``message`` and the sizes; ``last`` names the last axis.

    >>> broadcast_dims((2,), (3,), "batch mismatch", last=-3)
    Traceback (most recent call last):
    effects.errors.ShapeError: batch mismatch: dimension 2 vs 3 (axis -3)
      at ...
    """
    if not (is_ranked(a) and is_ranked(b)):
        return _broadcast_packs(a, b, message, last)
    if len(a) < len(b):
        head, n = b[: len(b) - len(a)], len(a)
    else:
        head, n = a[: len(a) - len(b)], len(b)
    out: list[Dim] = list(head)
    tail_a, tail_b = a[len(a) - n :], b[len(b) - n :]
    if tail_a == tail_b:
        return (*out, *tail_a)
    # From the last axis to the first, so that an error names the last axis that differs.
    tail = [_join(tail_a[i], tail_b[i], message, last - n + 1 + i) for i in range(n - 1, -1, -1)]
    return (*out, *reversed(tail))


@rule
def _broadcast(a: Shape, b: Shape) -> Shape:
    return broadcast_dims(a, b, f"cannot broadcast {show(a)} with {show(b)}")


def _join(d: Dim, e: Dim, message: str, axis: int) -> Dim:
    if d == e or e == 1:
        return d
    if d == 1:
        return e
    # A size that is not known may be 1: with an int above 1 the result is that int, with a symbol it is not known.
    if d is None:
        return e if isinstance(e, int) else None
    if e is None:
        return d if isinstance(d, int) else None
    raise ShapeError(f"{message}: dimension {d} vs {e} (axis {axis})")


def _broadcast_packs(a: Shape, b: Shape, message: str, last: int) -> Shape:
    out: list[Dim] = []
    while a and b and a != b and not isinstance(a[-1], Star) and not isinstance(b[-1], Star):
        out.append(_join(a[-1], b[-1], message, last - len(out)))
        a, b = a[:-1], b[:-1]
    if not a or not b or a == b:
        return (*(a or b), *reversed(out))
    # A pack stands against at least one size; the sizes that are left are the least the result can have.
    sizes = b if isinstance(a[-1], Star) else a
    while sizes and not isinstance(sizes[-1], Star):
        out.append(_join(sizes[-1], None, message, last))
        sizes = sizes[:-1]
    return (Star(), *reversed(out))
