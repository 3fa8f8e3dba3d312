"""Shapes with symbols, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from effects import shapes as S
from effects.types.shapes import Shape, Star, Sym
from tests.shapes.agreement import K, M, N, P


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
        (S.pool("window_sum", (N, 4), (1, 2), S.Window((1, 2), ((0, 0),) * 2, (1, 1), (1, 1))), "[N, 2]"),
        (S.pool("window_sum", (N, K), (3, 2), S.Window((1, 1), ((1, 1), (0, 0)), (1, 1), (1, 1))), "[N, ?]"),
        (S.pool("window_sum", (P,), (2,), S.Window((1,), ((0, 0),), (1,), (1,))), "[*?]"),
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
