"""Measures of one call: of a compiled function with little to compute, of an eager operation, of an eager gradient."""

import functools
import operator
from collections.abc import Callable, Iterator

import numpy

from benchmarks.backends import AUTOGRAD, COMPILERS, NUMPY, Backend, Compiler
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.programs import ten_operations


def keep(result: object) -> object:
    return result


def dispatch_sample(backend: Compiler, arguments: int) -> Sample:
    """A compiled half of the sum of arrays that lie on the device."""
    xs = [backend.put(numpy.full(3, i, numpy.float32)) for i in range(arguments)]
    total = backend.jit(lambda *xs: functools.reduce(operator.add, xs) * 0.5)
    return per_call(lambda: total(*xs), backend.block)


def dispatch_tree_sample(backend: Compiler, entries: int) -> Sample:
    """A compiled function from a dict of arrays to a dict of arrays, on the device."""
    tree = backend.put({f"layer{i}": numpy.full(3, i, numpy.float32) for i in range(entries)})
    halve = backend.jit(lambda tree: {name: x * 0.5 for name, x in tree.items()})
    return per_call(lambda: halve(tree), backend.block)


def dispatch_few_sample(backend: Compiler, arguments: int) -> Sample:
    """A compiled function of arrays on the device, of which it reads two."""
    xs = [backend.put(numpy.full(3, i, numpy.float32)) for i in range(arguments)]
    few = backend.jit(lambda *xs: xs[0] + xs[-1])
    return per_call(lambda: few(*xs), backend.block)


def dispatch_few_of_tree_sample(backend: Compiler, entries: int) -> Sample:
    """A compiled function of a dict of arrays on the device, of which it reads three."""
    tree = backend.put({f"layer{i}": numpy.full(3, i, numpy.float32) for i in range(entries)})
    few = backend.jit(lambda tree: tree["layer1"] + tree["layer2"] * tree["layer3"])
    return per_call(lambda: few(tree), backend.block)


def dispatch_static_sample(backend: Compiler, *, by_name: bool) -> Sample:
    """A compiled function of an array on the device and a Python value that is static."""
    x = backend.put(numpy.ones(3, numpy.float32))
    by_position = backend.jit(lambda x, n: x * n, static_argnums=1)
    named = backend.jit(lambda x, *, mode: x * len(mode), static_argnames="mode")
    return per_call((lambda: named(x, mode="same")) if by_name else (lambda: by_position(x, 3)), backend.block)


def dispatch_donated_sample(backend: Compiler) -> Sample:
    """A compiled step that takes over the memory of its state."""
    step = backend.jit(lambda state, x: state + x, donate_argnums=0)
    x = backend.put(numpy.ones(3, numpy.float32))
    state = [step(backend.put(numpy.zeros(3, numpy.float32)), x)]

    def call() -> object:
        state[0] = step(state[0], x)
        return state[0]

    return per_call(call, backend.block)


def eager_sample(backend: Backend, operation: str) -> Sample:
    """One operation on small arrays, outside jit."""
    np = backend.np
    x, y = (np.asarray(numpy.asarray(values, numpy.float32)) for values in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
    a = np.asarray(numpy.arange(64, dtype=numpy.float32).reshape(8, 8))
    actions: dict[str, Callable[[], object]] = {
        "add": lambda: np.add(x, y),
        "sin": lambda: np.sin(x),
        "sum": lambda: np.sum(x),
        "8x8 matmul": lambda: np.matmul(a, a),
    }
    return per_call(actions[operation], backend.block if isinstance(backend, Compiler) else keep)


def eager_gradient_sample(backend: Backend) -> Sample:
    """The derivative of a scalar function at a Python number, outside jit."""
    slope = backend.grad(ten_operations(backend.np))
    return per_call(lambda: slope(0.7), backend.block if isinstance(backend, Compiler) else keep)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for count in (1, 10, 100):
        contenders = {b.name: dispatch_sample(b, count) for b in COMPILERS}
        yield Measure(f"compiled call, {count} array arguments", contenders, {"jax": 0.9})
    contenders = {b.name: dispatch_tree_sample(b, 20) for b in COMPILERS}
    yield Measure("compiled call, dict of 20 arrays", contenders, {"jax": 0.9})
    others: dict[str, Callable[[Compiler], Sample]] = {
        "10 arrays of which 2 are read": lambda b: dispatch_few_sample(b, 10),
        "dict of 20 arrays of which 3 are read": lambda b: dispatch_few_of_tree_sample(b, 20),
        "static argument by position": lambda b: dispatch_static_sample(b, by_name=False),
        "static argument by name": lambda b: dispatch_static_sample(b, by_name=True),
        "donated state": dispatch_donated_sample,
    }
    for name, sample in others.items():
        yield Measure(f"compiled call, {name}", {b.name: sample(b) for b in COMPILERS}, {"jax": 0.9})
    for operation, target in [("add", 2.5), ("sin", 1.5), ("sum", 2.0), ("8x8 matmul", 3.0)]:
        contenders = {b.name: eager_sample(b, operation) for b in (*COMPILERS, NUMPY)}
        yield Measure(f"eager {operation}", contenders, {"jax": target})
    contenders = {b.name: eager_gradient_sample(b) for b in (*COMPILERS, AUTOGRAD)}
    yield Measure("eager grad of ten operations", contenders, {"jax": 20, "autograd": 1})
