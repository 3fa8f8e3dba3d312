"""Keys: what random numbers are functions of.

A key is 64 bits, and knows its generator. An array of keys holds the bits as uint64 of its shape, the only leaf of the
node that it is in trees; the generator is part of the structure. So transformations take keys as they take arrays of
integers, and what moves, stacks or selects leaves does so with whole keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NoReturn, SupportsIndex, final

import numpy as np

from effects.arguments import choice, describe, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert, integer_or_array, scalar
from effects.errors import ArgumentError, DTypeError, ShapeError, UnhashableError
from effects.functions.elementwise import logic
from effects.functions.elementwise.arithmetic import bitwise_left_shift, bitwise_right_shift
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.checkpoint import CLONED, Name
from effects.program.chain import perform
from effects.random import generators
from effects.random.generators import Generator
from effects.runtime.attributes import advising
from effects.trees.keys import GetAttrKey
from effects.trees.registration import register_node
from effects.types import dtypes, shapes
from effects.types.dtypes import u32, u64

if TYPE_CHECKING:
    from effects.functions.indexing.keys import Index
    from effects.types.signatures.becoming import Integral
    from effects.types.signatures.creation import Sizes


_BINARY: Final = (
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and",
    "xor",
    "or",
)
_NUMBERS: Final = (
    *("__int__", "__float__", "__complex__", "__neg__", "__pos__", "__abs__", "__invert__"),
    *("__lt__", "__le__", "__gt__", "__ge__"),
    *[f"__{side}{name}__" for name in _BINARY for side in ("", "r")],
)
"""The methods that operators and conversions of numbers are."""


@advising
@final
class Key:
    """An array of keys, of rank 0 for one; `key(seed)`, `split` and `fold_in` make them.

    It is a node of trees with one leaf, `data`, so it can be an argument or a result of jitted and mapped functions, or
    a loop carry. Keys are not numbers: they have no arithmetic and no derivative. `keys[i]`, `len(keys)` and iteration
    are those of arrays; `==` tests whether all of them are equal, for known values. `impl` is the name of their
    generator.

    >>> import effects as fx
    >>> fx.random.split(fx.random.key(0), 3).shape
    (3,)
    """

    __slots__ = ("data", "impl")

    if TYPE_CHECKING:

        @property
        def impl(self) -> Generator:
            """The generator: "threefry" or "philox"."""
            raise NotImplementedError

        @property
        def data(self) -> Array[u64]:
            """The 64 bits of each key."""
            raise NotImplementedError

    if not TYPE_CHECKING:

        def __new__(cls, *_: object, **__: object) -> NoReturn:
            raise ArgumentError(
                "Key does not make keys: write key(seed), or wrap_key_data(words) for the words of a key"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes of keys; () for one key."""
        return self.data.aval.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.data.aval.ndim

    @property
    def size(self) -> int:
        """Number of keys."""
        return self.data.aval.size

    if not TYPE_CHECKING:  # to the type checker there is no such method, as for any other immutable class

        def __setattr__(self, name: str, value: object) -> NoReturn:
            raise ArgumentError(f"a Key is immutable: {name} cannot be set")

    def _no_number(self, *_: object) -> NoReturn:
        raise ArgumentError(
            "a Key is not a number: keys have no arithmetic and no order; split(key) and "
            "fold_in(key, i) make other keys from it, and int(key.data) is its bits"
        )

    if not TYPE_CHECKING:  # neither are there these
        for _name in _NUMBERS:
            locals()[_name] = _no_number
        del _name

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise ArgumentError("a Key is not a NumPy array; key_data(key) has its words, which wrap_key_data accepts")

    def __bool__(self) -> bool:
        raise ArgumentError("keys are neither true nor false; write `key is None` to test for a missing one")

    def __len__(self) -> int:
        if not self.data.aval.ndim:
            raise ArgumentError("one key has no length; split(key, n) makes n keys")
        return self.data.aval.shape[0]

    def __iter__(self) -> Iterator[Key]:
        if not self.data.aval.ndim:
            raise ArgumentError("one key cannot be iterated over or unpacked; split(key, n) makes n keys")
        return (key_array(data, self.impl) for data in self.data)

    def __getitem__(self, index: Index, /) -> Key:
        if not self.data.aval.ndim:
            raise ArgumentError("one key has no parts; split(key, n) makes n keys")
        return key_array(self.data[index], self.impl)

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return (self.impl, self.shape) == (other.impl, other.shape) and bool(reduction.all(self.data == other.data))

    def __hash__(self) -> int:
        raise UnhashableError(
            "a Key cannot be hashed, since == compares its bits, which may not be known: take int(key.data), "
            "tuple(key.data.tolist()), or id(key) for its identity"
        )

    def __repr__(self) -> str:
        data: object = self.data  # in a structure, it may be anything
        known = data.known() if isinstance(data, Array) else None
        if known is None:
            shown = repr(data)
        else:
            shown = f"shape={known.aval.shape}" if known.aval.shape else f"{int(known):#018x}"
        return f"Key({shown})" if self.impl == "threefry" else f"Key({shown}, {self.impl!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return key_array, (self.data, self.impl)


