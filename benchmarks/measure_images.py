"""Compiled convolutions, pools and running folds: the time and the memory of a call and of its gradient.

The gradient is that of the sum of what comes out, times the operand that is as large: every element has its own.
"""

from collections.abc import Iterator

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.measure_control_flow import memory_sample
from benchmarks.measure_training import NewStep, steady_sample
from benchmarks.namespace import Function, Value
from benchmarks.programs import sgd_step
from benchmarks.programs_images import PROGRAMS, Program, classifier_arguments, classifier_loss


def gradient(backend: Compiler, program: Program) -> Function:
    """(operands, weights) ↦ the derivatives of Σ weights · f(operands) by all operands."""
    f = program.functions[backend.name]
    return lambda operands, weights: backend.grad(lambda xs: backend.np.sum(weights * f(*xs)))(operands)


def called(program: Program) -> NewStep:
    """The function for each library."""
    return lambda backend: program.functions[backend.name]


def slope_of(program: Program) -> NewStep:
    """The gradient for each library."""
    return lambda backend: gradient(backend, program)


def weights(backend: Compiler, program: Program) -> Value:
    """Numbers in the shape of the result, none of which is another's equal."""
    out = program.functions[backend.name](*map(backend.np.asarray, program.arguments()))
    size = 1
    for n in out.shape:
        size *= n
    return backend.np.sin(backend.np.reshape(backend.np.arange(size, dtype=backend.np.float32), out.shape))


def call_sample(backend: Compiler, f: Function, arguments: tuple[Value, ...]) -> Sample:
    """Seconds per call of the compiled function."""
    arrays = backend.put(arguments)
    compiled = backend.jit(f)
    return per_call(lambda: compiled(*arrays), backend.block, at_least=0.1)


def trained() -> NewStep:
    """The training step of the classifier."""
    return lambda backend: sgd_step(backend.value_and_grad, classifier_loss(backend.name))


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for program in PROGRAMS:
        calls = {b.name: call_sample(b, program.functions[b.name], program.arguments()) for b in COMPILERS}
        yield Measure(f"{program.name}: call", calls, {"jax": 1.0}, 15)
        planned = {b.name: memory_sample(b, called(program), program.arguments()) for b in COMPILERS}
        yield Measure(f"{program.name}: temporary memory of the call", planned, {"jax": 1.0}, 2, "B")
        operands = {b.name: (program.arguments(), weights(b, program)) for b in COMPILERS}
        slopes = {b.name: call_sample(b, gradient(b, program), operands[b.name]) for b in COMPILERS}
        yield Measure(f"{program.name}: gradient", slopes, {"jax": 1.0}, 15)
        memory = {b.name: memory_sample(b, slope_of(program), operands[b.name]) for b in COMPILERS}
        yield Measure(f"{program.name}: temporary memory of the gradient", memory, {"jax": 1.0}, 2, "B")
    contenders = {b.name: steady_sample(b, trained(), classifier_arguments()) for b in COMPILERS}
    yield Measure("convolutional classifier: steady step", contenders, {"jax": 1.0}, 15)
