"""Training steps of a perceptron and of a transformer block: the time to the first result, and per step from then on.

`cold` first forgets what the library remembers; `new function` does not, which is what a second model in the same
process pays. Both times are of a program that was not met before, from tracing to the end of the first call.
"""

from collections.abc import Callable, Iterator

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Measure, Sample, per_call, timed
from benchmarks.namespace import Function, Namespace, Value
from benchmarks.programs import (
    attention_arguments,
    attention_loss,
    fresh_salt,
    mlp_arguments,
    mlp_loss,
    sgd_step,
)

type Model = tuple[str, Callable[[Namespace, float], Function], Callable[[], tuple[Value, ...]]]
type NewStep = Callable[[Compiler], Function]

MODELS: list[Model] = [
    ("perceptron", mlp_loss, mlp_arguments),
    ("attention block", attention_loss, attention_arguments),
]


def trained(loss: Callable[[Namespace, float], Function]) -> NewStep:
    """The training step of a new copy of a loss."""
    return lambda backend: sgd_step(backend.value_and_grad, loss(backend.np, fresh_salt()))


def first_call_sample(backend: Compiler, new_step: NewStep, arguments: tuple[Value, ...], forget: bool) -> Sample:
    """Seconds from a new step to its first result."""
    on_device = backend.put(arguments)

    def sample() -> float:
        if forget:
            backend.forget()
        step = backend.jit(new_step(backend))
        return timed(lambda: backend.block(step(*on_device)))

    return sample


def steady_sample(backend: Compiler, new_step: NewStep, arguments: tuple[Value, ...]) -> Sample:
    """Seconds per compiled step (state, …) ↦ (value, state), each one fed the state of the one before."""
    state, *rest = backend.put(arguments)
    step = backend.jit(new_step(backend))

    def advance() -> object:
        nonlocal state
        value, state = step(state, *rest)
        return value, state

    return per_call(advance, backend.block, at_least=0.2)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name, loss, arguments in MODELS:
        for label, forget in [("cold", True), ("new function", False)]:
            contenders = {b.name: first_call_sample(b, trained(loss), arguments(), forget) for b in COMPILERS}
            yield Measure(f"{name}: first step, {label}", contenders, {"jax": 1.3}, 10)
        contenders = {b.name: steady_sample(b, trained(loss), arguments()) for b in COMPILERS}
        yield Measure(f"{name}: steady step", contenders, {"jax": 1.0}, 15)
