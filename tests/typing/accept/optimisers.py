"""Optimisers: states have types of their own, parameters keep theirs."""

from typing import NamedTuple, reveal_type

import effects as fx
from handlers import grad
from lowering import jit


class Layer(NamedTuple):
    w: fx.Array[fx.float32]
    b: fx.Array[fx.float32]


def loss(layer: Layer, x: fx.Array[fx.float32]) -> fx.Array[fx.float32]:
    return fx.mean((x @ layer.w + layer.b) ** 2)


optimizer = fx.optim.clip_by_global_norm(1.0) >> fx.optim.adam(fx.optim.cosine_decay_schedule(0.1, 100))


@jit
def step(
    layer: Layer, state: tuple[tuple[()], tuple[fx.optim.Moments, fx.optim.StepCount]], x: fx.Array[fx.float32]
) -> Layer:
    updates, state = optimizer.update(grad(loss)(layer, x), state, layer)
    reveal_type(updates)  # tuple[Array[float32, Any], Array[float32, Any], fallback=Layer]
    return fx.optim.apply_updates(layer, updates)


def signs[P](gradients: P, state: tuple[()], params: P) -> tuple[P, tuple[()]]:
    return fx.tree_map(fx.sign, gradients), state


def nothing(params: object) -> tuple[()]:
    return ()


own = fx.optim.GradientTransformation(nothing, signs)
