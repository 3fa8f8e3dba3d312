"""Where a function is NaN, at NaN and outside of its domain, so are its derivatives, of two orders, in both modes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import reduce
from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import effects as fx
from effects import special
from handlers import grad, jvp
from lowering import jit
from tests.stats.test_distributions import CONTINUOUS, DISCRETE

type _Mask = npt.NDArray[np.bool_] | bool

_NUMBERS: Final[dict[int, list[float]]] = {
    1: [np.nan, -np.inf, np.inf, -1e300, -3.5, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 7.0, 1e300],
    2: [np.nan, -np.inf, np.inf, -1.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.5],
    3: [np.nan, -1.5, 0.5],
    4: [np.nan, -1.5, 0.5],
}
FUNCTIONS: Final[dict[str, Callable[..., fx.Array]]] = {
    **{f"polygamma({n})": lambda x, n=n: special.polygamma(n, x) for n in (0, 1, 2, 0.5, -1, np.nan)},
    "multigammaln": lambda a: special.multigammaln(a, 3),
    "zeta(s)": lambda s: special.zeta(s),
    "zeta": lambda s, q: special.zeta(s, q),
    "si": lambda x: special.sici(x)[0],
    "ci": lambda x: special.sici(x)[1],
    "fresnel_s": lambda x: special.fresnel(x)[0],
    "fresnel_c": lambda x: special.fresnel(x)[1],
    "softmax": lambda x, y: special.softmax(fx.stack([x, y]), axis=0)[0],
    "log_softmax": lambda x, y: special.log_softmax(fx.stack([x, y]), axis=0)[0],
    "logsumexp": lambda x, y: special.logsumexp(fx.stack([x, y]), axis=0),
    "sph_harm_y": lambda t, p: fx.real(special.sph_harm_y(4, 2, t, p)),
    "wofz": lambda x, y: fx.real(special.wofz(fx.complex(x, y))),
}
_NAMES: Final[list[str]] = special.__dict__["__all__"]
for _name in sorted({*_NAMES} - {*FUNCTIONS, "polygamma", "sici", "fresnel", "psi"}):
    FUNCTIONS[_name] = getattr(special, _name)


def _linear(orders: tuple[int, ...], x: Any, y: Any, pole: float) -> Any:
    """The slope of x f(y) in x, which is infinite or NaN by itself, is f(y), and does not change with x."""
    return (y >= pole) | (orders == (0, 0))


EXCEPT: Final[dict[str, Callable[..., _Mask]]] = {
    "digamma": lambda orders, x: x == np.floor(x),  # from both sides of its poles slopes go to the same infinity
    "polygamma(0)": lambda orders, x: x == np.floor(x),
    "polygamma(1)": lambda orders, x: x == -np.inf,  # that of order 2 is infinite, as in SciPy
    "gammasgn": lambda orders, x: True,  # constant between its steps
    "expn": lambda orders, n, x: 0 in orders,  # of whole n
    "xlogy": lambda orders, x, y: _linear(orders, x, y, 0.0),
    "xlog1py": lambda orders, x, y: _linear(orders, x, y, -1.0),
    "kl_div": lambda orders, x, y: np.isinf(x) | np.isinf(y),  # a difference of infinities; of slopes there is none
    "rel_entr": lambda orders, x, y: np.isinf(x) & np.isinf(y),
    "log_softmax": lambda orders, x, y: np.isinf(x),  # likewise
    "stdtr": lambda orders, df, t: (0 in orders) & (df == np.inf),  # the normal distribution, which has no df
    "stdtrit": lambda orders, df, p: (0 in orders) & (df == np.inf),
}


COMPILED: Final = (
    "logit",
    "exp1",
    "expn",
    "loggamma",
    "multigammaln",
    "xlogy",
    "rel_entr",
    "gammainc",
    "polygamma(0.5)",
)


def _forwards(f: Callable[..., Any], i: int) -> Callable[..., Any]:
    return lambda *xs: jvp(lambda x: f(*xs[:i], x, *xs[i + 1 :]), (xs[i],), (fx.ones_like(xs[i]),))[1]


def _backwards(f: Callable[..., Any], i: int) -> Callable[..., Any]:
    return lambda *xs: grad(lambda x: fx.sum(f(*xs[:i], x, *xs[i + 1 :])))(xs[i])


def _orders(arity: int) -> list[tuple[int, ...]]:
    return [(i,) for i in range(arity)] + list(combinations_with_replacement(range(arity), 2))


def _finite(
    f: Callable[..., Any],
    along: Callable[..., Any],
    orders: list[tuple[int, ...]],
    xs: list[Any],
    exempt: Callable[..., _Mask] | None = None,
    run: Any = lambda f: f,
) -> list[Any]:
    """The derivatives that are not NaN where the value is: in which arguments, at which, and what they are."""

    def of_all(*xs: Any) -> Any:
        return [reduce(along, order, f)(*xs) for order in orders]

    undefined = np.isnan(np.asarray(run(f)(*xs)))
    assert undefined.any()
    host, finite = [np.asarray(x) for x in xs], []
    for order, derivative in zip(orders, run(of_all)(*xs), strict=True):
        checked = undefined & ~np.asarray(exempt(order, *host)) if exempt else undefined
        at = np.flatnonzero(checked & ~np.isnan(np.asarray(derivative)))
        finite += [(order, [float(x[n]) for x in host], float(derivative[n])) for n in at[:3]]
    return finite


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_functions(name: str) -> None:
    f = FUNCTIONS[name]
    arity = len(inspect.signature(f).parameters) - name.startswith("polygamma")
    xs = [fx.asarray(x.ravel()) for x in np.meshgrid(*[_NUMBERS[arity]] * arity)]
    for along, run in ((_forwards, lambda f: f), (_backwards, lambda f: f), (_backwards, jit)):
        if run is not jit or name in COMPILED:
            assert not _finite(f, along, _orders(arity), xs, EXCEPT.get(name), run)


def _separate(name: str, method: str) -> bool:
    """A sum or a linear function: slopes in one argument do not depend on another."""
    return name in ("uniform", "expon") or (name, method) == ("truncnorm", "logpdf") or name == "bernoulli"


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_distributions(name: str) -> None:
    """At NaN, in and beside the support with shape parameters that are NaN or invalid, and with such scales."""
    shapes, distribution = (CONTINUOUS | DISCRETE)[name], getattr(fx.stats, name)
    for method in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "logpmf", "pmf"):
        quantile = method in ("ppf", "isf")
        if not hasattr(type(distribution), method) or (quantile and name in DISCRETE) or _separate(name, method):
            continue
        for scaled in (False, True) if name in CONTINUOUS else (False,):
            base = [*shapes, 0.2, 1.5] if scaled else [*shapes]
            rows = [[x, *base] for x in ((np.nan, -0.5, 1.5) if quantile else (np.nan,))]
            places = [*range(len(shapes)), *[len(base) - 1] * scaled]
            for x in (0.3,) if quantile else (1.0, 0.4, -3.0, 1.5, 1e4):
                wrong = [np.nan] if name == "truncnorm" else [np.nan, -1.0]
                rows += [[x, *base[:i], v, *base[i + 1 :]] for i in places for v in wrong]
            xs = [fx.asarray(x) for x in np.array(rows).T]
            moved = [i for i in range(len(xs)) if not (scaled and quantile and i == len(xs) - 2)]  # + loc
            counts = [] if name in CONTINUOUS else [0, 1] if name == "betabinom" and method in ("cdf", "sf") else [0]
            orders: list[tuple[int, ...]] = [(i,) for i in moved if i not in counts]
            for along in (_forwards, _backwards) if orders else ():
                assert not _finite(getattr(distribution, method), along, orders, xs), method
