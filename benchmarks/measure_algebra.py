"""Measures of linear algebra, Fourier transforms and special functions: compiled, their gradients, eager and small.

In single precision, in which special functions are computed in double.
"""

from collections.abc import Callable, Iterator

import numpy
import scipy.special

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.namespace import Function, Value

SIZES = {"small": 8, "64 by 64": 64}
NUMBERS = 10_000


def matrix(n: int) -> Value:
    """A positive definite matrix."""
    x = numpy.random.default_rng(0).normal(size=(n, n)).astype(numpy.float32)
    return x @ x.T + n * numpy.eye(n, dtype=numpy.float32)


FACTORS: dict[str, Callable[[Compiler], Function]] = {
    "cholesky": lambda b: b.linalg.cholesky,
    "inv": lambda b: b.linalg.inv,
    "det": lambda b: b.linalg.det,
    "slogdet": lambda b: b.linalg.slogdet,
    "solve": lambda b: lambda x: b.linalg.solve(x, x[0]),
    "qr": lambda b: b.linalg.qr,
    "eigh": lambda b: b.linalg.eigh,
    "eigvalsh": lambda b: b.linalg.eigvalsh,
    "svd": lambda b: b.linalg.svd,
    "lu": lambda b: b.linalg.lu,
    "solve_triangular": lambda b: lambda x: b.linalg.solve_triangular(x, x[0], lower=True),
    "lstsq": lambda b: lambda x: b.linalg.lstsq(x, x[0]),
    "expm": lambda b: lambda x: b.linalg.expm(x / 100),
    "norm": lambda b: b.linalg.norm,
    "fft": lambda b: b.fft.fft,
    "rfft": lambda b: b.fft.rfft,
}
"""Functions of a matrix."""
EAGER: dict[str, Callable[[Compiler], Function]] = {
    **{name: of for name, of in FACTORS.items() if name not in ("solve", "solve_triangular", "lstsq")},
    "solve": lambda b: b.linalg.solve,
    "solve_triangular": lambda b: lambda x, y: b.linalg.solve_triangular(x, y, lower=True),
    "lstsq": lambda b: b.linalg.lstsq,
    "cho_solve": lambda b: lambda x, y: b.linalg.cho_solve((x, True), y),
    "lu_factor": lambda b: b.linalg.lu_factor,
    "pinv": lambda b: b.linalg.pinv,
    "svdvals": lambda b: b.linalg.svdvals,
    "eig": lambda b: b.linalg.eig,
    "schur": lambda b: b.linalg.schur,
    "expm": lambda b: b.linalg.expm,
    "sqrtm": lambda b: b.linalg.sqrtm,
}
"""Functions of a matrix, or of a matrix and a vector, that are called for small ones as they are."""
OF_TWO = ("solve", "solve_triangular", "lstsq", "cho_solve")
EAGER_SIZES = (3, 8)
GRADIENTS: dict[str, Callable[[Compiler], Function]] = {
    "cholesky": lambda b: lambda x: b.np.sum(b.linalg.cholesky(x)),
    "slogdet": lambda b: lambda x: b.linalg.slogdet(x)[1],
    "eigh": lambda b: lambda x: b.np.sum(b.linalg.eigh(x)[1] ** 3),
    "rfft": lambda b: lambda x: b.np.sum(abs(b.fft.rfft(x)) ** 2),
}
SPECIAL = {"gammaln": 1, "digamma": 1, "ndtri": 1, "erfinv": 1, "i0e": 1, "betaln": 2, "gammainc": 2, "betainc": 3}
"""Special functions of numbers between 0 and 1, and how many they take."""


def sample(backend: Compiler, f: Function, *arguments: Value, compiled: bool = True) -> Sample:
    """A call of a function."""
    inputs = [backend.put(x) if compiled else backend.np.asarray(x) for x in arguments]
    called = backend.jit(f) if compiled else f
    return per_call(lambda: backend.block(called(*inputs)), lambda _: None)


def scipys(name: str, arguments: list[Value]) -> Sample:
    """A call of a special function of SciPy's."""
    return per_call(lambda: getattr(scipy.special, name)(*arguments), lambda _: None)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name, of in FACTORS.items():
        for size, n in SIZES.items():
            yield Measure(
                f"compiled {name}, {size}", {b.name: sample(b, of(b), matrix(n)) for b in COMPILERS}, {"jax": 1.0}
            )
    for name, of in EAGER.items():
        for n in EAGER_SIZES:
            x = matrix(n) / 100 if name == "expm" else matrix(n)
            arguments = (x, x[0]) if name in OF_TWO else (x,)
            eager = {b.name: sample(b, of(b), *arguments, compiled=False) for b in COMPILERS}
            yield Measure(f"eager {name}, {n} by {n}", eager, {"jax": 2.0})
    for name, of in GRADIENTS.items():
        contenders = {b.name: sample(b, b.grad(of(b)), matrix(64)) for b in COMPILERS}
        yield Measure(f"compiled gradient of {name}, 64 by 64", contenders, {"jax": 1.0})
    for name, count in SPECIAL.items():
        numbers = numpy.random.default_rng(1).uniform(0.01, 0.99, size=(count, NUMBERS)).astype(numpy.float32)
        few = [x[:1000].astype(float) for x in numbers]
        contenders = {b.name: sample(b, getattr(b.special, name), *numbers) for b in COMPILERS}
        yield Measure(f"compiled {name}, 10,000 numbers", contenders, {"jax": 1.0})
        eager = {b.name: sample(b, getattr(b.special, name), *few, compiled=False) for b in COMPILERS}
        eager["numpy"] = scipys(name, few)
        yield Measure(f"eager {name}, 1,000 numbers, and SciPy's own", eager, {"numpy": 1 / 3})
