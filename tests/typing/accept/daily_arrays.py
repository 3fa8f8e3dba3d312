"""What users of arrays write every day, without shapes: nothing of it is refused, and what is known is kept."""

from collections.abc import Callable, Sequence
from typing import Any, reveal_type

import numpy as np
import numpy.typing as npt

import effects as fx
from effects import C64, F32, I32, Array, Scalar
from handlers import vmap, writing


class N: ...


def shapes(x: Array, a: Array[fx.f32], n: F32[N], s: Scalar[fx.f32]) -> tuple[int, ...]:
    reveal_type(x.shape)  # tuple[int, ...]
    reveal_type(x.shape[0])  # int
    reveal_type(n.shape)  # tuple[int]
    reveal_type(s.shape)  # tuple[()]
    rows, *rest = x.shape
    first: int = n.shape[0]
    fx.zeros(n.shape)
    fx.reshape(x, (x.shape[0], -1))
    fx.ones((rows, first, *rest))
    return x.shape + a.shape


def size(x: Array) -> int:
    return x.ndim + x.size + x.nbytes + len(x)


def numbers(x: Array, a: Array[fx.f32], i: I32[N], b: Array[fx.bool], z: Array[fx.c64]) -> float:
    d: float = a.item()
    e: float = x.item()
    k: int = i.item()
    c: complex = z.item()
    flag: bool = b.item()
    rows: list[float] = a.tolist()
    table: list[list[float]] = x.tolist()
    reveal_type(a.item())  # float
    reveal_type(i.item(0))  # int
    return float(a) + int(i) + d + e + k + rows[0] + table[0][0] + flag + abs(c)


def item(x: Array[fx.f32]) -> float:
    return x.item()


def dtypes(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32], x: Array) -> None:
    reveal_type((a + b, a - b * a, a / b, a**2 + 1, 1.0 - a, abs(a), a.real, a.T, a[0]))  # 9 × Array[float32, Any]
    reveal_type((next(iter(a)), fx.add(a, b), fx.maximum(a, b), fx.maximum(0.0, a)))  # 4 × Array[float32, Any]
    reveal_type((fx.minimum(a, 0.0), fx.divide(a, b), fx.where(a > 0, a, b)))  # 3 × Array[float32, Any]
    reveal_type((fx.where(a > 0, a, 0.0), fx.clip(a, 0.0, 1.0), a.clip(0.0)))  # 3 × Array[float32, Any]
    reveal_type((fx.stack([a, b]), fx.concat([a, b, a]), a.max(axis=0)))  # 3 × Array[float32, Any]
    reveal_type(i + 1)  # Array[int32, Any]
    reveal_type((i / 2, i / i, a + i, fx.divide(i, i), fx.sqrt(i)))  # 5 × Array[float64, Any]
    reveal_type((abs(x), fx.stack([a, i]), fx.stack([1.0, 2.0])))  # 3 × Array[Any, Any]
    reveal_type((a == b, (a > 0) & (b < 1)))  # 2 × Array[bool_, Any]
    reveal_type(fx.sum(i))  # Array[int64, tuple[()]]
    reveal_type(i.sum(0))  # Array[int64, Any]
    reveal_type(i.mean())  # Array[float64, tuple[()]]
    reveal_type(a.std())  # Array[float32, tuple[()]]
    reveal_type(a.astype(fx.i8))  # Array[int8, Any]


def products(a: Array[fx.f32], b: Array[fx.f32], x: Array, m: F32[N, N]) -> Array[fx.f32]:
    reveal_type((a @ b, a.dot(b), a @ m, fx.vecdot(a, b, axis=0), fx.outer(a, b)))  # 5 × Array[float32, Any]
    reveal_type((fx.tensordot(a, b, axes=1), fx.einsum("ij,jk,kl", a, b, a)))  # 2 × Array[float32, Any]
    reveal_type((m @ m, fx.matmul(m, m)))  # 2 × Array[float32, tuple[N, N]]
    reveal_type((a @ x, x @ x, fx.einsum("ij,jk", a, x)))  # 3 × Array[Any, Any]
    reveal_type(fx.einsum("ij->j", a, preferred_element_type=fx.f64))  # Array[float64, Any]
    w: Array[fx.f64] = fx.einsum("ij,jk", a, np.ones((3, 3)))
    return fx.matmul(a, b) + fx.astype(w, fx.f32)


