"""Everyday compiled programs, written once: each a function of arrays of normal numbers, for `measure_compiled`."""

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.backends import Compiler
from benchmarks.namespace import Function, Value

type Shapes = tuple[tuple[int, ...], ...]


class Program(NamedTuple):
    """A function as each library writes it, the shapes that it is called with, and the measures that are taken of it.

    `positive` numbers lie between 0 and 1. `slope` says whether the gradient of its sum is measured too.
    """

    of: Callable[[Compiler], Function]
    shapes: Shapes
    dtype: str = "float32"
    positive: bool = False
    slope: bool = True


SQUARE: Shapes = ((1024, 1024),)
LINE: Shapes = ((1_000_000,),)
NUMBERS: Shapes = ((100_000,),)


def fold(name: str, axis: int | tuple[int, ...] | None) -> Callable[[Compiler], Function]:
    """A reduction by the name of NumPy."""
    return lambda b: lambda x: getattr(b.functions, name)(x, axis=axis)


def elementwise(name: str) -> Callable[[Compiler], Function]:
    """A function of each element by the name of NumPy."""

    def of(b: Compiler) -> Function:
        f: Function = getattr(b.functions, name)
        return f

    return of


def density(name: str, *parameters: float, of: str = "logpdf") -> Callable[[Compiler], Function]:
    """A density of SciPy's name with its parameters."""
    return lambda b: lambda x: getattr(getattr(b.stats, name), of)(x, *parameters)


def special(name: str, *parameters: float) -> Callable[[Compiler], Function]:
    """A special function of SciPy's name, whose first arguments are constants."""
    return lambda b: lambda x: getattr(b.special, name)(*parameters, x)


REDUCTIONS: dict[str, Program] = {
    **{
        f"{name}, {axes_name}": Program(fold(name, axis), SQUARE)
        for name in ("sum", "mean", "max", "min", "var", "std")
        for axes_name, axis in {"rows": 0, "lines": 1, "all": None}.items()
    },
    **{
        f"{name} of {dtype}, {axes_name}": Program(fold(name, axis), SQUARE, dtype, slope=False)
        for name in ("sum", "max")
        for dtype in ("float64", "int32", "bfloat16")
        for axes_name, axis in {"rows": 0, "lines": 1, "all": None}.items()
    },
    **{
        f"{name}, {axes_name}": Program(fold(name, axis), ((64, 128, 128),))
        for name in ("sum", "max")
        for axes_name, axis in (("middle axis", 1), ("first two axes", (0, 1)), ("outer axes", (0, 2)))
    },
    **{f"sum of {n}": Program(fold("sum", None), ((n,),)) for n in (10, 1_000, 100_000, 10_000_000)},
    "product, rows": Program(fold("prod", 0), SQUARE, positive=True),
    "any, rows": Program(lambda b: lambda x: b.functions.any(x > 3, axis=0), SQUARE, slope=False),
    "argmax, lines": Program(fold("argmax", 1), SQUARE, slope=False),
    "logsumexp, lines": Program(lambda b: lambda x: b.special.logsumexp(x, axis=1), SQUARE),
    "logsumexp, rows": Program(lambda b: lambda x: b.special.logsumexp(x, axis=0), SQUARE),
    "norm": Program(lambda b: b.linalg.norm, SQUARE),
    "norm, rows": Program(lambda b: lambda x: b.linalg.norm(x, axis=0), SQUARE),
    "sum of products": Program(lambda b: lambda x, y: b.functions.sum(x * y), SQUARE * 2),
    "mean of squared differences": Program(lambda b: lambda x, y: b.functions.mean((x - y) ** 2), SQUARE * 2),
    "mean of relu": Program(lambda b: lambda x: b.functions.mean(b.functions.maximum(x, 0)), SQUARE),
    "sum of exp, rows": Program(lambda b: lambda x: b.functions.sum(b.functions.exp(x), axis=0), SQUARE),
}


