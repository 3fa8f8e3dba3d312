"""Philox: the published words, the order in which they are drawn, and keys that know their generator."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats

import effects as fx
from effects import random
from effects.errors import EffaxError, KeyReuseError
from effects.operations.philox import Philox
from effects.random import Key
from handlers import cond, grad, key_reuse, scan, vmap, with_random
from lowering import jit
from tests.random.numbers import PHILOX

KEY: Final = random.key(42, "philox")
RUNS: Final[dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {"eager": lambda f: f, "compiled": jit}


def _words(key: int, low: int, high: int) -> list[int]:
    """The block by integers, from the published description."""
    counter = [low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32]
    for i in range(10):
        keys = [(key + i * 0x9E3779B9) % 2**32, ((key >> 32) + i * 0xBB67AE85) % 2**32]
        first, second = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [
            (second >> 32) ^ counter[1] ^ keys[0],
            second % 2**32,
            (first >> 32) ^ counter[3] ^ keys[1],
            first % 2**32,
        ]
    return counter


def _cipher(*xs: fx.Array) -> list[fx.Array]:
    return [*fx.perform(Philox(*xs))]


@pytest.mark.parametrize("how", RUNS)
def test_the_cipher_gives_the_published_words(how: str) -> None:
    run = RUNS[how](_cipher)
    given, words = [np.array(column, "uint64") for column in zip(*PHILOX, strict=True)]
    assert np.array_equal(np.stack(run(*[fx.asarray(x) for x in given.T]), -1), words)
    assert [int(x) for x in run(*[fx.asarray(x) for x in given[2]])] == words[2].tolist()
    assert [_words(*[int(x) for x in row]) for row in given] == words.tolist()


def test_few_blocks_and_many_are_the_same() -> None:
    counter = fx.iota(fx.uint64, (5000,)) * 0x9E3779B97F4A7C15
    many = np.stack(_cipher(fx.flip(counter), counter, counter[7]), -1)
    assert np.array_equal(many, np.stack(jit(_cipher)(fx.flip(counter), counter, counter[7]), -1))
    for i in (0, 2047, 2048, 4999):
        assert many[i].tolist() == _words(*[int(x) for x in (counter[4999 - i], counter[i], counter[7])])


@pytest.mark.parametrize("how", RUNS)
def test_bits_are_the_words_in_order(how: str) -> None:
    flat = [word for i in range(3) for word in _words(42, i, 0)]

    def bits(dtype: str, *shape: int) -> np.ndarray[Any, Any]:
        return np.asarray(RUNS[how](partial(random.bits, shape=shape, dtype=dtype))(KEY))

    assert bits("uint32", 11).tolist() == flat[:11] and bits("uint32").tolist() == flat[0]
    assert np.array_equal(bits("uint32", 3, 2, 2), np.array(flat).reshape(3, 2, 2))
    assert bits("uint64", 5).tolist() == [
        low + (high << 32) for low, high in zip(flat[:10:2], flat[1:10:2], strict=True)
    ]
    assert bits("uint8", 6).tolist() == [word % 256 for word in flat[:6]]
    assert bits("uint32", 0, 3).shape == (0, 3)


def test_keys_are_of_counters_of_their_own() -> None:
    first, second = random.split(KEY)
    for i, key in enumerate((first, second, random.fold_in(KEY, 2), jit(random.fold_in)(KEY, fx.asarray(3)))):
        low, high, *_ = _words(42, i, 1)
        assert (key.impl, int(key.data)) == ("philox", low + (high << 32))
    assert random.split(KEY, (2, 3))[1, 0] == random.fold_in(KEY, 3)


def test_keys_know_their_generator() -> None:
    other = random.key(42)
    keys = random.split(KEY, 3)
    assert (KEY.impl, other.impl, keys[1:].impl, random.clone(KEY).impl) == ("philox", "threefry", *["philox"] * 2)
    assert KEY != other and repr(KEY) == "Key(0x000000000000002a, 'philox')"
    assert [k.impl for k in keys] == ["philox"] * 3
    for same in (pickle.loads(pickle.dumps(keys)), random.wrap_key_data(random.key_data(keys), "philox")):
        assert same == keys and same != random.wrap_key_data(random.key_data(keys))
    draw: Callable[[Key], fx.Array] = jit(random.bits)
    assert draw(KEY) != draw(other) and draw(KEY) == random.bits(KEY)
    with pytest.raises(EffaxError, match="impl must be 'threefry' or 'philox', got 'rbg'"):
        random.key(0, "rbg")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(EffaxError):
        cond(fx.asarray(True), lambda: KEY, lambda: other)
    with pytest.raises(EffaxError):
        scan(lambda key, _: (other, None), KEY, length=2)


DRAWS: Final[dict[str, Callable[[Key], fx.Array]]] = {
    "bits": lambda key: random.bits(key, (3,)),
    "normal": lambda key: random.normal(key, (5,)),
    "single": lambda key: random.normal(key, (5,), fx.float32),
    "one": random.normal,
    "gamma": lambda key: random.gamma(key, fx.asarray([0.5, 3.0])),
    "poisson": lambda key: random.poisson(key, fx.asarray([2.0, 40.0])),
    "binomial": lambda key: random.binomial(key, 40, fx.asarray([0.1, 0.5])),
    "permutation": lambda key: random.permutation(key, 10),
    "choice": lambda key: random.choice(key, 5, (3,), replace=False),
    "randint": lambda key: random.randint(key, (3,), 0, 2**60),
    "truncated": lambda key: random.truncated_normal(key, 1.0, 2.0, (3,)),
    "categorical": lambda key: random.categorical(key, fx.zeros(3), shape=(4,)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_lanes_steps_and_compiled_draws_are_those_of_a_loop(name: str) -> None:
    draw, keys = DRAWS[name], random.split(KEY, 3)
    expected = np.stack([np.asarray(draw(key)) for key in keys])
    tolerance = 1e-6 if name == "single" else 1e-13
    for f in (jit(vmap(draw)), jit(lambda keys: scan(lambda c, key: (c, draw(key)), 0, keys)[1])):
        np.testing.assert_allclose(f(keys), expected, rtol=tolerance, atol=tolerance)


def test_normal_numbers_are_normal() -> None:
    for dtype in (fx.float32, fx.float64, fx.float16):
        drawn = random.normal(KEY, 200_000, dtype)
        assert drawn.dtype == dtype
        x = np.asarray(drawn).astype("float64")
        if dtype is not fx.float16:
            assert stats.kstest(x, "norm").pvalue > 0.01
            assert stats.kstest(x[::2] ** 2 + x[1::2] ** 2, "chi2", (2,)).pvalue > 0.01
            assert stats.kstest(np.arctan2(x[::2], x[1::2]), "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.01
        for step in (1, 2, 3):
            assert abs(np.mean(x[step:] * x[:-step])) < 0.01
        assert 4 < np.abs(x).max() < 6
    longer = np.asarray(random.normal(KEY, 12))
    assert np.array_equal(longer[:7], random.normal(KEY, 7)) and np.array_equal(longer[0], random.normal(KEY))
    assert random.normal(KEY, (0, 2)).shape == (0, 2)


@pytest.mark.parametrize("name", ["uniform", "exponential", "logistic"])
def test_other_numbers_have_their_distribution(name: str) -> None:
    x = np.asarray(getattr(random, name)(KEY, 50_000))
    assert stats.kstest(x, {"exponential": "expon"}.get(name, name)).pvalue > 0.01


def test_reuse_is_found_by_the_generator() -> None:
    for run in RUNS.values():
        for wrong in (
            lambda key: random.normal(key) + random.uniform(key),
            lambda key: (random.split(key), random.normal(key)),
            lambda key: (random.fold_in(key, 3), random.fold_in(key, 3)),
        ):
            with pytest.raises(KeyReuseError), key_reuse():
                run(wrong)(KEY)
        with key_reuse():
            run(lambda key, other: (random.normal(key), random.normal(other)))(KEY, random.key(42))
            run(lambda key: random.normal(random.clone(key)) - random.normal(random.clone(key)))(
                random.key(7, "philox")
            )


def test_it_is_a_constant_to_derivatives_and_a_seed_of_programs() -> None:
    w = fx.ones(3)
    np.testing.assert_allclose(
        jit(grad(lambda w: fx.sum(w * random.normal(KEY, (3,)))))(w), random.normal(KEY, (3,)), rtol=1e-13
    )
    drawn = with_random(lambda rng: rng.normal((2,)), KEY)()
    np.testing.assert_allclose(drawn, random.normal(random.fold_in(KEY, 0), (2,)), rtol=1e-13)
