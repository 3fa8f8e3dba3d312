"""Programs with rules of users, checkpoints, named axes and callbacks inside of loops, each beside its value by NumPy.

The rules are the true derivatives, so that every composite is checked as that of an ordinary function.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import effects as fx
from effects import Array
from handlers import (
    axis_index,
    checkpoint,
    checkpoint_name,
    checkpoint_policies,
    cond,
    custom_batching,
    custom_jvp,
    custom_transpose,
    custom_vjp,
    fori_loop,
    ppermute,
    psum,
    pure_callback,
    scan,
    stop_gradient,
    vmap,
    while_loop,
)
from tests.compositions.beside import Beside, beside
from tests.compositions.closure import Host
from tests.compositions.programs import Unary, numbers, scalar

TABLE: Final = numbers(2, seed=70)


def _sqrt_rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    y = sqrt_by_newton(*primals)
    return y, tangents[0] / (2.0 * y)


@custom_jvp(_sqrt_rule)
def sqrt_by_newton(a: Array) -> Array:
    """An unbounded loop that has a reverse mode, by its rule."""
    return while_loop(lambda x: fx.abs(x * x - a) > 1e-13, lambda x: 0.5 * (x + a / x), a)


@custom_jvp
def softplus(x: Array, w: Array) -> Array:
    """log(1 + exp(x)) + w, by a rule that calls it."""
    return fx.log1p(fx.exp(x)) + w


@softplus.defjvp
def _softplus_rule(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (x, w), (dx, dw) = primals, tangents
    return softplus(x, w), dx * (1.0 - fx.exp(w - softplus(x, w))) + dw


def softplus_by_numpy(x: Host, w: Host) -> Any:
    return np.log1p(np.exp(x)) + w


def roots(x: Array, y: Array) -> Array:
    return sqrt_by_newton(x * x + y) * y


def roots_by_numpy(x: Host, y: Host) -> Any:
    return np.sqrt(x * x + y) * y


@custom_vjp
def damped(p: dict[str, Array], x: Array) -> Array:
    """A function of a tree with rules for both modes."""
    return p["a"] * fx.sin(x)


damped.defvjp(
    lambda p, x: (damped(p, x), (p["a"], x)),
    lambda kept, ct: ({"a": ct * fx.sin(kept[1])}, ct * kept[0] * fx.cos(kept[1])),
)
damped.defjvp(
    lambda primals, tangents: (
        damped(*primals),
        tangents[0]["a"] * fx.sin(primals[1]) + primals[0]["a"] * fx.cos(primals[1]) * tangents[1],
    )
)


def rules_in_scan_in_vmap(xs: Array, a: Array) -> Array:
    result: Array = vmap(lambda x: scan(lambda c, y: (damped({"a": a}, c) + y, c * y), x, xs)[0])(xs)
    return result


def rules_in_scan_in_vmap_by_numpy(xs: Host, a: Host) -> Any:
    c = xs
    for y in xs:
        c = a * np.sin(c) + y
    return c


def rule_in_loop(x: Array) -> Array:
    """A rule that closes over a value of the program, in a branch in a loop."""

    @custom_jvp
    def scaled(c: Array) -> Array:
        return fx.exp(-c) * TABLE

    scaled.defjvp(lambda primals, tangents: (scaled(*primals), -fx.exp(-primals[0]) * TABLE * tangents[0]))
    return fori_loop(0, 2, lambda i, c: cond(i > 0, lambda: scaled(c) * x, lambda: c * x), x)


def rule_in_loop_by_numpy(x: Host) -> Any:
    return np.exp(-x * x) * np.asarray(TABLE) * x


@custom_batching
def norm(x: Array) -> Array:
    return fx.sum(x * x)


norm.defbatch(lambda size, batched, x: (fx.sum(x * x, axis=tuple(range(1, x.ndim))), True))


def batching_rule(xs: Array, x: Array) -> Array:
    return scan(lambda c, y: (c * norm(y * c), None), x, xs)[0]


def batching_rule_by_numpy(xs: Host, x: Host) -> Any:
    for y in xs:
        x = x * np.sum((y * x) ** 2)
    return x


@custom_transpose
def turned(k: Array, x: Array) -> Array:
    return fx.flip(k * x)


turned.deftranspose(lambda k, ct: k * fx.flip(ct))


def transposition_rule(x: Array) -> Array:
    return fori_loop(0, 2, lambda i, c: turned(TABLE, fx.sin(c)), x)


def transposition_rule_by_numpy(x: Host) -> Any:
    for _ in range(2):
        x = (np.asarray(TABLE) * np.sin(x))[::-1]
    return x


def layers(ws: Array, x: Array) -> tuple[Array, Array]:
    @checkpoint(policy=checkpoint_policies.dots_saveable)
    def layer(h: Array, w: Array) -> tuple[Array, Array]:
        new = fx.tanh(w @ fx.sin(h))
        return new, fx.sum(new * h)

    return scan(layer, x, ws)


def layers_by_numpy(ws: Host, x: Host) -> Any:
    out = []
    for w in ws:
        x, before = np.tanh(w @ np.sin(x)), x
        out.append(np.sum(x * before))
    return x, np.stack(out)


def names(x: Array, y: Array) -> Array:
    """A checkpoint of a scan that saves what is named, in a branch; one that saves nothing inside of it."""

    @checkpoint(policy=checkpoint_policies.save_only_these_names("kept"))
    def run(x: Array) -> Array:
        inner: Unary = checkpoint(lambda c: checkpoint_name(fx.sin(c * y), "kept") * c)
        return fx.sum(scan(lambda c, _: (inner(c), c), x, length=2)[1])

    return cond(x > 0.0, lambda: run(x), lambda: y)


def names_by_numpy(x: Host, y: Host) -> Any:
    return x + np.sin(x * y) * x


def streaming_softmax(x: Array) -> Array:
    """The greatest so far is kept out of derivatives, which it does not change."""

    def step(c: tuple[Array, Array], v: Array) -> tuple[tuple[Array, Array], None]:
        greatest = stop_gradient(fx.maximum(c[0], v))
        return (greatest, c[1] * fx.exp(stop_gradient(c[0]) - greatest) + fx.exp(v - greatest)), None

    (greatest, total), _ = scan(step, (x[0], fx.exp(x[0] - stop_gradient(x[0]))), x[1:])
    return fx.log(total) + stop_gradient(greatest)


def streaming_softmax_by_numpy(x: Host) -> Any:
    return np.log(np.sum(np.exp(x)))


def coupled_lanes(x: Array, k: Array) -> Array:
    """Oscillators, each a lane, that see their mean."""

    def lane(x: Array) -> Array:
        step = lambda c, _: (c + k * psum(fx.sin(c), "lanes") / (1 + axis_index("lanes")), None)
        return scan(step, x, length=2)[0]

    result: Array = vmap(lane, axis_name="lanes")(x)
    return result


def coupled_lanes_by_numpy(x: Host, k: Host) -> Any:
    for _ in range(2):
        x = x + k * np.sum(np.sin(x)) / (1 + np.arange(len(x)))
    return x


def ring(x: Array) -> Array:
    """Each lane takes from the one before, the first from none."""

    def lane(x: Array) -> Array:
        return fori_loop(0, 2, lambda i, c: c * x + fx.sin(ppermute(c, "ring", [(0, 1), (1, 2)])), x)

    result: Array = vmap(lane, axis_name="ring")(x)
    return result


def ring_by_numpy(x: Host) -> Any:
    c = x
    for _ in range(2):
        c = c * x + np.sin(np.concatenate([[0.0], c[:-1]]))
    return c


@custom_jvp
def host_sine(x: Array) -> Array:
    """Computed by Python; its rule is of operations that have derivatives."""
    result: Array = pure_callback(np.sin, x, x, vmap_method="expand_dims")
    return result


host_sine.defjvp(lambda primals, tangents: (host_sine(*primals), fx.cos(primals[0]) * tangents[0]))


def callbacks_in_scan(x: Array, ys: Array) -> Array:
    return scan(lambda c, y: (host_sine(c * y) + x, None), x, ys)[0]


def callbacks_in_scan_by_numpy(x: Host, ys: Host) -> Any:
    c = x
    for y in ys:
        c = np.sin(c * y) + x
    return c


_X: Final = scalar(0.7)
_YS: Final = numbers(2, seed=71)
RULES: Final[dict[str, Beside]] = {
    "rule in loop": beside(rule_in_loop, rule_in_loop_by_numpy, numbers(2, seed=72)),
    "softplus": beside(softplus, softplus_by_numpy, _YS, numbers(2, seed=77)),
    "roots": beside(roots, roots_by_numpy, _X, scalar(1.2)),
    "rules in scan in vmap": beside(rules_in_scan_in_vmap, rules_in_scan_in_vmap_by_numpy, _YS, _X),
    "batching rule": beside(batching_rule, batching_rule_by_numpy, numbers(2, 2, seed=73), scalar(0.6)),
    "transposition rule": beside(transposition_rule, transposition_rule_by_numpy, _YS),
    "layers": beside(layers, layers_by_numpy, numbers(2, 2, 2, seed=74), _YS),
    "names": beside(names, names_by_numpy, _X, scalar(1.2)),
    "streaming softmax": beside(streaming_softmax, streaming_softmax_by_numpy, numbers(3, seed=75)),
    "coupled lanes": beside(coupled_lanes, coupled_lanes_by_numpy, _YS, scalar(0.3)),
    "ring": beside(ring, ring_by_numpy, numbers(3, seed=76)),
    "callbacks in scan": beside(callbacks_in_scan, callbacks_in_scan_by_numpy, _X, _YS),
}
