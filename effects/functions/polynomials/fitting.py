"""Polynomials by linear algebra and division: those that fit points, their roots, quotients; NumPy's names.

Shapes do not depend on values: zero coefficients stay.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Generic, Literal, NamedTuple, overload

import numpy as np

import handlers
from effects import linalg
from effects.arguments import flag, refusal, repetitions
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT, RT
from effects.arrays.promotion import as_array, constant_like, convert, inexact, promote_pair
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation, sequences
from effects.functions.creation.triangles import vander
from effects.functions.elementwise import logic
from effects.functions.elementwise.transcendental import sqrt
from effects.functions.indexing import taking
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.functions.ordering import sorting
from effects.functions.polynomials.coefficients import coefficients_of
from effects.functions.products import contraction
from effects.functions.reductions import cumulative, reduction

if TYPE_CHECKING:
    from effects.types.dtypes import i64
    from effects.types.signatures.becoming import AsComplexes, Dividing

_LOOP_FROM: Final = 64
"""Number of steps for which a loop is worth its compilation."""


class PolyfitResult(NamedTuple, Generic[DT]):  # noqa: UP046  # which has a default
    """The coefficients, squared residuals, the rank and singular values of the scaled powers, and the cutoff for 0."""

    coefficients: Array[DT]
    residuals: Array[DT]
    rank: Array[i64]
    singular_values: Array[DT]
    rcond: Array


@overload
def polyfit(
    x: Like[DT],
    y: Dividing[DT, RT],
    deg: int,
    rcond: ArrayLike | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    cov: Literal[False] = False,
) -> Array[RT]: ...
@overload
def polyfit(
    x: Like[DT],
    y: Dividing[DT, RT],
    deg: int,
    rcond: ArrayLike | None = None,
    *,
    full: Literal[True],
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> PolyfitResult[RT]: ...
@overload
def polyfit(
    x: Like[DT],
    y: Dividing[DT, RT],
    deg: int,
    rcond: ArrayLike | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    *,
    cov: Literal[True, "unscaled"],
) -> tuple[Array[RT], Array[RT]]: ...
def polyfit(
    x: Like[DT],
    y: Dividing[DT, RT],
    deg: int,
    rcond: ArrayLike | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Array | PolyfitResult | tuple[Array, Array]:
    """The polynomial of degree `deg`, highest power first, whose squared distances from the points (x, y) sum to least.

    y is a vector or has columns, each of which is fitted; `w` are weights of the distances, not of their squares.
    Singular values up to `rcond` times the greatest count as zero: len(x) times the epsilon without it. With `full` the
    result is a `PolyfitResult`; with `cov` the covariance of the coefficients comes after them: scaled by the residuals
    for each degree of freedom, which have to be more than 0, or "unscaled". Raises ShapeError where the lengths differ.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.allclose(fx.polyfit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 5.0]), 2), np.array([1.0, 0.0, 1.0]))
    Array(True, bool)
    """
    degree = repetitions("polyfit", "deg", deg)
    at, values = [inexact("polyfit", v, n) for v, n in zip(promote_pair("polyfit", x, y), ("x", "y"), strict=True)]
    if at.aval.ndim != 1 or values.aval.ndim not in (1, 2):
        raise ShapeError(f"polyfit: x must be a vector, and y be one or have columns, got {at.aval} and {values.aval}")
    n = at.aval.size
    if not n or values.aval.shape[0] != n:
        raise ShapeError(f"polyfit: y must have as many rows as x, at least 1, got {at.aval} and {values.aval}")
    powers = vander(at, degree + 1)
    if w is not None:
        weights = convert(as_array(w, "polyfit", "w"), at.aval.dtype)
        if weights.aval.shape != (n,):
            raise ShapeError(f"polyfit: w must be a vector of {n} weights, as long as x, got {weights.aval}")
        powers = powers * movement.expand_dims(weights, axis=-1)
        values = values * (movement.expand_dims(weights, axis=-1) if values.aval.ndim == 2 else weights)
    size = sqrt(reduction.sum(powers * powers, axis=0))
    powers = powers / size
    small = as_array(n * float(np.finfo(at.aval.dtype.dtype).eps) if rcond is None else rcond, "polyfit", "rcond")
    if small.aval.shape:
        raise ShapeError(f"polyfit: rcond must be one number, got {small.aval}")
    scaled, residuals, rank, singular = linalg.lstsq(powers, values, small)
    fitted = scaled / (movement.expand_dims(size, axis=-1) if scaled.aval.ndim == 2 else size)
    if flag("polyfit", "full", full):
        return PolyfitResult(fitted, residuals, rank, singular, small)
    unscaled = isinstance(cov, str) and cov == "unscaled"
    if not unscaled and not isinstance(cov, bool | np.bool_):
        raise refusal("polyfit", "cov", "True, False or 'unscaled'", cov)
    if not cov:
        return fitted
    spread = linalg.inv(contraction.matmul(movement.matrix_transpose(powers), powers)) / contraction.outer(size, size)
    spread = movement.expand_dims(spread, axis=-1) if values.aval.ndim == 2 else spread
    if unscaled:
        return fitted, spread
    if n <= degree + 1:
        raise ArgumentError(
            f"polyfit: cov is scaled by the residuals for each degree of freedom, of which {n} points leave none "
            f"beside {degree + 1} coefficients; write cov='unscaled'"
        )
    return fitted, spread * (residuals / (n - degree - 1))


@outside_of_tracing
def roots(p: AsComplexes[DT], /) -> Array[DT]:
    """The roots of a polynomial, complex, those that are 0 last: the eigenvalues of its companion matrix.

    Leading coefficients that are known to be 0 do not count; where they are not known, NaN stands for each at the end.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.roots(np.array([1.0, -3.0, 2.0]))
    Array([2.+0.j, 1.+0.j], complex128)
    """
    array = inexact("roots", coefficients_of("roots", as_array(p, "roots", "p")))
    if (known := array.known()) is not None:
        nonzero = np.flatnonzero(known.fetch())
        array = array[int(nonzero[0]) if nonzero.size else array.aval.size :]
    n = array.aval.size
    if n < 2:
        none: Array = linalg.eigvals(creation.zeros((0, 0), dtype=array.aval.dtype))
        return none
    missing = reduction.count_nonzero(cumulative.cumsum(array != 0) == 0)
    places = sequences.arange(n)
    turned = taking.take(array, (places + missing) % n)
    rest = turned[1:] / logic.where(missing == n, constant_like(1, array), turned[0])
    companion = creation.eye(n - 1, k=-1, dtype=array.aval.dtype).at[0].set(-rest)
    zeros: Array = linalg.eigvals(companion)
    zeros = taking.take(zeros, sorting.argsort(zeros == 0, stable=True))
    return logic.where(places[1:] > n - 1 - missing, constant_like(math.nan, zeros), zeros)


def polydiv(x1: Like[DT], x2: Dividing[DT, RT], /) -> tuple[Array[RT], Array[RT]]:
    """The quotient and the remainder of two polynomials. Integers become the default float.

    The remainder has a coefficient less than x2, where x1 has as many: leading zeros stay, which NumPy takes away. An
    x2 whose first coefficient is 0 gives infinities and NaN.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.polydiv(np.array([3.0, 5.0, 2.0]), np.array([2.0, 1.0]))
    (Array([1.5 , 1.75], float64), Array([0.25], float64))
    """
    names = "x1", "x2"
    pair = promote_pair("polydiv", x1, x2, names)
    above, below = [inexact("polydiv", coefficients_of("polydiv", x, n), n) for x, n in zip(pair, names, strict=True)]
    if not above.aval.size or not below.aval.size:
        raise ShapeError(f"polydiv: x1 and x2 must have a coefficient at least, got {above.aval} and {below.aval}")
    steps = above.aval.size - below.aval.size + 1
    if steps < 1:
        nothing: Array = creation.zeros((1,), dtype=above.aval.dtype)
        return nothing, above
    first, rest = below[0], below[1:]

    def step(window: Array, following: Array) -> tuple[Array, Array]:
        entire = movement.concat([window, movement.reshape(following, (1,))])
        share = entire[0] / first
        return entire[1:] - share * rest, share

    window, others = above[: below.aval.size - 1], above[below.aval.size - 1 :]
    if steps > _LOOP_FROM:
        window, quotient = handlers.scan(step, window, others)
    else:
        shares = []
        for following in movement.unstack(others):
            window, share = step(window, following)
            shares.append(share)
        quotient = movement.stack(shares)
    return quotient, window if window.aval.size else creation.zeros_like(first)[None]
