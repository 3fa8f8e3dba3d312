"""Order in which an Einstein summation contracts its operands."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np

from effects.arguments import integers, refusal
from effects.errors import ArgumentError
from effects.runtime.caches import memoised
from effects.types.shapes import Ints
from effects.types.signatures.contraction import Optimize

type Path = tuple[Ints, ...]
"""The operands contracted at each step, by their positions among the remaining ones; results are appended."""


def contraction_path(terms: Sequence[str], output: str, sizes: dict[str, int], optimize: Optimize) -> Path:
    """The order for `optimize`: NumPy's for "greedy" (True) or "optimal"; False is from left to right.

    >>> contraction_path(["ij", "jk", "kl"], "il", {"i": 9, "j": 9, "k": 9, "l": 1}, True)
    ((1, 2), (0, 1))
    """
    if isinstance(optimize, Sequence) and not isinstance(optimize, str):
        return _checked_path(optimize, len(terms))
    if optimize is False or len(terms) < 3:
        return (tuple(range(len(terms))),)
    return _searched_path(
        tuple(terms), output, tuple(sorted(sizes.items())), "greedy" if optimize is True else str(optimize)
    )


@memoised
def _searched_path(terms: tuple[str, ...], output: str, sizes: tuple[tuple[str, int], ...], how: str) -> Path:
    letters = dict(zip([label for label, _ in sizes], ascii_letters, strict=False))
    if len(letters) < len(sizes):  # more labels than NumPy has letters
        return (tuple(range(len(terms))),)
    size = dict(sizes)
    spelled = ["".join([letters[label] for label in term]) for term in (*terms, output)]
    shaped = [np.broadcast_to(0.0, [size[label] for label in term]) for term in terms]  # takes no memory
    path, _ = np.einsum_path(f"{','.join(spelled[:-1])}->{spelled[-1]}", *shaped, optimize=how)
    return tuple([tuple(step) for step in path[1:]])


def _checked_path(optimize: Sequence[object], count: int) -> Path:
    steps = [step for step in optimize if step != "einsum_path"]  # NumPy's own paths begin with this word
    for step in steps:
        if not isinstance(step, tuple | list):
            raise refusal("einsum", "optimize", "a path of pairs of operands", optimize)
    path = tuple([integers("einsum", "optimize", step) for step in steps])
    remaining = count
    for step in path:
        if len(set(step)) != len(step) or not all([0 <= i < remaining for i in step]) or not step:
            raise ArgumentError(f"einsum: optimize contracts {step}, but {remaining} operands are left there")
        remaining -= len(step) - 1
    if remaining != 1:
        raise refusal("einsum", "optimize", "a path that leaves one operand", optimize, f"this one leaves {remaining}")
    return path
