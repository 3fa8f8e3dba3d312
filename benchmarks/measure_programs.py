"""The programs of examples/, compiled: the time of a call, and the memory beside arguments and results."""

from collections.abc import Iterator

import jax

from benchmarks import programs_of_examples, programs_of_numerics
from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.namespace import Function, Value
from benchmarks.programs_of_examples import on_effax, on_jax

EXAMPLES = {"effax": on_effax, "jax": on_jax}
PROGRAMS = (programs_of_examples.PROGRAMS, False), (programs_of_numerics.PROGRAMS, True)
"""Programs, and whether they are in double precision: these are small, and their memory is not counted."""


def call_sample(backend: Compiler, program: Function, arguments: tuple[Value, ...], double: bool) -> Sample:
    """Seconds per call."""
    with jax.enable_x64(double):
        compiled, on_device = backend.jit(program), backend.put(arguments)

    def call() -> Value:
        with jax.enable_x64(double):
            return compiled(*on_device)

    return per_call(call, backend.block, at_least=0.2)


def memory_sample(backend: Compiler, program: Function, arguments: tuple[Value, ...]) -> Sample:
    """Bytes beside arguments and results."""
    return lambda: backend.temporaries(backend.trace(program, *backend.put(arguments)).lower().compile())


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for programs, double in PROGRAMS:
        for program in programs:
            name = f"programs: {program.__name__}"
            calls = {b.name: call_sample(b, *program(EXAMPLES[b.name]), double) for b in COMPILERS}
            yield Measure(f"{name}, a call", calls, {"jax": 1.0}, 15)
            if not double:
                memory = {b.name: memory_sample(b, *program(EXAMPLES[b.name])) for b in COMPILERS}
                yield Measure(f"{name}, temporary memory", memory, {"jax": 0.95}, 2, "B")
