"""Everyday compiled programs and their gradients: a call, the first call, and the memory beside results."""

import contextlib
from collections.abc import Iterator

import jax
import numpy

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call, timed
from benchmarks.namespace import Function, Value
from benchmarks.programs import fresh_salt
from benchmarks.programs_compiled import PROGRAMS, Program


def precision(program: Program) -> contextlib.AbstractContextManager[object]:
    """The block in which jax computes in double precision where the program does."""
    in_double: contextlib.AbstractContextManager[object] = jax.enable_x64(program.dtype == "float64")
    return in_double


def function(backend: Compiler, program: Program, *, gradient: bool) -> Function:
    """The program, or the gradient of its sum by all operands."""
    f = program.of(backend)
    if not gradient:
        return f
    slope = backend.grad(lambda xs: backend.np.sum(f(*xs)))
    return lambda *xs: slope(xs)


def arguments(backend: Compiler, program: Program) -> list[Value]:
    """Operands on the device."""
    random = numpy.random.default_rng(0)
    draw = (lambda shape: random.uniform(0.05, 0.95, shape)) if program.positive else random.standard_normal
    scale = 100 if "int" in program.dtype else 1
    numbers = [numpy.asarray(draw(shape)) * scale for shape in program.shapes]
    return [backend.put(x.astype(numpy.dtype(jax.numpy.dtype(program.dtype)))) for x in numbers]


def call_sample(backend: Compiler, program: Program, *, gradient: bool) -> Sample:
    """Seconds per call."""
    with precision(program):
        f, operands = backend.jit(function(backend, program, gradient=gradient)), arguments(backend, program)

    def call() -> Value:
        return backend.block(f(*operands))

    repeated = per_call(call, lambda _: None)

    def sample() -> float:
        with precision(program):
            return repeated()

    return sample


def first_sample(backend: Compiler, program: Program, *, gradient: bool) -> Sample:
    """Seconds of the first call of a function that was not met before."""

    def sample() -> float:
        with precision(program):
            operands = arguments(backend, program)
            f, salt = function(backend, program, gradient=gradient), fresh_salt()
            salted = backend.jit(lambda xs, one: (f(*xs), one * salt))
            return timed(lambda: backend.block(salted(operands, operands[0].ravel()[0])))

    return sample


def planned_sample(backend: Compiler, program: Program, *, gradient: bool) -> Sample:
    """Bytes of temporaries."""

    def sample() -> float:
        with precision(program):
            traced = backend.trace(function(backend, program, gradient=gradient), *arguments(backend, program))
            return backend.temporaries(traced.lower().compile())

    return sample


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name, program in PROGRAMS.items():
        for label, gradient in {name: False, f"gradient of {name}": True}.items():
            if gradient and not program.slope:
                continue
            calls = {b.name: call_sample(b, program, gradient=gradient) for b in COMPILERS}
            yield Measure(f"table: {label}", calls, {"jax": 0.95}, 15)
            planned = {b.name: planned_sample(b, program, gradient=gradient) for b in COMPILERS}
            yield Measure(f"table, temporary memory: {label}", planned, {"jax": 1}, 2, "B")
            first = {b.name: first_sample(b, program, gradient=gradient) for b in COMPILERS}
            yield Measure(f"table, first call: {label}", first, {"jax": 1}, 4)
