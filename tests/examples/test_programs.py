"""The programs of examples/ give what NumPy gives, at once and compiled, and derivatives go through them."""

from __future__ import annotations

import doctest
import importlib
import itertools
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import effects as fx
from examples import beam, equaliser, heat, neighbours, sparse, transformer
from handlers import grad, vmap
from lowering import jit

type Host = NDArray[Any]

PROGRAMS: Final = ("beam", "equaliser", "heat", "neighbours", "sparse", "transformer")


@pytest.mark.parametrize("name", PROGRAMS)
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"examples.{name}")).failed == 0


def close(actual: Any, expected: Any, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=tolerance, atol=tolerance)


def both(f: Any, *args: Any) -> Any:
    """What a program gives of arrays of NumPy's, at once; compiled it is the same."""
    arrays = fx.tree_map(lambda x: fx.asarray(x) if isinstance(x, np.ndarray) else x, args)
    result = f(*arrays)
    fx.tree_map(lambda a, b: close(b, a), result, jit(f)(*arrays))
    return result


# -- the nearest neighbours ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 4])
def test_nearest_neighbours(k: int) -> None:
    rng = np.random.default_rng(k)
    points, queries, labels = rng.normal(size=(30, 5)), rng.normal(size=(7, 5)), rng.integers(0, 3, 30)
    apart = np.sqrt(((queries[:, None] - points) ** 2).sum(-1))
    order = np.argsort(apart, axis=1)[:, :k]
    distances, which = both(lambda p, q: neighbours.nearest(p, q, k), points, queries)
    assert np.array_equal(which, order)
    close(distances, np.take_along_axis(apart, order, 1), 1e-7)
    votes = [np.bincount(labels[row], 1 / (apart[i, row] + 1e-6), 3) for i, row in enumerate(order)]
    found = both(lambda p, y, q: neighbours.classify(p, y, q, k, 3), points, labels, queries)
    assert np.array_equal(found, np.argmax(votes, axis=1))


# -- sparse matrices -------------------------------------------------------------------------------------------------


def compressed(dense: Host) -> tuple[Host, Host, Host]:
    rows, columns = np.nonzero(dense)
    return dense[rows, columns], columns, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_sparse_product(share: float) -> None:
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(9, 6)) * (rng.uniform(size=(9, 6)) < share)
    x = rng.normal(size=6)
    parts = compressed(dense)
    close(both(lambda *p: sparse.Sparse(*p[:3]) @ p[3], *parts, x), dense @ x)
    slope = grad(lambda v, x: fx.sum(sparse.Sparse(v, *map(fx.asarray, parts[1:])) @ x), argnums=(0, 1))
    by_value, by_x = slope(*map(fx.asarray, (parts[0], x)))
    close(by_value, x[parts[1]])
    close(by_x, dense.sum(0))


def test_a_sparse_system_is_solved() -> None:
    rng = np.random.default_rng(0)
    half = rng.normal(size=(8, 8)) * (rng.uniform(size=(8, 8)) < 0.3)
    dense, b = half @ half.T + np.eye(8), rng.normal(size=8)
    found = both(lambda *p: sparse.solve(sparse.Sparse(*p[:3]), p[3], 12), *compressed(dense), b)
    close(found, np.linalg.solve(dense, b), 1e-6)


# -- heat ------------------------------------------------------------------------------------------------------------


def test_heat_spreads() -> None:
    plate = np.random.default_rng(0).uniform(size=(6, 5))
    expected = plate.copy()
    for _ in range(10):
        before = expected.copy()
        for i, j in itertools.product(range(1, 5), range(1, 4)):
            around = before[i - 1, j] + before[i + 1, j] + before[i, j - 1] + before[i, j + 1]
            expected[i, j] += 0.2 * (around - 4 * before[i, j])
    close(both(lambda u: heat.spread(u, 0.2, 10), plate), expected)
    close(vmap(lambda u: heat.step(u, 0.2))(fx.asarray([plate, plate]))[1], heat.step(fx.asarray(plate), 0.2))
    assert grad(lambda rate: heat.spread(fx.asarray(plate), rate, 3)[2, 2])(0.2).shape == ()


# -- the equaliser ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("high", [61, 80, 256])
def test_greys_are_spread(high: int) -> None:
    image = np.random.default_rng(0).integers(60, high, (40, 30)).astype(np.uint8)
    below = np.cumsum(np.bincount(image.ravel(), minlength=256), dtype=np.float32)
    least = below[image.min()]
    table = np.round(255 * (below - least).clip(0) / max(image.size - least, 1)).astype(np.uint8)
    assert np.array_equal(both(equaliser.equalise, image), table[image])


# -- beam search -----------------------------------------------------------------------------------------------------

TOKENS, END = 4, 3


def scored(table: Host, sequence: tuple[int, ...]) -> float:
    """The log-probability of a sequence after token 0, which stays at the end."""
    total, before = 0.0, 0
    for token in sequence:
        total += (0.0 if token == END else -np.inf) if before == END else table[before, token]
        before = token
    return total