def key_array(data: Array, impl: Generator = "threefry") -> Key:
    """The keys of these bits."""
    keys: Key = object.__new__(Key)
    _put_data(keys, data)
    _put_impl(keys, impl)
    return keys


_put_data, _put_impl = [Key.__dict__[name].__set__ for name in Key.__slots__]  # which no attribute can be set by


register_node(
    Key, lambda k: ((k.data,), k.impl), lambda impl, bits: key_array(bits[0], impl), lambda _: (GetAttrKey("data"),)
)


def checked(function: str, key: object) -> Key:
    """An array of keys; ArgumentError for anything else."""
    if isinstance(key, Key):
        bits: object = key.data
        if isinstance(bits, Array) and bits.aval.dtype is dtypes.uint64:
            return key
        raise ArgumentError(f"{function}: key has {describe(bits)} in place of its bits, which are uint64")
    advice = f"write random.key({key})" if isinstance(key, int) else "random.key(seed) makes one"
    if type(key).__module__.startswith("jax"):
        advice = "write random.wrap_key_data(jax.random.key_data(key))"
    elif getattr(key, "shape", ()):
        advice += ", random.wrap_key_data(words) takes the two words of one"
    raise refusal(function, "key", "a key", key, advice)


def one_key(function: str, key: Key) -> Key:
    """One key."""
    checked(function, key)
    if key.shape:
        raise ShapeError(
            f"{function}: key must be one key, got keys of shape {shapes.show(key.shape)}; "
            f"take one of them, key[0], or vmap over them"
        )
    return key


def derived(key: Key, counter: Array[u64]) -> Key:
    """The keys of numbers under `key`."""
    return key_array(generators.derived(key.impl, key.data, counter), key.impl)


def derived_keys(key: Key, sizes: tuple[int, ...]) -> Key:
    """The keys of the first numbers under `key`, as many as an array of this shape has elements, in row-major order."""
    keys = derived(key, generators.counters(sizes)).data
    return key_array(movement.reshape(keys, sizes) if len(sizes) > 1 else keys, key.impl)


def part(key: Key, i: int) -> Key:
    """The key of a number."""
    return derived(key, scalar(i, dtypes.uint64))


def chosen(mask: Array, first: Key, second: Key) -> Key:
    """The first keys where `mask` holds, the second ones elsewhere."""
    return key_array(logic.where(mask, first.data, second.data), first.impl)


def _generator(function: str, impl: str) -> Generator:
    return "philox" if choice(function, "impl", impl, Generator) == "philox" else "threefry"


