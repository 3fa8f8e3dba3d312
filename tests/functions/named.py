"""Calls of functions of NumPy's that take apart, compare and count: divisors, bits, products, what is extracted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, INTEGERS, SPECIAL, Call, normal, whole

_A: Final = np.array([[12, -18, 0, 7], [0, 2**40, -5, 0]])
_B: Final = np.array([8, 27, 0, -21])
_TRUE: Final = np.array([[1, 0, 0, 2, 0, 0, 0, 3, 1, 0, 1], [0] * 11, [1] * 11])
_BYTES: Final = np.array([[131, 7, 255], [0, 64, 18]], "uint8")
_PADDED: Final = np.pad(normal(2, 3), ((1, 2), (0, 2)))


def _integers() -> list[Call]:
    both = {"gcd": np.gcd, "lcm": np.lcm}
    return [
        *[Call(n, f, (_A, _B)) for n, f in both.items()],
        *[Call(n, f, (whole(4, 1, dtype=d), whole(5, dtype=d))) for n, f in both.items() for d in INTEGERS],
        *[Call(n, f, (np.zeros((0, 2), int), 3)) for n, f in both.items()],
        *[
            Call("packbits", np.packbits, (x,), {"axis": a, "bitorder": o})
            for x in (_TRUE, _TRUE > 0)
            for a, o in ((None, "big"), (0, "big"), (1, "little"), (-1, "big"))
        ],
        Call("packbits", np.packbits, (np.zeros(0, "int8"),)),
        *[
            Call("unpackbits", np.unpackbits, (_BYTES,), {"axis": a, "count": c, "bitorder": o})
            for a, c, o in ((None, None, "big"), (0, None, "little"), (1, 5, "big"), (-1, -3, "big"), (1, 30, "little"))
        ],
    ]


def _floats() -> list[Call]:
    ends = np.array([1.0, -1.0, 3e300, np.inf, np.nan, -np.inf, 0.1])
    return [
        Call("i0", np.i0, (np.linspace(-45, 45, 31),), smooth=True),
        Call("i0", np.i0, (np.array([0.0, 700.0, 1e-200, 20.0, -20.0, 20.0001]),)),
        Call("i0", np.i0, (whole(4),)),
        Call("spacing", np.spacing, (ends,)),
        Call("spacing", np.spacing, (np.array([1.0, -3.5, np.inf, 1e30], "float32"),)),
        *[
            Call("cross", np.cross, args, options, smooth=True)
            for args, options in (
                ((normal(3), normal(3)), {}),
                ((normal(2, 3), normal(3)), {}),
                ((normal(3, 4), normal(3, 4)), {"axis": 0}),
                ((normal(3, 4), normal(4, 3)), {"axisa": 0, "axisc": 0}),
                ((normal(5, 1, 3), normal(2, 3)), {"axisc": 1}),
            )
        ],
        Call("cross", np.cross, (whole(3), whole(2, 3))),
        Call("cross", np.cross, (COMPLEX[:3], normal(3))),
    ]


def _chosen() -> list[Call]:
    x = normal(3, 4)
    return [
        Call("apply_over_axes", np.apply_over_axes, (np.sum, normal(2, 3, 4), (0, 2)), smooth=False),
        Call("apply_over_axes", np.apply_over_axes, (np.cumsum, normal(2, 3), (-1,))),
        Call("fromfunction", np.fromfunction, (lambda i, j: i * 10 + j, (2, 3))),
        Call("fromfunction", np.fromfunction, (lambda i: i % 2 == 0, (5,)), {"dtype": int}),
        *[Call("sort_complex", np.sort_complex, (v,)) for v in (COMPLEX, x, whole(4, dtype="int8"), whole(3))],
        Call("where", np.where, (x > 0, x, 2.0)),
        Call("where", np.where, (whole(3), SPECIAL[:3], 1)),
    ]


def _said() -> list[Call]:
    """What NumPy's functions are told besides, and give besides."""
    x, y, v = normal(2, 3), whole(2, 3), normal(3)
    weights = np.abs(normal(2, 3))
    return [
        *[Call(n, getattr(np, n), ([x, y],), {"dtype": "float32"}) for n in ("concat", "stack", "vstack", "hstack")],
        Call("concat", np.concat, ([y, y > 0],), {"axis": None, "dtype": "int16"}),
        *[Call(f"{n}_like", getattr(np, f"{n}_like"), (x,), {"shape": (2, 0)}) for n in ("zeros", "ones")],
        Call("zeros_like", np.zeros_like, (y,), {"shape": 3, "dtype": "float32"}),
        Call("full_like", np.full_like, (y, 7), {"shape": (2, 2)}),
        *[Call("linspace", np.linspace, (x, v, n, e, True), smooth=n > 1) for n in (1, 2, 5) for e in (True, False)],
        Call("linspace", np.linspace, (whole(2), 3, 4), {"retstep": True, "dtype": int, "axis": -1}),
        *[
            Call("average", np.average, (x, a, w, True), {"keepdims": k}, smooth=True)
            for a in (None, 1)
            for w in (None, weights)
            for k in (False, True)
        ],
        Call("average", np.average, (y, 0, np.array([1, 2]), True)),
        *[Call("cumsum", _backwards(np.cumsum), (z,), {"axis": a, "reverse": True}) for z in (x, y) for a in (None, 0)],
        Call("cumprod", _backwards(np.cumprod), (x,), {"axis": 1, "reverse": True}, smooth=True),
    ]


