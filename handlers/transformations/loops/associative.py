"""Prefix sums of any associative function, in parallel: `associative_scan`."""

from __future__ import annotations

from collections.abc import Callable

from effects.arguments import check_callable, flag, function_name, integer
from effects.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError, TreeError
from effects.functions.manipulation import movement
from effects.functions.reductions.prefixes import Leaves, prefixes
from effects.trees.pytree import structure_difference, tree_leaves_with_path, tree_unflatten
from handlers.transformations.calls.arguments import flatten_results
from handlers.transformations.loops.steps import leaves_of


def associative_scan[T](fn: Callable[[T, T], T], elems: T, reverse: bool = False, axis: int = 0) -> T:
    """yᵢ = x₀ ∘ x₁ ∘ … ∘ xᵢ along `axis`, for an associative `fn(a, b)` = a ∘ b; with `reverse` yᵢ = xₙ ∘ … ∘ xᵢ.

    `elems` is a pytree of arrays with one size along `axis`. `fn` takes two such trees, of any size along `axis`, and
    combines them slice by slice. So about 2 log₂ n calls of it do the work of n; `scan` is a loop of n steps.

    Raises ShapeError where sizes differ; TreeError, ShapeError or DTypeError when `fn` does not return the types that
    it takes.

    >>> import effects as fx
    >>> associative_scan(fx.add, fx.arange(5))
    Array([ 0,  1,  3,  6, 10], int64)
    """
    check_callable("associative_scan", fn, "fn")
    reverse = flag("associative_scan", "reverse", reverse)
    leaves, tree = leaves_of("associative_scan", "elems", elems)
    axis_number = integer("associative_scan", "axis", axis)
    names = [f"elems{path}" for path, _ in tree_leaves_with_path(elems)]
    if not leaves:
        raise ArgumentError("associative_scan: elems has no arrays")
    for name, leaf in zip(names, leaves, strict=True):
        if not -leaf.aval.ndim <= axis_number < leaf.aval.ndim:
            raise OutOfBoundsError(f"associative_scan: axis {axis_number} is out of bounds for {name}, {leaf.aval}")
    axes = [axis_number % leaf.aval.ndim for leaf in leaves]
    sizes = [leaf.aval.shape[a] for leaf, a in zip(leaves, axes, strict=True)]
    if len(set(sizes)) > 1:
        described = [f"{name} has {size}" for name, size in zip(names, sizes, strict=True)]
        raise ShapeError(f"associative_scan: the sizes along axis {axis_number} differ: {', '.join(described)}")

    def combined(first: Leaves, second: Leaves) -> Leaves:
        out = fn(tree_unflatten(tree, first), tree_unflatten(tree, second))
        results, out_tree = flatten_results("associative_scan", fn, out)
        if out_tree != tree:
            like = tree_unflatten(tree, [a.aval for a in first])
            result = tree_unflatten(out_tree, [a.aval for a in results])
            raise TreeError(
                f"associative_scan: fn ({function_name(fn)}) must return what it takes, {like}, and gives {result}, "
                f"which {structure_difference(like, result)}"
            )
        for name, argument, result in zip(names, first, results, strict=True):
            if result.aval.shape != argument.aval.shape or result.aval.dtype is not argument.aval.dtype:
                error = ShapeError if result.aval.shape != argument.aval.shape else DTypeError
                raise error(
                    f"associative_scan: fn ({function_name(fn)}) must return what it takes; for {name} it takes "
                    f"{argument.aval} and gives {result.aval}"
                )
        return results

    if reverse:
        leaves = [movement.flip(leaf, axis=a) for leaf, a in zip(leaves, axes, strict=True)]
    scanned = prefixes(combined, leaves, axes)
    if reverse:
        scanned = [movement.flip(leaf, axis=a) for leaf, a in zip(scanned, axes, strict=True)]
    return tree_unflatten(tree, scanned)  # type: ignore[no-any-return]  # the structure of elems
