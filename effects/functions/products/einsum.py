"""Einstein summation by transposes, diagonals, sums and products of pairs, in a cheap order.

Operands are promoted to one dtype, which the result has.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any, Final

import numpy as np

from effects.arguments import choice, integer, integers, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, common_type, convert, multiplied_in
from effects.errors import ArgumentError, ShapeError
from effects.functions.manipulation import diagonals, movement
from effects.operations.contraction import DotGeneral, Precision
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DTypeLike
from effects.types.shapes import Ints
from effects.types.signatures.contraction import EinSum, Optimize

type _Term = tuple[Array, str]

_LABELS: Final = ascii_uppercase + ascii_lowercase  # in the alphabetical order of labels in a result


@EinSum
def einsum(
    spec: str,
    /,
    *operands: ArrayLike,
    optimize: Optimize = True,
    preferred_element_type: DTypeLike | None = None,
    precision: Precision = "default",
) -> Array:
    """Einstein summation: products of the operands, summed over the indices that the result does not have.

    `spec` names the axes of each operand and, after `->`, of the result: `"bnk,kd->bdn"`. Without `->` the result has
    the indices that occur once, in alphabetical order. `...` stands for leading axes. Axes of size 1 broadcast. An
    index repeated in one operand takes its diagonal. With `preferred_element_type` products and sums are of that dtype,
    and so is the result. `precision` is that of `dot_general`.

    More than two operands are contracted pair by pair. `optimize` says in which order: True or "greedy" chooses what is
    cheapest next, "optimal" tries all orders, False goes from left to right, and a sequence of pairs is an order:
    places among the operands that are left, where a result comes last, as `numpy.einsum_path` gives it.

    In place of `spec`, each operand may be followed by the numbers of its axes, as in `einsum(x, [0, 1], y, [1, 2])`;
    those of the result come last.

    Raises DTypeError when `preferred_element_type` cannot hold fractions or imaginary parts that operands may have.

    >>> import effects as fx
    >>> fx.einsum("ij,j->i", fx.asarray([[1, 2], [3, 4]]), fx.asarray([1, 1]))
    Array([3, 7], int64)
    """
    spec, operands = _spelled("einsum", spec, operands)
    if not operands:
        raise ShapeError("einsum: needs at least one operand")
    if not isinstance(optimize, bool | list | tuple):
        choice("einsum", "optimize", optimize, ("greedy", "optimal"))
    choice("einsum", "precision", precision, Precision)
    arrays = [as_array(x, "einsum", f"operands[{i}]") for i, x in enumerate(operands)]
    if preferred_element_type is not None:
        arrays = [multiplied_in(x, preferred_element_type, "einsum", f"operands[{i}]") for i, x in enumerate(arrays)]
    dtype, weak = common_type([a.aval for a in arrays])
    sizes = [a.aval.shape for a in arrays]
    shapes.einsum(spec, sizes)
    labels, output = shapes.einsum_terms(spec, tuple(map(len, sizes)))
    greatest: dict[str, int] = {}
    for term, shape in zip(labels, sizes, strict=True):
        for label, d in zip(term, shape, strict=True):
            greatest[label] = d if greatest.get(label, 1) == 1 else greatest[label]
    terms = [_distinct(convert(a, dtype, weak), t, greatest) for a, t in zip(arrays, labels, strict=True)]
    terms = [
        _reduced(a, t, "".join([u for j, (_, u) in enumerate(terms) if j != i]) + output)
        for i, (a, t) in enumerate(terms)
    ]
    for step in contraction_path([t for _, t in terms], output, greatest, optimize):
        chosen = [terms[i] for i in step]
        terms = [term for i, term in enumerate(terms) if i not in step]
        others = "".join([t for _, t in terms]) + output
        done = chosen[0]
        for k, other in enumerate(chosen[1:], 2):
            done = _contracted(done, other, "".join([t for _, t in chosen[k:]]) + others, precision)
        terms.append(done)
    array, term = terms[0]
    return movement.permute_dims(array, tuple([term.index(label) for label in output]))


def einsum_path(
    spec: str, /, *operands: ArrayLike, optimize: Optimize = True
) -> tuple[list[str | tuple[int, ...]], str]:
    """The order in which NumPy would contract operands of these shapes, for `optimize` of `einsum`, and a text on it.

    Nothing is computed, so values need not be known. Arguments are those of `einsum`. Raises what `einsum` raises.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.einsum_path("ij,jk,kl->il", np.ones((2, 9)), np.ones((9, 9)), np.ones((9, 1)))[0]
    ['einsum_path', (1, 2), (0, 1)]
    """
    spec, operands = _spelled("einsum_path", spec, operands)
    if not operands:
        raise ShapeError("einsum_path: needs at least one of operands")
    if not isinstance(optimize, bool):
        choice("einsum_path", "optimize", optimize, ("greedy", "optimal"))
    sizes = [as_array(x, "einsum_path", f"operands[{i}]").aval.shape for i, x in enumerate(operands)]
    shapes.einsum(spec, sizes)
    path, text = np.einsum_path(spec, *[np.broadcast_to(0.0, size) for size in sizes], optimize=optimize)
    return list(path), text


def _spelled(function: str, spec: object, rest: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The specification and the operands, also from the form in which each operand is followed by its axis numbers."""
    if isinstance(spec, str):
        return spec, rest
    arguments = (spec, *rest)
    axes = [*arguments[1::2], *(arguments[-1:] if len(arguments) % 2 else ())]
    if len(arguments) < 2 or not all([isinstance(each, list | tuple) for each in axes]):
        expected = "a specification such as 'ij,jk->ik', or an operand, with the numbers of its axes after it"
        raise refusal(function, "spec", expected, spec)
    terms = ["".join([_label(function, axis) for axis in each]) for each in axes]
    count = len(arguments) // 2
    return ",".join(terms[:count]) + "".join([f"->{output}" for output in terms[count:]]), arguments[: 2 * count : 2]


