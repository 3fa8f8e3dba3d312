"""`Random`: numbers drawn from a key that no program has to hand on."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from effects import random
from effects.arrays.array import Array
from effects.requests.effect import Effect

if TYPE_CHECKING:
    from effects.types.dtypes import DTypeLike, bool_, i64
    from effects.types.signatures.becoming import Integral, Real
    from effects.types.signatures.creation import Sizes


class Random(Effect):
    """Drawing random numbers: one operation, `fresh_key`, and draws built on it.

    Every function of `effects.random` can draw: `random.gumbel(rng.fresh_key(), (3,))`; the methods are the usual ones.
    Laws: the n-th draw is a function of the key and n; lane i of a vmap draws from the key of i, however many lanes
    there are; a loop continues the count; a derivative draws what the function draws, as constants. See `with_random`.
    """

    @abstractmethod
    def fresh_key(self) -> random.Key:
        """A key that no other call returns."""

    def uniform(
        self, shape: Sizes = (), dtype: DTypeLike | None = None, minval: Real = 0.0, maxval: Real = 1.0
    ) -> Array:
        """Uniform on [minval, maxval): `random.uniform`."""
        return random.uniform(self.fresh_key(), shape, dtype, minval, maxval)

    def normal(self, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
        """Standard normal: `random.normal`."""
        return random.normal(self.fresh_key(), shape, dtype)

    def bernoulli(self, p: Real = 0.5, shape: Sizes | None = None) -> Array[bool_]:
        """True with probability p: `random.bernoulli`."""
        return random.bernoulli(self.fresh_key(), p, shape)

    def categorical(self, logits: Real, axis: int = -1, shape: Sizes | None = None) -> Array[i64]:
        """Positions along `axis`, with the probabilities softmax(logits): `random.categorical`."""
        return random.categorical(self.fresh_key(), logits, axis, shape)

    def randint(self, shape: Sizes, minval: Integral, maxval: Integral) -> Array[i64]:
        """Integers from minval to maxval - 1: `random.randint`."""
        return random.randint(self.fresh_key(), shape, minval, maxval)

    def permutation(self, x: Array, axis: int = 0) -> Array:
        """The elements of x along `axis` in a random order: `random.permutation`."""
        return random.permutation(self.fresh_key(), x, axis)
