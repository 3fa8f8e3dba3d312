"""Gradient transformations: pure functions of a gradient and a state, one after another."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn, Protocol, final

import effects as fx
import handlers
from effects.arguments import check_callable, describe, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, at_least_single, convert, strong
from effects.errors import DTypeError, ShapeError, TreeError
from effects.runtime.attributes import advising
from effects.runtime.caches import RECENT, Cache
from effects.trees.pytree import check_like, structure_difference, tree_leaves_with_path
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, Floating


class Init[S](Protocol):
    """The state before the first step, from the parameters."""

    def __call__(self, params: object, /) -> S: ...


class Update[S](Protocol):
    """A gradient, the state and the parameters to the transformed gradient, a tree like it, and the next state."""

    def __call__[P](self, gradients: P, state: S, params: P, /) -> tuple[P, S]: ...


def instead_of(value: object) -> str:
    """Advice for a value that is given as a gradient transformation: a function that makes one, or a schedule."""
    if isinstance(value, FunctionType) and value.__module__.startswith("effects.optim."):
        return f"call it, as {value.__name__}(…)"
    return "a schedule is a learning rate: write scale_by_learning_rate(schedule)" if callable(value) else ""


@advising
@final
class GradientTransformation[S]:
    """Two pure functions: `init(params)` returns a state, `update(gradients, state, params)` updates and a new state.

    Parameters are a tree of arrays of floats or complex numbers; gradients and updates are trees like it. A state is a
    tree of arrays too, so it works with `jit`, `scan`, `vmap` and checkpoints, and a type checker rejects the state of
    another transformation. `a >> b` applies `a` first; its state is the pair of their states.

    `update` takes gradients in the dtypes of the parameters, or in float32 if these are narrower, so that averages can
    change; the state in the dtypes of `init`. Raises TreeError or ShapeError, by `update`, where gradients do not fit
    the parameters, TreeError for a state of another transformation or other parameters, and for functions that do not
    give a tree like the gradients, DTypeError where real or whole numbers would become others.

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

    __slots__ = ("_init", "_states", "_update")

    def __init__(self, init: Init[S], update: Update[S]) -> None:
        check_callable("GradientTransformation", init, "init")
        check_callable("GradientTransformation", update, "update")
        self._init, self._update = init, update
        self._states: Cache[Hashable, S] = Cache(RECENT)
        """Types of the state by types of the parameters."""

    def __repr__(self) -> str:
        return _name(self._update)

    def init(self, params: object) -> S:
        """Return the state before the first step."""
        return self._init(fx.tree_map(at_least_single, arrays("init", params)))

    def update[P](self, gradients: P, state: S, params: P) -> tuple[P, S]:
        """Return the updates, to be added to the parameters (`apply_updates`), and the next state."""
        known = fx.tree_map(at_least_single, arrays("update", params))
        fitting = _fitting("update", "gradients", gradients, known)
        return self._step(fitting, self._fitting_state(state, known), known)

    def _fitting_state(self, state: S, params: object) -> S:
        """The state as arrays of the dtypes of the first one."""
        key = fx.tree_structure(params), tuple([leaf.aval for leaf in fx.tree_leaves(params)])
        expected = self._states.find(key)
        if expected is None:
            expected = self._states.keep(key, handlers.eval_shape(self._init, params))
        if fx.tree_structure(state) != fx.tree_structure(expected):
            difference = structure_difference(expected, state)
            raise TreeError(f"update: state is not the result of init of {self} for params: it {difference}")
        return _like("update: state", state, expected, "init gives others for params")

    def _step[P](self, gradients: P, state: S, params: P) -> tuple[P, S]:
        """`update` of what fits; raises TreeError for functions that do not give updates like the gradients, and the
        next state like the one before.
        """
        result: object = self._update(gradients, state, params)
        if not isinstance(result, tuple) or len(result) != 2:
            raise TreeError(f"{self}: its update must return (updates, state), got {describe(result)}")
        updates, after = result
        check_like(f"{self}: updates of its update", updates, "gradients", gradients)
        check_like(f"{self}: state of its update", after, "state", state)
        remark = "its update keeps types"
        return _like(f"{self}: updates", updates, gradients, remark), _like(f"{self}: state", after, state, remark)

    def __rshift__[T](self, then: GradientTransformation[T]) -> GradientTransformation[tuple[S, T]]:
        if not isinstance(then, GradientTransformation):
            raise refusal("a >> b", "b", "a gradient transformation", then, instead_of(then))

        def init(params: object) -> tuple[S, T]:
            return self._init(params), then._init(params)

        def update[P](gradients: P, state: tuple[S, T], params: P) -> tuple[P, tuple[S, T]]:
            first, second = state
            gradients, first = self._step(gradients, first, params)
            gradients, second = then._step(gradients, second, params)
            return gradients, (first, second)

        update.__qualname__ = f"{self} >> {then}"
        return GradientTransformation(init, update)

    if not TYPE_CHECKING:  # which know no such methods

        def __rrshift__(self, before: object) -> NoReturn:
            raise refusal("a >> b", "a", "a gradient transformation", before, instead_of(before))


def _name(f: object) -> str:
    """Name of the function that made `f`, or of itself."""
    return getattr(f, "__qualname__", repr(f)).partition(".<locals>")[0]


def _like[T](subject: str, tree: T, like: object, remark: str) -> T:
    """A tree as arrays of the shapes and dtypes of those in `like`, which has its structure."""
    leaves = [
        _of_type(f"{subject}{path}", leaf, getattr(other, "aval", other), remark)
        for (path, leaf), other in zip(tree_leaves_with_path(tree), fx.tree_leaves(like), strict=True)
    ]
    return fx.tree_structure(tree).unflatten(leaves)


def _of_type(name: str, leaf: object, expected: ShapedArray, remark: str) -> Array:
    function, _, argument = name.partition(": ")
    array = as_leaf(leaf, function, argument)
    if array.aval.shape != expected.shape:
        raise TreeError(f"{name} is {array.aval}, expected {expected}: {remark}")
    if array.aval.dtype.rank > expected.dtype.rank:
        raise DTypeError(f"{name} is {array.aval}, expected {expected}: {remark}")
    return convert(array, expected.dtype)


def arrays[P](function: str, params: P, argument: str = "params") -> P:
    """The parameters as arrays of floats or complex numbers."""
    if params is None:
        raise refusal(function, argument, "an array or a tree of them", params)
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


def stateless(f: Callable[[Array, Array], Array]) -> GradientTransformation[tuple[()]]:
    """The transformation of each leaf by itself, `f(gradient, parameter)`, without a state."""

    def update[P](gradients: P, state: tuple[()], params: P) -> tuple[P, tuple[()]]:
        return fx.tree_map(f, gradients, params), ()

    update.__qualname__ = _name(f)
    return GradientTransformation(lambda params: (), update)