def _label(function: str, axis: object) -> str:
    if axis is ...:
        return "..."
    number = integer(function, "the number of an axis", axis)
    if not 0 <= number < len(_LABELS):
        raise ArgumentError(f"{function}: the numbers of axes are from 0 to {len(_LABELS) - 1}, got {number}")
    return _LABELS[number]


def _distinct(x: Array, term: str, greatest: dict[str, int]) -> _Term:
    """The operand without axes of size 1 that broadcast, and with diagonals in place of repeated labels."""
    drop = [i for i, label in enumerate(term) if x.aval.shape[i] == 1 != greatest[label]]
    x = movement.squeeze(x, tuple(drop)) if drop else x
    term = "".join([label for i, label in enumerate(term) if i not in drop])
    for label in sorted(set(term)):
        while term.count(label) > 1:
            i = term.index(label)
            j = term.index(label, i + 1)
            x = diagonals.diagonal(movement.moveaxis(x, (i, j), (-2, -1)))
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + label
    return x, term


def _reduced(x: Array, term: str, needed: str) -> _Term:
    """The operand summed over labels that nothing else has."""
    axes = tuple([i for i, label in enumerate(term) if label not in needed])
    if not axes:
        return x, term
    kind = ReduceKind.OR if x.aval.dtype is dtypes.bool_ else ReduceKind.SUM
    return perform(Reduce(kind, axes, x)), "".join([label for label in term if label in needed])


def _contracted(left: _Term, right: _Term, needed: str, precision: Precision) -> _Term:
    (x, a), (y, b) = left, right
    shared = [label for label in a if label in b]
    batch = [label for label in shared if label in needed]
    contracting = [label for label in shared if label not in needed]
    product = perform(
        DotGeneral(
            (tuple([a.index(c) for c in contracting]), tuple([b.index(c) for c in contracting])),
            (tuple([a.index(c) for c in batch]), tuple([b.index(c) for c in batch])),
            x,
            y,
            precision,
        )
    )
    free = [label for label in a + b if label not in shared]
    return product, "".join([*batch, *free])


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
