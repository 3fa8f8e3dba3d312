"""Calls of the functions that reduce, move, make and multiply arrays, with what NumPy gives for the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy.special as sp

from tests.functions.calls import COMPLEX, INTEGERS, SPECIAL, Call, normal, whole

_AXES: Final = (None, 0, -1, (0, 2), (-1, 0, 1), ())
_FOLDS: Final[dict[str, Callable[..., Any]]] = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "any": np.any,
    "all": np.all,
}

_POSITIONS: Final[dict[str, Callable[..., Any]]] = {"argmax": np.argmax, "argmin": np.argmin}


def _variance(x: Any, correction: int = 0, **options: Any) -> Any:
    return np.var(x, ddof=correction, **options)


def _deviation(x: Any, correction: int = 0, **options: Any) -> Any:
    return np.std(x, ddof=correction, **options)


def _reductions() -> list[Call]:
    x = normal(2, 3, 4)
    flags = np.array([[True, False], [True, True]])
    return [
        *[
            Call(n, f, (x,), {"axis": axis, "keepdims": keep}, smooth=n not in ("any", "all") and not keep)
            for n, f in _FOLDS.items()
            for axis in _AXES
            for keep in (False, True)
        ],
        *[Call(n, f, (x,), {"axis": axis}) for n, f in _POSITIONS.items() for axis in (None, 0, -2)],
        *[Call(n, f, (x,), {"axis": 1, "keepdims": True}) for n, f in _POSITIONS.items()],
        *[Call(n, f, (SPECIAL,)) for n, f in (_POSITIONS | _FOLDS).items()],
        *[Call(n, f, (whole(3, 4, dtype=d),), {"axis": 1}) for n, f in _FOLDS.items() for d in INTEGERS],
        *[Call(n, f, (flags,), {"axis": 0}) for n, f in _FOLDS.items()],
        *[Call(n, f, (np.zeros((2, 0)),), {"axis": 1}) for n, f in _FOLDS.items() if n not in ("max", "min")],
        *[Call(n, f, (normal(3, 4, dtype="float32"),), {"axis": 0}) for n, f in _FOLDS.items()],
        *[Call(n, f, (COMPLEX,)) for n, f in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean))],
        *[Call(n, f, (whole(5, dtype="int8"),), {"dtype": "float32"}) for n, f in (("sum", np.sum), ("prod", np.prod))],
        *[
            Call(n, f, (x,), {"axis": axis, "correction": c, "keepdims": c == 1}, smooth=True)
            for n, f in (("var", _variance), ("std", _deviation))
            for axis in (None, 1, (0, 2))
            for c in (0, 1)
        ],
        *[Call(n, f, (v,)) for n, f in (("var", _variance), ("std", _deviation)) for v in (COMPLEX, whole(6))],
        Call("count_nonzero", np.count_nonzero, (whole(4, 5),), {"axis": 0}),
        Call("count_nonzero", np.count_nonzero, (flags,)),
        *[Call("logsumexp", sp.logsumexp, (x,), {"axis": axis}, smooth=True) for axis in (None, 0, (0, 2))],
        Call("logsumexp", sp.logsumexp, (np.array([[-np.inf, -np.inf], [1000.0, 999.0]]),), {"axis": 1}),
        *[
            Call("logsumexp", sp.logsumexp, (x, a, b), {"return_sign": True, "keepdims": k}, smooth=True)
            for a, b, k in ((None, normal(4), False), (0, normal(2, 3, 4), True), ((0, 2), None, False))
        ],
        Call("logsumexp", sp.logsumexp, (x, 1, np.abs(normal(3, 1))), smooth=True),
        *[Call("logsumexp", sp.logsumexp, (COMPLEX[:4] * 7,), {"return_sign": r}) for r in (False, True)],
        *[
            Call("logsumexp", sp.logsumexp, (np.array(z), 0, np.array(w)), {"return_sign": True}, about=str(z))
            for z, w in (
                ([1.0, 800.0, 2.0], [1.0, 0.0, -2.0]),
                ([1.0, np.inf, 2.0], [1.0, 0.0, -2.0]),
                ([np.inf, 3.0], [-1.0, 1.0]),
                ([1.0, np.nan], [1.0, 1.0]),
            )
        ],
        *[
            Call(n, f, (x,), {"axis": 1}, smooth=True)
            for n, f in (("softmax", sp.softmax), ("log_softmax", sp.log_softmax))
        ],
    ]


def _pad(x: Any, width: Any, constant_values: Any = 0) -> Any:
    return np.pad(x, width, constant_values=constant_values)


def _movement() -> list[Call]:
    x, y = normal(2, 3, 4), normal(3, 3)
    return [
        Call("reshape", lambda x, shape: np.reshape(x, shape), (x, (4, 6)), smooth=True),
        Call("reshape", lambda x, shape: np.reshape(x, shape), (x, (-1, 2)), smooth=True),
        Call("permute_dims", np.transpose, (x, (2, 0, 1)), smooth=True),
        Call("matrix_transpose", lambda x: np.swapaxes(x, -1, -2), (x,), smooth=True),
        Call("swapaxes", np.swapaxes, (x, 0, -1), smooth=True),
        Call("moveaxis", np.moveaxis, (x, 0, -1), smooth=True),
        Call("moveaxis", np.moveaxis, (x, (0, 1), (-1, 0)), smooth=True),
        Call("squeeze", np.squeeze, (normal(1, 3, 1),)),
        Call("squeeze", np.squeeze, (normal(1, 3, 1),), {"axis": -1}),
        *[Call("expand_dims", np.expand_dims, (y,), {"axis": axis}, smooth=True) for axis in (0, -1, (0, 3))],
        Call("broadcast_to", np.broadcast_to, (normal(3, 1), (2, 3, 4)), smooth=True),
        Call("broadcast_arrays", np.broadcast_arrays, (normal(3, 1), normal(4))),
        *[Call("flip", np.flip, (x,), {"axis": axis}, smooth=True) for axis in (None, 1, (0, -1))],
        *[
            Call("roll", np.roll, (x, s), {"axis": a}, smooth=True)
            for s, a in ((2, None), (-1, 1), ((1, 2), (0, -1)), (7, 2), (1, (0, 1)))
        ],
        *[Call("pad", _pad, (y, w), {"constant_values": 1.5}, smooth=True) for w in (1, (1, 2), ((0, 1), (2, 0)))],
        *[Call("concat", np.concatenate, ([x, normal(2, 3, 1)],), {"axis": a}, smooth=True) for a in (2, -1)],
        Call("concat", lambda arrays, axis: np.concatenate(arrays, axis), ([x, y],), {"axis": None}),
        Call("concat", np.concatenate, ([whole(2), normal(3, dtype="float32")],)),
        *[Call("stack", np.stack, ([y, normal(3, 3)],), {"axis": a}, smooth=True) for a in (0, 1, -1)],
        *[Call("repeat", np.repeat, (x, 2), {"axis": a}, smooth=True) for a in (None, 0, -1)],
        *[Call("repeat", np.repeat, (x, [2, 0, 3]), {"axis": a}) for a in (1, -2)],
        Call("repeat", np.repeat, (y, [3]), {"axis": 0}),
        *[Call("tile", np.tile, (y, r), smooth=True) for r in (2, (2, 1), (2, 1, 3), ())],
        Call("split", np.split, (normal(6, 2), 3)),
        Call("split", np.split, (normal(6, 2), [1, 4])),
        Call("split", np.split, (normal(2, 6), 2), {"axis": -1}),
        Call("unstack", lambda x, axis=0: [np.take(x, i, axis) for i in range(x.shape[axis])], (x,), {"axis": 1}),
        Call("diagonal", lambda x, offset=0: np.diagonal(x, offset, -2, -1), (x,), {"offset": 1}, smooth=True),
        Call("diagonal", lambda x, offset=0: np.diagonal(x, offset, -2, -1), (x,), {"offset": -1}, smooth=True),
        *[
            Call(n, f, (x,), {"k": k}, smooth=True)
            for n, f in (("tril", np.tril), ("triu", np.triu))
            for k in (-1, 0, 2)
        ],
        Call("where", np.where, (np.array([True, False, True]), normal(3), 2.0)),
        Call("where", np.where, (np.array([[True], [False]]), whole(3), normal(2, 1))),
        *[Call("clip", np.clip, (SPECIAL, low, high)) for low, high in ((-1.0, 1.0), (0.0, None), (None, 2.0))],
        Call("clip", np.clip, (normal(3), np.array([0.1, -0.2, 0.3]), 0.5)),
        Call("clip", np.clip, (whole(9), -2, 3)),
        Call("astype", lambda x, dtype: x.astype(dtype), (normal(4), "float32"), smooth=True),
        Call("astype", lambda x, dtype: x.astype(dtype), (whole(4), "int8")),
        Call("astype", lambda x, dtype: x.astype(dtype), (normal(4) * 3, "int32")),
        Call("astype", lambda x, dtype: x.astype(dtype), (normal(4), "bool")),
    ]


def _made() -> list[Call]:
    return [
        Call("meshgrid", np.meshgrid, (normal(2), normal(3)), {"indexing": "ij"}),
        Call("meshgrid", np.meshgrid, (normal(2), normal(3))),
        Call("arange", np.arange, (5,)),
        Call("arange", np.arange, (2, 11, 3)),
        Call("arange", np.arange, (1.0, 2.0, 0.25)),
        Call("arange", np.arange, (5, 0, -2)),
        Call("arange", np.arange, (3,), {"dtype": "float32"}),
        Call("linspace", np.linspace, (0.0, 1.0, 7)),
        Call("linspace", np.linspace, (0.0, 1.0, 4), {"endpoint": False}),
        Call("linspace", np.linspace, (3.0, -1.0, 1)),
        Call("linspace", np.linspace, (normal(2), normal(2), 5), smooth=True),
        Call("linspace", np.linspace, (normal(2, 3), normal(3), 4, False), {"axis": -1}, smooth=True),
        Call("linspace", np.linspace, (0, 9, 4), {"dtype": "int32"}),
        *[
            Call("eye", lambda n, m=None, k=0: np.eye(n, m, k), args, {"k": k})
            for args in ((3,), (2, 4))
            for k in (-1, 0, 1)
        ],
        *[Call(n, f, ((2, 3),)) for n, f in (("zeros", np.zeros), ("ones", np.ones))],
        *[Call(n, f, (4,), {"dtype": "int8"}) for n, f in (("zeros", np.zeros), ("ones", np.ones))],
        *[Call(n, f, (whole(2, 3),)) for n, f in (("zeros_like", np.zeros_like), ("ones_like", np.ones_like))],
        Call("empty", np.zeros, ((2, 3),)),
        Call("empty_like", np.zeros_like, (normal(2, 3),)),
        Call("full", np.full, ((2, 3), 7)),
        Call("full", np.full, ((2,), 0.5), {"dtype": "float32"}),
        Call("full_like", np.full_like, (normal(2), 3)),
        Call("iota", lambda dtype, shape, axis: np.indices(shape)[axis].astype(dtype), ("int32", (2, 3), 1)),
        Call("asarray", np.asarray, ([[1, 2], [3, 4]],)),
        Call("asarray", np.asarray, ([1, 2.5],), {"dtype": "float32"}),
        Call("asarray", np.asarray, ([True, False],)),
        Call("asarray", np.asarray, ([1j, 2],)),
    ]


def _products() -> list[Call]:
    a, b = normal(2, 3), normal(3, 4)
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (6, 3, 4)),
        ((3,), (5, 3, 2)),
    ]
    specs = [
        ("ij,jk->ik", a, b),
        ("ij,jk", a, b),
        ("ij->ji", a),
        ("ij->", a),
        ("ii->i", normal(3, 3)),
        ("ii", normal(3, 3)),
        ("i,j->ij", normal(2), normal(3)),
        ("bij,bjk->bik", normal(5, 2, 3), normal(5, 3, 4)),
        ("...ij,...jk->...ik", normal(5, 2, 3), normal(3, 4)),
        ("ij,jk,kl->il", a, b, normal(4, 2)),
        ("ij,ij->i", a, normal(2, 3)),
        ("abc,cd,be->ade", normal(2, 3, 4), normal(4, 2), normal(3, 2)),
    ]
    return [
        Call("matmul", np.matmul, (a, b), smooth=True),
        *[Call("matmul", np.matmul, (normal(*s), normal(*t))) for s, t in shapes],
        *[Call("matmul", np.matmul, (whole(3, 4, dtype=d), whole(4, 2, dtype=d))) for d in INTEGERS],
        Call("matmul", np.matmul, (COMPLEX.reshape(4, 4), COMPLEX.reshape(4, 4)[::-1])),
        *[
            Call("tensordot", np.tensordot, (normal(2, 3, 4), normal(3, 4, 5)), {"axes": axes}, smooth=True)
            for axes in (2, ((1, 2), (0, 1)), ((-1,), (1,)))
        ],
        Call("tensordot", np.tensordot, (normal(2), normal(3)), {"axes": 0}),
        Call("vecdot", np.vecdot, (normal(2, 3), normal(3)), smooth=True),
        Call("vecdot", np.vecdot, (COMPLEX.reshape(4, 4), COMPLEX.reshape(4, 4)[::-1])),
        Call("outer", np.outer, (normal(2), normal(3)), smooth=True),
        *[Call("einsum", np.einsum, spec, smooth=True) for spec in specs],
        Call(
            "dot_general",
            lambda x, y, c, b: np.einsum("bij,bjk->bik", x, y),
            (normal(5, 2, 3), normal(5, 3, 4), ((2,), (1,)), ((0,), (0,))),
        ),
        *[
            Call(
                "trace", lambda x, offset=0: np.trace(x, offset, -2, -1), (normal(4, 2, 3),), {"offset": k}, smooth=True
            )
            for k in (0, 1)
        ],
    ]


def _slices() -> list[Call]:
    x = normal(4, 5)

    def window(x: Any, starts: Any, sizes: Any) -> Any:
        first = [min(max(s, 0), n - size) for s, n, size in zip(starts, x.shape, sizes, strict=True)]
        return x[tuple([slice(s, s + size) for s, size in zip(first, sizes, strict=True)])]

    def updated(x: Any, update: Any, starts: Any) -> Any:
        out = x.copy()
        window(out, starts, update.shape)[...] = update
        return out

    def along(x: Any, start: int, size: int, axis: int = 0) -> Any:
        starts, sizes = [0] * x.ndim, list(x.shape)
        starts[axis], sizes[axis] = start, size
        return window(x, starts, sizes)

    def update_along(x: Any, update: Any, start: int, axis: int = 0) -> Any:
        starts = [0] * x.ndim
        starts[axis] = start
        return updated(x, update, starts)

    return [
        *[Call("dynamic_slice", window, (x, s, (2, 3)), smooth=True) for s in ((1, 1), (3, 4), (-5, 0))],
        *[Call("dynamic_update_slice", updated, (x, normal(2, 2), s), smooth=True) for s in ((1, 1), (3, 4))],
        Call("dynamic_slice_in_dim", along, (x, 1, 2), {"axis": 1}, smooth=True),
        Call("dynamic_index_in_dim", lambda x, i, axis=0: np.take(x, [i], axis), (x, 2), {"axis": 1}, smooth=True),
        Call("dynamic_update_slice_in_dim", update_along, (x, normal(2, 5), 1), {"axis": 0}, smooth=True),
        Call("dynamic_update_index_in_dim", update_along, (x, normal(1, 5), 2), {"axis": 0}, smooth=True),
    ]


ARRAYS: Final = [*_reductions(), *_movement(), *_made(), *_products(), *_slices()]
