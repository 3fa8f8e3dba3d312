"""`check_grads`: derivatives of a function against differences of its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import effects as fx
from effects.arguments import at_least, check_callable, function_name, in_the_name_of, integer, refusal, sequence
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, scalar, strong
from effects.errors import ArgumentError, BrokenLawError, DTypeError
from effects.trees.pytree import tree_flatten, tree_leaves, tree_leaves_with_path
from effects.types.dtypes import Floating, default_of
from handlers.transformations.derivatives.forward import jvp
from handlers.transformations.derivatives.reverse import vjp

type Mode = Literal["fwd", "rev"]
type _Vectors = list[Array]
type Values = npt.NDArray[np.float64]
type _Function = Callable[..., _Vectors]

_HIGHEST: Final = 6
"""The highest order: each further one doubles the program, and makes differences less exact."""
_NAME = "check_grads"


def check_grads(
    f: Callable[..., object],
    args: Sequence[object],
    *,
    order: int = 1,
    modes: Sequence[Mode] = ("fwd", "rev"),
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Check the derivatives of a function at `args`, up to an order, against differences of its values.

    With a direction v, the same in every call, and a covector u of the result's type, it compares

        "fwd": f′(x) v  and  (f(x + h v) - f(x - h v)) / 2h
        "rev": ⟨f′(x)ᵀ u, v⟩  and  ⟨u, (f(x + h v) - f(x - h v)) / 2h⟩

    for h = ε^⅓ of the narrowest dtype; for higher orders it compares the derivatives x ↦ f′(x) v and x ↦ f′(x)ᵀ u
    likewise. `args` are trees of floats; results that are not floats are ignored. The tolerances are √ε by default. The
    function must be smooth around `args`. Use `modes=["rev"]` for one that has only a reverse rule.

    Raises BrokenLawError for the first derivative that differs, which shows both, how far they are apart, and the rtol
    that allows it; DTypeError for other arguments.

    >>> import effects as fx
    >>> from handlers import check_grads, custom_jvp
    >>> check_grads(lambda x: fx.sin(x) * x, (0.5,), order=2)
    >>> wrong = custom_jvp(lambda p, t: (fx.sin(p[0]), t[0] * fx.sin(p[0])))(lambda x: fx.sin(x))
    >>> check_grads(wrong, (0.5,))
    Traceback (most recent call last):
    effects.errors.BrokenLawError: check_grads: ...
      at ...
    """
    check_callable(_NAME, f)
    leaves, tree = tree_flatten(tuple(sequence(_NAME, "args", args, "arguments")))
    named = tree_leaves_with_path(tuple(args))
    xs = [strong(as_leaf(leaf, _NAME, f"args{path}")) for path, leaf in named]
    if not leaves:
        raise ArgumentError(f"{_NAME}: args has no arrays")
    for x, (path, _) in zip(xs, named, strict=True):
        if not issubclass(x.aval.dtype, Floating):
            raise DTypeError(f"{_NAME}: args{path} must be of floats, got {x.aval}")
    if not 1 <= (most := integer(_NAME, "order", order)) <= _HIGHEST:
        raise ArgumentError(f"{_NAME}: order must be from 1 to {_HIGHEST}, got {most}")
    for mode in sequence(_NAME, "modes", modes, "'fwd' and 'rev'"):
        if mode not in ("fwd", "rev"):
            raise refusal(_NAME, "an entry of modes", "'fwd' or 'rev'", mode)

    @in_the_name_of(f)
    def flat(*xs: Array) -> _Vectors:
        results = [as_leaf(leaf, _NAME, "a result") for leaf in tree_leaves(f(*tree.unflatten(xs)))]
        return [y for y in results if issubclass(y.aval.dtype, Floating)]

    outputs = flat(*xs)
    epsilon = max([float(fx.finfo(x.aval.dtype).eps) for x in (*xs, *outputs)])
    tolerances = [
        epsilon**0.5 if t is None else float(at_least(_NAME, n, t)) for n, t in (("rtol", rtol), ("atol", atol))
    ]
    _check(function_name(f), flat, xs, most, modes, epsilon ** (1 / 3), tolerances)


def _check(
    name: str, f: _Function, xs: _Vectors, order: int, modes: Sequence[Mode], h: float, tolerances: Sequence[float]
) -> None:
    rtol, atol = tolerances
    u = _directions(2, f(*xs))
    # Steps are longer for large arguments.
    v = [d * fx.maximum(1.0, fx.abs(x)) for d, x in zip(_directions(1, xs), xs, strict=True)]
    ahead, behind = [f(*[x + sign * h * d for x, d in zip(xs, v, strict=True)]) for sign in (1.0, -1.0)]
    differences = [(a - b) / (2.0 * h) for a, b in zip(ahead, behind, strict=True)]

    def forwards(*at: Array) -> _Vectors:
        rates: _Vectors = jvp(f, at, tuple(v))[1]
        return rates

    def backwards(*at: Array) -> _Vectors:
        return list(vjp(f, *at)[1](u))

    def compare(of: str, computed: Sequence[Array], expected: Sequence[Array]) -> None:
        for a, b in zip(computed, expected, strict=True):
            x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
            if not np.allclose(x, y, rtol, atol, equal_nan=True):
                raise BrokenLawError(f"{_NAME}: {of} gives {a}, and differences of values {b}; {_apart(x, y, atol)}")

    if "fwd" in modes:
        compare(f"jvp of {name}", forwards(*xs), differences)
    if "rev" in modes:
        compare(f"vjp of {name}", [_product(backwards(*xs), v)], [_product(u, differences)])
    if order > 1:
        for mode, derivative in (("fwd", forwards), ("rev", backwards)):
            if mode in modes:
                _check(f"the derivative of {name}", derivative, xs, order - 1, modes, h, tolerances)


def _apart(x: Values, y: Values, atol: float) -> str:
    """The distance of numbers from the expected ones, and the relative tolerance that allows it."""
    with np.errstate(all="ignore"):
        apart = abs(x - y)
        needed = np.max(np.where(apart > atol, (apart - atol) / abs(y), 0.0))
    far = f"they differ by at most {np.max(apart):.3g}"
    return f"{far}, which rtol={1.005 * needed:.3g} allows" if np.isfinite(needed) else far


def _directions(seed: int, like: _Vectors) -> _Vectors:
    keys = fx.random.split(fx.random.key(seed), max(len(like), 1))
    return [fx.random.normal(key, x.shape, dtype=x.dtype) for key, x in zip(keys, like, strict=False)]


def _product(xs: Sequence[Array], ys: Sequence[Array]) -> Array:
    return sum([fx.sum(x * y) for x, y in zip(xs, ys, strict=True)], start=scalar(0.0, default_of(float)))
