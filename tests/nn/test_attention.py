"""Attention against a loop over batches, heads and queries in NumPy; masks, grouped heads, queries that see nothing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import nn
from effects.types.dtypes import Named
from handlers import grad, jvp, value_and_grad, vmap
from lowering import jit

type Host = np.ndarray[tuple[int, ...], np.dtype[Any]]

_RNG: Final = np.random.default_rng(11)


def _loop(q: Host, k: Host, v: Host, seen: Host, bias: Host, scale: float) -> Host:
    batch, places, heads, _ = q.shape
    out = np.zeros((batch, places, heads, v.shape[-1]))
    shared = heads // k.shape[2]
    for b, t, h in np.ndindex(batch, places, heads):
        which = seen[b, h, t]
        if not which.any():
            continue
        logits = scale * k[b, which, h // shared] @ q[b, t, h] + bias[b, h, t, which]
        powers = np.exp(logits - logits.max())
        out[b, t, h] = powers / powers.sum() @ v[b, which, h // shared]
    return out


def _operands(heads: int, groups: int, places: int = 4, keys: int = 5) -> tuple[Host, Host, Host]:
    q = _RNG.normal(size=(2, places, heads, 3))
    return q, _RNG.normal(size=(2, keys, groups, 3)), _RNG.normal(size=(2, keys, groups, 2))


HEADS: Final = [(1, 1), (4, 4), (4, 2), (6, 1)]


@pytest.mark.parametrize(("heads", "groups"), HEADS)
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("masked", [None, "full", "keys", "heads"])
@pytest.mark.parametrize("biased", [False, True])
def test_is_the_loop(heads: int, groups: int, is_causal: bool, masked: str | None, biased: bool) -> None:
    q, k, v = _operands(heads, groups)
    full = (2, heads, 4, 5)
    shapes = {None: (1,), "full": full, "keys": (2, 1, 1, 5), "heads": (heads, 4, 1)}
    mask = _RNG.random(shapes[masked]) < 0.6 if masked else None
    bias = _RNG.normal(size=full) if biased else None
    seen = np.broadcast_to(True if mask is None else mask, full) & (np.tri(4, 5, dtype=bool) if is_causal else True)
    expected = _loop(q, k, v, seen, np.zeros(full) if bias is None else bias, 3**-0.5)

    def f(q: Any, k: Any, v: Any) -> fx.Array:
        return nn.dot_product_attention(q, k, v, mask=mask, bias=bias, is_causal=is_causal)

    np.testing.assert_allclose(f(q, k, v), expected, rtol=1e-12, atol=1e-13)
    if (heads, groups) == (4, 2) and masked != "keys":
        np.testing.assert_allclose(jit(f)(q, k, v), expected, rtol=1e-12, atol=1e-13)
    if mask is None is bias:
        np.testing.assert_allclose(vmap(f)(q, k, v), expected, rtol=1e-12, atol=1e-13)


def test_a_query_that_sees_nothing_gives_0_with_derivative_0() -> None:
    q, k, v = [fx.asarray(x) for x in _operands(2, 1)]
    mask = np.ones((4, 5), bool)
    mask[1] = False

    def total(q: fx.Array, k: fx.Array, v: fx.Array) -> fx.Array:
        return fx.sum(fx.square(nn.dot_product_attention(q, k, v, mask=mask)))

    out = nn.dot_product_attention(q, k, v, mask=mask)
    assert not np.asarray(out)[:, 1].any() and np.asarray(out)[:, 0].all()
    by_q, by_k, by_v = grad(total, (0, 1, 2))(q, k, v)
    assert not np.asarray(by_q)[:, 1].any()
    steps = [fx.asarray(_RNG.normal(size=x.shape)) for x in (q, k, v)]
    ahead, behind = [total(*[x + s * 1e-6 * t for x, t in zip((q, k, v), steps, strict=True)]) for s in (1, -1)]
    slope = sum([float(fx.sum(d * t)) for d, t in zip((by_q, by_k, by_v), steps, strict=True)])
    assert slope == pytest.approx(float(ahead - behind) / 2e-6, rel=1e-6)

    def along(q: fx.Array) -> fx.Array:
        slope: fx.Array = jvp(lambda q: total(q, k, v), (q,), (steps[0],))[1]
        return slope

    second = float(jvp(along, (q,), (steps[0],))[1])
    expected = float(along(q + 1e-6 * steps[0]) - along(q - 1e-6 * steps[0])) / 2e-6
    assert second == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_not_seen_may_be_infinite(infinity: float, compiled: bool) -> None:
    q, k, v = _operands(2, 1)
    for x in (k, v):
        x[:, 4] = infinity
    mask = np.arange(5) < 4
    alone = np.ones((4, 1), bool)
    alone[0] = False  # sees nothing, where others see what is infinite

    def total(q: Any, k: Any, v: Any, mask: Any) -> fx.Array:
        return fx.sum(nn.dot_product_attention(q, k, v, mask=mask))

    of: Any = jit(value_and_grad(total, (0, 1, 2))) if compiled else value_and_grad(total, (0, 1, 2))
    value, slopes = of(q, k, v, mask)
    expected, right = value_and_grad(total, (0, 1, 2))(q, k[:, :4], v[:, :4], True)
    assert float(value) == pytest.approx(float(expected), rel=1e-12)
    for found, wanted in zip(slopes, right, strict=True):
        np.testing.assert_allclose(np.asarray(found)[:, :4], wanted, rtol=1e-11, atol=1e-13)
    assert not np.asarray(slopes[1])[:, 4].any() and not np.asarray(slopes[2])[:, 4].any()
    out = nn.dot_product_attention(q, k, v, mask=alone)
    assert not np.asarray(out)[:, 0].any()
    assert not np.asarray(of(q, k, v, alone)[1][0])[:, 0].any()


@pytest.mark.parametrize("window", [None, 1, (2, 0), (0, 3)])
@pytest.mark.parametrize("lengths", [(None, None), ([3, 0], None), (None, [2, 5]), ([4, 2], [0, 4])])
@pytest.mark.parametrize("is_causal", [False, True])
def test_lengths_and_windows_are_masks(window: Any, lengths: tuple[Any, Any], is_causal: bool) -> None:
    q, k, v = _operands(4, 2)
    left, right = window if isinstance(window, tuple) else (window, window)
    seen = np.zeros((2, 4, 4, 5), bool)
    for b, h, i, j in np.ndindex(seen.shape):
        inside = window is None or i - left <= j <= i + right
        rows = [length is None or at < length[b] for at, length in zip((i, j), lengths, strict=True)]
        seen[b, h, i, j] = inside and all(rows) and (j <= i or not is_causal)

    def f(q: Any, k: Any, v: Any, lengths: Any) -> tuple[fx.Array, fx.Array]:
        return nn.dot_product_attention(
            q,
            k,
            v,
            is_causal=is_causal,
            query_seq_lengths=lengths[0],
            key_value_seq_lengths=lengths[1],
            local_window_size=window,
            return_residual=True,
        )

    known = [None if x is None else np.asarray(x) for x in lengths]
    of: Any = f if window is None else jit(f)
    out, residual = of(q, k, v, known)
    np.testing.assert_allclose(out, _loop(q, k, v, seen, np.zeros(seen.shape), 3**-0.5), rtol=1e-12, atol=1e-13)
    logits = np.einsum("btnh,bsnh->btns", q, np.repeat(k, 2, axis=2)) / np.sqrt(3)
    with np.errstate(divide="ignore"):
        sums = np.log(np.sum(np.exp(logits) * seen.transpose(0, 2, 1, 3), axis=-1))
    np.testing.assert_allclose(residual, sums, rtol=1e-12, atol=1e-13)
    lanes = vmap(f)(q, k, v, known)
    np.testing.assert_allclose(lanes[0], out, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(lanes[1], residual, rtol=1e-12, atol=1e-13)

    def total(q: fx.Array) -> fx.Array:
        return fx.sum(fx.where(fx.isinf(sums), 0, f(q, k, v, known)[1]))

    slopes = grad(total)(fx.asarray(q))
    weights = np.exp(
        np.where(seen.transpose(0, 2, 1, 3), logits, -np.inf) - np.where(np.isinf(sums), 0, sums)[..., None]
    )
    expected = np.einsum("btns,bsnh->btnh", weights, np.repeat(k, 2, axis=2)) / np.sqrt(3)
    np.testing.assert_allclose(slopes, expected, rtol=1e-11, atol=1e-12)


def test_one_row_of_places_needs_no_batch() -> None:
    q, k, v = _operands(4, 2)
    whole = np.asarray(nn.dot_product_attention(q, k, v, scale=0.5))
    np.testing.assert_allclose(nn.dot_product_attention(q[0], k[0], v[0], scale=0.5), whole[0], rtol=1e-12)
    twice = nn.dot_product_attention(q[None], k[None], v[None], scale=0.5)
    np.testing.assert_allclose(twice, whole[None], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats_are_rounded_once(dtype: Named) -> None:
    q, k, v = [fx.astype(fx.asarray(x), dtype) for x in _operands(4, 2)]
    wide = nn.dot_product_attention(*[fx.astype(x, "float32") for x in (q, k, v)], is_causal=True)
    actual = nn.dot_product_attention(q, k, v, is_causal=True)
    assert actual.dtype.name == dtype
    np.testing.assert_array_equal(fx.astype(actual, "float64"), fx.astype(fx.astype(wide, dtype), "float64"))


def test_nothing_to_look_at() -> None:
    q, k, v = _operands(2, 1)
    for given, shape in (
        ((q, k[:, :0], v[:, :0]), (2, 4, 2, 2)),
        ((q[:, :0], k, v), (2, 0, 2, 2)),
        ((q[:0], k[:0], v[:0]), (0, 4, 2, 2)),
    ):
        out = nn.dot_product_attention(*given, is_causal=True)
        assert out.shape == shape and not np.asarray(out).any()
        assert nn.dot_product_attention(*given).shape == shape


REFUSED: Final[list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], dict[str, Any], str]]] = [
    ((4, 3), (5, 3), (5, 3), {}, "each must have a batch, places, heads and features"),
    ((2, 4, 2, 3), (5, 2, 3), (5, 2, 3), {}, "in as many axes"),
    ((2, 4, 2, 3), (1, 5, 2, 3), (1, 5, 2, 3), {}, "whose batches differ"),
    ((4, 2, 3), (5, 2, 4), (5, 2, 4), {}, "must have the same features, not 3 and 4"),
    ((4, 2, 3), (5, 2, 3), (6, 2, 3), {}, "key and value must have the same places and heads"),
    ((4, 3, 3), (5, 2, 3), (5, 2, 3), {}, "3 heads of the query are not a multiple of 2"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"mask": np.ones((3, 5), bool)}, r"mask, .* does not broadcast to \[2, 4, 5\]"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"mask": np.ones((4, 5))}, "mask must be of bools"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"bias": np.ones((1, 2, 4, 5))}, "bias, .* does not broadcast"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"bias": 1j}, "bias must be of real numbers, got complex128"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"bias": np.ones((4, 5), bool)}, "got bool.4,5.; bools are a mask"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"is_causal": 1}, "is_causal must be True or False"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"query_seq_lengths": np.ones(1, int)}, r"have the shape of the batch, \[\]"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"key_value_seq_lengths": 2.0}, "key_value_seq_lengths must be of integers"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"key_value_seq_lengths": 6}, "key_value_seq_lengths must be from 0 to 5, got 6"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"query_seq_lengths": -1}, "query_seq_lengths must be from 0 to 4, got -1"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"local_window_size": -1}, "local_window_size must not be negative"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"local_window_size": (1, 2, 3)}, "must be an int or a pair"),
    ((4, 2, 3), (5, 2, 3), (5, 2, 3), {"scale": "a"}, "scale must be a real number"),
]


@pytest.mark.parametrize(("q", "k", "v", "options", "message"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_refused(q: Any, k: Any, v: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fx.EffaxError, match=message):
        nn.dot_product_attention(fx.ones(q), fx.ones(k), fx.ones(v), **options)


def test_whole_numbers_are_refused() -> None:
    with pytest.raises(fx.DTypeError, match="takes real floating point"):
        nn.dot_product_attention(*[np.ones((2, 1, 1), int)] * 3)
