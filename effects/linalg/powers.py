"""Functions of matrices, which are not those of their elements: exponential, logarithm, square root, Schur form."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from effects.arguments import choice
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.functions import arrangement, at_once, creation, elementwise, logic, movement, reduction, transcendental
from effects.functions.matrices import adjoint, of_diagonal, product, unit
from effects.linalg import few
from effects.linalg.arguments import rounded, square
from effects.operations.factoring import Schur
from effects.operations.solving import Solve, TriangularSolve
from effects.program.chain import perform
from effects.runtime.names import transformation
from effects.types import dtypes
from effects.types.dtypes import DType
from effects.types.promotion import complex_of

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsComplexes, AsFloats

    type Form = Literal["real", "complex"]


_ROOTS: Final = 64
_NODES: Final = 16


class SchurResult[D: DType](NamedTuple):
    """A triangle, and the unitary matrix that makes x of it."""

    T: Array[D]
    Z: Array[D]


def schur(x: AsFloats[DT], /, output: Form = "real") -> SchurResult[DT]:
    """T and the unitary Z with Z @ T @ Zᴴ = x: an upper triangle, with blocks of two rows on its diagonal for real x.

    With `output="complex"` it is a triangle for real x, too. It has no derivative: `sqrtm`, `logm` and `eig` have one.

    >>> from effects.functions.creation import asarray
    >>> schur(asarray([[1.0, 2.0], [0.0, 3.0]])).T
    Array([[1., 2.],
           [0., 3.]], float64)
    """
    array = square("schur", x)
    if choice("schur", "output", output, ("real", "complex")) == "complex":
        array = convert(array, complex_of(array.aval.dtype))
    return SchurResult(*rounded(lambda x: perform(Schur(x)), array))


def expm(x: AsFloats[DT], /) -> Array[DT]:
    """The exponential 1 + x + x @ x / 2 + … of square matrices (Higham, SIAM J. Matrix Anal. 26, 2005).

    Norms above 2³⁴ give NaN. Derivatives are those of its operations.

    >>> from effects.functions.creation import asarray
    >>> expm(asarray([[0.0, 1.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [0., 1.]], float64)
    """
    return _expm(square("expm", x))


@at_once.of_known(few.exponential)
def _expm(x: Array) -> Array:
    return rounded(lambda x: (_in_lanes(_exponential, x),), x)[0]


@at_once.compiled(0)
def _in_lanes(f: Callable[[Array], Array], x: Array) -> Array:
    """f of each matrix."""
    for _ in x.aval.shape[:-2]:
        f = transformation("vmap")(f)
    return f(x) if x.aval.size else x


def _exponential(x: Array) -> Array:
    size = reduction.max(reduction.sum(elementwise.abs(x), axis=-2))
    count = elementwise.ceil(transcendental.log2(logic.where(size > few.REACH, size / few.REACH, 1)))
    scaled = x * elementwise.astype(transcendental.exp2(-transformation("stop_gradient")(count)), x.aval.dtype)
    one, second = unit(scaled), product(scaled, scaled)
    fourth = product(second, second)
    sixth = product(fourth, second)
    b = few.PADE
    odd = product(sixth, b[13] * sixth + b[11] * fourth + b[9] * second)
    odd = product(scaled, odd + b[7] * sixth + b[5] * fourth + b[3] * second + b[1] * one)
    even = product(sixth, b[12] * sixth + b[10] * fourth + b[8] * second)
    even = even + b[6] * sixth + b[4] * fourth + b[2] * second + b[0] * one
    start = perform(Solve(False, even - odd, even + odd))

    def step(found: Array, i: Array) -> tuple[Array, None]:
        return transformation("cond")(i < count, lambda x: product(x, x), lambda x: x, found), None

    found, _ = transformation("scan")(step, start, creation.iota(dtypes.int32, (few.SQUARINGS,), 0))
    return logic.where(count <= few.SQUARINGS, found, np.nan)


def sqrtm(x: AsComplexes[DT], /) -> Array[DT]:
    """The s with s @ s = x whose eigenvalues have no negative real part; complex (Björck, Hammarling, 1983).

    Derivatives solve s @ ṡ + ṡ @ s = ẋ. Singular matrices that have no square root give infinities and NaN, and no
    singular one has a derivative.

    >>> from effects.functions.creation import asarray
    >>> sqrtm(asarray([[4.0, 4.0], [0.0, 4.0]]))
    Array([[2.+0.j, 1.+0.j],
           [0.+0.j, 2.+0.j]], complex128)
    """
    return _sqrtm(square("sqrtm", x))


@at_once.of_known(few.root)
def _sqrtm(x: Array) -> Array:
    return rounded(lambda x: (_in_lanes(_function_of(True), x),), x)[0]


def logm(x: AsComplexes[DT], /) -> Array[DT]:
    """The l with expm(l) = x whose eigenvalues have imaginary parts from -π to π; complex (Kenney, Laub, 1989).

    Derivatives solve ẋ = the derivative of expm at l along l̇. A singular matrix has no logarithm: it is NaN.

    >>> from effects.functions.creation import asarray
    >>> logm(asarray([[1.0, 1.0], [0.0, 1.0]]))
    Array([[0.+0.j, 1.+0.j],
           [0.+0.j, 0.+0.j]], complex128)
    """
    return rounded(lambda x: (_in_lanes(_function_of(False), x),), square("logm", x))[0]


@cache
def _function_of(is_root: bool) -> Callable[[Array], Array]:
    """The square root or the logarithm of one matrix, with its derivative by the equation that it solves."""
    of_triangle = _root if is_root else _logarithm

    def value(x: Array) -> Array:
        triangle, basis = perform(Schur(x))
        return product(basis, of_triangle(triangle), adjoint(basis))

    def along(x: Array, t: Array) -> Array:
        """The derivative at x along t: what the function makes of [[x, t], [0, x]] (Mathias, 1996)."""
        n = x.aval.shape[-1]
        zero = creation.zeros_like(x)
        block = movement.concat([movement.concat([x, t], axis=1), movement.concat([zero, x], axis=1)], axis=0)
        return value(block)[:n, n:]

    def rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
        (x,), (t,) = primals, tangents
        found = derived(x)
        if is_root:
            inverse: Callable[[Array], Array] = lambda s: product(found, s) + product(s, found)
        else:
            inverse = lambda s: transformation("jvp")(_exponential, (found,), (s,))[1]
        at = transformation("stop_gradient")(
            x
        )  # the solution is differentiated by the equation, not by how it is found
        turned = movement.matrix_transpose(at)
        slope: Array = transformation("custom_linear_solve")(
            inverse, t, lambda _, e: along(at, e), lambda _, e: along(turned, e)
        )
        return found, slope

    derived: Callable[[Array], Array] = transformation("custom_jvp")(rule)(value)
    return lambda x: derived(convert(x, complex_of(x.aval.dtype)))


def _root(t: Array) -> Array:
    """The square root of a triangle, one column after the other."""
    n = t.aval.shape[-1]
    if n <= few.FEW:
        return _root_of_few(t, n)
    rows = creation.iota(dtypes.int64, (n,), 0)

    def column(found: Array, j: Array) -> tuple[Array, None]:
        above, own = rows < j, rows == j
        root = transcendental.sqrt(t[j, j])
        shift = logic.where(above, root, 1)
        wanted = logic.where(above, t[:, j], 0)
        system = found + logic.where(creation.eye(n, dtype=dtypes.bool_), movement.expand_dims(shift, -1), 0)
        nothing = (arrangement.diagonal(system) == 0) & (wanted == 0)  # 0 · x = 0
        system = system + logic.where(creation.eye(n, dtype=dtypes.bool_) & nothing, 1, 0)
        right = movement.expand_dims(wanted, -1)
        x = movement.squeeze(perform(TriangularSolve(False, False, False, system, right)), -1)
        new = logic.where(above, x, logic.where(own, root, 0))
        return logic.where(own, movement.expand_dims(new, -1), found), None

    found, _ = transformation("scan")(column, creation.zeros_like(t), rows)
    roots: Array = found
    return roots


def _root_of_few(t: Array, n: int) -> Array:
    """The square root of a triangle, one diagonal after the other: they are found by products, without a loop."""
    roots = transcendental.sqrt(arrangement.diagonal(t))
    sums = movement.expand_dims(roots, -1) + roots
    above = creation.zeros_like(t)
    for d in range(1, n):
        here = creation.eye(n, k=d, dtype=dtypes.bool_)
        wanted = t - product(above, above) if d > 1 else t
        nothing = (sums == 0) & (wanted == 0)  # 0 · x = 0
        above = logic.where(here, wanted / logic.where(nothing, 1, sums), above)
    return above + of_diagonal(roots)


def _logarithm(t: Array) -> Array:
    """The logarithm of a triangle: of its square roots, until they are near to 1, the integral of x / (1 + s·x)."""
    one = unit(t)

    def far(state: tuple[Array, Array]) -> Array:
        t, count = state
        size = reduction.max(reduction.sum(elementwise.abs(t - one), axis=-2))
        return (size > 0.25) & (count < _ROOTS)

    def root(state: tuple[Array, Array]) -> tuple[Array, Array]:
        return _root(arrangement.triu(state[0])), state[1] + 1

    near, count = transformation("while_loop")(far, root, (arrangement.triu(t), 0))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    x = near - one
    systems = one + elementwise.astype(creation.asarray((nodes[:, None, None] + 1) / 2), x.aval.dtype) * x
    right = elementwise.astype(creation.asarray(weights[:, None, None] / 2), x.aval.dtype) * x
    parts = perform(TriangularSolve(False, False, False, systems, right))
    scale = elementwise.astype(transcendental.exp2(elementwise.astype(count, dtypes.float64)), x.aval.dtype)
    singular = reduction.any(arrangement.diagonal(t) == 0)
    return logic.where(singular, np.nan, scale * reduction.sum(parts, axis=0))
