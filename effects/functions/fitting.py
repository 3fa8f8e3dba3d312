"""What takes linear algebra of polynomials, vectors of coefficients with the highest power first: fits and roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arguments import natural
from effects.arrays.array import Array
from effects.arrays.promotion import inexact, promote_pair
from effects.errors import ShapeError
from effects.functions import (
    arithmetic,
    creation,
    elementwise,
    inspection,
    logic,
    movement,
    reduction,
    transcendental,
    triangles,
)
from effects.functions.linalg.approximate import lstsq
from effects.functions.linalg.factoring import eigvals

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsComplexes


def polyfit(
    x: ArrayLike, y: ArrayLike, deg: int, *, rcond: ArrayLike | None = None, w: ArrayLike | None = None
) -> Array:
    """The polynomial of degree `deg` next to the points (x, y) by least squares; of a matrix y, one for each column.

    Residuals are multiplied by the weights `w`. Singular values of the powers of x, scaled, up to `rcond` times the
    greatest count as zero; None means n times the distance of 1 to the next number. Integers become the default float.

    Raises ShapeError for an x that is no vector, and for a y or weights of another length.

    >>> from effects.functions.creation import asarray
    >>> polyfit(asarray([0.0, 1.0, 2.0]), asarray([1.0, 3.0, 5.0]), 1).round(6)
    Array([2., 1.], float64)
    """
    degree = natural("polyfit", "deg", deg)
    at, values = promote_pair("polyfit", inexact("polyfit", x), inexact("polyfit", y, "y"), ("x", "y"))
    n = at.aval.size
    if at.aval.ndim != 1 or not n:
        raise ShapeError(f"polyfit: x must be a vector with at least one element, got {at.aval}")
    if values.aval.ndim not in (1, 2) or values.aval.shape[0] != n:
        raise ShapeError(f"polyfit: y must be a vector or a matrix of {n} rows, as x has elements, got {values.aval}")
    powers = triangles.vander(at, degree + 1)
    if w is not None:
        weights = inexact("polyfit", w, "w")
        if weights.aval.shape != (n,):
            raise ShapeError(f"polyfit: w must be a vector of {n} elements, as x is, got {weights.aval}")
        powers = arithmetic.multiply(powers, movement.expand_dims(weights, axis=-1))
        rows = movement.reshape(weights, (n,) + (1,) * (values.aval.ndim - 1))
        values = arithmetic.multiply(values, rows)
    sizes = transcendental.sqrt(reduction.sum(elementwise.abs(powers) ** 2, axis=0))
    sizes = logic.where(sizes == 0, creation.ones_like(sizes), sizes)
    least = n * inspection.finfo(powers.aval.dtype).eps if rcond is None else rcond
    found = lstsq(arithmetic.divide(powers, sizes), values, least).x
    return arithmetic.divide(found, movement.reshape(sizes, (degree + 1,) + (1,) * (found.aval.ndim - 1)))


def roots(p: AsComplexes[DT], /) -> Array[DT]:
    """The roots of a polynomial, in no order: the eigenvalues of its companion matrix. They are complex.

    Leading coefficients that are known to be 0 do not count; where coefficients are not known, the first must not be 0.
    Raises ShapeError for what is no vector.

    >>> from effects.functions.creation import asarray
    >>> roots(asarray([1.0, -3.0, 2.0]))
    Array([2.+0.j, 1.+0.j], complex128)
    """
    coefficients = _vector("roots", "p", p)
    if (known := coefficients.known()) is not None:
        values = known.fetch()
        first = int((values != 0).argmax()) if values.any() else values.size
        coefficients = coefficients[first:]
    n = coefficients.aval.size - 1
    if n < 1:
        found: Array = eigvals(creation.zeros((0, 0), dtype=coefficients.aval.dtype))
        return found
    row = elementwise.negative(arithmetic.divide(coefficients[1:], coefficients[0]))
    shifted = creation.eye(n - 1, n, dtype=row.aval.dtype)
    found = eigvals(movement.concat([movement.reshape(row, (1, n)), shifted]))
    return found


def polydiv(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """The quotient of two polynomials and the remainder, which has as many coefficients as x2 less one.

    The first coefficient of x2 must not be 0. Leading zeros of the remainder stay, which NumPy takes away. Integers
    become the default float. Raises ShapeError for what is no vector, or empty.

    >>> from effects.functions.creation import asarray
    >>> polydiv(asarray([3.0, 5.0, 2.0]), asarray([2.0, 1.0]))
    (Array([1.5 , 1.75], float64), Array([0.25], float64))
    """
    rest, by = promote_pair("polydiv", _vector("polydiv", "x1", x1), _vector("polydiv", "x2", x2), ("x1", "x2"))
    steps, n = max(rest.aval.size - by.aval.size + 1, 0), by.aval.size
    quotient = []
    for i in range(steps):
        quotient.append(arithmetic.divide(rest[i], by[0]))
        rest = rest.at[i : i + n].subtract(arithmetic.multiply(quotient[-1], by))
    whole = movement.stack(quotient) if quotient else creation.zeros((1,), dtype=rest.aval.dtype)
    return whole, rest[steps:]


def _vector(function: str, name: str, x: object) -> Array:
    vector = inexact(function, x, name)
    if vector.aval.ndim != 1 or not vector.aval.size:
        raise ShapeError(f"{function}: {name} must be a vector with at least one element, got {vector.aval}")
    return vector
