"""Calls of the functions that have their names and meaning from NumPy alone, with what NumPy gives."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, INTEGERS, SPECIAL, Call, normal, whole

_PAIRS: Final = tuple(np.meshgrid(SPECIAL, SPECIAL))
_SMALL: Final = np.array([-2.3, -0.7, 0.4, 1.2, 3.1])
_EMPTY: Final = np.zeros((2, 0))


def _fmod(x: Any, y: Any) -> Any:
    """NumPy's, and of integers x for y = 0, as `remainder` has it."""
    with np.errstate(all="ignore"):
        return np.fmod(x, y)


def _numbers() -> list[Call]:
    a, b = np.array([7, -7, 5, -5, 0]), np.array([2, 2, -3, -3, 4])
    unary = ("fabs", "rint", "deg2rad", "rad2deg", "sinc", "nan_to_num")
    binary = ("fmax", "fmin", "fmod", "heaviside", "logaddexp2")
    return [
        *[Call(n, getattr(np, n), (_SMALL,), smooth=True) for n in unary],
        *[Call(n, getattr(np, n), (SPECIAL,), about="special") for n in unary if n != "sinc"],
        *[Call(n, getattr(np, n), (_SMALL.astype("float32"),)) for n in unary],
        *[Call(n, getattr(np, n), (_EMPTY,)) for n in unary],
        *[Call(n, getattr(np, n), (whole(5),)) for n in unary],
        Call("sinc", np.sinc, (np.array([0.0, 1.0, -0.5, 1e-9]),)),
        Call("nan_to_num", np.nan_to_num, (SPECIAL,), {"nan": 1.0, "posinf": 7.0, "neginf": -8.0}),
        Call("nan_to_num", np.nan_to_num, (np.array([np.nan + 1j, np.inf - 1j * np.inf]),)),
        *[Call(n, getattr(np, n), (np.array([1.3, -0.6, 2.2]), np.array([[0.7], [1.9]])), smooth=True) for n in binary],
        *[Call(n, getattr(np, n), _PAIRS, about="special") for n in binary if n != "logaddexp2"],
        Call("logaddexp2", np.logaddexp2, (SPECIAL[:8], SPECIAL[:8, None])),
        *[Call(n, getattr(np, n), (a, b)) for n in ("fmax", "fmin", "fmod", "divmod", "float_power")],
        *[Call("fmod", _fmod, (whole(5, dtype=d), np.array([1, 2, 3, 4, 5], d)), about=d) for d in INTEGERS],
        Call("divmod", np.divmod, (_SMALL, 0.7)),
        Call("float_power", np.float_power, (np.abs(_SMALL), np.array([0.3, 2, -1, 0.5, 3])), smooth=True),
        Call("float_power", np.float_power, (COMPLEX[:4], 2)),
        Call("modf", np.modf, (_SMALL,), smooth=True),
        Call("modf", np.modf, (SPECIAL,)),
        Call("ldexp", np.ldexp, (_SMALL, np.array([3, -2, 0, 10, -1]))),
        Call("ldexp", np.ldexp, (SPECIAL, np.array(-900))),
        Call("ldexp", np.ldexp, (np.array([2.0**-1000, 1.0, -1.5]), np.array([2000, 1023, -1000]))),
        Call("frexp", np.frexp, (_SMALL,)),
        Call("frexp", np.frexp, (SPECIAL,)),
        Call("frexp", np.frexp, (np.array([2.0**-1022, 3e-300, 1.7e308, 1 - 2**-53, 8.0]),)),
        Call("frexp", np.frexp, (_SMALL.astype("float32"),)),
        Call("angle", np.angle, (COMPLEX,)),
        Call("angle", np.angle, (COMPLEX,), {"deg": True}),
        Call("angle", np.angle, (_SMALL,)),
        Call("unwrap", np.unwrap, (np.linspace(0, 30, 9).reshape(3, 3) % 6.28,), smooth=True),
        Call("unwrap", np.unwrap, (np.array([0.0, 3, 6, 9, 2]) % 4,), {"period": 4.0}),
        Call("unwrap", np.unwrap, (normal(4, 3) * 9,), {"axis": 0, "discont": 4.0}),
        Call("unwrap", np.unwrap, (np.zeros((2, 1)),)),
        Call("unwrap", np.unwrap, (np.array([0, 3, 2, 1, 7, 5, -9], np.int32),), {"period": 4}),
        Call("unwrap", np.unwrap, (np.array([[0, 9, 2], [1, 7, 4], [-5, 30, 6]]),), {"period": 5, "axis": 0}),
        Call("unwrap", np.unwrap, (np.array([0, 9, 2, 1, 7, 5], np.int8),), {"period": 6, "discont": 4.5}),
        Call("unwrap", np.unwrap, (np.array([0, 9, 2, 100, -100], np.int8),), {"period": 6, "discont": np.inf}),
        Call("unwrap", np.unwrap, (np.array([0, 9, 2, 100, -100], np.int8),), {"period": 6, "discont": 200}),
        Call("unwrap", np.unwrap, (np.array([0, 9, 2]),)),
    ]