def layer_norm(b: Compiler) -> Function:
    """Normalised lines, with a scale and a shift."""

    def f(x: Value, scale: Value, shift: Value) -> Value:
        centred = x - b.functions.mean(x, axis=-1, keepdims=True)
        return centred / b.functions.sqrt(b.functions.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale + shift

    return f


def batch_norm(b: Compiler) -> Function:
    """Normalised columns, with a scale and a shift."""

    def f(x: Value, scale: Value, shift: Value) -> Value:
        centred = x - b.functions.mean(x, axis=0)
        return centred / b.functions.sqrt(b.functions.mean(centred**2, axis=0) + 1e-5) * scale + shift

    return f


def cross_entropy(b: Compiler) -> Function:
    """The mean cross entropy of logits and distributions."""
    return lambda x, y: -b.functions.mean(b.functions.sum(b.nn.softmax(y) * b.nn.log_softmax(x), axis=-1))


def attention(b: Compiler) -> Function:
    """Heads of attention, [head, time, width]."""

    def f(q: Value, k: Value, v: Value) -> Value:
        weights = b.nn.softmax(b.functions.matmul(q, b.functions.permute_dims(k, (0, 2, 1))) * 0.125)
        return b.functions.matmul(weights, v)

    return f


def huber(b: Compiler) -> Function:
    """The mean Huber loss."""

    def f(x: Value, y: Value) -> Value:
        size = abs(x - y)
        return b.functions.mean(b.functions.where(size < 1, 0.5 * size**2, size - 0.5))

    return f


NETWORKS: dict[str, Program] = {
    "softmax": Program(lambda b: b.nn.softmax, SQUARE),
    "softmax, rows": Program(lambda b: lambda x: b.nn.softmax(x, axis=0), SQUARE),
    "log_softmax": Program(lambda b: b.nn.log_softmax, SQUARE),
    "layer norm": Program(layer_norm, ((1024, 1024), (1024,), (1024,))),
    "batch norm": Program(batch_norm, ((1024, 1024), (1024,), (1024,))),
    "cross entropy": Program(cross_entropy, ((1024, 100),) * 2),
    "attention": Program(attention, ((16, 128, 64),) * 3),
    "Huber loss": Program(huber, ((1_000_000,),) * 2),
    "gelu": Program(lambda b: lambda x: b.nn.gelu(x, approximate=False), LINE),
    "silu": Program(lambda b: b.nn.silu, LINE),
    "softplus": Program(lambda b: b.nn.softplus, LINE),
    "sigmoid": Program(lambda b: b.nn.sigmoid, LINE),
}
ELEMENTWISE: dict[str, Program] = {
    **{
        name: Program(elementwise(name), LINE, positive=name in ("log1p", "sqrt"))
        for name in ("exp", "sin", "tanh", "arctan", "log1p", "sqrt", "cbrt")
    },
    "x * y + x": Program(lambda b: lambda x, y: x * y + x, LINE * 2),
    "hypot": Program(lambda b: b.functions.hypot, LINE * 2),
    "arctan2": Program(lambda b: b.functions.arctan2, LINE * 2),
    "where": Program(lambda b: lambda x, y: b.functions.where(x > y, x, y * 2), LINE * 2),
    "clip": Program(lambda b: lambda x: b.functions.clip(x, -1, 1), LINE),
    "power": Program(lambda b: lambda x, y: x**y, LINE * 2, positive=True),
    "x ** 3": Program(lambda b: lambda x: x**3, LINE),
    "exp of float64": Program(lambda b: b.functions.exp, LINE, "float64"),
    "transpose": Program(lambda b: lambda x: b.functions.permute_dims(x, (1, 0)) * 2, SQUARE),
    "differences": Program(lambda b: lambda x: x[1:] - x[:-1], LINE),
    "outer sum": Program(lambda b: lambda x, y: x[:, None] + y, ((1024,),) * 2),
}
SPECIAL: dict[str, Program] = {
    f"{name} of {dtype}": Program(special(name, *parameters), NUMBERS, dtype, positive=True)
    for dtype in ("float32", "float64")
    for name, parameters in {
        "erf": (),
        "erfc": (),
        "erfinv": (),
        "ndtr": (),
        "log_ndtr": (),
        "ndtri": (),
        "gammaln": (),
        "digamma": (),
        "i0e": (),
        "i1e": (),
        "xlogy": (2.0,),
        "gammainc": (2.5,),
        "betainc": (2.0, 3.0),
    }.items()
}
DENSITIES: dict[str, Program] = {
    **{
        f"{name}.logpdf": Program(density(name, *parameters), NUMBERS, positive=True)
        for name, parameters in {
            "norm": (0.5, 2.0),
            "gamma": (2.5,),
            "beta": (2.0, 3.0),
            "t": (3.0,),
            "cauchy": (),
            "expon": (),
            "laplace": (),
            "logistic": (),
            "uniform": (),
            "chi2": (3.0,),
        }.items()
    },
    "norm.cdf": Program(density("norm", of="cdf"), NUMBERS),
    "norm.logcdf": Program(density("norm", of="logcdf"), NUMBERS),
    "norm.ppf": Program(density("norm", of="ppf"), NUMBERS, positive=True),
    "gamma.cdf": Program(density("gamma", 2.5, of="cdf"), NUMBERS, positive=True),
    "poisson.logpmf by its rate": Program(lambda b: lambda x: b.stats.poisson.logpmf(3, x), NUMBERS, positive=True),
    "norm.logpdf of float64": Program(density("norm", 0.5, 2.0), NUMBERS, "float64"),
    "gamma.logpdf of float64": Program(density("gamma", 2.5), NUMBERS, "float64", positive=True),
}


def eight_schools(b: Compiler) -> Function:
    """The log density of the eight schools' model for four chains of ten numbers."""
    effects = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]
    errors = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]

    def log_density(x: Value) -> Value:
        y, sigma = [b.functions.asarray(numbers, dtype=x.dtype) for numbers in (effects, errors)]
        mu, log_tau, raw = x[0], x[1], x[2:]
        prior = (
            b.stats.norm.logpdf(mu, 0, 5)
            + b.stats.norm.logpdf(log_tau, 0, 1)
            + b.functions.sum(b.stats.norm.logpdf(raw))
        )
        return prior + b.functions.sum(b.stats.norm.logpdf(y, mu + b.functions.exp(log_tau) * raw, sigma))

    return b.vmap(log_density)


