"""Measures of random numbers: a million of them compiled, ten of them eagerly."""

from collections.abc import Iterator

from benchmarks.backends import COMPILERS, EFFAX, JAX, Compiler
from benchmarks.harness import Measure, Sample, per_call

DTYPES = {"bits": "uint32", "uniform": "float32", "normal": "float32"}


def compiled_sample(backend: Compiler, name: str, count: int, *impl: str) -> Sample:
    """A compiled draw, by a generator of this name."""
    key = backend.random.key(0, *impl)
    draw = backend.jit(lambda key: getattr(backend.random, name)(key, (count,), DTYPES[name]))
    return per_call(lambda: draw(key), backend.block)


def eager_sample(backend: Compiler, name: str) -> Sample:
    """A small draw outside jit."""
    key = backend.random.key(0)
    return per_call(lambda: getattr(backend.random, name)(key, (10,), DTYPES[name]), backend.block)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name in DTYPES:
        contenders = {b.name: compiled_sample(b, name, 1_000_000) for b in COMPILERS}
        yield Measure(f"compiled draw, a million {name}", contenders, {"jax": 1.0})
        fast = {EFFAX.name: compiled_sample(EFFAX, name, 1_000_000, "philox"), JAX.name: contenders[JAX.name]}
        yield Measure(f"compiled draw, a million {name}, by Philox", fast, {"jax": 2.0})
        yield Measure(f"eager draw, ten {name}", {b.name: eager_sample(b, name) for b in COMPILERS}, {"jax": 0.2})
