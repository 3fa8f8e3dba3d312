"""Random order and random choice of elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from effects.arguments import counted, flag, integer, natural
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert, real
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.creation import sequences
from effects.functions.elementwise import transcendental
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.ordering import searching, sorting
from effects.functions.reductions import cumulative
from effects.operations.sorting import Sort
from effects.program.chain import perform
from effects.random.continuous import gumbel_of
from effects.random.discrete import below
from effects.random.keys import Key, one_key, split
from effects.random.uniform import unit, words
from effects.types import dtypes, shapes
from effects.types.signatures.random import Choice, Order

if TYPE_CHECKING:
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

_WORDS: Final = math.log(2**32 - 1)


def _shuffled(key: Key, x: Array, axis: int) -> Array:
    """x sorted by random words along `axis`, so often that ties do not matter."""
    for _ in range(math.ceil(3 * math.log(max(1, x.aval.size)) / _WORDS)):
        key, drawn = split(key)
        x = perform(Sort(1, axis, False, (words(drawn, x.aval.shape, dtypes.uint32), x)))[1]
    return x


def _elements(function: str, argument: str, x: ArrayLike, axis: int) -> tuple[Array | None, int, int]:
    """The array to take elements of, None for the integers up to x; the axis, and how many there are."""
    place = integer(function, "axis", axis)
    if isinstance(x, int | np.integer) and not isinstance(x, bool):
        return _integers(function, natural(function, argument, x), place)
    array = as_array(x, function, argument)
    if not array.aval.ndim:
        if not issubclass(array.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{function}: {argument} must be an int or an array of rank 1 or more, got {array.aval}")
        return _integers(function, natural(function, argument, array), place)
    at = shapes.normalize_axis(function, array.aval.shape, place)
    return array, at, array.aval.shape[at]


def _integers(function: str, n: int, axis: int) -> tuple[None, int, int]:
    return None, shapes.normalize_axis(function, (n,), axis), n


@Order
def permutation(key: Key, x: ArrayLike, axis: int = 0, independent: bool = False) -> Array:
    """The elements of x in a random order along `axis`; for an int x, those of arange(x).

    With `independent` each line along the axis has an order of its own.

    >>> import effects as fx
    >>> fx.random.permutation(fx.random.key(0), 5)
    Array([0, 1, 4, 3, 2], int64)
    """
    data, independently = one_key("permutation", key), flag("permutation", "independent", independent)
    array, at, n = _elements("permutation", "x", x, axis)
    if array is None:
        return _shuffled(data, sequences.arange(n), 0)
    if independently or array.aval.ndim == 1:
        return _shuffled(data, array, at)
    return taking.take(array, _shuffled(data, sequences.arange(n), 0), axis=at)


@Choice
def choice(
    key: Key, a: ArrayLike, shape: Sizes = (), replace: bool = True, p: Real | None = None, axis: int = 0
) -> Array:
    """Random elements of a along `axis`, which `shape` replaces in the result; for an int a, of arange(a).

    `p` has the probability of each element; they are equal by default. Known ones must sum to 1; others count relative
    to their sum. Without `replace` no element is drawn twice. Raises ArgumentError for too few elements.

    >>> import effects as fx
    >>> fx.random.choice(fx.random.key(0), 5, (3,), replace=False)
    Array([0, 1, 4], int64)
    """
    data, sizes, with_replacement = (
        one_key("choice", key),
        shapes.static_shape("choice", shape),
        flag("choice", "replace", replace),
    )
    array, at, n = _elements("choice", "a", a, axis)
    draws = math.prod(sizes)
    if draws > (n if not with_replacement else n and draws):
        how = "" if with_replacement else " without replacement"
        raise ArgumentError(f"choice: {counted(draws, 'draw')}{how} of a with {n} elements")
    chances = None if p is None else _probabilities(p, n, 0 if with_replacement else draws)
    if not draws:
        places = sequences.arange(0)
    elif chances is None:
        places = (
            convert(below(data, sizes, n), dtypes.int64)
            if with_replacement
            else _shuffled(data, sequences.arange(n), 0)[:draws]
        )
    elif with_replacement:
        ends = cumulative.cumsum(chances)
        places = searching.searchsorted(ends, ends[-1] * (1 - unit(data, sizes, chances.aval.dtype)))
    else:
        noise = gumbel_of(data, (n,), chances.aval.dtype) + transcendental.log(chances)
        places = sorting.top_k(noise, draws)[1]
    places = movement.reshape(places, sizes)
    return places if array is None else taking.take(array, places, axis=at)


def _probabilities(p: Real, n: int, draws: int) -> Array:
    """The probabilities of n elements, of which so many are drawn without replacement."""
    chances = real("choice", p, "p")
    if chances.aval.shape != (n,):
        raise ShapeError(f"choice: p must have one probability for each of the {n} elements of a, got {chances.aval}")
    known = chances.known()
    if known is not None and n:
        values = known.fetch().astype(np.float64)
        total, allowed = values.sum(), float(np.sqrt(np.finfo(np.float32).eps))
        if (values < 0).any():
            raise ArgumentError(f"choice: p must not be negative, got {values.min()} among its probabilities")
        if not abs(total - 1) < allowed:
            advice = (
                "write p / sum(p)" if 0 < total < np.inf else "they are all 0" if total == 0 else "they must be finite"
            )
            raise ArgumentError(f"choice: p must sum to 1, got the sum {total}; {advice}")
        if (some := int(np.count_nonzero(values))) < draws:
            raise ArgumentError(f"choice: {draws} draws without replacement, but p is positive at {some} elements only")
    return chances
