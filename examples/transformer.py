"""A decoder-only transformer that generates with a cache of keys and values, so each token costs one step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import effects as fx
from effects import Array, optim, random
from handlers import scan, value_and_grad, vmap
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Block(NamedTuple):
    """Attention and a perceptron, each after a norm; D features, H heads of K features each."""

    norm: Array  # [D]
    qkv: Array  # [D, 3, H, K]
    out: Array  # [H, K, D]
    norm_mlp: Array  # [D]
    up: Array  # [D, M]
    down: Array  # [M, D]


class Model(NamedTuple):
    """A language model of V tokens and at most T positions."""

    embedding: Array  # [V, D]
    places: Array  # [T, D]
    blocks: tuple[Block, ...]
    norm: Array  # [D]


type Training = tuple[Model, tuple[optim.Moments, optim.StepCount]]


class Cache(NamedTuple):
    """Keys and values of a block for the tokens so far, [T, H, K] each."""

    keys: Array
    values: Array


def normalise(x: Array, scale: Array) -> Array:
    return x / fx.sqrt(fx.mean(x**2, axis=-1, keepdims=True) + 1e-5) * scale


def perceptron(block: Block, x: Array) -> Array:
    return x + fx.nn.gelu(normalise(x, block.norm_mlp) @ block.up) @ block.down


def logits(model: Model, tokens: Array) -> Array:
    """Logits of the next token after each of the tokens [T], all at once, as for training: [T, V]."""
    x = model.embedding[tokens] + model.places[: tokens.shape[0]]
    for block in model.blocks:
        q, k, v = fx.unstack(fx.einsum("td,dchk->cthk", normalise(x, block.norm), block.qkv))
        mixed = fx.nn.dot_product_attention(q, k, v, is_causal=True)
        x = perceptron(block, x + fx.einsum("thk,hkd->td", mixed, block.out))
    return normalise(x, model.norm) @ model.embedding.T


def advance(model: Model, caches: tuple[Cache, ...], token: Array, place: Array) -> tuple[Array, tuple[Cache, ...]]:
    """Logits of the next token after one more token, [V], and the updated caches."""
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
    """The prompt [P] and its most likely continuation by the model, [length]."""
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


def attention(model: Model, tokens: Array) -> Array:
    """Attention of each of the tokens [T] to those up to it, in each head of the first block: [H, T, T]."""
    block, count = model.blocks[0], tokens.shape[0]
    x = model.embedding[tokens] + model.places[:count]
    q, k, _ = fx.unstack(fx.einsum("td,dchk->chtk", normalise(x, block.norm), block.qkv))
    scores = q @ fx.matrix_transpose(k) / math.sqrt(q.shape[-1])
    return fx.nn.softmax(fx.where(fx.tri(count, dtype=bool), scores, -fx.inf))


def initial(key: random.Key, vocabulary: int, places: int, width: int, heads: int, blocks: int) -> Model:
    """A model with normal weights, whose sums begin with about the size of their terms."""

    def normal(*shape: int) -> Array:
        nonlocal key
        key, drawn = random.split(key)
        return random.normal(drawn, shape, fx.float32) / math.sqrt(width)

    def block() -> Block:
        ones, each = fx.ones(width, dtype=fx.float32), width // heads
        qkv, out = normal(width, 3, heads, each), normal(heads, each, width)
        return Block(ones, qkv, out, ones, normal(width, 4 * width), normal(4 * width, width) / 2)

    ones = fx.ones(width, dtype=fx.float32)
    return Model(normal(vocabulary, width), normal(places, width), tuple([block() for _ in range(blocks)]), ones)


def copies(key: random.Key, count: int) -> Array:
    """Rows of eight letters 1 to 9, a 0, and the same letters again: [count, 17]."""
    letters = random.randint(key, (count, 8), 1, 10)
    return fx.concat([letters, fx.zeros((count, 1), dtype=letters.dtype), letters], axis=1)


def learn(model: Model, key: random.Key, steps: int) -> tuple[Model, Array]:
    """A model trained on rows to copy, and its loss on their second half before each step."""
    optimizer = optim.adam(3e-3)

    def loss(model: Model, rows: Array) -> Array:
        likely = fx.nn.log_softmax(vmap(logits, in_axes=(None, 0))(model, rows[:, :-1]))
        return -fx.mean(fx.take_along_axis(likely, rows[:, 1:, None], axis=-1)[:, 8:])

    def step(state: Training, key: random.Key) -> tuple[Training, Array]:
        model, moments = state
        value, slope = value_and_grad(loss)(model, copies(key, 64))
        updates, moments = optimizer.update(slope, moments, model)
        return (optim.apply_updates(model, updates), moments), value

    (model, _), losses = scan(step, (model, optimizer.init(model)), random.split(key, steps))
    return model, losses


def picture(figure: Figure) -> str:
    """The loss of learning to copy eight letters, and what each position of a new row attends to: its original."""
    first, second, third = random.split(random.key(0), 3)
    model, losses = jit(lambda model, key: learn(model, key, 300))(initial(first, 10, 17, 32, 1, 1), second)
    rows = copies(third, 100)
    written = np.asarray(jit(vmap(lambda row: generate(model, row[:9], 17)))(rows))
    left, right = figure.subplots(1, 2, width_ratios=(3, 4))
    left.semilogy(np.asarray(losses))
    left.set(xlabel="step", ylabel="loss")
    right.imshow(np.asarray(attention(model, rows[0])[0]), cmap="viridis")
    right.set(xlabel="place that is read", ylabel="place that reads", xticks=range(0, 17, 4), yticks=range(0, 17, 4))
    share = np.mean(written[:, 9:] == np.asarray(rows)[:, 9:])
    return f"It copies {share:.1%} of 800 letters in new rows; the loss falls from {losses[0]:.1f} to {losses[-1]:.3f}."
