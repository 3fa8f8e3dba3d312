"""Bounds on gradients, and the decay of weights."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.arguments import at_least, positive
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.optim.gradient_transformation import GradientTransformation, arrays, stateless
from effects.optim.scaling import scaled_norm
from effects.types.dtypes import real_of

_ROOM: Final = 256.0


def global_norm(tree: object) -> Array:
    """√Σ|x|² over all elements of all leaves, of the widest real dtype among them, at least float32; 0 of no leaf.

    >>> import effects as fx
    >>> fx.optim.global_norm({"w": fx.asarray([3.0]), "b": 4.0})
    Array(5., float64)
    """
    unit, relative = scaled_norm(fx.tree_leaves(arrays("global_norm", tree, "tree")))
    return unit * relative


def clip(max_delta: float) -> GradientTransformation[tuple[()]]:
    """Each element brought between -max_delta and max_delta.

    Raises ArgumentError unless max_delta is positive; `update` refuses complex gradients.

    >>> import effects as fx
    >>> fx.optim.clip(1.0).update(fx.asarray([0.5, -7.0]), (), fx.zeros(2))[0]
    Array([ 0.5, -1. ], float64)
    """
    most = positive("clip", "max_delta", max_delta)
    return stateless(lambda g, x: fx.clip(g, -most, most))


def clip_by_global_norm(max_norm: float) -> GradientTransformation[tuple[()]]:
    """All leaves times max_norm / norm where their `global_norm` is greater than that.

    Source: Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks, 2013.

    >>> import effects as fx
    >>> fx.optim.clip_by_global_norm(1.0).update((fx.asarray(3.0), fx.asarray(4.0)), (), (0.0, 0.0))[0]
    (Array(0.6, float64), Array(0.8, float64))
    """
    most = positive("clip_by_global_norm", "max_norm", max_norm)

    def update[P](gradients: P, state: tuple[()], params: P) -> tuple[P, tuple[()]]:
        unit, relative = scaled_norm(fx.tree_leaves(gradients))
        bound = min(most / _ROOM, float(fx.finfo(unit.aval.dtype).max))  # a norm may be greater than any number
        above = relative > bound / (unit / _ROOM)
        factor = min(most, float(fx.finfo(unit.aval.dtype).max)) / fx.where(above, relative, 1.0)

        def of_leaf(g: Array) -> Array:
            dtype = real_of(g.aval.dtype)
            return fx.where(above, g / convert(unit, dtype) * convert(factor, dtype), g)

        return fx.tree_map(of_leaf, gradients), ()

    return GradientTransformation(lambda params: (), update)


def add_decayed_weights(weight_decay: float) -> GradientTransformation[tuple[()]]:
    """gradient + weight_decay · parameter. `masked` leaves parameters out, such as biases.

    >>> import effects as fx
    >>> fx.optim.add_decayed_weights(0.5).update(fx.ones(2), (), fx.asarray([1.0, -2.0]))[0]
    Array([1.5, 0. ], float64)
    """
    factor = at_least("add_decayed_weights", "weight_decay", weight_decay)
    return stateless(lambda g, x: g + factor * x)
