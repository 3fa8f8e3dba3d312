"""Reshape: the same elements in the same order under other axes; also with symbols, as products that must be equal."""

from __future__ import annotations

import math
from typing import overload

from effects.errors import ShapeError
from effects.types.shapes.dims import Dim, Ints, Ranked, Shape, Sym, check_shape, is_ranked, is_static, rule, show


@overload
def reshape(shape: Ints, target: Ints) -> Ints: ...
@overload
def reshape(shape: Shape, target: Shape) -> Shape: ...
def reshape(shape: Shape, target: Shape) -> Shape:
    """``target``, of as many elements as ``shape``; one dimension may be -1, which is then computed.

    Products of symbols must be equal too; where that is not decidable the target is believed, and a -1 is unknown.

    >>> reshape((3, 4), (2, -1))
    (2, 6)
    >>> N = Sym("n", "N")
    >>> show(reshape((2, N), (-1, 2))), show(reshape((2, N), (-1,)))
    ('[N, 2]', '[?]')
    >>> reshape((3, 4), (5, -1))
    Traceback (most recent call last):
    effects.errors.ShapeError: reshape: cannot reshape [3, 4] into [5, -1]: 12 is not a multiple of 5
      at ...
    """
    return shape if shape == target else _reshape(shape, target)


@rule
def _reshape(shape: Shape, target: Shape) -> Shape:
    inferred = target.count(-1)
    if inferred > 1:
        raise ShapeError(f"reshape: only one dimension of {show(target)} may be -1")
    at = target.index(-1) if inferred else None
    given = check_shape("reshape", target if at is None else (*target[:at], *target[at + 1 :]))
    if is_static(shape) and is_static(given):
        missing: Dim = _missing_int(shape, given, at is not None, target)
    else:
        missing = _missing(shape, given, at is not None, target)
    return given if at is None else (*given[:at], missing, *given[at:])


def _missing_int(shape: Ints, given: Ints, infer: bool, target: Shape) -> int:
    have, want = math.prod(shape), math.prod(given)
    if not infer:
        if have != want:
            raise _mismatch(shape, target, f"{have} elements vs {want}")
        return 1
    if want == 0:
        raise _mismatch(shape, target, "-1 is ambiguous beside a dimension 0")
    if have % want:
        raise _mismatch(shape, target, f"{have} is not a multiple of {want}")
    return have // want


def _missing(shape: Shape, given: Shape, infer: bool, target: Shape) -> Dim:
    """The quotient of the products (None where unknown), after cancelling the symbols they share."""
    if not (is_ranked(shape) and is_ranked(given)) or None in shape or None in given:
        return None
    (have, left), (want, right) = _factors(shape), _factors(given)
    for s in tuple(right):
        if s in left:
            left.remove(s)
            right.remove(s)
    symbols = len(left) + len(right)
    if infer:
        if want == 0 and not symbols:
            raise _mismatch(shape, target, "-1 is ambiguous beside a dimension 0")
        if not symbols:
            if have % want:
                raise _mismatch(shape, target, f"{have} is not a multiple of {want}")
            return have // want
        return left[0] if have == want != 0 and symbols == len(left) == 1 else None
    if have == want and (symbols == 0 or have == 0):
        return 1
    if (left and right and (symbols > 2 or have != want)) or (0 in (have, want) and symbols):
        return 1  # different symbols on both sides of a product: nothing proves them different
    raise _mismatch(shape, target, f"{_product(have, left)} elements vs {_product(want, right)}")


def _factors(shape: Ranked) -> tuple[int, list[Sym]]:
    return math.prod(d for d in shape if isinstance(d, int)), [d for d in shape if isinstance(d, Sym)]


def _product(number: int, symbols: list[Sym]) -> str:
    return "*".join([str(number)] * (number != 1 or not symbols) + [str(s) for s in symbols])


def _mismatch(shape: Shape, target: Shape, why: str) -> ShapeError:
    return ShapeError(f"reshape: cannot reshape {show(shape)} into {show(target)}: {why}")
