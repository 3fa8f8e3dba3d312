"""A decoder with a cache, and sampling from it."""

from dataclasses import dataclass
from typing import NamedTuple

import effects as fx
from effects import F32, I64, nn, random
from effects.random import Key
from handlers import scan, vmap


class Cache[L, H, K](NamedTuple):
    keys: F32[L, H, K]
    values: F32[L, H, K]


@dataclass(frozen=True)
class Weights[V, D, H, K]:
    embedding: F32[V, D]
    qkv: F32[D, 3, H, K]
    out: F32[H, K, D]


def advance[V, D, H, K, L](
    w: Weights[V, D, H, K], cache: Cache[L, H, K], token: I64[()], place: I64[()]
) -> tuple[F32[V], Cache[L, H, K]]:
    x = w.embedding[token]
    q, k, v = fx.unstack(fx.einsum("d,dchk->chk", x, w.qkv))
    later = Cache(cache.keys.at[place].set(k), cache.values.at[place].set(v))
    seen = fx.arange(cache.keys.shape[0]) <= place
    mixed = nn.dot_product_attention(q[None], later.keys, later.values, mask=seen)
    return (x + fx.einsum("hk,hkd->d", mixed[0], w.out)) @ w.embedding.T, later


def advance_with_cache_by_heads[V, D, H, K, L](
    w: Weights[V, D, H, K], cache: Cache[L, H, K], token: I64[()], place: I64[()]
) -> Cache[L, H, K]:
    q, k, v = fx.unstack(fx.einsum("d,dchk->chk", w.embedding[token], w.qkv))
    return Cache(cache.keys.at[:, place].set(k), cache.values.at[place].set(v))  # E: shape


def advance_with_longer_cache[V, D, H, K, L](
    w: Weights[V, D, H, K], cache: Cache[L, H, K], token: I64[()]
) -> Cache[L, H, K]:
    q, k, v = fx.unstack(fx.einsum("d,dchk->chk", w.embedding[token], w.qkv))
    return Cache(fx.concat([cache.keys, k[None]]), fx.concat([cache.values, v[None]]))  # E: shape


def logits_by_embedding[V, D, H, K](w: Weights[V, D, H, K], token: I64[()]) -> F32[V]:
    return w.embedding[token] @ w.embedding  # E: shape


def generated[V, D, H, K, L, T](w: Weights[V, D, H, K], cache: Cache[L, H, K], prompt: I64[T]) -> F32[T, V]:
    def step(state: tuple[Cache[L, H, K], I64[()]], token: I64[()]) -> tuple[tuple[Cache[L, H, K], I64[()]], F32[V]]:
        cache, place = state
        scores, later = advance(w, cache, token, place)
        return (later, place + 1), scores

    return scan(step, (cache, fx.asarray(0)), prompt)[1]


def generated_of_other_axis[V, D, H, K, L, T](
    w: Weights[V, D, H, K], cache: Cache[L, H, K], prompt: I64[T]
) -> F32[V, T]:
    def step(state, token):
        cache, place = state
        scores, later = advance(w, cache, token, place)
        return (later, place + 1), scores

    return scan(step, (cache, fx.asarray(0)), prompt)[1]  # E: shape


def generated_at_once[V, D, H, K, L, T](w: Weights[V, D, H, K], cache: Cache[L, H, K], prompt: I64[T]) -> F32[V]:
    scores, later = advance(w, cache, prompt, fx.asarray(0))  # E: shape
    return scores


def sampled[V, N](key: Key, scores: F32[V], many: F32[N]) -> I64[N]:
    return random.categorical(key, scores, shape=many.shape)


def sampled_of_rows[V, N](key: Key, scores: F32[N, V]) -> I64[N]:
    return random.categorical(key, scores)


def sampled_of_columns[V, N](key: Key, scores: F32[N, V]) -> I64[N]:
    return random.categorical(key, scores, axis=0)  # E: shape


def sampled_by_own_keys[V, N](keys: Key, scores: F32[N, V]) -> I64[N]:
    return vmap(lambda key, row: random.categorical(key, row))(keys, scores)


def sampled_by_keys_of_columns[V, N](keys: Key, scores: F32[N, V]) -> I64[N]:
    return vmap(lambda key, row: random.categorical(key, row), in_axes=(0, 1))(keys, scores)  # E: shape


def dropped[T, D](key: Key, x: F32[T, D], rate: float) -> F32[T, D]:
    kept = random.uniform(key, x.shape) > rate
    return fx.where(kept, x / (1 - rate), 0)


def dropped_by_rows[T, D](key: Key, x: F32[T, D], rate: float) -> F32[T, D]:
    kept = random.uniform(key, x.shape[:1]) > rate
    return fx.where(kept, x / (1 - rate), 0)  # E: shape


def initial[V, D, H, K](key: Key, like: Weights[V, D, H, K]) -> Weights[V, D, H, K]:
    one, two, three = random.split(key, 3)
    draw = lambda key, w: 0.1 * random.normal(key, w.shape, dtype=fx.f32)
    return Weights(draw(one, like.embedding), draw(two, like.qkv), draw(three, like.out))


def initial_swapped[V, D, H, K](key: Key, like: Weights[V, D, H, K]) -> Weights[V, D, H, K]:
    one, two, three = random.split(key, 3)
    draw = lambda key, w: 0.1 * random.normal(key, w.shape, dtype=fx.f32)
    return Weights(draw(one, like.embedding), draw(two, like.out), draw(three, like.qkv))  # E: shape
