"""Calls of the public array functions, with what NumPy gives for the same arguments.

NumPy arrays among the arguments become arrays of effax; everything else is passed as it is. `smooth` calls are
differentiable at their arguments, and their derivatives are compared with differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import scipy.special as sp

_RNG: Final = np.random.default_rng(7)


@dataclass(frozen=True)
class Call:
    """`effects.name(*args, **options)` should be `expected(*args, **options)`."""

    name: str
    expected: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    smooth: bool = False
    about: str = ""

    def __str__(self) -> str:
        shown = [*map(_shown, self.args), *[f"{k}={_shown(v)}" for k, v in self.options.items()]]
        return f"{self.name}({', '.join(shown)}){self.about}"


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return str(getattr(value, "__name__", repr(value)))  # a function's repr is another in each process


def normal(*shape: int, dtype: str = "float64") -> Any:
    return _RNG.normal(size=shape).astype(dtype)


def whole(*shape: int, dtype: str = "int64") -> Any:
    return _RNG.integers(0 if dtype.startswith("u") else -9, 9, size=shape).astype(dtype)


SPECIAL: Final = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2.5, 3, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30])
_PAIRS: Final = tuple(np.meshgrid(SPECIAL, SPECIAL))
_PARTS: Final = np.array([0.5, -1.5, 2.0, -0.25])
COMPLEX: Final = (_PARTS[:, None] + 1j * _PARTS[None, :]).ravel()
_INSIDE: Final = np.array([-0.9, -0.3, 0.1, 0.4, 0.8])
_LINE: Final = np.array([-2.3, -0.7, 0.4, 1.2, 3.1])
_ABOVE_ONE: Final = np.array([1.1, 1.5, 2.5, 7.0])
_POSITIVE: Final = np.array([0.2, 0.9, 1.7, 4.0])
INTEGERS: Final = ("int8", "int32", "int64", "uint8", "uint32")


_UNARY: Final[dict[str, tuple[Callable[..., Any], Any]]] = {
    "abs": (np.abs, _LINE),
    "acos": (np.arccos, _INSIDE),
    "acosh": (np.arccosh, _ABOVE_ONE),
    "asin": (np.arcsin, _INSIDE),
    "asinh": (np.arcsinh, _LINE),
    "atan": (np.arctan, _LINE),
    "atanh": (np.arctanh, _INSIDE),
    "cbrt": (np.cbrt, _LINE),
    "ceil": (np.ceil, _LINE),
    "cos": (np.cos, _LINE),
    "cosh": (np.cosh, _LINE),
    "digamma": (sp.digamma, _POSITIVE),
    "erf": (sp.erf, _LINE),
    "erfc": (sp.erfc, _LINE),
    "erf_inv": (sp.erfinv, _INSIDE),
    "exp": (np.exp, _LINE),
    "exp2": (np.exp2, _LINE),
    "expm1": (np.expm1, _LINE),
    "floor": (np.floor, _LINE),
    "lgamma": (lambda x: np.where(np.isinf(x), np.inf, sp.gammaln(x)), _POSITIVE),
    "log": (np.log, _POSITIVE),
    "log10": (np.log10, _POSITIVE),
    "log1p": (np.log1p, _POSITIVE),
    "log2": (np.log2, _POSITIVE),
    "logistic": (sp.expit, _LINE),
    "negative": (np.negative, _LINE),
    "positive": (np.positive, _LINE),
    "reciprocal": (np.reciprocal, _POSITIVE),
    "round": (np.round, _LINE),
    "rsqrt": (lambda x: 1 / np.sqrt(x), _POSITIVE),
    "sign": (np.sign, _LINE),
    "sin": (np.sin, _LINE),
    "sinh": (np.sinh, _LINE),
    "sqrt": (np.sqrt, _POSITIVE),
    "square": (np.square, _LINE),
    "tan": (np.tan, _LINE),
    "tanh": (np.tanh, _LINE),
    "trunc": (np.trunc, _LINE),
}
_OF_COMPLEX: Final = (
    *(
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cos",
        "cosh",
        "exp",
        "expm1",
        "log",
        "log10",
        "log1p",
        "log2",
    ),
    *("negative", "positive", "reciprocal", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "abs"),
)
_TESTS: Final = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "signbit": np.signbit}


def _unary() -> list[Call]:
    rsqrt_of_zeros = SPECIAL[SPECIAL != 0]
    return [
        *[Call(n, f, (x,), smooth=True) for n, (f, x) in _UNARY.items()],
        *[
            Call(n, f, (rsqrt_of_zeros if n in ("digamma", "lgamma") else SPECIAL,), about="special")
            for n, (f, _) in _UNARY.items()
        ],
        *[Call(n, f, (x.astype("float32"),)) for n, (f, x) in _UNARY.items()],
        *[Call(n, _UNARY[n][0], (COMPLEX,), about="complex") for n in _OF_COMPLEX],
        *[Call(n, f, (x,)) for n, f in _TESTS.items() for x in (SPECIAL, SPECIAL.astype("float32"))],
        *[Call(n, f, (whole(5),)) for n, f in _TESTS.items() if n != "signbit"],
        *[Call(n, _UNARY[n][0], (whole(5, dtype=d),)) for n in ("abs", "negative", "square") for d in INTEGERS],
        *[Call(n, _UNARY[n][0], (whole(5, dtype=d),)) for n in ("ceil", "floor", "trunc", "round") for d in INTEGERS],
        *[Call(n, _UNARY[n][0], (np.array([1, 2, 5]),)) for n in ("sin", "exp", "log", "sqrt", "logistic", "cbrt")],
        *[Call(n, f, (COMPLEX,)) for n, f in (("real", np.real), ("imag", np.imag), ("conj", np.conj))],
        *[Call(n, f, (_LINE,)) for n, f in (("real", np.real), ("conj", np.conj))],
        *[Call("bitwise_invert", np.invert, (whole(5, dtype=d),)) for d in INTEGERS],
        Call("bitwise_invert", np.invert, (np.array([True, False]),)),
        *[Call("logical_not", np.logical_not, (x,)) for x in (SPECIAL, whole(5), np.array([True, False]))],
    ]


def _floor_divide(x: Any, y: Any) -> Any:
    """NumPy's, and for infinite operands x / y, as the Array API standard has it."""
    quotient = np.floor_divide(x, y)
    return np.where(np.isinf(x) | np.isinf(y), np.true_divide(x, y), quotient).astype(quotient.dtype)


