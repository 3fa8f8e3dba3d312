"""The handler of `Random`: the n-th draw uses `fold_in(key, n)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, NamedTuple

import effects as fx
from effects.arguments import check_callable
from effects.arrays.array import Array
from effects.errors import ArgumentError, EffaxError, ShapeError
from effects.requests.random import Random
from effects.types import dtypes
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import EffectHandler
from handlers.transformations.axes.batching import vmap


class Stream(NamedTuple):
    """A key, and the number of keys that were derived from it."""

    key: fx.random.Key
    drawn: Array


class Seeded(EffectHandler[Stream], Random):
    """Handler whose n-th key is `fold_in(key, n)`."""

    _title = "Random"

    def __init__(self, key: fx.random.Key) -> None:
        super().__init__(Stream(key, fx.asarray(0, dtype=dtypes.uint32)))

    def fresh_key(self) -> fx.random.Key:
        key, drawn = self.state
        self.state = Stream(key, drawn + 1)
        return fx.random.fold_in(key, drawn)

    def into_lanes(self, size: int) -> Stream:
        lanes = fx.arange(size, dtype=dtypes.uint32)
        keys = vmap(fx.random.fold_in, in_axes=(None, 0))(self.fresh_key(), lanes)
        return Stream(keys, fx.zeros((size,), dtype=dtypes.uint32))

    def from_lanes(self, size: int, state: Stream) -> None:
        """The state after a vmap; keys of lanes were derived from one key, which is not used again."""


def with_random[**P, R](f: Callable[Concatenate[Random, P], R], key: fx.random.Key | int) -> Callable[P, R]:
    """`f` without its first argument: its draws use the key, or the key of a seed.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> def dropout(rng: fx.Random, x: fx.Array) -> fx.Array:
    ...     return fx.where(rng.bernoulli(0.5, x.shape), x, 0.0)
    >>> with_random(dropout, 0)(fx.ones(4))
    Array([0., 1., 0., 0.], float64)
    >>> with_random(lambda rng, xs: vmap(lambda x: dropout(rng, x))(xs), 0)(fx.ones((2, 4)))[0]
    Array([1., 1., 1., 0.], float64)
    """
    check_callable("with_random", f)
    try:
        one_key = key if isinstance(key, fx.random.Key) else fx.random.key(key)
    except EffaxError as error:
        raise ArgumentError(f"with_random: key must be a key or the seed of one: {error.reason}") from None
    if one_key.ndim:
        raise ShapeError(f"with_random: key must be one key, got keys of shape {list(one_key.shape)}; take one of them")

    @instead_of(f)
    def seeded(*args: P.args, **kwargs: P.kwargs) -> R:
        return handled(Seeded(one_key), f, *args, **kwargs)

    return seeded
