"""Random numbers: keys are a type of their own, and a dtype that is given is that of the result."""

from typing import Any, reveal_type

import effects as fx
from effects import Array, random
from effects.linalg import solve
from effects.random import normal
from handlers import scan, vmap
from lowering import jit


def drawn(key: random.Key) -> None:
    reveal_type((random.split(key), key[0]))  # 2 × Key
    reveal_type((random.normal(key), normal(key)))  # 2 × Array[Any, tuple[()]]
    reveal_type(solve(fx.eye(2, dtype=fx.f32), random.normal(key, (2,), fx.f32)))  # Array[float32, Any]
    reveal_type(random.normal(key, (3,), fx.f32))  # Array[float32, Any]
    reveal_type(random.permutation(key, fx.zeros(3, fx.f32)))  # Array[float32, Any]
    reveal_type(random.normal(key, dtype=fx.f32))  # Array[float32, tuple[()]]
    reveal_type(random.uniform(key, 3, minval=-1.0))  # Array[Any, Any]
    reveal_type(random.bits(key, 3))  # Array[uint32, Any]
    reveal_type(random.bernoulli(key, 0.5))  # Array[bool_, Any]
    reveal_type((random.randint(key, 3, 0, 10), random.choice(key, 10, (3,))))  # 2 × Array[int64, Any]
    reveal_type(random.randint(key, 3, 0, 10, fx.i32))  # Array[int32, Any]


@jit
def noise(key: random.Key, x: Array[fx.f32]) -> tuple[random.Key, Array[fx.f32]]:
    key, drawn = random.split(key)
    return key, x + random.normal(drawn, x.shape, fx.f32)


def step(key: random.Key, _: Any) -> tuple[random.Key, Array[fx.f64]]:
    first, second = random.split(key)
    return first, random.uniform(second, (), fx.f64)


def transformed(key: random.Key) -> None:
    reveal_type(noise(key, fx.zeros(3, fx.f32)))  # tuple[Key, Array[float32, Any]]
    reveal_type(vmap(random.fold_in, in_axes=(None, 0))(key, fx.arange(3)))  # Key
    reveal_type(vmap(random.normal)(random.split(key, 3)))  # Array[Any, Any]
    reveal_type(vmap(random.uniform)(random.split(key, 3)))  # Array[Any, Any]
    reveal_type(vmap(random.bits)(random.split(key, 3)))  # Array[uint32, Any]
    reveal_type(vmap(random.rademacher)(random.split(key, 3)))  # Array[int64, Any]
    reveal_type(random.normal(key, dtype=fx.float32))  # Array[float32, tuple[()]]
    reveal_type(scan(step, key, length=3))  # tuple[Key, Array[float64, Any]]
