"""Loops and branches: tracing programs full of them, the size of what they become, running models made of them.

Times of tracing are per loop or branch. The size of a program and its memory are counted, not timed: lines of
StableHLO, instructions after XLA's optimisation, and the bytes that XLA plans beside arguments and results.
"""

import functools
from collections.abc import Callable, Iterator

from benchmarks.backends import COMPILERS, Compiler
from benchmarks.harness import Comparison, Measure, Sample, timed
from benchmarks.measure_tracing import gradient
from benchmarks.measure_training import NewStep, first_call_sample, steady_sample
from benchmarks.namespace import Control, Function, Lowered, Namespace, Value
from benchmarks.programs import fresh_salt, sgd_step
from benchmarks.programs_control_flow import (
    conds,
    counted,
    loop_arguments,
    lstm_arguments,
    lstm_loss,
    nbody_adaptive,
    nbody_arguments,
    nbody_counted,
    nested,
    nested_conds,
    ode_arguments,
    ode_loss,
    ode_solution,
    scans,
    whiles,
)

LOOPS = 50
LENGTHS = (10, 1_000)
DEPTHS = (10, 100)

type Write = Callable[[Namespace, Control, int, float], Function]
type Transform = Callable[[Compiler, Function], Function]


def itself(_: Compiler, f: Function) -> Function:
    return f


def tangent(backend: Compiler, f: Function) -> Function:
    """The derivative along the arguments themselves."""
    return lambda *args: backend.jvp(f, args, args)


TRACED: list[tuple[str, str, Write, Transform]] = [
    ("", "scans", scans, itself),
    ("", "while loops", whiles, itself),
    ("", "conds", conds, itself),
    ("", "loops in loops", nested, itself),
    ("grad of ", "scans", scans, gradient),
    ("grad of ", "fori loops", counted, gradient),
    ("jvp of ", "while loops", whiles, tangent),
    ("grad of ", "conds", conds, gradient),
    ("grad of ", "loops in loops", nested, gradient),
]


def tracing_sample(backend: Compiler, write: Write, transform: Transform, loops: int = LOOPS) -> Sample:
    """Seconds per loop of make_jaxpr(transform(program)), the program a new one each time."""
    arguments = [backend.np.asarray(x) for x in loop_arguments()]

    def sample() -> float:
        traced = backend.make_jaxpr(transform(backend, write(backend.np, backend.control, loops, fresh_salt())))
        return timed(lambda: traced(*arguments)) / loops

    return sample


def compiling_sample(backend: Compiler, depth: int) -> Sample:
    """Seconds from new conditionals in each other to their executable."""
    arguments = [backend.np.asarray(x) for x in loop_arguments()]

    def sample() -> float:
        program = nested_conds(backend.np, backend.control, depth, fresh_salt())
        return timed(lambda: backend.trace(program, *arguments).lower().compile())

    return sample


def gradient_of_scan(backend: Compiler, length: int) -> Lowered:
    """The lowered gradient of a scan of so many steps."""
    arguments = [backend.np.asarray(x) for x in loop_arguments(length)]
    return backend.trace(backend.grad(scans(backend.np, backend.control, 1, fresh_salt())), *arguments).lower()


def lines_sample(backend: Compiler, length: int) -> Sample:
    """Lines of StableHLO of the gradient of a scan."""
    return functools.cache(lambda: float(len(gradient_of_scan(backend, length).as_text().splitlines())))


def instructions_sample(backend: Compiler, length: int) -> Sample:
    """Instructions of the compiled gradient of a scan."""
    return functools.cache(
        lambda: float(sum(" = " in line for line in gradient_of_scan(backend, length).compile().as_text().splitlines()))
    )


def memory_sample(backend: Compiler, new_step: NewStep, arguments: tuple[Value, ...]) -> Sample:
    """Bytes of temporaries that XLA plans for a call."""
    arrays = backend.put(arguments)
    return functools.cache(
        lambda: float(backend.temporaries(backend.trace(new_step(backend), *arrays).lower().compile()))
    )


def trained(loss: Callable[[Namespace, Control, float], Function]) -> NewStep:
    """The training step of a new copy of a loss."""
    return lambda backend: sgd_step(backend.value_and_grad, loss(backend.np, backend.control, fresh_salt()))


def simulated(run: Callable[[Namespace, Control, float], Function]) -> NewStep:
    """A new copy of a simulation."""
    return lambda backend: run(backend.np, backend.control, fresh_salt())


def models() -> list[tuple[str, NewStep, tuple[Value, ...]]]:
    """Name, step from (state, …) to (value, state), arguments."""
    rates, y, target = ode_arguments()
    return [
        ("LSTM training by scan", trained(lstm_loss), lstm_arguments()),
        ("N-body by fori_loop", simulated(nbody_counted), nbody_arguments()),
        ("N-body by while_loop", simulated(nbody_adaptive), nbody_arguments()),
        ("ODE by scan", simulated(ode_solution), (y, rates)),
        ("ODE gradient by scan", trained(ode_loss), (rates, y, target)),
    ]


def size_name(kind: str, length: int) -> str:
    return f"grad of a scan of {length:,} steps, {kind}"


COMPARISONS = [
    Comparison(
        f"{kind} of grad of a scan, {LENGTHS[0]:,} steps over {LENGTHS[1]:,}",
        size_name(kind, LENGTHS[0]),
        size_name(kind, LENGTHS[1]),
        1.0,
    )
    for kind in ("StableHLO lines", "HLO instructions")
]


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for prefix, name, write, transform in TRACED:
        contenders = {b.name: tracing_sample(b, write, transform) for b in COMPILERS}
        yield Measure(f"trace {prefix}{LOOPS} {name}, per loop", contenders, {"jax": 10}, 10)
    for depth in DEPTHS:
        for prefix, transform in (("", itself), ("grad of ", gradient)):
            contenders = {b.name: tracing_sample(b, nested_conds, transform, depth) for b in COMPILERS}
            yield Measure(f"trace {prefix}{depth} conds in each other, per cond", contenders, {"jax": 5}, 5)
        contenders = {b.name: compiling_sample(b, depth) for b in COMPILERS}
        yield Measure(f"compile {depth} conds in each other", contenders, {"jax": 0.9}, 3)
    for kind, size_sample in [("StableHLO lines", lines_sample), ("HLO instructions", instructions_sample)]:
        for length in LENGTHS:
            contenders = {b.name: size_sample(b, length) for b in COMPILERS}
            yield Measure(size_name(kind, length), contenders, max_rounds=2, unit="")
    for name, new_step, arguments in models():
        for label, forget in [("cold", True), ("new function", False)]:
            contenders = {b.name: first_call_sample(b, new_step, arguments, forget) for b in COMPILERS}
            yield Measure(f"{name}: first step, {label}", contenders, {"jax": 1.3}, 10)
        contenders = {b.name: steady_sample(b, new_step, arguments) for b in COMPILERS}
        yield Measure(f"{name}: steady step", contenders, {"jax": 1.0}, 15)
        contenders = {b.name: memory_sample(b, new_step, arguments) for b in COMPILERS}
        yield Measure(f"{name}: temporary memory", contenders, {"jax": 1.0}, 2, "B")
