"""Indexing, updates, sorting, cumulative sums, the greatest elements and convolutions: eager, compiled, and traced."""

from collections.abc import Iterator

from benchmarks.backends import COMPILERS, EFFAX, NUMPY, Backend, Compiler
from benchmarks.harness import Measure, Sample, per_call, timed
from benchmarks.measure_calls import keep
from benchmarks.measure_control_flow import memory_sample
from benchmarks.namespace import Function, Value
from benchmarks.programs import fresh_salt
from benchmarks.programs_arrays import Program, beside_numpy, indexing, indexing_arguments, large, small

OPERATIONS = 1_000


def eager_sample(backend: Compiler, name: str) -> Sample:
    """One operation on small arrays, outside jit."""
    return per_call(small(backend.np)[name], backend.block)


def beside_numpy_sample(backend: Backend, name: str, count: int) -> Sample:
    """A function of so many numbers, outside jit."""
    f, arguments = getattr(backend.np, name), [backend.np.asarray(x) for x in beside_numpy(count)[name]]
    return per_call(lambda: f(*arguments), keep)


def function(backend: Compiler, program: Program, *, gradient: bool) -> Function:
    """A program of one operation, or the gradient of the sum of its squares."""

    def energy(*arguments: Value) -> Value:
        result = program.f(*arguments)
        return backend.np.sum(result * result)

    return backend.grad(energy) if gradient else program.f


def compiled_sample(backend: Compiler, name: str, *, gradient: bool) -> Sample:
    """Seconds per call of such a program."""
    program = large(backend.np, backend.arrays)[name]
    f = backend.jit(function(backend, program, gradient=gradient))
    arguments = [backend.put(x) for x in program.arguments]
    return per_call(lambda: backend.block(f(*arguments)), lambda _: None)


def planned_sample(backend: Compiler, name: str, *, gradient: bool) -> Sample:
    """Bytes of temporaries of such a program."""
    program = large(backend.np, backend.arrays)[name]
    return memory_sample(backend, lambda backend: function(backend, program, gradient=gradient), program.arguments)


def tracing_sample(backend: Compiler) -> Sample:
    """Seconds per operation of make_jaxpr of reads and updates."""
    arguments = [backend.np.asarray(x) for x in indexing_arguments()]

    def sample() -> float:
        traced = backend.make_jaxpr(indexing(backend.np, OPERATIONS, fresh_salt()))
        return timed(lambda: traced(*arguments)) / OPERATIONS

    return sample


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name in small(EFFAX.np):
        yield Measure(f"eager {name}", {b.name: eager_sample(b, name) for b in COMPILERS}, {"jax": 3})
    for count in (1_000, 100_000):
        for name in beside_numpy(count):
            contenders = {b.name: beside_numpy_sample(b, name, count) for b in (EFFAX, NUMPY)}
            yield Measure(
                f"eager {name}, {count:,} numbers, and NumPy's own",
                contenders,
                {"numpy": 1 / 3} if count > 1_000 else {},
            )
    for name in large(EFFAX.np, EFFAX.arrays):
        for label, gradient in [(name, False), (f"gradient of {name}", True)]:
            contenders = {b.name: compiled_sample(b, name, gradient=gradient) for b in COMPILERS}
            yield Measure(f"compiled {label}", contenders, {"jax": 1}, 20)
            planned = {b.name: planned_sample(b, name, gradient=gradient) for b in COMPILERS}
            yield Measure(f"compiled {label}: temporary memory", planned, {"jax": 1}, 2, "B")
    contenders = {b.name: tracing_sample(b) for b in COMPILERS}
    yield Measure("trace 1,000 reads and updates, per operation", contenders, {"jax": 8}, 10)