def loop(b: Compiler) -> Function:
    """A recurrence of 1,000 steps of 64 numbers."""

    def f(x: Value) -> Value:
        return b.control.scan(lambda h, y: (b.functions.tanh(h * 0.9 + y), b.functions.sum(h)), x[0], x)[1]

    return f


def cholesky(b: Compiler) -> Function:
    """The log determinant of a Gram matrix, by its factor."""

    def f(x: Value) -> Value:
        gram = b.functions.matmul(x, b.functions.permute_dims(x, (1, 0))) / x.shape[1] + 2 * b.functions.eye(
            x.shape[0], dtype=x.dtype
        )
        return 2 * b.functions.sum(b.functions.log(b.functions.diagonal(b.linalg.cholesky(gram))))

    return f


LARGER: dict[str, Program] = {
    "eight schools": Program(eight_schools, ((4, 10),)),
    "scan": Program(loop, ((1000, 64),)),
    "matmul": Program(lambda b: b.functions.matmul, ((512, 512),) * 2),
    "batched matmul": Program(lambda b: b.functions.matmul, ((64, 64, 64),) * 2),
    "matrix by vector": Program(lambda b: b.functions.matmul, ((1024, 1024), (1024,))),
    "einsum": Program(lambda b: lambda x, y: b.functions.einsum("ijk,jkl->il", x, y), ((32, 32, 64), (32, 64, 48))),
    "log determinant of 8": Program(cholesky, ((8, 16),)),
    "log determinant of 256": Program(cholesky, ((256, 512),)),
    "distances": Program(lambda b: lambda x, y: b.functions.sum((x[:, None] - y) ** 2, axis=-1), ((512, 8),) * 2),
    "gather": Program(lambda b: lambda x: x[b.functions.argsort(x[:, 0])[::2]], ((2048, 256),)),
    "scatter-add": Program(
        lambda b: lambda x, y: x.at[b.functions.asarray([0, 2, 2, 5])].add(y), ((4096, 256), (4, 256))
    ),
    "sort": Program(lambda b: lambda x: b.functions.sort(x, axis=1), ((512, 512),)),
    "normal draws": Program(lambda b: lambda x: x + b.random.normal(b.random.key(0), x.shape, x.dtype), NUMBERS),
}
PROGRAMS: dict[str, Program] = {**REDUCTIONS, **NETWORKS, **ELEMENTWISE, **SPECIAL, **DENSITIES, **LARGER}
