"""Functions of a complex argument for which XLA's own give other values than the definition.

On branch cuts XLA does not tell -0 from 0: roots and inverse functions are computed on one side of the cut and
reflected, f(x̄) = conj f(x). Its sine loses half of the digits near 0: it is put together from real functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from effects import dtypes
from effects.avals import ShapedArray
from effects.jaxpr import Atom
from effects.operations.elementwise import Unary, UnaryKind
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.scope import TYPES, Scope

_U = UnaryKind
_REFLECTED: Final = {
    _U.ACOS: "chlo.acos",
    _U.ACOSH: "chlo.acosh",
    _U.ASIN: "chlo.asin",
    _U.ASINH: "chlo.asinh",
    _U.SQRT: "stablehlo.sqrt",
}


def _parts(x: Value, aval: ShapedArray, scope: Scope) -> tuple[Value, Value, ShapedArray]:
    part = aval.with_dtype(dtypes.real_of(aval.dtype))
    return scope.op("stablehlo.real", TYPES[part], (x,)), scope.op("stablehlo.imag", TYPES[part], (x,)), part


def _negative(x: Value, part: ShapedArray, scope: Scope) -> Value:
    """Whether the sign of `x` is set, that of -0 too."""
    same_size = part.with_dtype(dtypes.int32 if part.dtype is dtypes.float32 else dtypes.int64)
    pattern = scope.op("stablehlo.bitcast_convert", TYPES[same_size], (x,))
    return compared("LT", pattern, scope.fill(same_size, 0), same_size, scope)


def _reflected(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """The function where the part that the cut divides by sign is positive, and reflected where it is negative.

    The cut of asinh lies on the imaginary axis and divides the real part, the other cuts on the real axis.
    """
    real, imag, part = _parts(x, out, scope)
    odd = op.kind is _U.ASINH
    cut = real if odd else imag
    positive = scope.op("stablehlo.abs", TYPES[part], (cut,))
    side = scope.op("stablehlo.complex", TYPES[out], (positive, imag) if odd else (real, positive))
    real, imag, _ = _parts(scope.op(_REFLECTED[op.kind], TYPES[out], (side,)), out, scope)
    turned = real if odd else imag
    opposite = scope.op("stablehlo.negate", TYPES[part], (turned,))
    turned = scope.op("stablehlo.select", TYPES[part], (_negative(cut, part, scope), opposite, turned))
    return scope.op("stablehlo.complex", TYPES[out], (turned, imag) if odd else (real, turned))


def _sine(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """sin(a + ib) = sin a · cosh b + i cos a · sinh b, and sinh(a + ib) = sinh a · cos b + i cosh a · sin b."""
    real, imag, part = _parts(x, out, scope)
    angle, height = (real, imag) if op.kind is _U.SIN else (imag, real)

    def of(name: str, value: Value) -> Value:
        return scope.op(name, TYPES[part], (value,))

    def product(factor: Value, other: Value) -> Value:
        """The product, and the factor itself where it is 0, be the other infinite."""
        vanishes = compared("EQ", factor, scope.fill(part, 0), part, scope)
        both = scope.op("stablehlo.multiply", TYPES[part], (factor, other))
        return scope.op("stablehlo.select", TYPES[part], (vanishes, factor, both))

    with_sine = product(of("stablehlo.sine", angle), of("chlo.cosh", height))
    with_cosine = product(of("chlo.sinh", height), of("stablehlo.cosine", angle))
    pair = (with_sine, with_cosine) if op.kind is _U.SIN else (with_cosine, with_sine)
    return scope.op("stablehlo.complex", TYPES[out], pair)


COMPLEX_UNARY: Final[dict[UnaryKind, Callable[[Unary[Atom], Value, ShapedArray, Scope], Value]]] = {
    **dict.fromkeys(_REFLECTED, _reflected),
    _U.SIN: _sine,
    _U.SINH: _sine,
}
"""What is emitted for complex operands."""
