"""Donated arguments of a jitted function: which they are, by position and by leaf."""

from __future__ import annotations

from collections.abc import Sequence

from effects.errors import ArgumentError
from effects.pytree import tree_leaves
from handlers.transformations.arguments import function_name
from handlers.transformations.static_arguments import Signature, StaticArguments, positions


def donated_positions(signature: Signature, donate_argnums: int | Sequence[int] | None) -> tuple[int, ...]:
    """The positions, checked against the function, and against what is static of it."""
    donated = positions("jit", signature.f, "donate_argnums", donate_argnums)
    if both := set(signature.static_argnums) & set(donated):
        name = function_name(signature.f)
        raise ArgumentError(f"jit: argument {min(both)} of {name} cannot be both static and donated")
    return donated


def donated_leaves(donated: Sequence[int], static: StaticArguments, args: Sequence[object]) -> tuple[bool, ...]:
    """For each leaf of the dynamic positional arguments whether it is donated; nothing when none is."""
    if not donated:
        return ()
    total = len(args) + len(static.by_position)
    places = {n % total for n in donated if -total <= n < total}
    mask: list[bool] = []
    for position, arg in zip(static.dynamic_positions(len(args)), args, strict=True):
        mask += [position in places] * len(tree_leaves(arg))
    return tuple(mask)
