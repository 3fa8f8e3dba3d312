"""Callbacks: operations that call Python on the host while the program runs, compiled or not.

The function is a `HostFunction`: a function of NumPy arrays whose results are known by type and checked. The ones here
are built around each other (a function of trees, once per lane, only where a mask holds), and equal ones are equal, so
that programs with callbacks are recognised like all others.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Final, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from effects.arguments import describe
from effects.arrays.array import Array
from effects.errors import DTypeError, EffaxError, IllTyped, ShapeError, TreeError
from effects.program.chain import ROOT, installed
from effects.program.operation import Effects, HostEffect, Kind, Multiple, operation
from effects.runtime.caches import Personal, weakly_held
from effects.runtime.cpython.source import Location
from effects.trees.pytree import TreeDef, structure_difference, tree_flatten, tree_leaves_with_path, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed

type Host = NDArray[Any]

_NUMBERS: Final = {
    bool: dtypes.bool_.rank,
    int: dtypes.Integer.rank,
    float: dtypes.Floating.rank,
    complex: dtypes.Complex.rank,
}


class CallbackKind(Kind):
    """Purpose of a callback, which decides its meaning under transformations."""

    DEBUG = "debug_callback"
    """Watches: has no results, and passes through derivatives."""
    IO = "io_callback"
    """Acts on the world: once per lane, in the program's order if it is ordered; has no derivatives."""
    PURE = "pure_callback"
    """Computes: its results depend on its operands only; has no derivatives."""


class HostFunction(Personal, ABC):
    """A function from NumPy arrays to as many of the types `results`."""

    results: tuple[ShapedArray, ...]

    @property
    @abstractmethod
    def meaning(self) -> HostFunction:
        """The function with weak references to users' functions, which callers of compiled programs keep alive."""

    @abstractmethod
    def __call__(self, *arrays: Host) -> tuple[Host, ...]:
        """The results: new arrays, which nothing else writes to."""


@final
@dataclasses.dataclass(frozen=True, eq=False)
class OnTrees(HostFunction):
    """A user's function of trees. `leaves` are the leaves of its arguments, with None for arrays.

    With `results_ignored` it may return anything. Errors about its results refer to `location`. Two are equal if all
    other fields are; one with an unhashable function or argument equals only itself.
    """

    function: Callable[..., object]
    caller: str
    in_tree: TreeDef
    leaves: tuple[tuple[object] | None, ...]
    results: tuple[ShapedArray, ...]
    out_tree: TreeDef
    results_ignored: bool
    location: Location | None

    @property
    def meaning(self) -> OnTrees:
        function = weakly_held(self.function)
        return self if function is self.function else dataclasses.replace(self, function=function)

    @cached_property
    def _key(self) -> Hashable:
        key = (self.function, self.caller, self.in_tree, self.leaves, self.results, self.out_tree, self.results_ignored)
        try:
            hash(key)
        except TypeError:
            return id(self)
        return key

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnTrees) and self._key == other._key

    def __call__(self, *arrays: Host) -> tuple[Host, ...]:
        operands = iter(arrays)
        args, kwargs = tree_unflatten(
            self.in_tree, [next(operands) if leaf is None else leaf[0] for leaf in self.leaves]
        )
        with installed(ROOT):
            out = self.function(*args, **kwargs)
            return () if self.results_ignored else self._checked(out)

    def _checked(self, out: object) -> tuple[Host, ...]:
        leaves, tree = tree_flatten(out)
        if tree != self.out_tree:
            like = tree_unflatten(self.out_tree, self.results)
            self._refuse(TreeError, f"must return the tree {like}, but its result {structure_difference(like, out)}")
        paths = [path for path, _ in tree_leaves_with_path(out)]
        return tuple([self._array(*each) for each in zip(leaves, self.results, paths, strict=True)])

    def _array(self, leaf: object, expected: ShapedArray, path: str) -> Host:
        dtype: np.dtype[Any] = expected.dtype.dtype
        if type(leaf) in _NUMBERS and _NUMBERS[type(leaf)] <= expected.dtype.rank and not expected.shape:
            return np.array(leaf, dtype=dtype)
        if not isinstance(leaf, Array | np.ndarray | np.generic) and type(leaf) not in _NUMBERS:
            self._refuse(IllTyped, f"must return {expected}, but its result{path} is {describe(leaf)}")
        host = np.asarray(leaf)
        if host.shape != expected.shape or host.dtype != dtype:
            error = ShapeError if host.shape != expected.shape else DTypeError
            self._refuse(error, f"must return {expected}, but its result{path} is {host.dtype}{list(host.shape)}")
        return np.array(host, order="C")

    def _refuse(self, error: type[EffaxError], problem: str) -> NoReturn:
        name = getattr(self.function, "__name__", None) or type(self.function).__name__
        refusal = error(f"{self.caller}: {name} {problem}")
        raise refusal if self.location is None else refusal.at(self.location)

    def __repr__(self) -> str:
        return getattr(self.function, "__name__", None) or repr(self.function)


