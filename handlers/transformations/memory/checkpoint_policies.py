"""Policies of `checkpoint`: predicates of the operations whose results may be saved for the backward pass.

A policy is a function from an operation to a bool; these are the common ones, and you can write your own. It is part of
the compiled program's identity: define it once, rather than a new lambda for every call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from effects.arguments import shown
from effects.errors import ArgumentError
from effects.operations.checkpoint import Name, Policy
from effects.operations.contraction import DotGeneral
from effects.program.jaxpr import Atom
from effects.program.operation import Operation
from effects.runtime.names import unknown

__all__ = [
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "everything_saveable",
    "nothing_saveable",
    "save_only_these_names",
]


def nothing_saveable(op: Operation[Atom], /) -> bool:
    """Only the arguments are saved; everything else is recomputed."""
    return False


def everything_saveable(op: Operation[Atom], /) -> bool:
    """Everything that the derivative needs is saved, as without a checkpoint."""
    return True


def dots_saveable(op: Operation[Atom], /) -> bool:
    """The results of contractions (`matmul`, `einsum`, …) are saved, the cheap operations between them recomputed."""
    return type(op) is DotGeneral


def dots_with_no_batch_dims_saveable(op: Operation[Atom], /) -> bool:
    """The results of contractions without batch axes are saved: those with weights, but not those of attention."""
    return type(op) is DotGeneral and not op.batch[0]


@dataclass(frozen=True)
class _Names:
    """Policy that saves values with one of some names; equal for equal names, so that programs with it are shared."""

    names: frozenset[str]

    def __call__(self, op: Operation[Atom], /) -> bool:
        return type(op) is Name and op.label in self.names

    @property
    def __name__(self) -> str:
        return f"save_only_these_names({', '.join(map(repr, sorted(self.names)))})"


def save_only_these_names(*names: str) -> Policy:
    """The values that `checkpoint_name` gave one of these names are saved.

    Raises ArgumentError for a name that is not a string.

    >>> save_only_these_names("hidden").__name__
    "save_only_these_names('hidden')"
    """
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"save_only_these_names: names are strings, got {shown(name)}")
    return _Names(frozenset(names))


if not TYPE_CHECKING:  # to the type checker the policies above are all there are

    def __getattr__(name: str) -> object:
        raise unknown(__name__, name)

    def __dir__() -> list[str]:
        return __all__
