"""`quad`: integrals of functions by rules of fixed nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import effects as fx
import handlers
from effects.arguments import check_callable, in_the_name_of, refusal, step_count
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import as_array, as_leaf, at_least_single, convert, inexact
from effects.errors import DTypeError, ShapeError
from effects.integrate.problems import is_key
from effects.trees.pytree import tree_leaves_with_path
from effects.types.dtypes import Complex, real_of

_NODES: Final = (
    *(0.9956571630258081, 0.9739065285171717, 0.9301574913557082, 0.8650633666889845, 0.7808177265864169),
    *(0.6794095682990244, 0.5627571346686047, 0.4333953941292472, 0.2943928627014602, 0.14887433898163122, 0.0),
)
_KRONROD: Final = (
    *(0.011694638867371874, 0.032558162307964725, 0.054755896574351995, 0.07503967481091996, 0.0931254545836976),
    *(0.10938715880229764, 0.12349197626206584, 0.13470921731147334, 0.14277593857706009, 0.14773910490133849),
    0.1494455540029169,
)
_GAUSS: Final = (0.06667134430868814, 0.1494513491505806, 0.21908636251598204, 0.26926671930999635, 0.29552422471475287)


class Quadrature[R](NamedTuple):
    """An integral, and an estimate of the error of each number."""

    value: R
    error: R


def quad[R, *Args](
    f: Callable[[Array, *Args], R], a: ArrayLike, b: ArrayLike, *args: *Args, panels: int = 16
) -> Quadrature[R]:
    """The integral of f(x, *args) from a to b, by the 21 points of Gauss and Kronrod in each of so many equal panels.

    f returns a number, an array or a tree, real or complex. Limits may be infinite, also if they are unknown: x = a +
    (1 + u) / (1 - u) then maps -1 < u < 1 to x > a, and x = u / (1 - u²) to all numbers, with panels equal in u. The
    nodes do not depend on f: the result is as exact as f is smooth, which `error` estimates.

    Derivatives in `args`, and in the values that f closes over, are integrals of those of f; the derivative in b is
    f(b), in a -f(a), and 0 in infinite limits. The error has none.

    Raises ShapeError unless the limits are numbers, DTypeError where they are complex. Sources:
    Kronrod, 1965; Piessens and others, QUADPACK, 1983.

    >>> import effects as fx
    >>> from handlers import grad
    >>> bell = lambda x, width: fx.exp(-((x / width) ** 2))
    >>> (fx.integrate.quad(bell, -fx.inf, fx.inf, 2.0).value ** 2).round(6)
    Array(12.566371, float64)
    >>> grad(lambda b: fx.integrate.quad(fx.cos, 0.0, b).value)(fx.pi)
    Array(-1., float64)
    """
    check_callable("quad", f)
    count = step_count("quad", "panels", panels)
    limits = [at_least_single(_limit(name, x)) for name, x in (("a", a), ("b", b))]
    dtype = fx.result_type(*[x.aval.dtype for x in limits])
    low, high = [convert(x, dtype) for x in limits]

    @in_the_name_of(f)
    def value(x: Array) -> R:
        result = f(x, *args)
        leaves = tree_leaves_with_path(result, is_key)
        if not leaves:
            raise refusal("quad", "what f gives", "a number, an array or a tree of them", result)
        arrays = [as_leaf(leaf, "quad", f"what f gives{path}") for path, leaf in leaves]
        wide = [at_least_single(inexact("quad", array, "what f gives")) for array in arrays]
        return fx.tree_structure(result).unflatten(wide)

    converted, hoisted = handlers.closure_convert(value, low)
    fixed = [x if isinstance(x, Concrete) else None for x in hoisted]

    def of_varying(x: Array, varying: Sequence[Array]) -> R:
        rest = iter(varying)
        return converted(x, *[next(rest) if constant is None else constant for constant in fixed])

    def rule(
        primals: tuple[Array, Array, Sequence[Array]], tangents: tuple[Array, Array, Sequence[Array]]
    ) -> tuple[Quadrature[R], Quadrature[R]]:
        low, high, constants = primals
        of_low, of_high, of_constants = tangents
        moved = handlers.jvp(lambda constants: whole(low, high, constants), (constants,), (of_constants,))[1]
        value = moved.value
        for end, tangent in ((low, -of_low), (high, of_high)):
            finite = fx.isfinite(end)
            rate = fx.where(finite, tangent, 0.0)
            there = of_varying(fx.where(finite, end, 0.0), constants)
            value = fx.tree_map(lambda x, y, rate=rate: x + convert(rate, y.aval.dtype) * y, value, there)
        return integral(*primals), moved._replace(value=value)

    def whole(low: Array, high: Array, constants: Sequence[Array]) -> Quadrature[R]:
        return _summed(lambda x: of_varying(x, constants), low, high, count)

    integral: Callable[[Array, Array, Sequence[Array]], Quadrature[R]] = handlers.custom_jvp(rule)(whole)
    return integral(low, high, [x for x in hoisted if not isinstance(x, Concrete)])


def _limit(name: str, x: object) -> Array:
    limit = inexact("quad", as_array(x, "quad", name), name)
    if limit.aval.shape:
        raise ShapeError(f"quad: {name} must be a number, got {limit.aval}; batch it with vmap")
    if issubclass(limit.aval.dtype, Complex):
        raise DTypeError(f"quad: {name} must be real, got {limit.aval}")
    return limit


def _summed[R](f: Callable[[Array], R], a: Array, b: Array, panels: int) -> Quadrature[R]:
    """The sums over all panels, and the estimate of their errors by QUADPACK."""
    dtype = a.aval.dtype
    nodes = fx.asarray([*_NODES[:-1], 0.0, *[-x for x in reversed(_NODES[:-1])]], dtype=dtype)
    kronrod = [*_KRONROD, *reversed(_KRONROD[:-1])]
    gauss = [0.0] * 21
    gauss[1:10:2], gauss[11::2] = _GAUSS, _GAUSS[::-1]
    weights = fx.asarray([kronrod, gauss], dtype=dtype) / panels
    middles = (2 * fx.arange(panels, dtype=dtype) + 1) / panels - 1
    x, rate = _spread(fx.ravel(middles[:, None] + nodes / panels), a, b)
    values = handlers.vmap(f)(x)

    def parts(values: Array, row: Array) -> tuple[Array, Array]:
        """Of each panel its nodes' shares, [panels, 21, ...], and their sum by one of the rules."""
        shares = convert(rate, real_of(values.aval.dtype)).reshape(-1, *[1] * (values.ndim - 1)) * values
        shares = shares.reshape(panels, 21, *values.shape[1:])
        return shares, fx.tensordot(convert(row, values.aval.dtype), shares, axes=(0, 1))

    def value(values: Array) -> Array:
        return fx.sum(parts(values, weights[0])[1], axis=0)

    def error(values: Array) -> Array:
        shares, fine = parts(handlers.stop_gradient(values), weights[0])
        _, coarse = parts(handlers.stop_gradient(values), weights[1])
        away = abs(shares - fine[:, None] * panels / 2)
        spread = fx.tensordot(convert(weights[0], away.aval.dtype), away, axes=(0, 1))
        share = fx.minimum(1.0, (200 * abs(fine - coarse) / fx.where(spread > 0, spread, 1.0)) ** 1.5)
        rounding = 50 * fx.finfo(away.aval.dtype).eps * fx.sum(abs(fine), axis=0)
        return fx.maximum(fx.sum(spread * share, axis=0), rounding)

    return Quadrature(fx.tree_map(value, values), fx.tree_map(error, values))


def _spread(u: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """Nodes between -1 and 1 as those between the limits, and dx/du."""
    low, high = fx.minimum(a, b), fx.maximum(a, b)
    below, above = low == -fx.inf, high == fx.inf
    from_low, to_high = fx.where(fx.isinf(low), 0.0, low), fx.where(fx.isinf(high), 0.0, high)
    cases = [fx.logical_and(below, above), above, below]
    forms = [
        (u / (1 - u * u), (1 + u * u) / fx.square(1 - u * u)),
        (from_low + (1 + u) / (1 - u), 2 / fx.square(1 - u)),
        (to_high - (1 - u) / (1 + u), 2 / fx.square(1 + u)),
    ]
    half = to_high / 2 - from_low / 2  # the difference of both may be infinite
    x, rate = from_low + half * (1 + u), fx.zeros_like(u) + half
    for case, (place, slope) in reversed(list(zip(cases, forms, strict=True))):
        x, rate = fx.where(case, place, x), fx.where(case, slope, rate)
    return x, rate * fx.where(a == b, 0.0, fx.sign(b - a))