def key(seed: SupportsIndex | Integral, impl: Generator = "threefry") -> Key:
    """The key of an integer `seed`, which counts modulo 2**64; it may be an integer array whose value is not known.

    `impl` is the generator of this key and of all keys made from it: "threefry", whose numbers are jax's, or "philox",
    whose normal numbers take half the time. For seeds from 0 to 2**32 - 1 the key is jax's; for others it is that of
    jax with 64-bit integers enabled. A seed from NumPy or an array with at most 32 bits counts modulo 2**32. Raises
    ArgumentError unless the seed is an integer from -2**63 to 2**64 - 1.

    >>> import effects as fx
    >>> fx.random.key(42), fx.random.key(42, "philox")
    (Key(0x000000000000002a), Key(0x000000000000002a, 'philox'))
    """
    generator = _generator("key", impl)
    number = integer_or_array("key", "seed", seed)
    if isinstance(number, Array) or isinstance(seed, Array | np.generic | np.ndarray):
        bits = as_array(seed, "key", "seed")
        narrow = bits.aval.dtype.dtype.itemsize < 8
        return key_array(convert(convert(bits, dtypes.uint32) if narrow else bits, dtypes.uint64), generator)
    if not -(2**63) <= number < 2**64:
        raise refusal("key", "seed", "at least -2**63 and less than 2**64", number)
    return key_array(scalar(number % 2**64, dtypes.uint64), generator)


def split(key: Key, num: Sizes = 2) -> Key:
    """Keys that are independent of each other and of `key`: `num` of them, or an array of keys of the shape `num`.

    Use each key once, since it gives the same numbers each time. Keys of Threefry are jax's.

    >>> import effects as fx
    >>> first, second = fx.random.split(fx.random.key(0))
    >>> first
    Key(0x6b20015999ba4efe)
    """
    return derived_keys(one_key("split", key), shapes.static_shape("split", num, "num"))


def fold_in(key: Key, data: SupportsIndex | Integral) -> Key:
    """The key that belongs to a number `data` under `key`, as to a step or a lane: another one for each number.

    `data` is an int from 0 to 2**32 - 1, or an integer array of rank 0, which counts modulo 2**32. Keys of Threefry are
    jax's.

    >>> import effects as fx
    >>> fx.random.fold_in(fx.random.key(0), 7)
    Key(0xa1ef7a4d116eb6b3)
    """
    one_key("fold_in", key)
    number = integer_or_array("fold_in", "data", data)
    if isinstance(number, Array):
        return derived(key, convert(convert(number, dtypes.uint32), dtypes.uint64))
    if not isinstance(data, Array) and not 0 <= number < 2**32:
        raise refusal("fold_in", "data", "at least 0 and less than 2**32", number)
    return part(key, number % 2**32)


def clone(key: Key) -> Key:
    """The same keys again, marked as reused on purpose for `key_reuse`.

    >>> import effects as fx
    >>> fx.random.clone(fx.random.key(1)) == fx.random.key(1)
    True
    """
    return key_array(perform(Name(CLONED, checked("clone", key).data)), key.impl)


def key_data(key: Key) -> Array[u32]:
    """The words of keys, as in jax: uint32 of their shape, followed by an axis of size 2.

    >>> import effects as fx
    >>> fx.random.key_data(fx.random.key(7))
    Array([0, 7], uint32)
    """
    bits = checked("key_data", key).data
    halves = bitwise_right_shift(bits, 32), bits
    return movement.stack([convert(half, dtypes.uint32) for half in halves], axis=-1)


def wrap_key_data(words: ArrayLike, impl: Generator = "threefry") -> Key:
    """The keys of words, the inverse of `key_data`: uint32 whose last axis has 2 elements; `impl` as of `key`.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.random.wrap_key_data(np.array([0, 7], "uint32"))
    Key(0x0000000000000007)
    """
    generator = _generator("wrap_key_data", impl)
    array = as_array(words, "wrap_key_data", "words")
    if array.aval.dtype is not dtypes.uint32:
        raise DTypeError(f"wrap_key_data: words must be uint32, got {array.aval}")
    if array.aval.shape[-1:] != (2,):
        raise ShapeError(f"wrap_key_data: the last axis of words must have size 2, got {array.aval}")
    high, low = [convert(half, dtypes.uint64) for half in movement.unstack(array, axis=-1)]
    return key_array(bitwise_left_shift(high, 32) | low, generator)
