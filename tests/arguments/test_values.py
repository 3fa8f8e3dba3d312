"""Arguments that used to be taken for others, what may be said in several ways, and memory that there is not."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import (
    ArgumentError,
    DTypeError,
    EffaxError,
    OutOfMemoryError,
    ShapeError,
    TreeError,
)
from tests.arguments.nonsense import cyclic
from tests.errors.untyped import fx, grad, handlers, jit, lowering, make_jaxpr, scan, vmap

X = fx.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
MASKED = np.ma.masked_array([1.0, 2.0], [True, False])


REFUSED: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    (ArgumentError, "sum: keepdims must be True or False", lambda: jit(lambda x: fx.sum(x, keepdims="no"))(X)),
    (ArgumentError, "sum: axis must be an int, got True", lambda: X.sum(True)),
    (ArgumentError, "transpose: an entry of axes must be an int, got True", lambda: X.transpose(True, 0)),
    (ArgumentError, "reshape: an entry of shape must be an int, got 3.0", lambda: [X.reshape(3, 2), X.reshape(3.0, 2)]),
    (DTypeError, "sum: dtype float32 would drop the imaginary part", lambda: fx.sum(1j * X, dtype=fx.float32)),
    (DTypeError, "asarray: dtype float64 would drop", lambda: fx.asarray(np.array([1j]), dtype=fx.float64)),
    (DTypeError, "complex: real and imag must be real numbers", lambda: fx.complex(1j, 2)),
    (ArgumentError, "obj = nan does not fit int32", lambda: fx.asarray(float("nan"), dtype=fx.int32)),
    (ArgumentError, "x is a masked array", lambda: fx.add(MASKED, 1.0)),
    (ArgumentError, "obj holds a masked array", lambda: fx.asarray([MASKED])),
    (ArgumentError, "argument x is a masked array", lambda: jit(lambda x: x)(MASKED)),
    (ArgumentError, "eval_shape: argument x is a masked array", lambda: handlers.eval_shape(lambda x: x, MASKED)),
    (ShapeError, "matvec: x1 must be of matrices, of at least two axes, got float64[3]", lambda: fx.matvec(X[0], X)),
    (ShapeError, "vecmat: x2 must be of matrices, of at least two axes", lambda: fx.vecmat(X, X[0])),
    (ArgumentError, "digitize: bins must ascend or descend", lambda: fx.digitize(X, fx.asarray([1, 3, 2]))),
    (ArgumentError, "pad: mode must be 'constant', 'edge'", lambda: fx.pad(X, 1, mode="edges")),
    (
        DTypeError,
        "einsum: dtype float32 would drop",
        lambda: fx.einsum("ij->i", 1j * X, preferred_element_type=fx.float32),
    ),
    (ArgumentError, "asarray: obj is nested too deeply", lambda: fx.asarray(cyclic())),
    (TreeError, "nested too deeply, or contains itself", lambda: jit(lambda x: x)(cyclic())),
    (TreeError, "deeply, or contains itself", lambda: vmap(lambda x: x, in_axes=(cyclic(),))(X)),
    (ShapeError, "source (0, 0) name axis 0", lambda: fx.moveaxis(X, (0, 0), (0, 1))),
    (ShapeError, "pad_width ((1,), (1, 2)) does not fit", lambda: fx.pad(X, ((1,), (1, 2)))),
    (ShapeError, "which no memory can hold", lambda: fx.tile(X, 2**100)),
    (ShapeError, "which no memory can hold", lambda: jit(lambda x: fx.broadcast_to(x, (2**62,)))(1.0)),
    (ArgumentError, "scan: length must be less than 2**63", lambda: scan(lambda c, _: (c, None), 0.0, length=10**30)),
    (OutOfMemoryError, "not enough memory", lambda: fx.ones(2**45) + 1),
    (OutOfMemoryError, "eye gives float64[1048576,1048576], for which there is not enough", lambda: fx.eye(2**20)),
    (ShapeError, "eye: an array float64 of shape [8589934592, 8589934592] would take", lambda: fx.eye(2**33)),
    (OutOfMemoryError, "diag gives bool[1048576,1048576], for which there is not", lambda: fx.diag(fx.ones(2**20))),
    (OutOfMemoryError, "tril_indices: there is not enough memory", lambda: fx.tril_indices(2**33, 0, 2**33)),
    (
        OutOfMemoryError,
        "bincount gives int32[35184372088833], for which there is not",
        lambda: fx.bincount(fx.asarray([2**45])),
    ),
    (
        OutOfMemoryError,
        "median gives float64[3], for which there is not enough memory",
        lambda: fx.median(fx.ones(2**40)),
    ),
    (OutOfMemoryError, "kaiser: there is not enough memory", lambda: fx.kaiser(2**45, 1.0)),
    (OutOfMemoryError, "copy: there is not enough memory", lambda: fx.copy(fx.ones(2**45))),
    (OutOfMemoryError, "asarray: there is not enough", lambda: fx.asarray(np.broadcast_to(1.0, (2**45,)), copy=True)),
    (
        OutOfMemoryError,
        "there is not enough memory: Unable to allocate 8.00 TiB",
        lambda: handlers.jacrev(lambda x: 2 * x)(fx.ones(2**20)),
    ),
    (OutOfMemoryError, "x.tolist(): there is not enough memory", lambda: fx.ones(2**45).tolist()),
    (ArgumentError, "vander: N must be at most 65536, got", lambda: fx.vander(X[0], 2**40)),
    (ArgumentError, "polyint: m must be at most 65536, got", lambda: fx.polyint(X[0], 2**40)),
    (ArgumentError, "polyfit: deg must be at most 65536, got", lambda: fx.polyfit(X[0], X[0], 2**40)),
    (ArgumentError, "multigammaln: d must be at most 65536", lambda: fx.special.multigammaln(X, 2**40)),
    (
        ArgumentError,
        "fori_loop: unroll must be at most",
        lambda: handlers.fori_loop(0, 2**40, lambda i, c: c, 0.0, unroll=True),
    ),
    (
        ArgumentError,
        "initialize: processes must be from 1 to",
        lambda: lowering.distributed.initialize("localhost:1", 2**40, process=0),
    ),
    (OutOfMemoryError, "more memory than there is", lambda: jit(lambda: fx.ones(2**45) + 1)()),
    (ArgumentError, "prevent_cse must be True or False", lambda: handlers.checkpoint(abs, prevent_cse=(False, False))),
    (ArgumentError, "nondiff_argnums names argument 7", lambda: handlers.custom_jvp(lambda x: x, nondiff_argnums=7)),
]


@pytest.mark.parametrize(("kind", "words", "attempt"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, attempt: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kind) as caught:
            attempt()
    assert words in caught.value.message


def test_what_may_be_said_otherwise() -> None:
    one = np.int8(1)
    assert fx.moveaxis(X, [0], [1]).shape == fx.moveaxis(X, fx.asarray(0), np.array([1])).shape == (3, 2)
    assert fx.sum(X, axis=[0, one]).shape == fx.sum(X, axis=(fx.asarray(0), 1)).shape == ()
    assert fx.reshape(X, np.array([3, 2])).shape == fx.zeros(fx.asarray([3, 2])).shape == (3, 2)
    assert fx.tensordot(X, X, axes=[[0, 1], (0, 1)]).shape == fx.dot_general(X, X, [[0, 1], [0, 1]]).shape == ()
    assert fx.sum(X, axis=0, keepdims=np.True_).shape == (1, 3)
    assert fx.all(fx.triu(X, k=-(10**30)) == X) and not fx.any(fx.eye(3, k=2**100))


def test_what_other_libraries_say_besides() -> None:
    assert fx.pad(X, 1, "constant", constant_values=2).shape == (4, 5)
    assert fx.all(fx.einsum("ij,ij->i", X, X, optimize="optimal") == fx.sum(X * X, axis=1))
    many = fx.full(10_000, 0.1, dtype=fx.bfloat16)
    wide = fx.einsum("i,i->", many, many, preferred_element_type=fx.float32)
    assert wide.dtype is fx.float32
    assert float(wide) == pytest.approx(10_000 * float(many[0]) ** 2, rel=1e-6)


@pytest.mark.parametrize("run", [lambda f: f, jit, lambda f: lambda x: vmap(f)(x)])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_integers_compare_with_numbers_that_they_cannot_hold(name: str, dtype: str, run: Any) -> None:
    compare, host = getattr(operator, name), np.array([0, 1, 100], dtype)
    x = fx.asarray(host)
    for number in (1000, -1, -1000, 2**31, 2**64, -(2**70), 2**100):
        for given, expected in (
            (run(lambda x, n=number: compare(x, n))(x), compare(host.astype(object), number)),
            (run(lambda x, n=number: compare(n, x))(x), compare(number, host.astype(object))),
        ):
            assert given.dtype is fx.bool and np.asarray(given).tolist() == expected.tolist()


def test_names_are_kept() -> None:
    class Model:
        def __call__(self, x: Any) -> Any:
            return x * 2

    transformations = (grad, vmap, jit, make_jaxpr, handlers.checkpoint, handlers.jacfwd, handlers.value_and_grad)
    for transformation in transformations:
        assert transformation(Model()).__name__ == "Model"
        assert transformation(functools.partial(fx.add, 1.0)).__name__ == "add"
        assert transformation(fx.sin).__name__ == "sin"
    assert "module @Model" in lowering.lower(Model(), X).as_text()
