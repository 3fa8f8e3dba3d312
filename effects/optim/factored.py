"""Averages of squares that are kept by rows and columns: less memory than the parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import effects as fx
from effects.arguments import at_least, natural, positive
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.optim.gradient_transformation import GradientTransformation, stateless
from effects.optim.scaling import next_count, no_steps, power, scaled_norm
from effects.trees.pytree import flatten_up_to
from effects.types.dtypes import real_of


class FactoredSquares(NamedTuple):
    """Averages of squares: of each leaf a pair (rows, columns), or all; `steps` were taken."""

    steps: Array
    squares: object


class AxisSquares(NamedTuple):
    """Sums of squares: of each leaf a tuple with a vector for each of its axes."""

    sums: object


def scale_by_factored_rms(
    decay_rate: float = 0.8, eps: float = 1e-30, min_dim_size_to_factor: int = 128
) -> GradientTransformation[FactoredSquares]:
    """gradient / √square, where the average of squares is, of two long axes, the product of its rows and columns.

    These are the two longest axes, where the shorter of them has `min_dim_size_to_factor` elements. In step t, from 1,
    the share 1 - t^-decay_rate of an average stays; `eps` is added to each square. Source: Shazeer and Stern,
    Adafactor, 2018.

    >>> import effects as fx
    >>> rms = fx.optim.scale_by_factored_rms(min_dim_size_to_factor=2)
    >>> x = fx.asarray([[1.0, 2.0], [2.0, 4.0]])
    >>> updates, state = rms.update(x, rms.init(x), x)
    >>> updates
    Array([[1., 1.],
           [1., 1.]], float64)
    """
    name = "scale_by_factored_rms"
    exponent, small = positive(name, "decay_rate", decay_rate), at_least(name, "eps", eps)
    least = natural(name, "min_dim_size_to_factor", min_dim_size_to_factor)

    def init(params: object) -> FactoredSquares:
        def of_leaf(x: Array) -> object:
            shape, dtype = x.aval.shape, real_of(x.aval.dtype)
            axes = _long_axes(shape, least)
            sizes = [shape] if axes is None else [_without(shape, axes[1]), _without(shape, axes[0])]
            averages = tuple([fx.zeros(s, dtype=dtype) for s in sizes])
            return averages if axes else averages[0]

        return FactoredSquares(no_steps(), fx.tree_map(of_leaf, params))

    def update[P](gradients: P, state: FactoredSquares, params: P) -> tuple[P, FactoredSquares]:
        steps = next_count(state.steps)

        def of_leaf(g: Array, averages: Array | tuple[Array, Array]) -> tuple[Array, object]:
            dtype = real_of(g.aval.dtype)
            new, square = convert(steps, dtype) ** -exponent, power(g) + small
            old = 1 - new
            if isinstance(averages, Array):
                average = old * averages + new * square
                return g * fx.rsqrt(average), average
            shorter, longer = _long_axes(g.aval.shape, least) or (0, 1)
            rows = old * averages[0] + new * fx.mean(square, axis=longer)
            columns = old * averages[1] + new * fx.mean(square, axis=shorter)
            among_rows = rows / fx.mean(rows, axis=shorter - (shorter > longer), keepdims=True)
            scaled = g * fx.expand_dims(fx.rsqrt(among_rows), axis=longer)
            return scaled * fx.expand_dims(fx.rsqrt(columns), axis=shorter), (rows, columns)

        updates, squares = map_to_pairs(of_leaf, gradients, state.squares)
        return updates, FactoredSquares(steps, squares)

    return GradientTransformation(init, update)


def _long_axes(shape: tuple[int, ...], least: int) -> tuple[int, int] | None:
    """The second longest axis and the longest, where the former is long enough."""
    axes = sorted(range(len(shape)), key=shape.__getitem__)[-2:]
    return (axes[0], axes[1]) if len(axes) == 2 and shape[axes[0]] >= least else None


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def map_to_pairs[P](f: Callable[..., tuple[Array, object]], tree: P, other: object) -> tuple[P, object]:
    """Two trees like the first, of the pairs f(leaf, subtree of `other`)."""
    treedef = fx.tree_structure(tree)
    rows = zip(fx.tree_leaves(tree), flatten_up_to(treedef, tree, other, "update: state"), strict=True)
    pairs = [f(*row) for row in rows]
    return treedef.unflatten([first for first, _ in pairs]), treedef.unflatten([second for _, second in pairs])


def scale_by_diagonal_shampoo(eps: float = 1e-4) -> GradientTransformation[AxisSquares]:
    """gradient / ∏ (eps + sᵢ)^(1/2k), of k axes; sᵢ sums over all steps the squares that have the same index of axis i.

    A scalar is a vector of one element. Source: Gupta, Koren and Singer, Shampoo, 2018, with the diagonals of its
    preconditioners.

    >>> import effects as fx
    >>> shampoo = fx.optim.scale_by_diagonal_shampoo(0.0)
    >>> x = fx.asarray([[3.0, 0.0], [0.0, 3.0]])
    >>> shampoo.update(x, shampoo.init(x), x)[0]
    Array([[1., 0.],
           [0., 1.]], float64)
    """
    small = at_least("scale_by_diagonal_shampoo", "eps", eps)

    def init(params: object) -> AxisSquares:
        def of_leaf(x: Array) -> tuple[Array, ...]:
            return tuple([fx.zeros((n,), dtype=real_of(x.aval.dtype)) for n in x.aval.shape or (1,)])

        return AxisSquares(fx.tree_map(of_leaf, params))

    def update[P](gradients: P, state: AxisSquares, params: P) -> tuple[P, AxisSquares]:
        def of_leaf(g: Array, sums: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
            square, k = power(g), len(sums)
            if not g.aval.shape:
                total = sums[0] + square
                return _preconditioned(g, [total[0]], 1), (total,)
            axes = range(k)
            totals = [s + fx.sum(square, axis=tuple([j for j in axes if j != i])) for i, s in enumerate(sums)]
            along = [fx.expand_dims(s, axis=tuple([j for j in axes if j != i])) for i, s in enumerate(totals)]
            return _preconditioned(g, along, k), tuple(totals)

        updates, sums = map_to_pairs(of_leaf, gradients, state.sums)
        return updates, AxisSquares(sums)

    def _preconditioned(g: Array, sums: list[Array], k: int) -> Array:
        for total in sums:
            known = total + small
            nothing = known == 0
            g = g * fx.where(nothing, fx.zeros_like(known), fx.where(nothing, 1.0, known) ** (-0.5 / k))
        return g

    return GradientTransformation(init, update)


def _rms(x: Array) -> Array:
    unit, norm = scaled_norm([x])
    return unit * (norm / math.sqrt(x.aval.size))


def clip_by_block_rms(clipping_threshold: float) -> GradientTransformation[tuple[()]]:
    """Each leaf divided by its root mean square / clipping_threshold, where that is greater than 1.

    >>> import effects as fx
    >>> fx.optim.clip_by_block_rms(1.0).update(fx.asarray([2.0, -2.0]), (), fx.zeros(2))[0]
    Array([ 1., -1.], float64)
    """
    most = positive("clip_by_block_rms", "clipping_threshold", clipping_threshold)
    return stateless(lambda g, x: g / fx.maximum(_rms(g) / most, 1.0) if g.aval.size else g)


def scale_by_param_block_rms(min_scale: float = 1e-3) -> GradientTransformation[tuple[()]]:
    """Each leaf times the root mean square of its parameter, or times `min_scale` where that is greater.

    >>> import effects as fx
    >>> fx.optim.scale_by_param_block_rms().update(fx.ones(2), (), fx.asarray([3.0, -3.0]))[0]
    Array([3., 3.], float64)
    """
    least = at_least("scale_by_param_block_rms", "min_scale", min_scale)
    return stateless(lambda g, x: g * fx.maximum(_rms(x), least) if x.aval.size else g)
