"""Gradient transformations: pure functions of a gradient and a state, one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, final

import numpy as np

import effects as fx
import handlers
from effects.arguments import check_callable, describe
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, at_least_single, convert, strong
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.trees.pytree import check_like, structure_difference, tree_leaves_with_path
from effects.types.dtypes import Complex, Floating


class Init[S](Protocol):
    """The state before the first step, from the parameters."""

    def __call__(self, params: object, /) -> S: ...


class Update[S](Protocol):
    """A gradient, the state and the parameters to the transformed gradient, a tree like it, and the next state."""

    def __call__[P](self, gradients: P, state: S, params: P, /) -> tuple[P, S]: ...


@final
class GradientTransformation[S]:
    """Two pure functions: `init(params)` gives a state, `update(gradients, state, params)` updates and the next state.

    Parameters are a tree of arrays of floats or complex numbers; gradients and updates are trees like it. A state is
    a tree of arrays too, so it goes through `jit`, `scan`, `vmap` and checkpoints, and a type checker refuses the state
    of another transformation. `a >> b` transforms by `a` first; its state is the pair of their states.

    `update` raises TreeError or ShapeError where gradients do not fit the parameters, and takes them in the dtypes of
    these, or in float32 where these are narrower, so that averages do not stand still.

    >>> import effects as fx
    >>> optimizer = fx.optim.clip_by_global_norm(1.0) >> fx.optim.sgd(0.5)
    >>> params = {"w": fx.asarray([1.0, 2.0])}
    >>> state = optimizer.init(params)
    >>> updates, state = optimizer.update({"w": fx.asarray([3.0, 4.0])}, state, params)
    >>> fx.optim.apply_updates(params, updates)
    {'w': Array([0.7, 1.6], float64)}

    Of one's own, both functions generic in the tree:

    >>> def signs(gradients, state, params):
    ...     return fx.tree_map(fx.sign, gradients), state
    >>> ascent = fx.optim.GradientTransformation(lambda params: (), signs)
    >>> ascent.update(fx.asarray([-3.0, 2.0]), (), fx.zeros(2))
    (Array([-1.,  1.], float64), ())
    """

    __slots__ = ("_init", "_update")

    def __init__(self, init: Init[S], update: Update[S]) -> None:
        check_callable("GradientTransformation", init, "init")
        check_callable("GradientTransformation", update, "update")
        self._init, self._update = init, update

    def init(self, params: object) -> S:
        """Return the state before the first step."""
        return self._init(fx.tree_map(at_least_single, arrays("init", params)))

    def update[P](self, gradients: P, state: S, params: P) -> tuple[P, S]:
        """Return the updates, to be added to the parameters (`apply_updates`), and the next state."""
        known = fx.tree_map(at_least_single, arrays("update", params))
        fitting = _fitting("update", "gradients", gradients, known)
        try:
            updates, after = self._update(fitting, state, known)
        except (AttributeError, LookupError, TypeError, ValueError):
            self._refuse_other(state, known)
            raise
        if _shapes(after) != _shapes(state):  # what is not refused may have been broadcast
            self._refuse_other(state, known)
        return updates, after

    def _refuse_other(self, state: S, params: object) -> None:
        """Raise TreeError for a state of another transformation, or of other parameters."""
        expected = handlers.eval_shape(self._init, params)
        if fx.tree_structure(state) != fx.tree_structure(expected):
            difference = structure_difference(expected, state)
            raise TreeError(f"update: state is not what init of this transformation gives for params: it {difference}")
        for (path, own), (_, leaf) in zip(tree_leaves_with_path(expected), tree_leaves_with_path(state), strict=True):
            if np.shape(leaf) != own.shape:
                raise TreeError(f"update: state{path} is {leaf.aval}, expected {own}: it is of other params")

    def __rshift__[T](self, then: GradientTransformation[T]) -> GradientTransformation[tuple[S, T]]:
        if not isinstance(then, GradientTransformation):
            raise ArgumentError(f"GradientTransformation: >> takes another one, got {describe(then)}")

        def init(params: object) -> tuple[S, T]:
            return self._init(params), then._init(params)

        def update[P](gradients: P, state: tuple[S, T], params: P) -> tuple[P, tuple[S, T]]:
            first, second = state
            gradients, first = self._update(gradients, first, params)
            gradients, second = then._update(gradients, second, params)
            return gradients, (first, second)

        return GradientTransformation(init, update)


def arrays[P](function: str, params: P, argument: str = "params") -> P:
    """The parameters as arrays of floats or complex numbers."""
    leaves = tree_leaves_with_path(params)
    return fx.tree_structure(params).unflatten(
        [_parameter(function, f"{argument}{path}", leaf) for path, leaf in leaves]
    )


def _parameter(function: str, name: str, leaf: object) -> Array:
    array = as_leaf(leaf, function, name)
    if not issubclass(array.aval.dtype, Floating | Complex):
        raise DTypeError(
            f"{function}: {name} must be of floats or complex numbers, got {array.aval}; leave it out of the parameters"
        )
    return strong(array)


def _fitting[P](function: str, argument: str, tree: P, params: P) -> P:
    """A tree as arrays of the shapes and dtypes of the parameters."""
    places, treedef = tree_leaves_with_path(params), fx.tree_structure(params)
    check_like(f"{function}: {argument}", tree, "params", params)
    leaves = fx.tree_leaves(tree)
    fitting = [
        _gradient(function, f"{argument}{path}", leaf, f"params{path}", param)
        for leaf, (path, param) in zip(leaves, places, strict=True)
    ]
    return treedef.unflatten(fitting)


def _gradient(function: str, name: str, leaf: object, param_name: str, param: Array) -> Array:
    array = as_leaf(leaf, function, name)
    subject = f"{function}: {name} is {array.aval}, and {param_name} is {param.aval}"
    if array.aval.shape != param.aval.shape:
        raise ShapeError(subject)
    if issubclass(array.aval.dtype, Complex) and not issubclass(param.aval.dtype, Complex):
        raise DTypeError(f"{subject}, of real numbers")
    return convert(array, param.aval.dtype)


def apply_updates[P](params: P, updates: P) -> P:
    """params + updates, leaf by leaf, rounded to the dtypes of the parameters.

    Raises TreeError or ShapeError where `updates` is not a tree like `params`.

    >>> import effects as fx
    >>> fx.optim.apply_updates((fx.ones(2), 0.5), (fx.asarray([0.25, -1.0]), 0.25))
    (Array([1.25, 0.  ], float64), Array(0.75, float64))
    """
    known = arrays("apply_updates", params)
    steps = _fitting("apply_updates", "updates", updates, fx.tree_map(at_least_single, known))
    return fx.tree_map(lambda x, step: convert(at_least_single(x) + step, x.aval.dtype), known, steps)


def _shapes(state: object) -> tuple[object, list[tuple[int, ...]]]:
    return fx.tree_structure(state), [np.shape(leaf) for leaf in fx.tree_leaves(state)]


def stateless(f: Callable[[Array, Array], Array]) -> GradientTransformation[tuple[()]]:
    """The transformation of each leaf by itself, `f(gradient, parameter)`, without a state."""

    def update[P](gradients: P, state: tuple[()], params: P) -> tuple[P, tuple[()]]:
        return fx.tree_map(f, gradients, params), ()

    return GradientTransformation(lambda params: (), update)
