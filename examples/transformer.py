"""A decoder-only transformer that generates with a cache of keys and values, each token at the cost of one."""

from typing import NamedTuple

import effects as fx
from effects import Array
from handlers import scan


class Block(NamedTuple):
    """Attention and a perceptron, each behind a norm; D features, H heads of K features each."""

    norm: Array  # [D]
    qkv: Array  # [D, 3, H, K]
    out: Array  # [H, K, D]
    norm_mlp: Array  # [D]
    up: Array  # [D, M]
    down: Array  # [M, D]


class Model(NamedTuple):
    """A language model of V tokens and of T places at most."""

    embedding: Array  # [V, D]
    places: Array  # [T, D]
    blocks: tuple[Block, ...]
    norm: Array  # [D]


class Cache(NamedTuple):
    """Keys and values of a block for the tokens so far, [T, H, K] each."""

    keys: Array
    values: Array


def normalise(x: Array, scale: Array) -> Array:
    return x / fx.sqrt(fx.mean(x**2, axis=-1, keepdims=True) + 1e-5) * scale


def perceptron(block: Block, x: Array) -> Array:
    return x + fx.nn.gelu(normalise(x, block.norm_mlp) @ block.up) @ block.down


def logits(model: Model, tokens: Array) -> Array:
    """Of what comes next after each of the tokens [T], all at once, as for training: [T, V]."""
    x = model.embedding[tokens] + model.places[: tokens.shape[0]]
    for block in model.blocks:
        q, k, v = fx.unstack(fx.einsum("td,dchk->cthk", normalise(x, block.norm), block.qkv))
        mixed = fx.nn.dot_product_attention(q, k, v, is_causal=True)
        x = perceptron(block, x + fx.einsum("thk,hkd->td", mixed, block.out))
    return normalise(x, model.norm) @ model.embedding.T


def advance(model: Model, caches: tuple[Cache, ...], token: Array, place: Array) -> tuple[Array, tuple[Cache, ...]]:
    """Of what comes next after one token more, [V], and the caches with it."""
    x = model.embedding[token] + model.places[place]
    attended = fx.arange(model.places.shape[0]) <= place
    later = []
    for block, before in zip(model.blocks, caches, strict=True):
        q, k, v = fx.unstack(fx.einsum("d,dchk->chk", normalise(x, block.norm), block.qkv))
        cache = Cache(before.keys.at[place].set(k), before.values.at[place].set(v))
        mixed = fx.nn.dot_product_attention(q[None], cache.keys, cache.values, mask=attended)
        x = perceptron(block, x + fx.einsum("hk,hkd->d", mixed[0], block.out))
        later.append(cache)
    return normalise(x, model.norm) @ model.embedding.T, tuple(later)


def generate(model: Model, prompt: Array, length: int) -> Array:
    """The prompt [P] and what the model finds most likely after it, [length]."""
    empty = fx.zeros((model.places.shape[0], *model.blocks[0].out.shape[:2]), dtype=model.embedding.dtype)
    prompt_length = prompt.shape[0]
    tokens = fx.zeros(length, dtype=prompt.dtype).at[:prompt_length].set(prompt)

    def step(carry: tuple[Array, tuple[Cache, ...]], place: Array) -> tuple[tuple[Array, tuple[Cache, ...]], None]:
        tokens, caches = carry
        scores, caches = advance(model, caches, tokens[place], place)
        token = fx.where(place + 1 < prompt_length, tokens[place + 1], fx.argmax(scores).astype(tokens.dtype))
        return (tokens.at[place + 1].set(token), caches), None

    begin = (tokens, tuple([Cache(empty, empty) for _ in model.blocks]))
    (tokens, _), _ = scan(step, begin, fx.arange(length - 1))
    return tokens
