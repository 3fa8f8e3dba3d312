"""Donated arguments of a jitted function, by position, by name and by leaf."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

from effects.arguments import function_name
from effects.errors import ArgumentError
from effects.program.chain import Link
from effects.runtime.cpython.source import Source, user_location
from effects.trees.pytree import tree_leaves
from handlers.transformations.calls.static_arguments import Signature, StaticArguments, positions_and_names


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
        """Check the positions and names against the function and its static arguments."""
        nums, names = positions_and_names("jit", signature.f, "donate", donate_argnums, donate_argnames)
        both = [
            *(n for n in names if n in signature.static_argnames),
            *(n for n in nums if n in signature.static_argnums),
        ]
        if both:
            name = function_name(signature.f)
            raise ArgumentError(f"jit: argument {both[0]!r} of {name} cannot be both static and donated")
        return cls(nums, names)

    def leaves(self, static: StaticArguments, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[bool, ...]:
        """For each leaf of the dynamic arguments, True if it is donated; () if there are no donated arguments."""
        if not any(self):
            return ()
        total = len(args) + len(static.by_position)
        positions = {n % total for n in self.argnums if -total <= n < total}
        flagged = [(i in positions, arg) for i, arg in zip(static.dynamic_positions(len(args)), args, strict=True)]
        flagged += [(name in self.argnames, kwargs[name]) for name in sorted(kwargs)]
        return tuple([donated for donated, arg in flagged for _ in tree_leaves(arg)])


_warned: Final[dict[str | tuple[str, type[Warning], int], int]] = {}
"""The warnings of each line, in the form of the standard library's registries."""


def warn_kept(name: str, link: Link) -> None:
    """Warn, once for each line, that a call under a handler donates nothing."""
    location = user_location()
    source = None if location is None else Source(*location)
    message = (
        f"{name}: arguments are donated, and keep their memory in this call, which goes through {link!r}: handlers may "
        "read them afterwards; call it outside, or jit what has the handler in it and donate there"
    )
    file, line = ("<unknown>", 1) if source is None else (source.file, source.line)
    warnings.warn_explicit(message, RuntimeWarning, file, line, registry=_warned)