def by_hand(table: Host, width: int, length: int) -> list[tuple[float, tuple[int, ...]]]:
    """Beam search with lists."""
    beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(length):
        longer = [(scored(table, (*s, t)), (*s, t)) for _, s in beams for t in range(TOKENS)]
        beams = sorted(longer, key=lambda found: -found[0])[:width]
    return beams


@pytest.mark.parametrize("width", [1, 2, 5])
def test_beams(width: int) -> None:
    table = np.log(np.random.default_rng(1).dirichlet(np.ones(TOKENS), TOKENS))

    def search(table: fx.Array) -> Any:
        seen = fx.zeros((width, 1), dtype=fx.int64)  # the state: how many tokens a beam has
        return beam.search(lambda n, tokens: (table[tokens], n + 1), seen, 0, END, width, 4)

    tokens, scores = both(search, table)
    expected = by_hand(table, width, 4)
    close(scores, [score for score, _ in expected])
    assert tokens.tolist() == [list(s) for _, s in expected]


def test_wide_beams_find_the_best_of_all() -> None:
    table = np.log(np.random.default_rng(2).dirichlet(np.ones(TOKENS), TOKENS))
    best = max(itertools.product(range(TOKENS), repeat=3), key=lambda s: scored(table, s))
    tokens, _ = beam.search(lambda s, t: (fx.asarray(table)[t], s), (), 0, END, TOKENS**3, 3)
    assert tuple(tokens[0].tolist()) == best


# -- the transformer -------------------------------------------------------------------------------------------------

V, D, T, H, M = 11, 8, 10, 2, 16


def model() -> transformer.Model:
    rng = np.random.default_rng(0)

    def some(*shape: int) -> fx.Array:
        return fx.asarray(rng.normal(size=shape) * 0.5)

    def block() -> transformer.Block:
        shapes = ((D,), (D, 3, H, D // H), (H, D // H, D), (D,), (D, M), (M, D))
        return transformer.Block(*[some(*shape) for shape in shapes])

    return transformer.Model(some(V, D), some(T, D), (block(), block()), some(D))


def in_numpy(net: Any, tokens: Host) -> Host:
    """The logits of every place, a place and a head at a time."""
    special: Any = pytest.importorskip("scipy.special")
    net = fx.tree_map(np.asarray, net)

    def norm(x: Host, scale: Host) -> Host:
        out: Host = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * scale
        return out

    x = net.embedding[tokens] + net.places[: len(tokens)]
    for block in net.blocks:
        y, mixed = norm(x, block.norm), np.zeros_like(x)
        for h, i in itertools.product(range(H), range(len(tokens))):
            q, k, v = [y @ block.qkv[:, c, h] for c in range(3)]
            weights = special.softmax(k[: i + 1] @ q[i] / np.sqrt(D // H))
            mixed[i] += weights @ v[: i + 1] @ block.out[h]
        x = x + mixed
        y = norm(x, block.norm_mlp) @ block.up
        x = x + 0.5 * y * (1 + special.erf(y / np.sqrt(2))) @ block.down
    logits: Host = norm(x, net.norm) @ net.embedding.T
    return logits


def test_the_logits_of_all_places() -> None:
    tokens = np.random.default_rng(0).integers(0, V, T)
    close(both(transformer.logits, model(), tokens), in_numpy(model(), tokens))


def test_generation_with_a_cache_is_that_without() -> None:
    prompt = np.asarray([3, 1, 4])
    found = both(lambda net, prompt: transformer.generate(net, prompt, T), model(), prompt)
    expected = prompt.tolist()
    while len(expected) < T:
        expected.append(int(np.argmax(in_numpy(model(), np.asarray(expected))[-1])))
    assert found.tolist() == expected
    short = transformer.generate(model(), fx.asarray(prompt, dtype=fx.int32), 5)
    assert short.dtype is fx.int32 and short.tolist() == expected[:5]


def test_attention_is_that_of_the_first_block() -> None:
    net, tokens = model(), fx.asarray(np.random.default_rng(0).integers(0, V, T))
    x = np.asarray(net.embedding)[np.asarray(tokens)] + np.asarray(net.places)[:T]
    x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * np.asarray(net.blocks[0].norm)
    q, k, v = np.einsum("td,dchk->cthk", x, np.asarray(net.blocks[0].qkv))
    shares = both(transformer.attention, net, tokens)
    mixed = np.einsum("hts,shk->thk", np.asarray(shares), v)
    close(fx.nn.dot_product_attention(*map(fx.asarray, (q, k, v)), is_causal=True), mixed)


def test_the_slope_of_the_transformer() -> None:
    tokens = fx.asarray(np.random.default_rng(0).integers(0, V, T))

    def loss(net: transformer.Model) -> fx.Array:
        chances = fx.nn.log_softmax(transformer.logits(net, tokens[:-1]))
        return -fx.mean(fx.take_along_axis(chances, tokens[1:, None], axis=-1))

    net, slope = model(), grad(loss)(model())
    ahead = fx.tree_map(lambda w, g: w + 1e-6 * g, net, slope)
    behind = fx.tree_map(lambda w, g: w - 1e-6 * g, net, slope)
    close(float(loss(ahead) - loss(behind)) / 2e-6, sum([float(fx.sum(g * g)) for g in fx.tree_leaves(slope)]), 1e-6)