_BINARY: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "divide": np.divide,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "nextafter": np.nextafter,
    "pow": np.power,
    "subtract": np.subtract,
    "floor_divide": _floor_divide,
    "remainder": np.remainder,
}
_COMPARISONS: Final = {
    "equal": np.equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "not_equal": np.not_equal,
}
_LOGIC: Final = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
_BITS: Final = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
_SHIFTS: Final = {"bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift}
_FLOAT_ONLY: Final = ("atan2", "copysign", "divide", "hypot", "logaddexp", "nextafter")


def _binary() -> list[Call]:
    x, y = np.array([1.3, -0.6, 2.2]), np.array([[0.7], [1.9]])
    a, b = np.array([7, -7, 5, -5, 0]), np.array([2, 2, -3, -3, 4])
    return [
        *[Call(n, f, (np.abs(x) if n == "pow" else x, y), smooth=True) for n, f in _BINARY.items()],
        *[Call(n, f, _PAIRS, about="special") for n, f in _BINARY.items()],
        *[Call(n, f, (normal(3, dtype="float32"), 2.0)) for n, f in _BINARY.items() if n != "pow"],
        *[
            Call(n, f, (a.astype(d) if d[0] == "i" else np.abs(a).astype(d), np.abs(b).astype(d)))
            for n, f in _BINARY.items()
            if n not in _FLOAT_ONLY
            for d in INTEGERS
        ],
        *[Call(n, _BINARY[n], (a, b)) for n in ("floor_divide", "remainder", "divide", "maximum")],
        *[Call(n, _BINARY[n], (COMPLEX, COMPLEX[::-1])) for n in ("add", "subtract", "multiply", "divide", "pow")],
        *[Call(n, f, _PAIRS) for n, f in (_COMPARISONS | _LOGIC).items()],
        *[Call(n, f, (whole(3, 1, dtype=d), whole(4, dtype=d))) for n, f in _COMPARISONS.items() for d in INTEGERS],
        *[Call(n, f, (whole(3, 1, dtype=d), whole(4, dtype=d))) for n, f in _BITS.items() for d in INTEGERS],
        *[Call(n, f, (np.array([True, False, True]), np.array([[True], [False]]))) for n, f in _BITS.items()],
        *[Call(n, f, (whole(4, dtype=d), np.array([0, 1, 3, 7], d))) for n, f in _SHIFTS.items() for d in INTEGERS],
        Call("complex", lambda x, y: x + 1j * y, (x, y), smooth=True),
    ]


ELEMENTWISE: Final = [*_unary(), *_binary()]