def _questions() -> list[Call]:
    near = np.array([1.0, 1.0 + 1e-9, np.nan, np.inf, -np.inf, 1e30, 0.0])
    other = np.array([1.0, 1.0, np.nan, np.inf, np.inf, 1e30 * (1 + 1e-6), 1e-9])
    calls = [
        Call(n, getattr(np, n), args, options)
        for n in ("isclose", "allclose")
        for args in ((near, other), (near[:2], other[:2]), (whole(4), whole(4)), (near, 1.0))
        for options in ({}, {"equal_nan": True}, {"rtol": 0.1, "atol": 0.5})
    ]
    same = ((near, near), (near[:2], near[:2]), (near, near[:3]), (whole(3), np.ones((2, 3))), (_EMPTY, _EMPTY))
    return [
        *calls,
        *[Call(n, getattr(np, n), pair) for n in ("array_equal", "array_equiv") for pair in same],
        Call("array_equal", np.array_equal, (near, near), {"equal_nan": True}),
        Call("array_equiv", np.array_equiv, (np.ones((2, 3)), np.ones(3))),
        *[Call(n, getattr(np, n), (x,)) for n in ("iscomplex", "isreal") for x in (COMPLEX, COMPLEX.real + 0j, near)],
        *[Call(n, getattr(np, n), (x,)) for n in ("isneginf", "isposinf") for x in (SPECIAL, whole(3))],
    ]


def _joining() -> list[Call]:
    x, y, v = normal(2, 3), normal(2, 3), normal(3)
    stacks = ("vstack", "hstack", "dstack", "column_stack")
    return [
        *[Call(n, getattr(np, n), ([x, y],), smooth=True) for n in stacks],
        *[Call(n, getattr(np, n), ([v, normal(3)],)) for n in stacks],
        Call("vstack", np.vstack, ([x, v, whole(3)],)),
        *[
            Call(f"atleast_{n}d", getattr(np, f"atleast_{n}d"), (normal(*shape),), smooth=True)
            for n in (1, 2, 3)
            for shape in ((), (2,), (2, 3), (2, 3, 1), (1, 2, 1, 2))
        ],
        Call("atleast_2d", np.atleast_2d, (v, x)),
        Call("block", np.block, ([[x, y], [normal(1, 3), normal(1, 3)]],), smooth=True),
        Call("block", np.block, ([v, normal(2)],)),
        Call("append", np.append, (x, v), smooth=True),
        Call("append", np.append, (x, y), {"axis": 1}, smooth=True),
        *[Call("array_split", np.array_split, (normal(7, 2), n)) for n in (1, 3, 9)],
        Call("array_split", np.array_split, (normal(2, 5), [1, 3]), {"axis": 1}),
        Call("hsplit", np.hsplit, (normal(2, 4), 2)),
        Call("hsplit", np.hsplit, (normal(4), [1])),
        Call("vsplit", np.vsplit, (normal(4, 2), 2)),
        Call("dsplit", np.dsplit, (normal(1, 2, 4), [3])),
    ]


