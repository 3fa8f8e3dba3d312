"""Tracing and lowering of programs of 1,000 to 100,000 operations, timed per operation that the program performs.

Every sample has a function of its own, since jax remembers the trace of a function it has seen, and for lowering a
program of its own, since effax remembers the meaning of a program it has lowered. Both libraries keep warm what they
remember of their own parts.
"""

from collections.abc import Callable, Iterator

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Comparison, Measure, Sample, timed
from benchmarks.namespace import Function
from benchmarks.programs import fresh_salt, mixture, mixture_arguments
from effects import Array, Operation, Performed, perform
from effects.operations import Convolution
from handlers import OperationHandler

SIZES = (1_000, 10_000, 100_000)
ROUNDS = {1_000: 40, 10_000: 15, 100_000: 5}


def tracing_sample(
    backend: Compiler, operations: int, transform: Callable[[Compiler, Function], Function], batch: int | None = None
) -> Sample:
    """Seconds per operation of make_jaxpr(transform(program))."""
    arguments = [backend.np.asarray(x) for x in mixture_arguments(batch)]

    def sample() -> float:
        traced = backend.make_jaxpr(transform(backend, mixture(backend.np, operations, fresh_salt())))
        return timed(lambda: traced(*arguments)) / operations

    return sample


class Passing(OperationHandler):
    """Has to do with nothing in the programs."""

    handles = Convolution

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)


def under_a_handler(_: Compiler, f: Function) -> Function:
    """`f`, whose operations a handler passes on."""

    def run(*args: Array) -> object:
        with Passing():
            return f(*args)

    return run


def lowering_sample(backend: Compiler, operations: int) -> Sample:
    """Seconds per operation of lowering a traced program to StableHLO."""
    arguments = [backend.np.asarray(x) for x in mixture_arguments()]

    def sample() -> float:
        traced = backend.trace(mixture(backend.np, operations, fresh_salt()), *arguments)
        return timed(traced.lower) / operations

    return sample


def gradient(backend: Compiler, f: Function) -> Function:
    return backend.grad(f)


def batched_gradient(backend: Compiler, f: Function) -> Function:
    return backend.vmap(backend.grad(f))


def hessian(backend: Compiler, f: Function) -> Function:
    return backend.hessian(f)


def trace_name(operations: int) -> str:
    return f"trace {operations:,} operations, per operation"


PASSED = f"trace {SIZES[0]:,} operations that a handler passes on, per operation"

COMPARISONS = [
    Comparison("tracing, without a handler over with one that passes on", trace_name(SIZES[0]), PASSED, 0.7),
    Comparison(
        f"flatness of tracing, {SIZES[0]:,} to {SIZES[-1]:,} operations",
        trace_name(SIZES[0]),
        trace_name(SIZES[-1]),
        1 / 1.2,
    ),
]


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for size in SIZES:
        contenders = {b.name: tracing_sample(b, size, lambda _, f: f) for b in COMPILERS}
        yield Measure(trace_name(size), contenders, {"jax": 8}, ROUNDS[size])
    effax = next(b for b in COMPILERS if b.name == "effax")
    yield Measure(PASSED, {"effax": tracing_sample(effax, SIZES[0], under_a_handler)}, {}, ROUNDS[SIZES[0]])
    transforms: list[tuple[str, Callable[[Compiler, Function], Function], int | None]] = [
        ("grad", gradient, None),
        ("vmap(grad)", batched_gradient, 4),
        ("hessian", hessian, None),
    ]
    for name, transform, batch in transforms:
        contenders = {b.name: tracing_sample(b, 1_000, transform, batch) for b in COMPILERS}
        yield Measure(f"trace {name} of 1,000 operations, per operation", contenders, {"jax": 12}, 10)
    for size in SIZES[:2]:
        contenders = {b.name: lowering_sample(b, size) for b in COMPILERS}
        yield Measure(f"lower {size:,} operations, per operation", contenders, {"jax": 5}, ROUNDS[size])
