"""The programs of examples/, as they are written: on effax, and on jax by modules of the same names.

The text is one, so what is compared is what a user of either library would write.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import jax
import jax.experimental.ode
import jax.numpy as jnp
import jax.scipy.linalg
import jax.scipy.optimize
import jax.scipy.sparse.linalg
import numpy
import optax

from benchmarks.namespace import Function, Value

type Examples = Callable[[str], Value]
"""The module of an example, by its name."""

FOLDER = Path(__file__).parents[1] / "examples"


def on_effax(name: str) -> Value:
    """The example itself."""
    with _replaced_modules(_without_data()):
        return importlib.import_module(f"examples.{name}")


def on_jax(name: str) -> Value:
    """The same text, where `effects` and `handlers` are what jax has of these names."""
    spec = importlib.util.spec_from_file_location(f"{name}_on_jax", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _replaced_modules({**_of_jax(), **_without_data()}):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _replaced_modules(modules: dict[str, ModuleType]) -> Iterator[None]:
    """Modules under these names for a while."""
    before = {name: sys.modules[name] for name in modules if name in sys.modules}
    try:
        sys.modules.update(modules)
        yield
    finally:
        for name in modules:
            sys.modules.pop(name)
        sys.modules.update(before)


def _module(name: str, *others: ModuleType, **names: Value) -> ModuleType:
    """A module with what others have, and some names besides."""
    module = ModuleType(name)
    for other in others:
        module.__dict__.update(other.__dict__)
    module.__dict__.update(names)
    return module


class _Nothing:
    """Stand-in for parts of an example that no program here needs."""

    def __class_getitem__(cls, item: Value) -> type:
        return cls


def _of_jax() -> dict[str, ModuleType]:
    cg = lambda *args, **kwargs: jax.scipy.sparse.linalg.cg(*args, **kwargs)[0]
    effect_class = type("Effect", (), {})
    tree = {"tree_map": jax.tree.map, "tree_leaves": jax.tree.leaves}
    fft, linalg = jnp.fft, _module("linalg", jax.scipy.linalg, jnp.linalg)
    random = _module("random", jax.random, Key=jax.Array)
    arrays = {"Array": jax.Array, "ArrayLike": jax.Array, "nn": jax.nn, "fft": fft, "linalg": linalg, "random": random}
    integrate = _module("integrate", odeint=jax.experimental.ode.odeint)
    optimize = _module("optimize", minimize=jax.scipy.optimize.minimize)
    arrays |= {"integrate": integrate, "optim": optax, "optimize": optimize}
    named = {"top_k": jax.lax.top_k, "segment_sum": jax.ops.segment_sum, "Effect": effect_class}
    transformed = {name: getattr(jax, name) for name in _TRANSFORMATIONS}
    controlled = {name: getattr(jax.lax, name) for name in _CONTROL}
    unused = dict.fromkeys(("Merging", "Reading", "handled", "with_random"), _Nothing)
    return {
        "effects": _module("effects", jnp, **arrays, **tree, **named),
        "handlers": _module("handlers", **transformed, **controlled, **unused, cg=cg),
        "lowering": _module("lowering", jit=jax.jit),
    }


_TRANSFORMATIONS = ("grad", "jacfwd", "jacrev", "value_and_grad", "vmap")
_CONTROL = ("cond", "fori_loop", "scan", "stop_gradient", "while_loop")


def _without_data() -> dict[str, ModuleType]:
    """Data sets and progress bars are not installed beside jax, and no program here needs one."""
    data = _module("sklearn.datasets", load_digits=None)
    return {"sklearn": ModuleType("sklearn"), data.__name__: data, "tqdm": _module("tqdm", tqdm=None)}


def _random(*shape: int, seed: int = 0) -> Value:
    return numpy.random.default_rng(seed).normal(size=shape).astype(numpy.float32)


def neighbours(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """The classes of 256 points by the ten nearest of 20,000, in 32 dimensions."""
    classify = examples("neighbours").classify
    labels = numpy.arange(20_000, dtype=numpy.int32) % 10
    return lambda p, y, q: classify(p, y, q, 10, 10), (_random(20_000, 32), labels, _random(256, 32, seed=1))


def sparse(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """Twenty steps of conjugate gradients with a matrix of 2,000 rows and 20,000 entries beside its diagonal."""
    module, rows, entries = examples("sparse"), 2_000, 20_000
    random = numpy.random.default_rng(0)
    i, j, values = random.integers(0, rows, entries // 2), random.integers(0, rows, entries // 2), _random(entries // 2)
    i, j = numpy.concatenate([i, j, numpy.arange(rows)]), numpy.concatenate([j, i, numpy.arange(rows)])
    values = numpy.concatenate([values, values, numpy.full(rows, 50.0, numpy.float32)])
    order = numpy.argsort(i, kind="stable")
    starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(i))]).astype(numpy.int32)
    matrix = values[order], j[order].astype(numpy.int32), starts
    return lambda matrix, b: module.solve(module.Sparse(*matrix), b, 20), (matrix, _random(rows))


def heat(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """A hundred steps on a plate of 256 by 256."""
    spread = examples("heat").spread
    return lambda plate: spread(plate, 0.2, 100), (_random(256, 256),)


def equaliser(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """A picture of 512 by 512."""
    image = numpy.random.default_rng(0).integers(60, 190, (512, 512)).astype(numpy.uint8)
    return examples("equaliser").equalise, (image,)


def beams(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """Eight beams of 50 tokens out of 500."""
    search, table = examples("beam").search, _random(500, 500)
    return lambda table: search(lambda state, tokens: (table[tokens], state), (), 0, 1, 8, 50), (table,)


def generation(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """64 tokens of a transformer of two blocks of width 128."""
    module, width, heads = examples("transformer"), 128, 4
    each = width // heads
    shapes = (width,), (width, 3, heads, each), (heads, each, width), (width,), (width, 4 * width), (4 * width, width)
    blocks = [tuple([0.05 * _random(*shape, seed=seed) for shape in shapes]) for seed in (1, 2)]
    weights = _random(512, width), _random(128, width), blocks, _random(width)

    def generate(weights: Value, prompt: Value) -> Value:
        embedding, places, blocks, norm = weights
        model = module.Model(embedding, places, tuple([module.Block(*block) for block in blocks]), norm)
        return module.generate(model, prompt, 64)

    return generate, (weights, numpy.arange(8, dtype=numpy.int32))


def graph(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """A step of learning on 5,000 nodes with 16 features and 50,000 edges, two layers of width 32 and four classes."""
    module, nodes, edges = examples("graph"), 5_000, 50_000
    random = numpy.random.default_rng(0)
    senders, receivers = [random.integers(0, nodes, edges).astype(numpy.int32) for _ in range(2)]
    labels = (numpy.arange(nodes) % 4).astype(numpy.int32)
    known = numpy.arange(nodes) < nodes // 2
    sizes = (16, 32), (32, 4)
    layers = [(_random(*s), _random(*s, seed=1), numpy.zeros(s[1], numpy.float32)) for s in sizes]

    def step(layers: Value, parts: Value, labels: Value, known: Value) -> Value:
        network = tuple([module.Layer(*layer) for layer in layers])
        loss, network = module.step(network, module.Graph(*parts), labels, known, 0.1)
        return loss, [tuple(layer) for layer in network]

    return step, (layers, (_random(nodes, 16), senders, receivers), labels, known)


PROGRAMS = [neighbours, sparse, heat, equaliser, beams, generation, graph]
