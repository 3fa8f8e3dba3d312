"""What Python and NumPy do with an array, and what arrays of other libraries have: an error that says what to write."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter

import numpy as np
import pytest

from effects.errors import (
    ArgumentError,
    DTypeError,
    EffaxError,
    OutOfBoundsError,
    UnhashableError,
    UnknownAttribute,
    UnknownImport,
)
from effects.runtime.spellings import LIBRARIES, names_of, spellings
from tests.errors.expect import refusal
from tests.errors.untyped import fx, handlers, jit, lowering

policies = handlers.checkpoint_policies

x3, one, none = fx.asarray([1.0, 2.0, 3.0]), fx.asarray(1.5), fx.zeros(0)


def assign() -> None:
    x3[0] = 1.0  # here


REFUSED: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    (UnknownAttribute, "arrays have no `.sort`: arrays are immutable", lambda: x3.sort()),
    (UnknownAttribute, "there is one namespace", lambda: fx.lax.scan),
    (UnknownAttribute, "module 'effects.nn' has no `tanh`: write from effects import tanh", lambda: fx.nn.tanh),
    (UnknownAttribute, "module 'effects.nn' has no `Tanh`: write from effects import tanh", lambda: fx.nn.Tanh),
    (UnknownAttribute, "module 'effects' has no `cholesky`: write linalg.cholesky", lambda: fx.cholesky),
    (UnknownAttribute, "module 'handlers' has no `gelu`: write nn.gelu, of effects", lambda: handlers.gelu),
    (UnknownAttribute, "arrays have no `.isnan`: write isnan(x), of effects", lambda: x3.isnan()),
    (UnknownAttribute, "arrays have no `.det`: write linalg.det(x)", lambda: x3.det()),
    (
        UnknownAttribute,
        "module 'effects.nn' has no `Linear`: there are no layers here; write x @",
        lambda: fx.nn.Linear,
    ),
    (UnknownAttribute, "module 'effects.nn' has no `BatchNorm2d`: write batch_norm", lambda: fx.nn.BatchNorm2d),
    (UnknownAttribute, "module 'effects.nn' has no `LeakyReLU`: write leaky_relu", lambda: fx.nn.LeakyReLU),
    (UnknownAttribute, "has no `.step`: it holds nothing; write updates, state =", lambda: fx.optim.sgd(0.1).step()),
    (
        UnknownAttribute,
        "write shard_map(f, Mesh({name: n}), in_specs=name, out_specs=name), with Mesh",
        lambda: handlers.pmap,
    ),
    (UnknownAttribute, "write a function of the operation: first(op) or", lambda: policies.save_from_both_policies),
    (
        UnknownAttribute,
        "x.shape = v: arrays are immutable. Write x = x.reshape(v)",
        lambda: setattr(x3, "shape", (3, 1)),
    ),
    (UnknownAttribute, "Write x = complex(v, x.imag)", lambda: setattr(x3, "real", 1.0)),
    (UnknownAttribute, "x.ndim = v: arrays are immutable", lambda: setattr(x3, "ndim", 2)),
    (ArgumentError, "float32 is a dtype, not a function: write asarray(x, dtype=float32)", lambda: fx.float32(3)),
    (ArgumentError, "an array of rank 0 has no length", lambda: len(one)),
    (ArgumentError, "cannot be iterated over: float64[]", lambda: list(one)),
    (UnhashableError, "float64[3], cannot be hashed, since == compares its elements", lambda: hash(x3)),
    (UnhashableError, "a dictionary key", lambda: {x3: 1}),
    (ArgumentError, "equal: y must be an array or a number, got None", lambda: fx.equal(x3, None)),
    (ArgumentError, "test for None with `is`", lambda: fx.not_equal(x3, None)),
    (ArgumentError, "needs an array of one element, got float64[3]", lambda: bool(x3)),
    (ArgumentError, "needs an array of one element, got float64[0]", lambda: bool(none)),
    (ArgumentError, "one answer is any(x) or all(x)", lambda: 1 if x3 > 0 else 2),
    (ArgumentError, "write & and | in place of `and` and `or`", lambda: (x3 > 0) and (x3 < 1)),
    (ArgumentError, "(a < x) & (x < b) in place of a < x < b", lambda: 0 < x3 < 1),
    (ArgumentError, "reduce it with any, all", lambda: float(x3)),
    (ArgumentError, "int(x) needs an array of one element", lambda: int(x3)),
    (ArgumentError, "x.item() needs an array of one element", lambda: x3.item()),
    (ArgumentError, "only an integer array of rank 0", lambda: range(one)),
    (ArgumentError, "a format such as '.3f' is for one number", lambda: f"{x3:.3f}"),
    (ArgumentError, "from axis n on write x.reshape(*x.shape[:n], -1)", lambda: x3.flatten(1)),
    (DTypeError, "zeros: (Array", lambda: fx.zeros(3, dtype=(x3, x3))),
    (ArgumentError, "memoryview(x) is an array of uint8", lambda: fx.sin(b"abc")),
    (DTypeError, "view: -1 is not a dtype; for another shape write reshape(x, -1)", lambda: x3.view(-1)),
    (ArgumentError, "the program of a function is traced by trace, of lowering", lambda: fx.trace(jit(fx.sin), x3)),
    (ArgumentError, "round: decimals must be an int", lambda: x3.round(2.5)),
    (ArgumentError, "add: y must be an array or a number, got None", lambda: x3 + None),
    (ArgumentError, "add: x must be an array or a number, got None", lambda: None + x3),
    (ArgumentError, "subtract: y is not an array of numbers", lambda: x3 - ["a"]),
    (ArgumentError, "less: y must be", lambda: x3 < None),
    (ArgumentError, "'2024.12' or '2025.12', got '2020.1'", lambda: x3.__array_namespace__(api_version="2020.1")),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[case[1] for case in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


OWNERS: dict[str, object] = {
    "Array": x3,
    "Key": fx.random.key(0),
    "GradientTransformation": fx.optim.sgd(0.1),
    "Minimum": fx.optimize.minimize(lambda x: x * x, 1.0),
    "LineSearch": fx.optimize.line_search(lambda x: x * x, 1.0, -1.0),
    "Root": fx.optimize.root(lambda x: x - 1.0, 1.0),
    "LeastSquares": fx.optimize.least_squares(lambda x: x - 1.0, 1.0),
    "Solution": fx.integrate.solve_ivp(lambda t, y: -y, [0.0, 1.0], 1.0, mxstep=8),
    "KernelDensity": fx.stats.gaussian_kde(x3),
    "Shard": x3.shards[0],
    "Program": lowering.export(fx.sin, 1.0),
    "Jaxpr": (program := handlers.make_jaxpr(lambda x: x @ x)(x3)),
    "Eqn": program.eqns[0],
    "DotGeneral": program.eqns[0].op,
    "Convolution": handlers.make_jaxpr(fx.conv)(fx.ones((1, 1, 3)), fx.ones((1, 1, 2))).eqns[0].op,
}
TABLES = {owner for library in LIBRARIES for owner in names_of(library)}
IN_PLACE_OF = [(owner, name) for owner in sorted(TABLES) for name in spellings(owner)]
OWN = [import_module(name) for name in ("lowering", *(TABLES - OWNERS.keys()))]
USERS = {"f", "first", "g", "program", "second"}
"""Functions of the user's in what is to be written."""