def _backwards(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, reverse: np.flip(f(np.flip(x, axis), axis), axis)


def _known() -> list[Call]:
    """Calls whose arguments must be known."""
    x = normal(3, 4)
    many = normal(60)
    sets = ((whole(9), whole(8)), (whole(2, 3), whole(4)), (SPECIAL, SPECIAL[::-1]), (SPECIAL[:0], SPECIAL))
    return [
        *[Call("intersect1d", np.intersect1d, pair, {"return_indices": True}) for pair in sets],
        *[
            Call(n, getattr(np, n), (z, rule))
            for n in ("histogram", "histogram_bin_edges")
            for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")
            for z in (many, *([whole(40)] if rule != "stone" else []))  # which warns that it is not sure
        ],
        *[Call("histogram", np.histogram, (z, "auto", r)) for z in (many, many[:0]) for r in (None, (-1.0, 0.5))],
        Call("extract", np.extract, (x > 0, x)),
        Call("extract", np.extract, (whole(3, 4) % 2, x)),
        *[
            Call("trim_zeros", np.trim_zeros, (v, t))
            for v in (np.array([0, 0, 3, 0, 4, 0]), np.zeros(3))
            for t in "fbB"
        ],
        Call("trim_zeros", np.trim_zeros, (_PADDED,)),
        Call("trim_zeros", np.trim_zeros, (_PADDED,), {"axis": -1, "trim": "b"}),
        Call("trim_zeros", np.trim_zeros, (np.zeros((2, 2)),)),
        Call("real_if_close", np.real_if_close, (np.array([1 + 1e-14j, 2.0]),)),
        Call("real_if_close", np.real_if_close, (np.array([1 + 1e-3j, 2.0]),)),
        Call("real_if_close", np.real_if_close, (np.array([1 + 1e-3j, 2.0]),), {"tol": 0.1}),
        Call("real_if_close", np.real_if_close, (x,)),
        Call("delete", np.delete, (np.arange(12.0), np.array([[0, 3], [1, -1]]))),
        *[Call("where", np.where, (v,)) for v in (x > 0, whole(7), np.zeros((0, 2)), np.zeros((2, 2)))],
    ]


NAMED: Final = [*_integers(), *_floats(), *_chosen(), *_said()]
KNOWN: Final = _known()