def declared(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32], m: F32[N, N], x: Array) -> Array[fx.f64]:
    one: Array[fx.f64] = fx.where(a > 0, a, i)
    two: Array[fx.f64] = fx.add(a, i)
    three: Array[fx.f64] = fx.stack([a, i])
    four: Array[fx.f32] = fx.maximum(a, b)
    five: Array[fx.f32] = fx.where(x > 0, a, 0.0)
    six: Array = fx.where(x > 0, a, b)
    seven: Array[fx.f32] | None = fx.add(a, b)
    eight: F32[N, N] = fx.where(x > 0, a, b)
    nine: Array[fx.f64] = fx.add(x, a)
    ten: Array[fx.f64] = fx.clip(x, 0.0, 1.0)
    return fx.maximum(i, 0.5)


def half(i: Array[fx.i32]) -> Array[fx.f64]:
    return i / 2


def half_in_single_precision(i: Array[fx.i32]) -> Array[fx.f32]:
    with fx.default_float(fx.f32):
        return i / 2


def mean(xs: Sequence[Array[fx.f32]]) -> Array[fx.f32]:
    return fx.sum(fx.stack(xs), axis=0) / len(xs)


def normalise(x: Array, eps: float = 1e-6) -> Array:
    return (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps)


def layer(w: Array[fx.f32], b: Array[fx.f32], x: Array[fx.f32]) -> Array[fx.f32]:
    return fx.tanh(x @ w + b)


def predictions(logits: Array[fx.f32]) -> Array[fx.i64]:
    return fx.argmax(logits, axis=-1)


def accuracy(logits: Array[fx.f32], labels: Array[fx.i64]) -> Scalar[fx.f64]:
    return fx.mean(fx.argmax(logits, axis=-1) == labels)


def cross_entropy(logits: Array[fx.f32], targets: Array[fx.f32]) -> Scalar[fx.f32]:
    return -fx.mean(fx.sum(fx.log_softmax(logits) * targets, axis=-1))


def power_iteration(a: Array[fx.f64], steps: int) -> float:
    v = fx.ones(a.shape[0], dtype=fx.f64)
    for _ in range(steps):
        w = fx.matmul(a, v)
        v = w / fx.sqrt(fx.sum(w * w))
    return float(fx.vecdot(v, a @ v))


def beside_numpy(x: Array[fx.f32], host: npt.NDArray[np.float32]) -> Array:
    np.testing.assert_allclose(x, host)
    seen: npt.NDArray[Any] = np.asarray(x)
    return x * host + fx.asarray(seen) - np.float32(1.0)


def table() -> dict[str, Callable[[Array], Array]]:
    return {"sin": fx.sin, "relu": lambda x: fx.maximum(x, 0.0), "square": fx.square, "norm": normalise}


def mapped(xs: list[Array[fx.f32]]) -> list[Array[fx.f32]]:
    return [*map(fx.exp, xs), *[x.conj() for x in xs], *sorted(xs, key=lambda x: x.item())]


def branches(x: Array, y: Array) -> str:
    if x == y:
        return f"{x} {x.item():.3f}"
    if (x > y).all() or not fx.any(x != 0):
        return str(x.dtype)
    return repr(x.tolist())


def bits(i: Array[fx.u32], b: Array[fx.bool]) -> Array[fx.u32]:
    reveal_type(~b | b & True)  # Array[bool_, Any]
    return (i << 3) ^ (i >> 2) & 0xFF


def einsum(q: Array[fx.f32], k: Array[fx.f32]) -> Array[fx.f32]:
    return fx.softmax(fx.einsum("bqd,bkd->bqk", q, k) / k.shape[-1] ** 0.5)


def magnitudes(z: C64[N], x: Array) -> Array[fx.f32]:
    reveal_type((abs(z), z.imag, fx.real(z)))  # 3 × Array[float32, tuple[N]]
    reveal_type((abs(x), fx.abs(x)))  # 2 × Array[Any, Any]
    abs(fx.full(3, 2.0, dtype=fx.c64)), abs(fx.asarray([1j], fx.c128)), abs(x.astype(fx.c64))
    return abs(fx.ones((3, 4), fx.c64)) + abs(fx.asarray([1j], dtype="complex64"))