def _rearranged() -> list[Call]:
    x = normal(3, 4)
    return [
        *[Call("insert", np.insert, (x, p, 9.0)) for p in (0, 5, -1, [1, 1], [3, 0], slice(0, 4, 2))],
        *[Call("insert", np.insert, (x, p, normal(4)), {"axis": 0}, smooth=True) for p in (1, 3, [0, 3])],
        Call("insert", np.insert, (x, 1, normal(2, 3)), {"axis": 1}),
        Call("insert", np.insert, (x, [1, 2], normal(3, 2)), {"axis": 1}),
        *[Call("delete", np.delete, (x, p)) for p in (0, -1, [1, 3, 1], slice(None, None, 2), [])],
        *[Call("delete", np.delete, (x, p), {"axis": 1}, smooth=True) for p in (2, [0, -1], slice(0, 4))],
        *[Call("resize", np.resize, (x, shape), smooth=True) for shape in ((2, 2), (5, 4), 7, (0, 2))],
        Call("resize", np.resize, (_EMPTY, (2, 2))),
        Call("ravel", np.ravel, (x,), smooth=True),
        *[Call("rollaxis", np.rollaxis, (normal(2, 3, 4), a, s)) for a in (0, 2, -2) for s in (0, 1, 3)],
        *[Call("rot90", np.rot90, (x,), {"k": k}, smooth=True) for k in (-1, 0, 1, 2, 3)],
        Call("rot90", np.rot90, (normal(2, 3, 4),), {"axes": (2, 0)}),
        Call("fliplr", np.fliplr, (x,), smooth=True),
        Call("flipud", np.flipud, (x,), smooth=True),
    ]


def _filled(x: Any, value: Any, wrap: bool = False) -> Any:
    out = x.copy()
    np.fill_diagonal(out, value, wrap)
    return out


def _positions() -> list[Call]:
    x, v = normal(3, 4), normal(3)
    names = ("tril_indices", "triu_indices")
    return [
        *[Call("tri", np.tri, args) for args in ((3,), (2, 4), (0,), (3, 3, 1))],
        Call("tri", np.tri, (3,), {"dtype": "int32"}),
        Call("identity", np.identity, (3,)),
        *[Call(n, getattr(np, n), (3,), {"k": k, "m": m}) for n in names for k in (-1, 0, 1) for m in (None, 5)],
        *[Call(f"{n}_from", getattr(np, f"{n}_from"), (x,), {"k": 1}) for n in names],
        Call("diag_indices", np.diag_indices, (3, 3)),
        Call("diag_indices_from", np.diag_indices_from, (normal(2, 2),)),
        *[Call("diag", np.diag, (y,), {"k": k}, smooth=True) for y in (x, v) for k in (-2, 0, 1)],
        Call("diagflat", np.diagflat, (normal(2, 2),), {"k": -1}, smooth=True),
        *[Call("fill_diagonal", _filled, (y, 5.0), smooth=True) for y in (x, normal(5, 2), normal(2, 2, 2))],
        Call("fill_diagonal", _filled, (normal(7, 2), np.array([1.0, 2.0])), {"wrap": True}),
        *[Call("vander", np.vander, (v,), {"N": n, "increasing": i}) for n in (None, 2, 5) for i in (False, True)],
        *[Call("vander", np.vander, (whole(3, dtype=d),)) for d in ("int8", "uint64")],
        Call("indices", np.indices, ((2, 3),)),
        Call("indices", np.indices, ((2, 3),), {"sparse": True, "dtype": "int32"}),
        Call("ix_", np.ix_, (np.array([0, 2]), np.array([1]))),
        Call("ravel_multi_index", np.ravel_multi_index, ((np.array([0, 1]), np.array([2, 0])), (2, 3))),
        Call("ravel_multi_index", np.ravel_multi_index, ((np.array([4, -1]), np.array([2, 7])), (2, 3), "wrap", "F")),
        Call("unravel_index", np.unravel_index, (np.array([[0, 5], [3, 2]]), (2, 3))),
        Call("unravel_index", np.unravel_index, (np.array([4, 1]), (2, 3), "F")),
        Call("logspace", np.logspace, (0.0, 2.0, 5)),
        Call("logspace", np.logspace, (normal(2), normal(2), 3), {"base": 2.0, "endpoint": False}, smooth=True),
        *[
            Call(n, getattr(np, n), (np.array([1.0, 2]), np.array([3.0, 4]), 5), {"axis": 1})
            for n in ("geomspace", "logspace")
        ],
        *[Call("geomspace", np.geomspace, (1.0, 1000.0, n), {"endpoint": e}) for n in (1, 4) for e in (True, False)],
        Call("geomspace", np.geomspace, (np.array([1.0, 2]), np.array([9.0, 5]), 4), smooth=True),
    ]


