"""What jets are held against: the derivatives of t ↦ f(x(t)) by nested `jvp`, and programs to differentiate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any, Final

import effects as fx
from effects import Array, tree_map
from handlers import cond, jvp
from lowering import jit

type Function = Callable[..., Any]

X: Final = fx.asarray([0.3, 0.5, 0.7])
TERMS: Final = [
    fx.asarray(values)
    for values in ([1.0, 2.0, -1.0], [0.5, -0.3, 0.2], [0.1, 0.2, 0.3], [1.0, -1.0, 0.5], [0.3, 0.2, 0.1])
]
MATRIX: Final = fx.asarray([[0.2, -0.5, 0.4], [0.1, 0.7, -0.3], [-0.6, 0.2, 0.5]])


def nested(f: Function, primals: Sequence[Array], series: Sequence[Sequence[Array]]) -> tuple[Any, list[Any]]:
    """The value and the derivatives of `f` along the polynomial curve with these derivatives at 0, by nested `jvp`."""

    def along(t: Array) -> Any:
        curves = [
            sum([c * t**k / factorial(k) for k, c in enumerate(terms, 1)], start=x)
            for x, terms in zip(primals, series, strict=True)
        ]
        return f(*curves)

    def derivative(g: Function) -> Function:
        return lambda t: jvp(g, (t,), (1.0,))[1]

    zero = fx.asarray(0.0)
    found = [along(zero)]
    g: Function = along
    for _ in series[0]:
        g = derivative(g)
        found.append(g(zero))
    return found[0], found[1:]


def transposed(primal: Any, per_order: list[Any]) -> tuple[Any, Any]:
    """The result of `nested` in the form of that of `jet`: lists at the leaves."""
    return primal, tree_map(lambda _, *cs: list(cs), primal, *per_order)


def _loop(x: Array) -> Array:
    for _ in range(3):
        x = fx.sin(x) * x + MATRIX @ x
    return x


UNARY: Final = (
    *("abs", "acos", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "digamma", "erf", "erfc", "erf_inv"),
    *("exp", "expm1", "floor", "lgamma", "log", "log1p", "logistic", "reciprocal", "rsqrt", "sign", "sin", "sinh"),
    *("sqrt", "square", "tan", "tanh"),
)
PROGRAMS: Final[dict[str, Function]] = {
    **{name: getattr(fx, name) for name in UNARY},
    "acosh": lambda x: fx.acosh(x + 2),
    "atan2": lambda x: fx.atan2(x, x * x + 1),
    "broadcasting": lambda x: x[:, None] - x * x[0],
    "choice": lambda x: fx.where(x > 0.4, fx.sin(x), x * x),
    "clip": lambda x: fx.clip(x * x, 0.1, 0.3),
    "complex": lambda x: fx.real(fx.exp(fx.complex(x, x * x)) / (x + 2j)),
    "cond": lambda x: cond(fx.sum(x) > 0, lambda x: fx.sin(x) * x, fx.cos, x),
    "division": lambda x: (x + 1) / (x * x) - 1 / x,
    "dot": lambda x: (MATRIX @ x) @ fx.sin(x),
    "jit": lambda x: jit(fx.sin)(jit(lambda x: x * x)(x)),
    "logsumexp": lambda x: fx.log(fx.sum(fx.exp(x))),
    "loop": _loop,
    "max": fx.max,
    "maximum": lambda x: fx.maximum(x, fx.sin(x) + 0.1),
    "movement": lambda x: fx.flip(fx.concat([x[1:], x * x]))[::2],
    "of each other": lambda x: fx.sin(fx.exp(fx.tanh(x))),
    "power": lambda x: x**2.5 + 2.0**x + x**x + x**-2,
    "prod": fx.prod,
    "remainder": lambda x: fx.remainder(3 * x, 0.7),
    "several": lambda x: {"a": fx.sin(x), "b": (x[0], fx.ones(2))},
    "softmax": lambda x: fx.exp(x) / fx.sum(fx.exp(x)),
    "std": fx.std,
}