@final
@dataclasses.dataclass(frozen=True)
class PerLane(HostFunction):
    """`lane` called once for each of `size` lanes in order, on the lane's part of the arrays that are `batched`."""

    lane: HostFunction
    batched: tuple[bool, ...]
    size: int

    @property
    def results(self) -> tuple[ShapedArray, ...]:  # type: ignore[override]  # those of a lane, with an axis more
        return tuple([aval.with_shape((self.size, *aval.shape)) for aval in self.lane.results])

    @property
    def meaning(self) -> PerLane:
        inner = self.lane.meaning
        return self if inner is self.lane else dataclasses.replace(self, lane=inner)

    def __call__(self, *arrays: Host) -> tuple[Host, ...]:
        outs = tuple([np.empty(aval.shape, aval.dtype.dtype) for aval in self.results])
        for i in range(self.size):
            own = [x[i, ...] if batched else x for x, batched in zip(arrays, self.batched, strict=True)]
            for out, result in zip(outs, self.lane(*own), strict=True):
                out[i] = result
        return outs

    def __repr__(self) -> str:
        return f"{self.lane!r} per lane"


@final
@dataclasses.dataclass(frozen=True)
class Guarded(HostFunction):
    """`function` called where the first array, a bool, holds; zeros where it does not."""

    function: HostFunction

    @property
    def results(self) -> tuple[ShapedArray, ...]:  # type: ignore[override]  # the function's
        return self.function.results

    @property
    def meaning(self) -> Guarded:
        inner = self.function.meaning
        return self if inner is self.function else dataclasses.replace(self, function=inner)

    def __call__(self, *arrays: Host) -> tuple[Host, ...]:
        if arrays[0]:
            return self.function(*arrays[1:])
        return tuple([np.zeros(aval.shape, aval.dtype.dtype) for aval in self.results])

    def __repr__(self) -> str:
        return f"{self.function!r} where it is reached"


@final
@dataclasses.dataclass(frozen=True)
class Chained(HostFunction):
    """`function` with a token as a further operand and result, which programs pass from one call to the next."""

    function: HostFunction
    token: ShapedArray

    @property
    def results(self) -> tuple[ShapedArray, ...]:  # type: ignore[override]  # the function's, and one more
        return (self.token, *self.function.results)

    @property
    def meaning(self) -> Chained:
        inner = self.function.meaning
        return self if inner is self.function else dataclasses.replace(self, function=inner)

    def __call__(self, *arrays: Host) -> tuple[Host, ...]:
        return (np.array(arrays[0]), *self.function(*arrays[1:]))

    def __repr__(self) -> str:
        return f"{self.function!r} in order"


@operation
class Callback[V](Multiple[V]):
    """The results of `function` on `operands_`, by calling it exactly once each time the program gets here.

    There is always an operand, so that handlers can own it; a function without arguments ignores it.
    """

    kind: CallbackKind
    function: HostFunction
    ordered: bool
    vmap_method: str
    operands_: tuple[V, ...]

    @property
    def name(self) -> str:
        return self.kind.printed

    @property
    def effects(self) -> Effects:
        return _ORDERED if self.ordered else _HOST

    def types(self: Callback[Typed]) -> tuple[ShapedArray, ...]:
        return self.function.results


_HOST: Final[Effects] = frozenset([HostEffect.HOST])
_ORDERED: Final[Effects] = frozenset([HostEffect.HOST, HostEffect.ORDERED])
