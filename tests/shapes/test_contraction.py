"""Shapes of contractions and of einsum, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from effects import shapes as S
from tests.shapes.agreement import blank, ints, many, same


@many
@given(
    st.lists(st.integers(1, 3), max_size=3).map(tuple), st.lists(st.integers(1, 3), max_size=3).map(tuple), st.data()
)
def test_contractions(a: tuple[int, ...], b: tuple[int, ...], data: st.DataObject) -> None:
    x, y = blank(a), blank(b)
    same(lambda: S.matmul(a, b), lambda: np.matmul(x, y).shape)
    same(lambda: S.vecdot(a, b), lambda: np.vecdot(x, y).shape)
    n = data.draw(st.integers(0, 3))
    if n <= min(len(a), len(b)):
        same(lambda: S.tensordot(a, b, n), lambda: np.tensordot(x, y, n).shape)
    axes = st.lists(st.integers(-len(a), 2), max_size=2, unique_by=lambda i: i % max(len(a), 1))
    left, right = data.draw(axes), data.draw(st.lists(st.integers(-3, 2), max_size=2))
    if len({j % len(b) for j in right} if b else right) == len(right):
        same(lambda: S.tensordot(a, b, (left, right)), lambda: np.tensordot(x, y, (left, right)).shape)


@many
@given(st.data())
def test_dot_general(data: st.DataObject) -> None:
    batch, contracted = data.draw(ints), data.draw(ints)
    left, right = data.draw(ints), data.draw(ints)
    nb, nk = len(batch), len(contracted)
    lhs, rhs = (*batch, *left, *contracted), (*contracted, *right, *batch)
    pairs = (tuple(range(nb + len(left), len(lhs))), tuple(range(nk)))
    batches = (tuple(range(nb)), tuple(range(nk + len(right), len(rhs))))
    assert S.dot_general(lhs, rhs, pairs, batches) == (*batch, *left, *right)


SPECS = ("ij,jk", "ij,jk->ik", "ba", "ii", "ii->i", "iij->ji", "i,i,i->", "...i,...i", "...ij,jk->...ik", "i...->...",
         "i,j->ij", "a...b,b...->a...", "...,...", "ij->", " ij , jk -> ki ", "Ab,bA")  # fmt: skip


@many
@given(st.sampled_from(SPECS), st.data())
def test_einsum(spec: str, data: st.DataObject) -> None:
    sizes = {c: data.draw(st.integers(1, 3)) for c in sorted({c for c in spec if c.isalpha()})}
    hidden = data.draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    shapes: list[tuple[int, ...]] = []
    for term in spec.replace(" ", "").partition("->")[0].split(","):
        head, dots, tail = term.partition("...")
        some = tuple(data.draw(st.sampled_from([1, n])) for n in hidden[data.draw(st.integers(0, 2)) :]) if dots else ()
        shapes.append((*[sizes[c] for c in head], *some, *[sizes[c] for c in tail]))
    assert S.einsum(spec, shapes) == np.einsum(spec, *[blank(s) for s in shapes]).shape
    terms, output = S.einsum_terms(spec, tuple(len(s) for s in shapes))
    assert [len(t) for t in terms] == [len(s) for s in shapes]
    assert len(output) == len(S.einsum(spec, shapes))


@pytest.mark.parametrize(
    ("spec", "shapes"),
    [("ij->k", [(2, 3)]), ("ij->ii", [(2, 3)]), ("ij", [(2,)]), ("i", [(2, 3)]), ("i,j", [(2,)]), ("...i->i", [(2, 3)]),
     ("i.j", [(2, 3)]), ("......i", [(2, 3)]), ("i1", [(2, 3)]), ("ii", [(2, 3)]), ("i,i", [(2,), (3,)]),
     ("...,...", [(2,), (3,)]), ("i->i->i", [(2,)])],
)  # fmt: skip
def test_einsum_refuses(spec: str, shapes: list[tuple[int, ...]]) -> None:
    same(lambda: S.einsum(spec, shapes), lambda: np.einsum(spec, *[blank(s) for s in shapes]).shape)