def dtypes_that_meet(
    a: Array[fx.f32], u: Array[fx.f64], h: Array[fx.bf16], i: Array[fx.i32], b: Array[fx.bool], z: C64[N], s: F32[N]
) -> Array[fx.f64]:
    reveal_type((a + u, u * h, a - i, i / a, u // i, i * 2.5))  # 6 × Array[float64, Any]
    reveal_type((2 * 1j * s, z / 2j))  # 2 × Array[complex64, tuple[N]]
    return a * u + i


def of_any_number(s: fx.ArrayLike, k: float) -> Array:
    return fx.log(s / k) + 0.5 * s**2 - (s + s * s) / k


def written(a: Array[fx.f32], i: Array[fx.i32], m: Array[fx.bool], x: Array) -> None:
    reveal_type(a.at[i].set(1.5))  # Array[float32, Any]
    reveal_type((i.at[m].add(1), i & 1))  # 2 × Array[int32, Any]
    reveal_type((m.at[0].set(True), ~m & (a > 0) | (x == 0)))  # 2 × Array[bool_, Any]
    reveal_type((x.at[[0, 1], None, ...].set(1j), x @ x))  # 2 × Array[Any, Any]
    a[[[0, 1], [1, 0]]], a[(i, m)], a[i[0], 1:], a[np.array([1])], a[[i[0], 1]], a[np.int64(1)], x[x], x & x, ~x
    vmap(of_any_number, in_axes=(0, None), out_axes=[0])
    reveal_type(fx.quantile(a, 0.5))  # Array[float32, Any]
    reveal_type(fx.quantile(i, 0.5))  # Array[float64, Any]
    reveal_type(fx.percentile(i, 50, method="lower"))  # Array[int32, Any]


def nested(a: Array[fx.f32], i: Array[fx.i32], m: Array[fx.bool]) -> None:
    fx.take(a, fx.ravel(i)), fx.take(a, fx.add(i, 1)), fx.take(a, fx.where(i > 0, i, 0)), fx.take(a, fx.clip(i, 0, 3))
    fx.bincount(fx.ravel(i), length=3), fx.nn.one_hot(fx.flip(i), 3), fx.segment_sum(a, fx.minimum(i, 3))
    a[fx.flip(i)], a[fx.where(i > 0, i, 0)], a[fx.flip(m)], i.at[0].set(fx.flip(i)), a.at[0].set(fx.maximum(a, 0.0))
    fx.bitwise_invert(fx.flip(i)), fx.gcd(fx.flip(i), i), fx.sum(a, where=fx.flip(m)), ~fx.flip(i) & 1
    fx.nn.dot_product_attention(a, a, a, mask=fx.logical_and(m, fx.flip(m)))
    fx.take_along_axis(a, fx.argsort(a), 0), fx.take_along_axis(a, fx.expand_dims(i, 1), 1)


def masks_and_places(a: Array[fx.f32], i: Array[fx.i32], x: Array) -> list[Array]:
    mask = a > 0
    read = [
        a[mask],
        a[i],
        a[i, None],
        a[fx.argsort(a)],
        a[fx.logical_and(mask, a < 1)],
        a[x],
        a[fx.argmax(a)],
        a[[0, 1]],
    ]
    written: list[Array] = [
        i.at[i].set(i),
        i.at[mask].add(i[0]),
        i.at[0].set(mask[0]),
        i.at[x].set(x),
        i.at[0].set(fx.sum(i)),
    ]
    written += [i.at[0].set(fx.asarray(1)), i.at[0].set(fx.where(mask, i, 0)), a.at[fx.argsort(a)].multiply(i)]
    folded: list[Array] = [
        fx.sum(a, where=mask),
        fx.mean(a, where=fx.isnan(a)),
        a.max(where=~mask, initial=0),
        fx.any(a, where=x),
    ]
    return [*read, *written, *folded, fx.sum(a, where=fx.asarray([True])), fx.var(a, where=a == 1)]


def assigned(a: Array[fx.f32]) -> Array[fx.f32]:
    with writing() as xp:
        x = xp.zeros((2, 3), dtype=fx.f32)
        x[0] = a
        x.T[1] += 5.0
        reveal_type((x, xp.copy(a)[0]))  # 2 × WritableArray[float32, Any]
        return fx.asarray(x)
