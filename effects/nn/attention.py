"""Attention: every query gets the mean of the values, weighted by how well their keys fit it."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import TYPE_CHECKING, Literal, overload

from effects.arguments import finite, flag, natural, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, convert, integral, promoted
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.functions.reductions import exponentials, reduction
from effects.operations.contraction import DotGeneral
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.types.signatures.becoming import Bools, Integers, W

_NAME = "dot_product_attention"
_FARTHEST = 2**31 - 1
"""A distance greater than any between positions."""


@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: Bools[W] | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    query_seq_lengths: Integers[W] | None = None,
    key_value_seq_lengths: Integers[W] | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    return_residual: Literal[False] = False,
) -> Array: ...
@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: Bools[W] | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    query_seq_lengths: Integers[W] | None = None,
    key_value_seq_lengths: Integers[W] | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    return_residual: Literal[True],
) -> tuple[Array, Array]: ...
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: Bools[W] | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    query_seq_lengths: Integers[W] | None = None,
    key_value_seq_lengths: Integers[W] | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    return_residual: bool = False,
) -> Array | tuple[Array, Array]:
    """softmax(scale · query · keyᵀ + bias) · value, for every head.

    `query` is [*batch, T, N, H], `key` [*batch, S, K, H] and `value` [*batch, S, K, V]: places, heads, features; the
    result is [*batch, T, N, V]. N is a multiple of K: N / K neighbouring query heads share a key and a value head.
    `scale` is 1 / √H by default. `bias` is added to the logits and `mask` (True: attend) selects among them; both
    broadcast to [*batch, N, T, S]. `is_causal` lets query i see the keys up to i only, `local_window_size` at most so
    many on the left and on the right of i (one number is both). `query_seq_lengths` and `key_value_seq_lengths`, of
    shape [*batch], hide places beyond the end of a row; unknown lengths are clipped to the places that there are, which
    are counted from the first. A query that sees no key, or
    lies beyond the end, gives 0 with derivative 0, and keys that no query sees have no effect, even if they or their
    values are infinite. With `return_residual` the result is a pair with the logarithm of the softmax's sum, [*batch,
    T, N]: -∞ if no key is seen.

    Narrow floats are computed in float32 and rounded once. Raises ShapeError if shapes do not fit, ArgumentError for
    lengths that no row has, DTypeError unless `mask` is of bools, lengths of integers and the others of real numbers.

    >>> import effects as fx
    >>> x = fx.asarray([[[1.0, 0.0]], [[0.0, 1.0]]])
    >>> fx.nn.dot_product_attention(x, x, x, is_causal=True)[0]
    Array([[1., 0.]], float64)
    """
    q, k, v = promoted(_NAME, query=query, key=key, value=value)
    dtype = q.aval.dtype
    if not issubclass(dtype, dtypes.Floating):
        raise DTypeError(f"{_NAME} takes real floating point, got {q.aval}, {k.aval} and {v.aval}")
    batch, (places, heads, features), groups = _checked(q, k, v)
    keys = k.aval.shape[-3]
    if dtype in dtypes.NARROW:
        q, k, v = [convert(x, dtypes.float32) for x in (q, k, v)]
    factor = 1 / math.sqrt(max(features, 1)) if scale is None else finite(_NAME, "scale", scale)
    n = len(batch)
    lead = tuple(range(n))
    shape = (*batch, groups, heads // groups if groups else 0, places, keys)
    of_queries = _before("query_seq_lengths", query_seq_lengths, batch, (places, 1))
    of_keys = _before("key_value_seq_lengths", key_value_seq_lengths, batch, (1, keys))
    pairs = _pairs(mask, is_causal, _window(local_window_size), batch, shape)
    attended = _both(_both(pairs, of_queries), of_keys)
    with_residual = flag(_NAME, "return_residual", return_residual)
    split = movement.reshape(q * constant_like(factor, q), (*batch, places, *shape[n : n + 2], features))
    sees = None
    if attended is not None:  # 0 · ∞ is NaN: queries without keys and keys without queries are 0
        sees = _any_of(_both(pairs, of_keys), of_queries, (n + 3,))
        sees = movement.permute_dims(sees, (*lead, n + 2, n, n + 1, n + 3))
        used = _any_of(_both(pairs, of_queries), of_keys, (n + 1, n + 2))
        used = movement.permute_dims(used, (*lead, n + 3, n, n + 1, n + 2))
        split = _where(sees, split)
        k, v = [_where(movement.squeeze(used, n + 2), x) for x in (k, v)]
    logits = perform(DotGeneral(((n + 3,), (n + 2,)), ((*lead, n + 1), (*lead, n + 1)), split, k))
    logits = movement.permute_dims(logits, (*lead, n, n + 2, n + 1, n + 3))  # group, head, query, key
    if bias is not None:
        added = as_array(bias, _NAME, "bias")
        if added.aval.dtype is dtypes.bool_ or issubclass(added.aval.dtype, dtypes.Complex):
            raise DTypeError(f"{_NAME}: bias must be of real numbers, got {added.aval}; bools are a mask")
        logits = logits + convert(_over("bias", added, batch, shape), logits.aval.dtype)
    counted = True if attended is None else attended
    weights = exponentials.softmax(logits, where=counted)
    mixed = perform(DotGeneral(((n + 3,), (n,)), ((*lead, n), (*lead, n + 1)), weights, v))
    order = (*lead, n + 2, n, n + 1, n + 3)  # query, group, head
    mixed = movement.permute_dims(mixed, order)
    if sees is not None:
        mixed = _where(sees, mixed)
    result = convert(movement.reshape(mixed, (*batch, places, heads, v.aval.shape[-1])), dtype)
    if not with_residual:
        return result
    residual = exponentials.logsumexp(logits, -1, where=counted)
    residual = movement.permute_dims(residual, (*lead, n + 2, n, n + 1))
    return result, convert(movement.reshape(residual, (*batch, places, heads)), dtype)


def _where(condition: Array, x: Array) -> Array:
    return logic.where(condition, x, constant_like(0, x))


def _checked(q: Array, k: Array, v: Array) -> tuple[tuple[int, ...], tuple[int, int, int], int]:
    """The batch, the places, heads and features of the queries, and the heads of the keys."""
    a, b, c = q.aval.shape, k.aval.shape, v.aval.shape
    subject = f"{_NAME}: query, key and value are {q.aval}, {k.aval} and {v.aval}"
    if len(a) < 3 or not len(a) == len(b) == len(c):
        raise ShapeError(f"{subject}; each must have a batch, places, heads and features, in as many axes")
    if not a[:-3] == b[:-3] == c[:-3]:
        raise ShapeError(f"{subject}, whose batches differ")
    if a[-1] != b[-1]:
        raise ShapeError(f"{subject}: query and key must have the same features, not {a[-1]} and {b[-1]}")
    if b[-3:-1] != c[-3:-1]:
        raise ShapeError(f"{subject}: key and value must have the same places and heads")
    heads, groups = a[-2], b[-2]
    if heads != groups and (not groups or heads % groups):
        raise ShapeError(f"{subject}: {heads} heads of the query are not a multiple of {groups} of the key")
    return a[:-3], (a[-3], heads, a[-1]), groups


def _over(argument: str, x: ArrayLike, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """An array that broadcasts to [*batch, heads, queries, keys], with heads split into groups and heads of a group."""
    array = as_array(x, _NAME, argument)
    groups, inside, places, keys = shape[len(batch) :]
    full = (*batch, groups * inside, places, keys)
    own = (*(1,) * (len(full) - array.aval.ndim), *array.aval.shape)
    if len(own) != len(full) or any([d not in (1, e) for d, e in zip(own, full, strict=True)]):
        raise ShapeError(f"{_NAME}: {argument}, {array.aval}, does not broadcast to {shapes.show(full)}")
    heads = (1, 1) if own[-3] == 1 else (groups, inside)
    return movement.reshape(array, (*own[:-3], *heads, *own[-2:]))


def _before(argument: str, lengths: Integers[W] | None, batch: tuple[int, ...], shape: tuple[int, int]) -> Array | None:
    """Mask of the places before the ends of their rows, of shape [*batch, 1, 1, *shape]; None for all."""
    if lengths is None:
        return None
    array = integral(_NAME, lengths, argument)
    if array.aval.shape != batch:
        raise ShapeError(
            f"{_NAME}: {argument} must have the shape of the batch, {shapes.show(batch)}, got {array.aval}"
        )
    if (known := array.known()) is not None:
        values = known.fetch()
        if (beyond := values[(values < 0) | (values > max(shape))]).size:
            raise ArgumentError(f"{_NAME}: {argument} must be from 0 to {max(shape)}, got {beyond[0]}")
    ends = convert(logic.clip(array, 0, max(shape)), dtypes.int32)
    return logic.less(_places(shape), movement.reshape(ends, (*batch, 1, 1, 1, 1)))


def _places(shape: tuple[int, int]) -> Array:
    return creation.iota(dtypes.int32, shape, 0 if shape[1] == 1 else 1)


def _both(mask: Array | None, other: Array | None) -> Array | None:
    return other if mask is None else mask if other is None else logic.logical_and(mask, other)


def _any_of(mask: Array | None, of_places: Array | None, axes: tuple[int, ...]) -> Array:
    """Mask of positions for which `mask` is True anywhere along `axes`, and that are in `of_places`."""
    inside = None if mask is None else reduction.any(mask, axis=axes, keepdims=True)
    both = _both(inside, of_places)
    assert both is not None, "there is a mask at least"
    return both


def _window(size: int | tuple[int, int] | None) -> tuple[int, int] | None:
    """The numbers of keys before and after its position that a query attends to."""
    if size is None:
        return None
    sides = size if isinstance(size, tuple) else (size, size)
    if len(sides) != 2:
        raise refusal(_NAME, "local_window_size", "an int or a pair", size)
    left, right = [min(natural(_NAME, "local_window_size", side), _FARTHEST) for side in sides]
    return left, right


def _pairs(
    mask: Bools[W] | None,
    is_causal: bool,
    window: tuple[int, int] | None,
    batch: tuple[int, ...],
    shape: tuple[int, ...],
) -> Array | None:
    """Mask of the keys that each query attends to, apart from lengths; None for all."""
    masks: list[Array] = []
    if mask is not None:
        array = as_array(mask, _NAME, "mask")
        if array.aval.dtype is not dtypes.bool_:
            raise DTypeError(f"{_NAME}: mask must be of bools, got {array.aval}; numbers are added as bias")
        masks.append(_over("mask", array, batch, shape))
    queries, keys = [partial(_places, places) for places in ((shape[-2], 1), (1, shape[-1]))]
    bounds: list[Array] = []
    if flag(_NAME, "is_causal", is_causal):
        bounds.append(logic.less_equal(keys(), queries()))
    if window is not None:
        ahead = keys() - queries()
        bounds += [logic.less_equal(-window[0], ahead), logic.less_equal(ahead, window[1])]
    masks += [movement.reshape(bound, (*(1,) * (len(shape) - 2), *shape[-2:])) for bound in bounds]
    return reduce(logic.logical_and, masks) if masks else None
