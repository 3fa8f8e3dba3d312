"""Shape rules: against NumPy for ints, by hand for symbols, and the exact words of their errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effects import shapes as S
from effects.errors import ArgumentError, ShapeError
from effects.shapes import Shape, Star, Sym

N, M, K = Sym("n", "N"), Sym("m", "M"), Sym("k", "K")
P = Star("p", "*P")

dims = st.integers(0, 3)
ints = st.lists(dims, max_size=4).map(tuple)
many = settings(max_examples=150, deadline=None)


def same(rule: Callable[[], object], numpy: Callable[[], object]) -> None:
    """Both give the same shape, or both refuse."""
    try:
        expected = numpy()
    except (ValueError, IndexError, TypeError):
        with pytest.raises(ShapeError):
            rule()
        return
    assert rule() == expected


def blank(shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.zeros(shape)


@many
@given(st.lists(ints, min_size=1, max_size=3))
def test_broadcast(shapes: list[tuple[int, ...]]) -> None:
    same(lambda: S.broadcast_all(shapes), lambda: np.broadcast_shapes(*shapes))
    if len(shapes) == 3:
        same(lambda: S.select(*shapes), lambda: np.broadcast_shapes(*shapes))
    if len(shapes) == 2:
        same(lambda: S.broadcast_to(*shapes), lambda: np.broadcast_to(blank(shapes[0]), shapes[1]).shape)


def test_broadcast_exhaustive() -> None:
    every = [s for r in range(4) for s in itertools.product((1, 2, 3), repeat=r)]
    for a, b in itertools.product(every, every):
        same(lambda a=a, b=b: S.broadcast(a, b), lambda a=a, b=b: np.broadcast_shapes(a, b))  # type: ignore[misc]  # bound


@many
@given(ints, st.data())
def test_broadcast_in_dim(out: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(out))).map(lambda p: tuple(p[: len(out) // 2 + 1])))
    shape = tuple(data.draw(st.sampled_from([1, out[k]])) for k in axes)
    assert S.broadcast_in_dim(shape, out, axes) == out


@many
@given(
    ints, st.one_of(st.none(), st.integers(-5, 4), st.lists(st.integers(-5, 4), max_size=3).map(tuple)), st.booleans()
)
def test_axes(shape: tuple[int, ...], axes: int | tuple[int, ...] | None, keepdims: bool) -> None:
    if shape == () and axes in (0, -1):  # NumPy takes these for a scalar in some functions; the rules never do
        with pytest.raises(ShapeError):
            S.reduce("sum", shape, axes, keepdims)
        return
    x = blank(shape)
    same(
        lambda: S.reduce("sum", shape, axes, keepdims),
        lambda: np.shape(np.sum(x, axis=axes, keepdims=True) if keepdims else np.sum(x, axis=axes)),
    )
    same(lambda: S.flip(shape, axes), lambda: np.flip(x, axes).shape)
    same(lambda: S.squeeze(shape, axes), lambda: np.squeeze(x, axes).shape)
    if axes is not None:
        same(lambda: S.expand_dims(shape, axes), lambda: np.expand_dims(x, axes).shape)
    if not isinstance(axes, tuple):
        same(
            lambda: S.argreduce("argmax", shape, axes, keepdims),
            lambda: (np.argmax(x, axis=axes, keepdims=True) if keepdims else np.argmax(x, axis=axes)).shape,
        )


@many
@given(ints, st.lists(st.integers(-4, 3), max_size=4).map(tuple))
def test_permute_dims(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    same(lambda: S.permute_dims(shape, axes), lambda: np.transpose(blank(shape), axes).shape)
    same(lambda: S.matrix_transpose(shape), lambda: np.matrix_transpose(blank(shape)).shape)


@many
@given(ints, st.lists(st.integers(-4, 3), max_size=3), st.lists(st.integers(-4, 3), max_size=3))
def test_moveaxis(shape: tuple[int, ...], source: list[int], destination: list[int]) -> None:
    x = np.zeros(tuple(range(2, 2 + len(shape))))
    same(
        lambda: S.permute_dims(x.shape, S.moveaxis_perm(x.ndim, tuple(source), tuple(destination))),
        lambda: np.moveaxis(x, source, destination).shape,
    )
    if source and destination:
        i, j = source[0], destination[0]
        same(lambda: S.permute_dims(x.shape, S.swapaxes_perm(x.ndim, i, j)), lambda: np.swapaxes(x, i, j).shape)


@many
@given(st.lists(st.integers(0, 4), max_size=4).map(tuple), st.lists(st.integers(-1, 6), max_size=4).map(tuple))
def test_reshape(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    same(lambda: S.reshape(shape, target), lambda: np.reshape(blank(shape), target).shape)
    assert S.size(shape) == math.prod(shape)
    assert S.reshape(shape, (-1,)) == (math.prod(shape),)


@many
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3), st.data())
def test_joining(shapes: list[tuple[int, ...]], data: st.DataObject) -> None:
    axis = data.draw(st.one_of(st.none(), st.integers(-3, 2)))
    xs = [blank(s) for s in shapes]
    same(lambda: S.concat(shapes, axis), lambda: np.concatenate(xs, axis=axis).shape)
    if axis is not None:
        same(lambda: S.stack(shapes, axis), lambda: np.stack(xs, axis=axis).shape)
        same(lambda: S.unstack(shapes[0], axis), lambda: tuple(y.shape for y in np.unstack(xs[0], axis=axis)))


@many
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=3).map(tuple),
    st.one_of(st.integers(1, 4), st.lists(st.integers(-7, 8), max_size=3).map(tuple)),
    st.integers(-3, 2),
)
def test_split(shape: tuple[int, ...], sections: int | tuple[int, ...], axis: int) -> None:
    x = blank(shape)
    same(lambda: S.split(shape, sections, axis), lambda: tuple(y.shape for y in np.split(x, sections, axis)))


@many
@given(st.lists(st.tuples(dims, st.integers(0, 3), st.integers(0, 3)), max_size=4))
def test_pad(entries: list[tuple[int, int, int]]) -> None:
    shape = tuple(n for n, _, _ in entries)
    expected = np.pad(blank(shape), [(lo, hi) for _, lo, hi in entries]).shape if shape else ()
    assert S.pad(shape, [(lo, hi, 0) for _, lo, hi in entries]) == expected


@many
@given(dims, st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3))
def test_pad_interior(n: int, low: int, high: int, interior: int) -> None:
    spread = max(n + (n - 1) * interior, 0) if n else 0
    if spread + low + high < 0:
        with pytest.raises(ShapeError, match="would have size"):
            S.pad((n,), [(low, high, interior)])
    else:
        assert S.pad((n,), [(low, high, interior)]) == (spread + low + high,)


bound = st.one_of(st.none(), st.integers(-5, 5))
entry = st.one_of(
    st.integers(-4, 3),
    st.none(),
    st.just(...),
    st.builds(slice, bound, bound, st.one_of(st.none(), st.integers(-3, 3))),
)


@settings(max_examples=600, deadline=None)
@given(ints, st.one_of(entry, st.lists(entry, max_size=4).map(tuple)))
def test_index(shape: tuple[int, ...], key: S.Index | tuple[S.Index, ...]) -> None:
    x = np.arange(math.prod(shape)).reshape(shape)
    same(lambda: S.index(shape, key), lambda: x[key].shape)  # type: ignore[index]  # any key is the point
    try:
        expected = x[key]  # type: ignore[index]  # as above
    except (IndexError, ValueError):
        with pytest.raises(ShapeError):
            S.basic_index(shape, key)
        return
    plan = S.basic_index(shape, key)
    slices = tuple(slice(*bounds) for bounds in zip(plan.starts, plan.limits, plan.strides, strict=True))
    assert S.strided_slice(shape, plan.starts, plan.limits, plan.strides) == x[slices].shape
    np.testing.assert_array_equal(np.flip(x[slices], plan.flipped).reshape(plan.shape), expected)
    assert S.is_basic(key)


def test_index_takes_only_basic_keys() -> None:
    assert S.index((3, 4), 1) == (4,)
    for key in (True, (True,), 1.0, "a"):
        with pytest.raises(ArgumentError):
            S.index((3, 4), key)  # type: ignore[arg-type]  # refused at run time too
    with pytest.raises(ArgumentError):
        S.index((3,), slice(0.5, 2))
    assert S.index((3, 4), np.int64(1)) == (4,)
    assert not S.is_basic(np.array([1])) and not S.is_basic(((0,), 1))


@many
@given(st.integers(0, 5), st.integers(-1, 6), st.integers(-1, 6), st.integers(0, 3))
def test_strided_slice(n: int, start: int, limit: int, stride: int) -> None:
    if stride >= 1 and 0 <= start <= limit <= n:
        assert S.strided_slice((n,), (start,), (limit,), (stride,)) == (len(range(start, limit, stride)),)
    else:
        with pytest.raises(ShapeError):
            S.strided_slice((n,), (start,), (limit,), (stride,))


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


def symbolic() -> list[tuple[Shape, str]]:
    unknown = S.UNKNOWN
    return [
        (S.broadcast((N, 1), (K,)), "[N, K]"),
        (S.broadcast((None, 4), (3, None)), "[3, 4]"),
        (S.broadcast((None,), (N,)), "[?]"),
        (S.broadcast((None,), (1,)), "[?]"),
        (S.broadcast((P, 3), (3,)), "[*P, 3]"),
        (S.broadcast((P, 3), ()), "[*P, 3]"),
        (S.broadcast((P,), (2, 3)), "[*?, 2, 3]"),
        (S.broadcast((P,), (1, N)), "[*?, ?, ?]"),
        (S.broadcast((P,), (P, 3)), "[*?, 3]"),
        (S.broadcast((P, 3), (4, 3)), "[*?, 4, 3]"),
        (S.broadcast((2, 1, Star()), (2, 1, Star())), "[*?]"),
        (S.broadcast(unknown, unknown), "[*?]"),
        (S.broadcast_to((N,), (P, N)), "[*P, N]"),
        (S.broadcast_in_dim((N,), (N, K), (0,)), "[N, K]"),
        (S.reduce("sum", (N, K), -1), "[N]"),
        (S.reduce("sum", (P, K), -1), "[*P]"),
        (S.reduce("sum", (P, K), -1, True), "[*P, 1]"),
        (S.reduce("sum", (P, K), 0), "[*?]"),
        (S.reduce("sum", (P, K), None), "[]"),
        (S.reduce("sum", (P, K), None, True), "[*?, 1]"),
        (S.argreduce("argmax", (N, K), 0), "[K]"),
        (S.reshape((N, 4), (-1, N)), "[4, N]"),
        (S.reshape((N, 4), (2, -1)), "[2, ?]"),
        (S.reshape((N, 3), (2, -1)), "[2, ?]"),
        (S.reshape((N, K), (K, N)), "[K, N]"),
        (S.reshape((N, K), (M,)), "[M]"),
        (S.reshape((N, None), (3, 5)), "[3, 5]"),
        (S.reshape((P,), (-1,)), "[?]"),
        (S.permute_dims((N, 3), (1, 0)), "[3, N]"),
        (S.permute_dims((P, 3), (2, 0, 1)), "[3, ?, ?]"),
        (S.squeeze((N, 1), -1), "[N]"),
        (S.squeeze((None, 1), 0), "[1]"),
        (S.squeeze((None, 1)), "[*?]"),
        (S.expand_dims((P, 3), -1), "[*P, 3, 1]"),
        (S.expand_dims((P, 3), 0), "[1, *P, 3]"),
        (S.expand_dims((P, 3), 1), "[*?]"),
        (S.flip((P, 3), 0), "[*P, 3]"),
        (S.concat([(N, 3), (N, 4)], 1), "[N, 7]"),
        (S.concat([(N, 3), (None, 3)]), "[?, 3]"),
        (S.concat([(None, 3), (N, 4)], 1), "[N, 7]"),
        (S.concat([(P, 3), (P, 4)], -1), "[*P, 7]"),
        (S.concat([(P, 3), (4,)], -1), "[*?]"),
        (S.concat([(N, 3), (2,)], None), "[?]"),
        (S.stack([(N,), (N,)], 1), "[N, 2]"),
        (S.stack([(N,), (P,)]), "[*?]"),
        (S.split((N, 4), 2)[0], "[?, 4]"),
        (S.split((N, 4), 2, 1)[1], "[N, 2]"),
        (S.unstack((2, N))[1], "[N]"),
        (S.pad((N, 3), [(0, 0, 0), (1, 1, 0)]), "[N, 5]"),
        (S.pad((N,), [(1, 0, 0)]), "[?]"),
        (S.strided_slice((N, 4), (0, 0), (N, 2)), "[N, 2]"),
        (S.dynamic_slice((N, 4), (1, 2)), "[1, 2]"),
        (S.dynamic_update_slice((N, 4), (1, 2)), "[N, 4]"),
        (S.index((N, 4), (None, slice(None), 1)), "[1, N]"),
        (S.index((N, 4), (slice(1, None), ...)), "[?, 4]"),
        (S.index((N, 4), Sym("i", "i")), "[4]"),
        (S.index((P, 4), (..., 0)), "[*P]"),
        (S.index((P, 4), 0), "[*?]"),
        (S.matmul((N, K), (K, 5)), "[N, 5]"),
        (S.matmul((P, N, K), (K,)), "[*P, N]"),
        (S.matmul((P, N, K), (8, K, 5)), "[*?, 8, N, 5]"),
        (S.matmul(unknown, (3, 4)), "[*?]"),
        (S.vecdot((N, K), (K,)), "[N]"),
        (S.dot_general((N, None), (3, K), ((1,), (0,))), "[N, K]"),
        (S.tensordot((N, K), (K, 3), 1), "[N, 3]"),
        (S.einsum("bnk,kd->bdn", [(8, N, K), (K, 5)]), "[8, 5, N]"),
        (S.einsum("ij,jk", [(None, 3), (P, K)]), "[?, K]"),
        (S.einsum("...i->...", [(P, K)]), "[*?]"),
        (S.iota((N, 3), 1), "[N, 3]"),
        (S.check_shape("zeros", (N, np.int64(3))), "[N, 3]"),
    ]


@pytest.mark.parametrize(("shape", "text"), symbolic())
def test_symbols(shape: Shape, text: str) -> None:
    assert S.show(shape) == text


def test_size_of_symbols() -> None:
    assert S.size((1, N)) == N
    assert S.size((N, K)) is None and S.size((P,)) is None and S.size((None, 2)) is None


def test_not_static() -> None:
    for ask in (
        lambda: S.normalize_axis("sum", (P, 3), 1),
        lambda: S.normalize_axes("sum", (P, 3), None),
        lambda: S.unstack((N, 3)),
        lambda: S.split_bounds((N,), 2),
    ):
        with pytest.raises(LookupError):
            ask()
    assert S.normalize_axis("sum", (P, 3), -1) == 1


ERRORS: list[tuple[Callable[[], object], str]] = [
    (lambda: S.broadcast((3, 4), (3,)), "cannot broadcast [3, 4] with [3]: dimension 4 vs 3 (axis -1)"),
    (lambda: S.broadcast((2, 3), (4, 1)), "cannot broadcast [2, 3] with [4, 1]: dimension 2 vs 4 (axis -2)"),
    (lambda: S.broadcast((N, 3), (K, 3)), "cannot broadcast [N, 3] with [K, 3]: dimension N vs K (axis -2)"),
    (lambda: S.broadcast((P, 3), (4,)), "cannot broadcast [*P, 3] with [4]: dimension 3 vs 4 (axis -1)"),
    (lambda: S.matmul((N, K), (N, K)), "matmul contraction mismatch: [N, K] @ [N, K]: K vs N"),
    (lambda: S.matmul((2, 3, 4), (5, 4, 6)),
     "matmul batch mismatch: [2, 3, 4] @ [5, 4, 6]: dimension 2 vs 5 (axis -3)"),
    (lambda: S.matmul((), (3,)), "matmul needs rank >= 1, got [] @ [3]"),
    (lambda: S.reduce("sum", (3, 4), 2), "sum: axis 2 is out of bounds for shape [3, 4] (rank 2)"),
    (lambda: S.reduce("max", (3, 4), (0, -2)), "max: axes (0, -2) name axis 0 of shape [3, 4] twice"),
    (lambda: S.argreduce("argmin", (0,)), "argmin: an array of shape [0] is empty"),
    (lambda: S.einsum("ij,kj->ik", [(3, 4), (N, K)]), "'ij,kj->ik': index 'j' is 4 and K"),
    (lambda: S.einsum("ij", [(3,)]), "'ij': term 'ij' does not fit an operand of rank 1"),
    (lambda: S.einsum("i,j", [(3,)]), "'i,j': 2 terms for 1 operand"),
    (lambda: S.einsum("...,...", [(2,), (3,)]), "'...,...': sizes 2 and 3 in the ellipsis do not broadcast"),
    (lambda: S.index((3,), 5), "index 5 is out of bounds for axis 0 of size 3"),
    (lambda: S.index((2, 3), (0, -4)), "index -4 is out of bounds for axis 1 of size 3"),
    (lambda: S.index((3, 4), (0, 0, 0)), "too many indices: 3 for shape [3, 4] (rank 2)"),
    (lambda: S.index((3,), (..., ...)), "index: only one ellipsis is allowed"),
    (lambda: S.index((N,), slice(None, 3, 0)), "index: the step of a slice must not be 0"),
    (lambda: S.reshape((3, 4), (5, 2)), "reshape: cannot reshape [3, 4] into [5, 2]: 12 elements vs 10"),
    (lambda: S.reshape((N, 4), (N, 5)), "reshape: cannot reshape [N, 4] into [N, 5]: 4 elements vs 5"),
    (lambda: S.reshape((N,), (K,)), "reshape: cannot reshape [N] into [K]: N elements vs K"),
    (lambda: S.reshape((N, 3), (N,)), "reshape: cannot reshape [N, 3] into [N]: 3 elements vs 1"),
    (lambda: S.reshape((4,), (-1, -1)), "reshape: only one dimension of [-1, -1] may be -1"),
    (lambda: S.reshape((4,), (-2, 2)), "reshape: dimension -2 is negative in shape [-2, 2]"),
    (lambda: S.reshape((0,), (0, -1)),
     "reshape: cannot reshape [0] into [0, -1]: -1 is ambiguous beside a dimension 0"),
    (lambda: S.squeeze((N,), 0), "squeeze: axis 0 of shape [N] has size N, not 1"),
    (lambda: S.expand_dims((3,), 3), "expand_dims: axis 3 is out of bounds for the result of rank 2, from shape [3]"),
    (lambda: S.concat([]), "concat: needs at least one array"),
    (lambda: S.concat([(2, 3), (2,)]), "concat: shapes [2, 3] and [2] differ: rank 2 vs 1"),
    (lambda: S.concat([(2, N), (2, K)]),
     "concat: shapes [2, N] and [2, K] differ outside axis 0: dimension N vs K (axis 1)"),
    (lambda: S.stack([(3,), (4,)]), "stack: shapes [3] and [4] differ: dimension 3 vs 4 (axis 0)"),
    (lambda: S.split((7,), 0), "split: number of parts must be positive, got 0"),
    (lambda: S.pad((3,), [(0, 0, -1)]), "pad: interior padding of axis 0 must not be negative, got -1"),
    (lambda: S.pad((3, 4), [(0, 0, 0)]), "pad: 1 entries for shape [3, 4] (rank 2)"),
    (lambda: S.strided_slice((3,), (2,), (1,)), "slice: limit 1 is below start 2 (axis 0)"),
    (lambda: S.strided_slice((3,), (0,), (1,), (0,)), "slice: stride of axis 0 must be positive, got 0"),
    (lambda: S.strided_slice((3, 4), (0,), (1,)), "slice: 1 starts for shape [3, 4] (rank 2)"),
    (lambda: S.dynamic_update_slice((3,), (5,)), "dynamic_update_slice: size 5 is larger than axis 0 of shape [3]"),
    (lambda: S.dynamic_slice((3,), (1, 1)), "dynamic_slice: 2 sizes for shape [3] (rank 1)"),
    (lambda: S.broadcast_in_dim((3,), (4,), (1,)),
     "broadcast_in_dim: axis 1 is out of bounds for shape [4] (rank 1)"),
    (lambda: S.broadcast_in_dim((3,), (4,), ()), "broadcast_in_dim: 0 dims for shape [3] (rank 1)"),
    (lambda: S.dot_general((3, 4), (3, 4), ((1,), ())),
     "dot_general contraction mismatch: 1 axes (1,) of [3, 4] but 0 axes () of [3, 4]"),
    (lambda: S.tensordot((3,), (3,), 2), "tensordot: cannot contract 2 axes of shapes [3] and [3]"),
    (lambda: S.tensordot((3,), (3,), ((0,), (0,), (0,))),
     "tensordot: axes must be an int or a pair, got ((0,), (0,), (0,))"),
    (lambda: S.moveaxis_perm(3, (0, 1), 2), "moveaxis: 2 source axes but 1 destinations"),
    (lambda: S.matrix_transpose((3,)), "matrix_transpose needs rank >= 2, got shape [3]"),
    (lambda: S.iota((3,), 1), "iota: axis 1 is out of bounds for shape [3] (rank 1)"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "text"), ERRORS, ids=[text for _, text in ERRORS])
def test_error_text(ask: Callable[[], object], text: str) -> None:
    with pytest.raises(ShapeError) as caught:
        ask()
    assert caught.value.message == text


def test_wrong_kinds_of_axes_and_sizes() -> None:
    assert S.reduce("sum", (3, 4), 1) == (3,)
    with pytest.raises(ArgumentError, match=r"sum: axis must be an int, got 1\.0 \(float\)"):
        S.normalize_axes("sum", (3, 4), 1.0)  # type: ignore[arg-type]  # refused at run time too
    with pytest.raises(ArgumentError, match=r"zeros: a dimension must be an int, got '3' \(str\)"):
        S.check_shape("zeros", ("3",))  # type: ignore[arg-type]  # as above
    result = S.reshape((6,), (np.int64(2), True, 3))  # type: ignore[arg-type]  # other ints become Python's
    assert result == (2, 1, 3) and {type(d) for d in result} == {int}
