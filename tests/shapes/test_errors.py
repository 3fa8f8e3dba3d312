"""The exact words of the errors of shape rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from effects import shapes as S
from effects.errors import ArgumentError, ShapeError

ERRORS: list[tuple[Callable[[], object], str]] = [
    (lambda: S.broadcast((3, 4), (3,)), "cannot broadcast [3, 4] with [3]: dimension 4 vs 3 (axis -1)"),
    (lambda: S.broadcast((2, 3), (4, 1)), "cannot broadcast [2, 3] with [4, 1]: dimension 2 vs 4 (axis -2)"),
    (lambda: S.matmul((2, 3), (2, 3)), "matmul contraction mismatch: [2, 3] @ [2, 3]: 3 vs 2"),
    (lambda: S.matmul((2, 3, 4), (5, 4, 6)),
     "matmul batch mismatch: [2, 3, 4] @ [5, 4, 6]: dimension 2 vs 5 (axis -3)"),
    (lambda: S.matmul((), (3,)), "matmul needs rank >= 1, got [] @ [3]; a product with a number is written *"),
    (lambda: S.reduce("sum", (3, 4), 2), "sum: axis 2 is out of bounds for shape [3, 4] (rank 2)"),
    (lambda: S.reduce("max", (3, 4), (0, -2)), "max: axes (0, -2) name axis 0 of shape [3, 4] twice"),
    (lambda: S.argreduce("argmin", (0,)), "argmin: an array of shape [0] is empty"),
    (lambda: S.einsum("ij,kj->ik", [(3, 4), (5, 6)]), "'ij,kj->ik': index 'j' is 4 and 6"),
    (lambda: S.einsum("ij", [(3,)]), "'ij': term 'ij' does not fit an operand of rank 1"),
    (lambda: S.einsum("i,j", [(3,)]), "'i,j': 2 terms for 1 operand"),
    (lambda: S.einsum("...,...", [(2,), (3,)]), "'...,...': sizes 2 and 3 in the ellipsis do not broadcast"),
    (lambda: S.basic_index((3,), 5), "index 5 is out of bounds for axis 0 of size 3"),
    (lambda: S.basic_index((2, 3), (0, -4)), "index -4 is out of bounds for axis 1 of size 3"),
    (lambda: S.basic_index((3, 4), (0, 0, 0)), "too many indices: 3 for shape [3, 4] (rank 2)"),
    (lambda: S.basic_index((3,), (..., ...)), "index: only one ellipsis is allowed"),
    (lambda: S.basic_index((3,), slice(None, 3, 0)), "index: the step of a slice must not be 0"),
    (lambda: S.reshape((3, 4), (5, 2)), "reshape: cannot reshape [3, 4] into [5, 2]: 12 elements vs 10"),
    (lambda: S.reshape((3, 4), (5, -1)), "reshape: cannot reshape [3, 4] into [5, -1]: 12 is not a multiple of 5"),
    (lambda: S.reshape((4,), (-1, -1)), "reshape: only one dimension of [-1, -1] may be -1"),
    (lambda: S.reshape((4,), (-2, 2)), "reshape: dimension -2 is negative in shape [-2, 2]"),
    (lambda: S.reshape((0,), (0, -1)),
     "reshape: cannot reshape [0] into [0, -1]: -1 is ambiguous beside a dimension 0"),
    (lambda: S.squeeze((3,), 0), "squeeze: axis 0 of shape [3] has size 3, not 1"),
    (lambda: S.expand_dims((3,), 3), "expand_dims: axis 3 is out of bounds for the result of rank 2, from shape [3]"),
    (lambda: S.concat([]), "concat: needs at least one array"),
    (lambda: S.concat([(2, 3), (2,)]), "concat: shapes [2, 3] and [2] differ: rank 2 vs 1"),
    (lambda: S.concat([(2, 3), (2, 4)]),
     "concat: shapes [2, 3] and [2, 4] differ outside axis 0: dimension 3 vs 4 (axis 1)"),
    (lambda: S.stack([(3,), (4,)]), "stack: shapes [3] and [4] differ: dimension 3 vs 4 (axis 0)"),
    (lambda: S.split_bounds((7,), 0), "split: indices_or_sections must be positive, got 0"),
    (lambda: S.pad((3,), [(0, 0, -1)]), "pad: interior padding of axis 0 must not be negative, got -1"),
    (lambda: S.pad((3, 4), [(0, 0, 0)]), "pad: 1 entry for shape [3, 4] (rank 2)"),
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
    (lambda: S.moveaxis_perm((2, 3, 4), (0, 1), (2,)), "moveaxis: source has 2 axes but destination has 1"),
    (lambda: S.matrix_transpose((3,)), "matrix_transpose needs rank >= 2, got shape [3]"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "text"), ERRORS, ids=[text for _, text in ERRORS])
def test_error_text(ask: Callable[[], object], text: str) -> None:
    with pytest.raises(ShapeError) as caught:
        ask()
    assert caught.value.message == text


def test_wrong_kinds_of_axes_and_sizes() -> None:
    assert S.reduce("sum", (3, 4), 1) == (3,)
    with pytest.raises(ArgumentError, match=r"sum: axis must be an int, got 1\.0 of type float"):
        S.normalize_axes("sum", (3, 4), 1.0)  # type: ignore[arg-type]  # refused at run time too
    with pytest.raises(ArgumentError, match=r"zeros: a dimension of shape must be an int, got '3' of type str"):
        S.static_shape("zeros", ("3",))  # type: ignore[arg-type]  # as above
    result = S.reshape((6,), (np.int64(2), 3))  # type: ignore[arg-type]  # other ints become Python's
    assert result == (2, 3) and {type(d) for d in result} == {int}
