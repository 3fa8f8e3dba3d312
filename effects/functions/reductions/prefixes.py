"""All prefixes of a sequence under an associative function, by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects.arrays.array import Array
from effects.functions.manipulation import movement

type Leaves = list[Array]


def prefixes(combined: Callable[[Leaves, Leaves], Leaves], leaves: Leaves, axes: Sequence[int]) -> Leaves:
    """x₀, x₀ ∘ x₁, x₀ ∘ x₁ ∘ x₂, … of the slices of `leaves` along `axes`, for an associative `combined`.

    Method: combine neighbours, solve the remaining half of the size, fill in the other half (Blelloch 1990).
    """
    n = leaves[0].aval.shape[axes[0]]
    if n < 2:
        return leaves

    def part(values: Leaves, start: int, stop: int | None, step: int = 1) -> Leaves:
        return [v[(slice(None),) * a + (slice(start, stop, step),)] for v, a in zip(values, axes, strict=True)]

    pairs = combined(part(leaves, 0, n - n % 2, 2), part(leaves, 1, None, 2))
    odd = prefixes(combined, pairs, axes)
    first = part(leaves, 0, 1)
    if n > 2:
        inner = combined(part(odd, 0, (n - 1) // 2), part(leaves, 2, None, 2))
        even = [movement.concat([f, i], axis=a) for f, i, a in zip(first, inner, axes, strict=True)]
    else:
        even = first
    return [_interleaved(e, o, a) for e, o, a in zip(even, odd, axes, strict=True)]


def _interleaved(even: Array, odd: Array, axis: int) -> Array:
    """The slices of both in turn, beginning with `even`, which has as many or one more."""
    n = odd.aval.shape[axis]
    cut = (slice(None),) * axis
    pairs = movement.stack([even[(*cut, slice(0, n))], odd], axis=axis + 1)
    shape = even.aval.shape
    merged = movement.reshape(pairs, (*shape[:axis], 2 * n, *shape[axis + 1 :]))
    return merged if shape[axis] == n else movement.concat([merged, even[(*cut, slice(n, None))]], axis=axis)