@pytest.mark.parametrize(("owner", "name"), IN_PLACE_OF, ids=map(".".join, IN_PLACE_OF))
def test_what_is_to_be_written_is_there(owner: str, name: str) -> None:
    with pytest.raises(UnknownAttribute) as caught:
        getattr(OWNERS[owner] if owner in OWNERS else import_module(owner), name)
    words = spellings(owner)[name]
    assert caught.value.message.endswith(f"no `{'.' * (owner in OWNERS)}{name}`: {words}")
    for attribute in re.findall(r"(?:write|,) (?:result|shard|eqn|jaxpr|program|op)\.(\w+(?:\.\w+)?)", words):
        assert attrgetter(attribute)(OWNERS[owner]) is not None
    for module, wanted in re.findall(r"from (\w+) import (\w+)", words):
        assert hasattr({"handlers": handlers, "lowering": lowering}[module], wanted)
    for called in set(re.findall(r"(?<![\w.])(?:x\.)?(\w+)\(", words)) - USERS:
        assert any(hasattr(module, called) for module in (builtins, *OWN, *OWNERS.values())), called


def test_a_name_that_nobody_uses_is_unknown_as_in_python() -> None:
    for module in (fx, handlers, policies):
        with pytest.raises(AttributeError, match="has no attribute 'no_such_name'") as caught:
            module.no_such_name
        assert not isinstance(caught.value, EffaxError)
    with pytest.raises(AttributeError, match="has no attribute 'vmpa'") as near:
        handlers.vmpa
    assert near.value.obj is handlers and near.value.name == "vmpa"  # Python suggests vmap
    with pytest.raises(AttributeError, match="has no attribute 'unifrom'") as near:
        fx.random.unifrom
    assert near.value.obj is fx.random
    with pytest.raises(AttributeError, match="has no attribute 'fft4'"):
        fx.fft.fft4


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("from effects import exp, grad", "module 'effects' has no `grad`: write from handlers import grad"),
        ("from handlers import jit as compiled", "module 'handlers' has no `jit`: write from lowering import jit"),
        ("from effects.random import PRNGKey", "module 'effects.random' has no `PRNGKey`: write key"),
        ("from effects.linalg import cg", "module 'effects.linalg' has no `cg`: write cg, of handlers"),
    ],
)
def test_an_import_of_what_is_elsewhere_says_where(line: str, advice: str) -> None:
    with pytest.raises(UnknownImport, match=re.escape(advice)) as caught:
        exec(line)
    assert isinstance(caught.value, ImportError)
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'"):
        exec("from effects import no_such_name")


