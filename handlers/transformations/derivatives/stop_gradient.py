"""`stop_gradient`: the identity, with derivative zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from effects.arrays.array import Array
from effects.operations.custom_rules import CustomCall, Sparse
from effects.program.chain import ROOT, current, perform
from effects.trees.pytree import tree_flatten, tree_leaves_with_path, tree_unflatten
from handlers.higher_order.custom_definitions import Stageable
from handlers.transformations.calls.arguments import as_arrays


@final
class Stopped(Stageable):
    """The identity whose results have no tangents."""

    name = "stop_gradient"
    rules = frozenset({"jvp"})
    key = None

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        return list(operands)

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        return list(perform(CustomCall(self, None, tuple(primals)))), [None] * len(primals)  # for outer derivatives too


_STOPPED = Stopped()


def stop_gradient[T](tree: T) -> T:
    """The arrays of `tree`, as constants to every derivative.

    Raises ArgumentError naming a leaf that is neither an array nor a number.

    >>> from handlers import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    Array(3., float64)
    """
    leaves, treedef = tree_flatten(tree)
    arrays = as_arrays("stop_gradient", leaves, lambda: [f"tree{path}" for path, _ in tree_leaves_with_path(tree)])
    results = arrays if current() is ROOT else perform(CustomCall(_STOPPED, None, tuple(arrays)))
    return tree_unflatten(treedef, results)
