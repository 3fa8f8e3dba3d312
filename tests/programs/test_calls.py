"""Programs in files are called as the functions that they were: arguments, classes, transformations around them."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import value_and_grad, vjp
from lowering import export, jit, load_program
from tests.programs.test_refusals import Layer, Pair, X, saved


def several(a: Any, n: int, /, b: Any, c: Any = 1.0, *rest: Any, scale: Any, **more: Any) -> Any:
    return a + 10 * b + 100 * c + sum(rest) * 1000 + scale * n + sum([v for _, v in sorted(more.items())])


def test_a_program_is_called_as_the_function_is(tmp_path: Path) -> None:
    """But for what is static, which may be left out."""
    f = jit(several, static_argnums=1)
    wide = saved(export(f, 1.0, 3, 2.0, 3.0, 4.0, 5.0, scale=6.0, z=7.0), tmp_path)
    assert wide(1.0, 2.0, 3.0, 4.0, 5.0, scale=6.0, z=7.0) == several(1.0, 3, 2.0, 3.0, 4.0, 5.0, scale=6.0, z=7.0)
    with pytest.raises(
        fx.TreeError, match=r"was exported for the arguments a, b, c, args\[3\], args\[4\], scale, z, got"
    ):
        wide(1.0, 2.0, 3.0, scale=6.0)
    small = saved(export(f, 1.0, 3, b=2.0, scale=4.0), tmp_path)
    expected = several(1.0, 3, 2.0, scale=4.0)
    assert small(1.0, 2.0, 1.0, scale=4.0) == small(1.0, b=2.0, scale=4.0) == small(1.0, scale=4.0, b=2.0) == expected
    assert small(1.0, 2.0, scale=4.0, c=1.0) == saved(export(jit(small), 1.0, 2.0, scale=4.0), tmp_path)(
        1.0, scale=4.0, b=2.0
    )
    assert list(small.types) == ["a", "b", "scale"]
    later = saved(export(lambda x, y=None, z=None: x if z is None else x * z, 2.0, z=3.0), tmp_path)
    assert later(2.0, None, 3.0) == later(2.0, z=3.0) == later(z=3.0, x=2.0) == 6.0
    with pytest.raises(fx.ArgumentError, match="missing a required argument: 'z'"):
        later(2.0)


# -- derivatives ------------------------------------------------------------------------------------------------------


def energy(p: Any, x: Any, n: Any) -> Any:
    return fx.sum(fx.tanh(p["w"] * x) ** 2), n + 1


def test_it_composes_with_what_is_around_it(tmp_path: Path) -> None:
    p, n = {"w": fx.asarray(0.7)}, fx.asarray(3)
    f = saved(export(jit(energy), p, X, n, derivatives=1), tmp_path)

    def around(f: Any) -> Callable[..., Any]:
        def loss(p: Any, x: Any) -> Any:
            value, m = f({"w": p["w"] ** 2}, fx.exp(-x), n)
            return value * m

        return value_and_grad(loss, argnums=(0, 1))

    for here, there in ((around(f), around(energy)), (jit(around(f)), jit(around(energy)))):
        value, (of_p, of_x) = here(p, X)
        expected, (there_p, there_x) = there(p, X)
        np.testing.assert_allclose(value, expected, rtol=1e-14)
        np.testing.assert_allclose(of_p["w"], there_p["w"], rtol=1e-14)
        np.testing.assert_allclose(of_x, there_x, rtol=1e-14)
    (zero,) = vjp(lambda x: f(p, X, n)[1] * 1.0 + x, 2.0)[1](1.0)
    assert zero == 1.0


# -- classes ----------------------------------------------------------------------------------------------------------


def test_instances_of_classes_are_arguments(tmp_path: Path) -> None:
    layer = Layer(X, 0.5, fx.tanh)
    f = saved(export(jit(lambda layer, x: layer.activation(layer.w * x) * layer.rate), layer, X), tmp_path)
    np.testing.assert_array_equal(f(layer, X), jit(lambda x: fx.tanh(x * x) * 0.5)(X))
    with pytest.raises(fx.TreeError, match=r"has a Layer with \(0.25, .*tanh\), and it was exported for a Layer with"):
        f(Layer(X, 0.25, fx.tanh), X)
    with pytest.raises(fx.TreeError, match="layer is an array, and it was exported for a Layer"):
        f(X, X)
    with pytest.raises(fx.TreeError, match="layer is a Pair, and it was exported for a Layer"):
        f(Pair(X, X), X)
    with pytest.raises(fx.TreeError, match="layer is a dict, and it was exported for a Layer"):
        f({"w": X}, X)


def test_instances_of_classes_are_results_where_they_are_given(tmp_path: Path) -> None:
    layer, pair = Layer(X, 0.5, fx.tanh), Pair(X, {"b": X})
    program = export(jit(lambda layer, pair: (pair, Layer(layer.w + 1, 0.5, fx.tanh))), layer, pair)
    found = saved(program, tmp_path, like=(pair, layer))(layer, pair)
    assert found[0]._fields == pair._fields and type(found[1]) is Layer
    np.testing.assert_array_equal(found[1].w, X + 1)
    with pytest.raises(fx.FileError, match=r"holds a Pair, and files do not create objects of classes; .* like=tree"):
        load_program(tmp_path / "f.program")
    with pytest.raises(fx.FileError, match=r"the result has a Layer with \(0.5, .*\), and like has a Layer with \(0.1"):
        load_program(tmp_path / "f.program", like=(pair, Layer(X, 0.1, fx.tanh)))
    with pytest.raises(fx.FileError, match="which like has"):
        load_program(tmp_path / "f.program", like=pair)


def test_donated_arguments_are_gone(tmp_path: Path) -> None:
    f = saved(export(jit(lambda x, y: x + y, donate_argnums=0), X, X), tmp_path)
    given = fx.array(X, copy=True)
    np.testing.assert_array_equal(f(given, X), 2 * X)
    with pytest.raises(fx.DeletedArrayError):
        given + 1
    with pytest.raises(fx.DeletedArrayError, match="argument x, "):
        f(given, X)


def test_programs_are_pickled_and_copied() -> None:
    layer = Layer(X, 0.5, fx.tanh)
    program = export(lambda layer, n: Layer(layer.w * n, 0.5, fx.tanh), layer, 3, derivatives=1)
    for other in (pickle.loads(pickle.dumps(program)), copy.copy(program), copy.deepcopy([program])[0]):
        np.testing.assert_array_equal(other(layer, n=2).w, X * 2)
        assert other.types == program.types and other.derivatives == 1


def test_many_programs_are_not_taken_for_one_that_is_compiled_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lowering.explanation.compilations._LONG", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for n in range(20):
            saved(export(lambda x, n=n: x + n, X), tmp_path)(X)
