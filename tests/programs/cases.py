"""Functions to export, each with its arguments."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

import effects as fx
from effects import random
from handlers import checkpoint, cond, scan, value_and_grad, while_loop
from lowering import jit

RNG: Final = np.random.default_rng(0)


class Case(NamedTuple):
    """A jitted function and its arguments, those first that are static; `static` of them are left out of calls."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = {}
    static: int = 0


def normal(*shape: int, dtype: Any = fx.float32) -> Any:
    return fx.asarray(RNG.normal(size=shape), dtype=dtype)


def step(params: Any, x: Any, y: Any) -> Any:
    """One step of training a small network."""

    def loss(params: Any) -> Any:
        hidden = fx.tanh(x @ params["layers"][0][0] + params["layers"][0][1])
        return fx.mean((hidden @ params["layers"][1][0] + params["layers"][1][1] - y) ** 2)

    value, grads = value_and_grad(loss)(params)
    moved = fx.tree_map(lambda p, g: p - 0.1 * g, params, grads)
    return moved, value


PARAMS: Final = {"layers": [(normal(4, 8), normal(8)), (normal(8, 2), normal(2))], "unused": None}
CLOSED_OVER: Final = {
    name: normal(3, dtype=dtype)
    for name, dtype in (
        ("double", fx.float64),
        ("half", fx.bfloat16),
        ("single", fx.float32),
        ("eighth", fx.float8_e5m2),
    )
} | {"empty": fx.zeros((0, 2)), "counts": fx.arange(3, dtype=fx.uint8), "mask": fx.asarray([True, False, True])}


def closes_over(x: Any) -> Any:
    return {name: [value, x] for name, value in CLOSED_OVER.items()}, CLOSED_OVER["double"] * x


def count_down(x: Any) -> Any:
    return while_loop(lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] * 1.5), (x, fx.ones(())))


def scanned(xs: Any) -> Any:
    return scan(lambda c, x: (c * 0.5 + x, c), fx.zeros((3,), dtype=fx.float32), xs)


def of_every_dtype(xs: Any) -> Any:
    return {name: x if x.dtype is fx.bool else x + x for name, x in xs.items()}


DTYPES: Final = (
    fx.bool, fx.int8, fx.int16, fx.int32, fx.int64, fx.uint8, fx.uint16, fx.uint32, fx.uint64,
    fx.float16, fx.bfloat16, fx.float32, fx.float64, fx.complex64, fx.complex128, fx.float8_e4m3fn,
)  # fmt: skip
OF_DTYPES: Final = {dtype.name: fx.astype(fx.arange(4), dtype) for dtype in DTYPES}

CASES: Final[Mapping[str, Case]] = {
    "training": Case(jit(step), (PARAMS, normal(16, 4), normal(16, 2))),
    "not jitted": Case(step, (PARAMS, normal(16, 4), normal(16, 2))),
    "donated": Case(jit(lambda x, y: (x + y, y[0]), donate_argnums=0), (normal(8), normal(8))),
    "donated and unread": Case(jit(lambda x, y: y * 2, donate_argnums=(0, 1)), (normal(8), normal(8))),
    "dtypes": Case(jit(of_every_dtype), (OF_DTYPES,)),
    "closed over": Case(jit(closes_over), (fx.asarray(2.0),)),
    "weak": Case(jit(lambda x, y: (x * 2, y * x)), (3.0, normal(3))),
    "numbers": Case(jit(lambda x, y, z: [x, y, z]), (3, True, 2j)),
    "by name": Case(jit(lambda x, *, scale: x * scale["a"]), (normal(3),), {"scale": {"a": normal(3)}}),
    "static": Case(jit(lambda n, f, x: f(x) * n, static_argnums=(0, 1)), (3, fx.sin, normal(5)), static=2),
    "trees": Case(
        jit(lambda t: {"t": t, "o": OrderedDict(b=t[0], a=())}), ([normal(2), {"z": None, "a": (normal(1),)}],)
    ),
    "key": Case(jit(lambda key: (random.split(key, 2), random.normal(key, (3,)))), (random.key(1),)),
    "philox": Case(jit(lambda key: random.uniform(key, (3,))), (random.key(1, impl="philox"),)),
    "nothing": Case(jit(lambda: ()), ()),
    "constant": Case(jit(lambda x: fx.ones(3)), (normal(2),)),
    "itself": Case(jit(lambda x: x), (normal(2),)),
    "sort": Case(jit(lambda x: (fx.sort(x), fx.argsort(-x))), (normal(1000),)),
    "sums": Case(jit(lambda x: fx.cumulative_sum(x, axis=0)), (normal(3000, 7),)),
    "lookup": Case(jit(lambda x, i: (x[i], x.at[i].add(1.0))), (normal(50, 3), fx.arange(0, 50, 7))),
    "greatest": Case(jit(lambda x: fx.top_k(x, 5)), (normal(20, 3000),)),
    "lapack": Case(
        jit(lambda a, b: (tuple(fx.linalg.svd(a)), fx.linalg.solve(a, b), tuple(fx.linalg.eigh(a + a.T)))),
        (normal(5, 5), normal(5)),
    ),
    "fourier": Case(jit(lambda x: fx.fft.irfft(fx.fft.rfft(x) * 2)), (normal(16),)),
    "loop": Case(jit(count_down), (5,)),
    "scan": Case(jit(scanned), (normal(6, 3),)),
    "branches": Case(jit(lambda p, x: cond(p, fx.sin, fx.cos, x)), (True, normal(3))),
    "special": Case(
        jit(lambda x: (fx.special.gammaln(x), fx.special.erfinv(x / 9), fx.special.j0(x))), (abs(normal(5)),)
    ),
    "convolution": Case(jit(lambda x, w: fx.convolve(x, w)), (normal(20), normal(3))),
    "calls": Case(jit(lambda x: jit(fx.sin)(x) + jit(jit(fx.sin))(x[::-1])), (normal(4),)),
    "checkpoint": Case(jit(lambda x: value_and_grad(checkpoint(lambda x: fx.sum(fx.sin(x))))(x)), (normal(4),)),
}

DIFFERENTIABLE: Final = ("training", "not jitted", "scan", "lapack", "lookup", "special", "checkpoint", "constant")


def fresh(args: Any) -> Any:
    """The same arguments, in memory of their own, to donate."""
    return fx.tree_map(lambda x: fx.array(x, copy=True) if isinstance(x, fx.Array) else x, args)


def bits(tree: Any) -> list[Any]:
    """The types and the elements of a tree, as bytes."""
    return [(x.aval, x.aval.weak_type, np.asarray(x).tobytes()) for x in fx.tree_leaves(tree)]