def test_every_public_name_of_another_package_is_known() -> None:
    packages = (fx, handlers, lowering)
    for module in packages:
        for other in packages:
            for name in module.__all__:
                if not hasattr(other, name):
                    with pytest.raises(UnknownAttribute, match=rf"write from \w+ import {name}\b"):
                        getattr(other, name)


def test_arrays_are_immutable() -> None:
    refusal(ArgumentError, "x[0] = …", "immutable", "x = x.at[0].set(", of=assign)
    before = x3.tolist()
    x = x3
    x += 1
    assert x3.tolist() == before and x.tolist() == [2.0, 3.0, 4.0]


def write_to_numpy() -> None:
    a = np.ones(3)
    a += x3  # here


def test_a_numpy_array_is_not_written_to() -> None:
    refusal(ArgumentError, "numpy.add cannot write", "a = a + x", of=write_to_numpy)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x3)[0] = 5.0


def test_an_index_out_of_bounds_is_an_index_error_too() -> None:
    with pytest.raises(IndexError):
        x3[5]
    with pytest.raises(IndexError):
        fx.sum(x3, axis=4)
    refusal(OutOfBoundsError, "index -4", of=lambda: x3[-4])


def test_what_works() -> None:
    for other in (copy.copy(x3), copy.deepcopy({"a": x3})["a"], pickle.loads(pickle.dumps(x3))):
        assert other.tolist() == x3.tolist() and other.dtype is fx.float64
    weak = pickle.loads(pickle.dumps(fx.sin(1.0)))
    assert weak.aval is fx.sin(1.0).aval
    assert (np.ones(3) + x3).tolist() == (x3 + np.ones(3)).tolist() == [2.0, 3.0, 4.0]
    assert isinstance(np.ones(3) - x3, fx.Array) and (np.ones(3) - x3).tolist() == [0.0, -1.0, -2.0]
    assert (np.ones(3) < x3).tolist() == [False, True, True]
    assert (np.ones((2, 3)) @ x3).tolist() == [6.0, 6.0]
    assert (np.float32(2) * x3).dtype is fx.float64 and (np.float64(2) ** one).tolist() == 2**1.5
    assert (np.arange(3) // fx.asarray(2)).tolist() == [0, 0, 1] and (np.arange(3) << fx.asarray(1)).tolist() == [
        0,
        2,
        4,
    ]
    assert fx.add(np.ones(3), 1).tolist() == [2.0, 2.0, 2.0]
    assert 2.0 in x3 and 7.0 not in x3
    assert range(fx.asarray(3)) == range(3) and [10, 20][fx.asarray(1)] == 20
    assert f"{one:.3f} {one} {x3}" == "1.500 1.5 Array([1., 2., 3.], float64)"
    assert round(one).tolist() == 2.0
    quotient, remainder = divmod(fx.asarray([7, -7]), 2)
    assert (quotient.tolist(), remainder.tolist()) == ([3, -4], [1, 1])
    assert [part.tolist() for part in divmod(7, fx.asarray(2))] == [3, 1]
    assert fx.array([1, 2]).tolist() == [1, 2] and x3.nbytes == 24
    assert (fx.bool.name, fx.bfloat16.name, fx.bfloat16.itemsize) == ("bool", "bfloat16", 2)
    assert x3.reshape((fx.asarray(3),)).shape == (3,) and x3[fx.asarray(1) :].shape == (2,)
    assert jit(lambda x: copy.deepcopy({"a": x})["a"] + copy.copy(x))(1.0).tolist() == 2.0


def test_axes_and_shapes_are_given_as_in_numpy() -> None:
    x = fx.asarray(np.arange(6.0).reshape(2, 3))
    for transposed in (x.transpose(), x.transpose(1, 0), x.transpose((1, 0)), x.transpose([-1, 0]), np.transpose(x)):
        assert transposed.tolist() == x.T.tolist()
    assert x.reshape([3, 2]).tolist() == x.reshape(3, -1).tolist() == np.reshape(x, (3, 2)).tolist()


def test_numpy_takes_arrays_in() -> None:
    assert np.result_type(x3, np.float32) == np.dtype(x3) == np.float64
    assert np.dtype(fx.ones(1, dtype=fx.bfloat16)).itemsize == 2
    assert jit(lambda x: x.astype(np.result_type(x, np.float32)))(fx.ones(1, dtype=fx.float16)).dtype is fx.float32
    np.testing.assert_allclose(np.stack([x3, x3]), [x3, x3])
    assert not hasattr(x3, "sort") and np.take(x3, [0, 1, 2]).tolist() == x3.tolist()


@pytest.mark.parametrize("name", ["float64", np.float64, np.dtype("float64"), fx.float64])
def test_dtypes_compare_with_numpys(name: object) -> None:
    assert x3.dtype == name and name == x3.dtype
    assert x3.dtype != fx.float32 and x3.dtype != np.float32 and x3.dtype != "int8"
    assert x3.dtype != 3 and x3.dtype != None  # noqa: E711
    assert {fx.float32: 1}[fx.float32] == 1
