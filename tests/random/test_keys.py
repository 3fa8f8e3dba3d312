"""Keys and bits: the published numbers, jax's numbers, and keys as values in trees and under transformations."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import random
from effects.operations.elementwise import Binary, BinaryKind
from effects.random import Key
from effects.types.dtypes import Named
from handlers import cond, grad, jacfwd, make_jaxpr, scan, vmap
from lowering import jit, lower
from tests.random.numbers import BITS, CLOSE, EXACT, FOLDED, SEEDS, SPLIT, VECTORS

KEY = random.key(42)
RUNS: Final[dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {"eager": lambda f: f, "compiled": jit}


def _words(keys: Key) -> object:
    return np.asarray(random.key_data(keys)).tolist()


@pytest.mark.parametrize("how", RUNS)
def test_the_cipher_gives_the_published_vectors(how: str) -> None:
    run = RUNS[how]
    key, counter, block = [fx.asarray(np.array(column, "uint64")) for column in zip(*VECTORS, strict=True)]

    def cipher(k: fx.Array, c: fx.Array) -> fx.Array:
        return fx.perform(Binary(BinaryKind.THREEFRY, k, c))

    assert fx.array_equal(run(cipher)(key, counter), block)
    for i in range(3):
        assert fx.array_equal(run(cipher)(key[i], counter[i]), block[i])


def test_few_blocks_and_many_are_the_same() -> None:
    counter = fx.iota(fx.uint64, (10_000,)) * 0x9E3779B97F4A7C15
    keys = fx.flip(counter)

    def cipher(k: fx.Array, c: fx.Array) -> fx.Array:
        return fx.perform(Binary(BinaryKind.THREEFRY, k, c))

    many, one = cipher(keys, counter), cipher(keys[3], counter)
    assert fx.array_equal(many, jit(cipher)(keys, counter)) and fx.array_equal(one, jit(cipher)(keys[3], counter))
    for i in (0, 4095, 4096, 9999):
        assert fx.array_equal(many[i], cipher(keys[i], counter[i])) and fx.array_equal(
            one[i], cipher(keys[3], counter[i])
        )


def test_keys_are_those_of_jax() -> None:
    for seed, words in SEEDS.items():
        assert _words(random.key(seed)) == words
        assert _words(random.key(np.int64(seed))) == words
        assert _words(jit(random.key)(fx.asarray(seed))) == words
    assert _words(random.key(2**64 - 1)) == SEEDS[-1]
    for narrow in (np.int8(-5), np.int32(-5), np.array(-5, np.int16), fx.asarray(np.int32(-5))):
        assert _words(random.key(narrow)) == _words(jit(random.key)(narrow)) == [0, 2**32 - 5]
    assert _words(random.split(KEY, (2, 3))) == SPLIT
    assert _words(random.split(KEY)) == SPLIT[0][:2]
    for number, words in FOLDED.items():
        assert _words(random.fold_in(KEY, number)) == _words(random.fold_in(KEY, fx.asarray(number))) == words
        assert _words(jit(random.fold_in)(KEY, fx.asarray(number))) == words


@pytest.mark.parametrize("dtype", BITS)
def test_bits_are_those_of_jax(dtype: Named) -> None:
    for f in (random.bits, jit(random.bits, static_argnums=(1, 2))):
        assert np.asarray(f(KEY, (5,), dtype)).tolist() == BITS[dtype]


@pytest.mark.parametrize(("name", "dtype", "expected"), [*EXACT, *CLOSE], ids=str)
def test_numbers_are_those_of_jax(name: str, dtype: str, expected: list[complex]) -> None:
    exact = (name, dtype, expected) in EXACT
    for run in RUNS.values():
        x = np.asarray(run(partial(getattr(random, name), shape=(5,), dtype=dtype))(KEY))
        assert x.dtype == dtype
        if exact:
            assert x.tolist() == expected
        else:
            np.testing.assert_allclose(x, np.array(expected, dtype), rtol=8 * np.finfo(dtype).eps)


def test_shapes_hold_the_same_numbers_in_row_major_order() -> None:
    line = np.asarray(random.bits(KEY, 12))
    assert np.array_equal(random.bits(KEY, (3, 2, 2)), line.reshape(3, 2, 2))
    assert np.array_equal(random.bits(KEY, (5,)), line[:5])
    assert np.array_equal(random.bits(KEY), line[0])
    assert random.bits(KEY, (0, 3)).shape == (0, 3)


def test_keys_are_arrays_of_keys() -> None:
    keys = random.split(KEY, (2, 3))
    assert (keys.shape, keys.ndim, keys.size, len(keys)) == ((2, 3), 2, 6, 2)
    assert (KEY.shape, KEY.ndim, KEY.size) == ((), 0, 1)
    first, second = keys
    assert first == keys[0] and second[-1] == keys[1, 2] and first != second and first != second[0]
    assert not isinstance(KEY.__eq__("key"), bool)
    assert repr(KEY) == "Key(0x000000000000002a)" and repr(keys) == "Key(shape=(2, 3))"
    assert fx.tree_leaves_with_path([KEY])[0][0] == "[0].data"
    assert "uint64" in repr(make_jaxpr(lambda key: random.bits(key))(KEY))


def test_keys_are_copied_pickled_and_kept_as_words() -> None:
    keys = random.split(KEY, 3)
    kept = [copy.deepcopy(keys), pickle.loads(pickle.dumps(keys)), random.wrap_key_data(random.key_data(keys))]
    for other in [*kept, random.clone(keys), random.wrap_key_data(np.asarray(random.key_data(keys)))]:
        assert isinstance(other, Key) and other.shape == (3,) and other == keys


def test_keys_go_through_transformations() -> None:
    keys = random.split(KEY, 4)
    expected = np.stack([random.normal(key, (2,)) for key in keys])

    def draw(key: Key) -> fx.Array:
        return random.normal(key, (2,))

    for f in (
        vmap(draw),
        jit(vmap(draw)),
        vmap(jit(draw)),
        lambda keys: scan(lambda c, key: (c, draw(key)), 0, keys)[1],
    ):
        np.testing.assert_allclose(f(keys), expected, rtol=1e-15)
    grid = random.split(KEY, (2, 3))
    for axis in (1, -1):
        lanes = vmap(vmap(draw), in_axes=axis)(grid)
        np.testing.assert_allclose(
            lanes, np.stack([[draw(grid[i, j]) for i in range(2)] for j in range(3)]), rtol=1e-15
        )


def test_keys_are_results_carries_and_branches() -> None:
    def step(key: Key, _: object) -> tuple[Key, fx.Array]:
        key, drawn = random.split(key)
        return key, random.uniform(drawn)

    last, numbers = scan(step, KEY, length=5)
    key, expected = KEY, []
    for _ in range(5):
        key, number = step(key, None)
        expected.append(float(number))
    assert last == key
    assert np.asarray(numbers).tolist() == expected


def test_keys_are_chosen_and_batched() -> None:
    def other(key: Key) -> Key:
        return random.fold_in(key, 1)

    @jit
    def chosen(p: bool, key: Key) -> Key:
        return cond(p, other, random.clone, key)

    assert chosen(True, KEY) == random.fold_in(KEY, 1) and chosen(False, KEY) == KEY
    stacked = vmap(random.fold_in, in_axes=(None, 0))(KEY, fx.arange(3))
    assert stacked.shape == (3,) and stacked[2] == random.fold_in(KEY, 2)
    assert vmap(lambda k: random.split(k, 2), out_axes=1)(stacked).shape == (2, 3)


def test_numbers_are_constants_to_derivatives() -> None:
    def noisy(w: fx.Array, key: Key) -> fx.Array:
        return fx.sum(w * random.normal(key, (3,)))

    w = fx.ones(3)
    for g in (grad(noisy), jit(grad(noisy)), jacfwd(noisy)):
        np.testing.assert_allclose(g(w, KEY), random.normal(KEY, (3,)), rtol=1e-15)


def test_few_equations_are_traced() -> None:
    assert len(make_jaxpr(lambda key: random.bits(key, (3,)))(KEY).eqns) <= 6
    assert len(make_jaxpr(lambda key: random.normal(key, (3,)))(KEY).eqns) <= 12
    assert len(make_jaxpr(random.split)(KEY).eqns) == 2


def test_programs_stay_small() -> None:
    def several(key: Key) -> list[fx.Array]:
        return [random.normal(k, (3,)) for k in random.split(key, 9)]

    text = lower(jit(several), KEY).as_text()
    assert text.count("func.func private @threefry2x32") == 2
