"""Donated arguments of a jitted function: which they are, by position, by name and by leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from effects.arguments import function_name
from effects.errors import ArgumentError
from effects.trees.pytree import tree_leaves
from handlers.transformations.calls.static_arguments import Signature, StaticArguments, places


class Donated(NamedTuple):
    """The donated arguments of a function, each by its position and by its name where it has both."""

    argnums: tuple[int, ...]
    argnames: tuple[str, ...]

    @classmethod
    def of(
        cls,
        signature: Signature,
        donate_argnums: int | Sequence[int] | None,
        donate_argnames: str | Sequence[str] | None,
    ) -> Self:
        """Check the positions and names against the function, and against what is static of it."""
        nums, names = places("jit", signature.f, "donate", donate_argnums, donate_argnames)
        both = [
            *(n for n in names if n in signature.static_argnames),
            *(n for n in nums if n in signature.static_argnums),
        ]
        if both:
            name = function_name(signature.f)
            raise ArgumentError(f"jit: argument {both[0]!r} of {name} cannot be both static and donated")
        return cls(nums, names)

    def leaves(self, static: StaticArguments, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[bool, ...]:
        """For each leaf of the dynamic arguments whether it is donated; nothing when none can be."""
        if not any(self):
            return ()
        total = len(args) + len(static.by_position)
        positions = {n % total for n in self.argnums if -total <= n < total}
        given = [(i in positions, arg) for i, arg in zip(static.dynamic_positions(len(args)), args, strict=True)]
        given += [(name in self.argnames, kwargs[name]) for name in sorted(kwargs)]
        return tuple([donated for donated, arg in given for _ in tree_leaves(arg)])
