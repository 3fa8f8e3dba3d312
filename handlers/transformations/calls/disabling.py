"""Programs run as plain Python: `disable_jit`, and its control flow.

A link of the chain sets it, and interprets no operation. Jitted functions and control flow then call the user's
functions directly, on values that can be printed and stepped through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any, Final, Self, final

from effects.arguments import flag
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.functions.manipulation import movement
from effects.program.chain import WithoutCarriers, current
from effects.trees.pytree import TreeDef, tree_map, tree_unflatten
from handlers.transformations.calls.arguments import flatten_results


@final
class Eager(WithoutCarriers):
    """Sets whether jitted functions and control flow run as Python in its extent."""

    def __init__(self, eager: bool) -> None:
        self._eager: Final = eager

    def __enter__(self) -> Self:
        super().__enter__()
        self.eager = self._eager
        return self


def disable_jit(disable: bool = True) -> AbstractContextManager[object]:
    """`with disable_jit():` runs jitted functions and control flow as plain Python, so that you can look into them.

    A jitted function is called directly, `cond` and `switch` call the chosen branch, and loops call their step in every
    iteration, so that `print`, a debugger and `if` see values. Derivatives go through it all, even reverse mode through
    a `while_loop`. Values that are not known are still staged: under `make_jaxpr`, or where a choice differs between
    the lanes of a `vmap`; so are loops of no steps. The types of carries and of branches that are not taken are not
    checked. `disable_jit(False)` stages again inside such a block.

    >>> import effects as fx
    >>> from handlers import scan
    >>> from lowering import jit
    >>> @jit
    ... def f(xs):
    ...     return scan(lambda total, x: (total + x, print(float(total))), 0.0, xs)[0]
    >>> with disable_jit():
    ...     f(fx.asarray([1.0, 2.0]))
    0.0
    1.0
    Array(3., float64)
    """
    return Eager(flag("disable_jit", "disable", disable))


def called(
    function: str, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] = MappingProxyType({})
) -> Any:
    """Call a user's function as plain Python; the leaves of the result are arrays."""
    results, tree = flatten_results(function, f, f(*args, **kwargs))
    return tree_unflatten(tree, results)


def chosen[F](choice: Array, branches: Sequence[F]) -> F | None:
    """The branch to call as Python; None if branches are staged."""
    if not current().eager or (known := choice.known()) is None:
        return None
    return branches[min(max(int(known.fetch()), 0), len(branches) - 1)]


def scanned(
    function: str, step: Callable[..., Any], init: Any, xs: Sequence[Array], tree: TreeDef, turns: Iterable[int]
) -> tuple[Any, Any]:
    """The last carry and the stacked results of steps called as Python, in the order of `turns`."""
    carry, ys = init, dict[int, Any]()
    for i in turns:
        carry, ys[i] = called(function, step, (carry, tree_unflatten(tree, [x[i] for x in xs])))
    first, *others = [ys[i] for i in sorted(ys)]
    return carry, tree_map(lambda *slices: movement.stack(slices), first, *others)


def repeated(function: str, condition: Callable[..., Any], step: Callable[..., Any], value: Any) -> tuple[Any, bool]:
    """The value after steps called as Python, as long as the condition is known, and whether the loop has ended."""
    while (holds := as_array(condition(value), function, "the condition").known()) is not None:
        if not holds.fetch():
            return value, True
        value = called(function, step, (value,))
    return value, False