def _chosen() -> list[Call]:
    x, a, b = np.array([-1.5, 0.5, 2.0, 3.0]), normal(4, 3), normal(3)
    mask = x > 1
    products = ("dot", "inner", "vdot")
    return [
        Call("select", lambda c, v, default=0: np.select(c, v, default), ([x < 0, mask], [x, x * x]), smooth=False),
        Call("select", np.select, ([mask], [x.astype("float32")], 2.0)),
        Call("piecewise", np.piecewise, (x, [x < 0, mask], [1.0, 2.0, 3.0])),
        Call("piecewise", np.piecewise, (x, [x < 0], [np.negative])),
        *[Call(n, getattr(np, n), (b, normal(3)), smooth=True) for n in products],
        *[Call(n, getattr(np, n), (COMPLEX[:3], COMPLEX[3:6])) for n in products],
        *[Call(n, getattr(np, n), (2.0, b)) for n in ("dot", "inner")],
        Call("dot", np.dot, (a, normal(2, 3, 2)), smooth=True),
        Call("inner", np.inner, (a, normal(2, 3)), smooth=True),
        Call("vdot", np.vdot, (a, normal(4, 3)), smooth=True),
        Call("matvec", np.matvec, (normal(2, 4, 3), b), smooth=True),
        Call("vecmat", np.vecmat, (COMPLEX[:4], normal(2, 4, 3))),
        *[Call("bitwise_count", np.bitwise_count, (whole(6, dtype=d),)) for d in INTEGERS],
        Call("bitwise_count", np.bitwise_count, (np.array([-(2**63), 2**63 - 1, 0, -1]),)),
        *[Call("view", np.ndarray.view, (normal(2, 4), d), about=d) for d in ("int64", "float32", "uint8", "bool")],
        *[Call("view", np.ndarray.view, (normal(2, 4), d), smooth=True) for d in ("complex128", "float64")],
        Call("view", np.ndarray.view, (COMPLEX[:4], "float64")),
        Call("view", np.ndarray.view, (np.array(1.5), "uint64")),
        Call("view", np.ndarray.view, (np.zeros((0, 4), "int16"), "complex64")),
        *[
            Call(n, getattr(np, n), (size,))
            for n in ("hanning", "hamming", "blackman", "bartlett")
            for size in (0, 1, 2, 7)
        ],
        *[Call("kaiser", np.kaiser, (size, 8.6)) for size in (0, 1, 7)],
    ]


OF_NUMPY: Final = [*_chosen(), *_numbers(), *_questions(), *_joining(), *_rearranged(), *_positions()]
