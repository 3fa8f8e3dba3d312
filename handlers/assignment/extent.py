"""`writable` and `writing`: the function and the block inside of which arrays can be assigned to."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from effects.arguments import check_callable
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.program.chain import current
from effects.program.operation import Label
from effects.requests.effect import answering
from effects.runtime.cpython.recursion import deeper
from effects.trees.pytree import tree_map
from handlers.assignment import methods  # noqa: F401  # such arrays have their operators before anybody holds one
from handlers.assignment.array import WritableArray
from handlers.assignment.memory import Contents, Memory, MemoryLink
from handlers.assignment.namespace import NAMESPACE, Namespace


def writable[**P, R](f: Callable[P, R], /) -> Callable[..., R]:
    """`f` with arrays that can be assigned to: its arguments are copies, its results ordinary arrays.

    Inside `f`, `x[i] = v`, `x += y` and views mean the same as in NumPy, under every transformation and in control
    flow; the caller's arrays do not change. You can also assign to arrays that `f` computes from its arguments, and to
    results of the functions of `xp = x.__array_namespace__()`, such as `xp.asarray(c)` of any array. Functions that are
    transformed inside `f` take and return ordinary arrays; they can assign to arrays that they close over.

    Raises ArgumentError for assigning to what is read-only in NumPy (numbers of rank 0, `broadcast_to`, `diagonal`),
    MissingRule where the lanes of a vmap assign to an array outside it, DTypeError for `x += y` with a dtype that x
    cannot hold.

    >>> import effects as fx
    >>> from handlers import grad, vmap, writable
    >>> @writable
    ... def prefix_sums(x):
    ...     for i in range(1, len(x)):
    ...         x[i] += x[i - 1]
    ...     return x
    >>> prefix_sums(fx.asarray([1.0, 2.0, 3.0]))
    Array([1., 3., 6.], float64)
    >>> grad(lambda x: fx.sum(prefix_sums(x) ** 2))(fx.asarray([1.0, 2.0, 3.0]))
    Array([20., 18., 12.], float64)
    """
    check_callable("writable", f)

    @functools.wraps(f)
    def assigning(*args: P.args, **kwargs: P.kwargs) -> R:
        with _memory() as memory:
            own = tree_map(lambda leaf: _own(memory, leaf), (args, kwargs))
            results = f(*own[0], **own[1])
            return tree_map(_plain, results)

    return assigning


@contextlib.contextmanager
def writing() -> Iterator[Namespace]:
    """A block with arrays that can be assigned to: it provides the namespace whose functions make them.

    To take an array out of the block, read it inside by `fx.asarray(x)`.

    >>> import effects as fx
    >>> from handlers import writing
    >>> with writing() as xp:
    ...     x = xp.zeros((2, 3))
    ...     x.T[1] = 5.0
    ...     result = fx.asarray(x)
    >>> result
    Array([[0., 5., 0.],
           [0., 5., 0.]], float64)
    """
    with _memory():
        yield NAMESPACE


@contextlib.contextmanager
def _memory() -> Iterator[MemoryLink]:
    level = sum([label.effect is Memory for label in answering(current())])
    memory = MemoryLink(Contents({}), Label(Memory, level))
    with deeper(), memory:
        yield memory


def _own(memory: MemoryLink, leaf: object) -> object:
    if isinstance(leaf, Array | np.ndarray):
        return WritableArray(memory, as_leaf(leaf, "writable", "an argument"))
    return leaf


def _plain(leaf: Any) -> Any:
    return leaf.now() if isinstance(leaf, Array) else leaf
