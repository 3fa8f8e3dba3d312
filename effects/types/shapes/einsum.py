"""Einstein summation: reading the specification, shared with the run time, and the shape rule."""

from __future__ import annotations

from collections.abc import Sequence

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.broadcasting import broadcast
from effects.types.shapes.dims import Ints


def ellipsis_label(k: int) -> str:
    """The label that `einsum_terms` gives to axis ``-1 - k`` of what an ellipsis stands for; never a letter.

    Sizes of axes with one label broadcast between operands (are equal or 1), whether it is this or a letter.
    """
    return chr(0x2080 + k)


@memoised
def einsum_terms(spec: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """One label per axis for each operand, and for the result. Axes of an ellipsis get the labels of `ellipsis_label`.

    Without ``->`` the result has the ellipsis, then the letters that occur once, in alphabetical order.

    >>> einsum_terms("ij,jk->ik", (2, 2)), einsum_terms("ba,bc", (2, 2))
    ((('ij', 'jk'), 'ik'), (('ba', 'bc'), 'ac'))
    >>> einsum_terms("...i,i->...", (3, 1))
    (('₁₀i', 'i'), '₁₀')
    >>> einsum_terms("ij->ik", (2,))
    Traceback (most recent call last):
    effects.errors.ShapeError: 'ij->ik': output index 'k' does not occur in the inputs
      at ...
    """
    left, arrow, right = spec.replace(" ", "").partition("->")
    raw = left.split(",")
    if len(raw) != len(ranks):
        raise ShapeError(f"{spec!r}: {_count(len(raw), 'term')} for {_count(len(ranks), 'operand')}")
    for term in (*raw, right):
        letters = term.replace("...", "", 1)
        for c in letters:
            if not (c.isascii() and c.isalpha()):
                raise ShapeError(f"{spec!r}: {c!r} in term {term!r} is not a letter or one ellipsis")
    hidden = [rank - len(term.replace("...", "")) for term, rank in zip(raw, ranks, strict=True)]
    for term, rank, n in zip(raw, ranks, hidden, strict=True):
        if n < 0 or (n > 0 and "..." not in term):
            raise ShapeError(f"{spec!r}: term {term!r} does not fit an operand of rank {rank}")
    terms = tuple([t.replace("...", _labels(n)) for t, n in zip(raw, hidden, strict=True)])
    widest = max(hidden)
    if not arrow:
        used = "".join(raw).replace("...", "")
        once = sorted([c for c in set(used) if used.count(c) == 1])
        return terms, _labels(widest) + "".join(once)
    if widest and "..." not in right:
        raise ShapeError(
            f"{spec!r}: the output needs an ellipsis, which stands for {_count(widest, 'axis')} of the inputs"
        )
    for c in right.replace("...", ""):
        if c not in left:
            raise ShapeError(f"{spec!r}: output index {c!r} does not occur in the inputs")
        if right.count(c) > 1:
            raise ShapeError(f"{spec!r}: output index {c!r} occurs twice in the output")
    return terms, right.replace("...", _labels(widest))


def _labels(n: int) -> str:
    return "".join([ellipsis_label(k) for k in range(n - 1, -1, -1)])


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {'axes' if noun == 'axis' else noun + 's'}"


def einsum(spec: str, shapes: Sequence[Ints]) -> Ints:
    """The shape of ``einsum(spec, *operands)``; an index has one size in all operands, or 1.

    >>> einsum("bnk,kd->bdn", [(2, 3, 4), (4, 5)]), einsum("ii", [(3, 3)]), einsum("...i->i...", [(2, 3, 4)])
    ((2, 5, 3), (), (4, 2, 3))
    >>> einsum("ij,kj->ik", [(3, 4), (5, 6)])
    Traceback (most recent call last):
    effects.errors.ShapeError: 'ij,kj->ik': index 'j' is 4 and 6
      at ...
    """
    return _einsum(spec, tuple(shapes))


@memoised
def _einsum(spec: str, shapes: tuple[Ints, ...]) -> Ints:
    terms, output = einsum_terms(spec, tuple(map(len, shapes)))
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        own: dict[str, int] = {}
        for c, d in zip(term, shape, strict=True):
            if own.setdefault(c, d) != d:
                raise ShapeError(f"{spec!r}: index {c!r} is {own[c]} and {d} in {term!r}")
        for c, d in own.items():
            sizes[c] = _broadcast(spec, c, sizes[c], d) if c in sizes else d
    return tuple([sizes[c] for c in output])


def _broadcast(spec: str, label: str, d: int, e: int) -> int:
    try:
        return broadcast((d,), (e,))[0]
    except ShapeError:
        if label.isalpha():
            raise ShapeError(f"{spec!r}: index {label!r} is {d} and {e}") from None
        raise ShapeError(f"{spec!r}: sizes {d} and {e} in the ellipsis do not broadcast") from None
