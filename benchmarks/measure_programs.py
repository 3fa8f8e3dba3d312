"""The programs of examples/, compiled: the time of a call, and the memory beside arguments and results."""

from collections.abc import Iterator

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.namespace import Function, Value
from benchmarks.programs_of_examples import PROGRAMS, on_effax, on_jax

EXAMPLES = {"effax": on_effax, "jax": on_jax}


def call_sample(backend: Compiler, program: Function, arguments: tuple[Value, ...]) -> Sample:
    """Seconds per call."""
    compiled, on_device = backend.jit(program), backend.put(arguments)
    return per_call(lambda: compiled(*on_device), backend.block, at_least=0.2)


def memory_sample(backend: Compiler, program: Function, arguments: tuple[Value, ...]) -> Sample:
    """Bytes beside arguments and results."""
    return lambda: backend.temporaries(backend.trace(program, *backend.put(arguments)).lower().compile())


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for program in PROGRAMS:
        name = f"programs: {program.__name__}"
        calls = {b.name: call_sample(b, *program(EXAMPLES[b.name])) for b in COMPILERS}
        yield Measure(f"{name}, a call", calls, {"jax": 1.0}, 15)
        memory = {b.name: memory_sample(b, *program(EXAMPLES[b.name])) for b in COMPILERS}
        yield Measure(f"{name}, temporary memory", memory, {"jax": 0.95}, 2, "B")
