"""What a file cannot hold is refused when it is exported, what a program cannot do when it is asked for: by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from handlers import debug_print, grad, hessian, io_callback, jacrev, jvp, pure_callback, vjp, vmap
from lowering import Program, device_put, export, jit, load_program, lower
from tests.errors.expect import refusal

X: Final = fx.asarray([0.5, 1.0, 1.5])


@fx.register(static=["rate", "activation"])
@dataclass
class Layer:
    w: Any
    rate: float
    activation: Callable[[Any], Any]


class Pair(NamedTuple):
    first: Any
    second: Any


def saved(program: Program, path: Path, like: Any = None) -> Program:
    """The program as a file has it."""
    program.save(path / "f.program")
    return load_program(path / "f.program", like=like)


# -- what cannot be exported ------------------------------------------------------------------------------------------


def prints(x: Any) -> Any:
    debug_print("{}", x)
    return x


def deeply(x: Any) -> Any:
    return jit(vmap(lambda x: pure_callback(np.sin, x.aval, x)))(x)


def places(x: Any) -> Any:
    return device_put(x, "cpu:0") * 2


def weighted(w: Any, x: Any, power: int = 1) -> Any:
    return w * x**power


class State(fx.Effect):
    def get(self) -> Any: ...


UNFIT: Final[dict[str, tuple[Callable[[], object], type[Exception], str]]] = {
    "print": (
        lambda: export(jit(prints), X),
        fx.ArgumentError,
        r"export: prints calls Python while it runs, debug_print at .*test_refusals.py:\d+ .*; leave it out",
    ),
    "callback": (
        lambda: export(deeply, X),
        fx.ArgumentError,
        "deeply calls Python while it runs, pure_callback of sin",
    ),
    "io": (
        lambda: export(lambda x: io_callback(np.sin, x.aval, x), X),
        fx.ArgumentError,
        "calls Python while it runs, io_callback",
    ),
    "device": (lambda: export(jit(places), X), fx.DeviceError, "export: places puts a value on cpu:0"),
    "closure": (
        lambda: grad(lambda x: export(lambda y: x * y, X)(X).sum())(2.0),
        fx.ArgumentError,
        r"closes over float64\[\], a value of a transformation",
    ),
    "compiled": (
        lambda: export(lower(fx.sin, X).compile(), X),
        fx.ArgumentError,
        r"export takes a function, got <Compiled jit\(sin\).*>, which is compiled; give it the function itself",
    ),
    "no arguments": (
        lambda: export(jit(weighted)),
        fx.ArgumentError,
        r"export: weighted takes w, x: write export\(weighted, w, x\), with arrays or with types",
    ),
    "an argument less": (
        lambda: export(jit(weighted), X),
        fx.ArgumentError,
        r"export: weighted takes w, x: write export\(weighted, w, x\), .*; missing a required argument: 'x'",
    ),
    "an argument more": (
        lambda: export(lambda x, *, k: x * k, X, K=X),
        fx.ArgumentError,
        r"export: <lambda> takes x, k: write export\(<lambda>, x, k=k\), .*'k'",
    ),
    "derivatives": (lambda: export(fx.sin, X, derivatives=2), fx.ArgumentError, "derivatives must be 0 or 1, got 2"),
    "no derivatives": (
        lambda: export(lambda n: n + 1, 3, derivatives=1),
        fx.ArgumentError,
        "export: derivatives=1, and <lambda> has none: its arguments or",
    ),
    "nothing": (lambda: export(3, X), fx.ArgumentError, "export takes a function, got 3"),  # type: ignore[arg-type]
    "static data": (
        lambda: export(lambda layer, x: layer.w * x, Layer(X, 0.5, lambda x: x), X),
        fx.ArgumentError,
        r"export: Layer has static data that a file cannot store, \(0.5, <function .*<lambda>",
    ),
    "keys of dicts": (lambda: export(lambda d: d[None], {None: X}), fx.TreeError, "neither a string nor a number"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_a_file_cannot_hold(name: str) -> None:
    act, error, message = UNFIT[name]
    with pytest.raises(error, match=message):
        act()


# -- what cannot be called --------------------------------------------------------------------------------------------


def scaled(params: Any, x: Any, *, bias: Any, factor: float = 2.0, hidden: Any = (lambda: None)) -> Any:
    return params["scale"] * x * factor / 2 + bias


CALLS: Final[dict[str, tuple[Callable[[Program], object], type[Exception], str]]] = {
    "shape": (
        lambda f: f({"scale": 2.0}, X[:2], bias=X),
        fx.ArgumentError,
        r"scaled: x must be float64\[3\], got float64\[2\]; it was exported for \(params\['scale'\]: float64\[\], x:",
    ),
    "dtype": (
        lambda f: f({"scale": 2.0}, fx.astype(X, fx.float32), bias=X),
        fx.ArgumentError,
        r"scaled: x must be float64\[3\], got float32\[3\]",
    ),
    "kind of number": (
        lambda f: f({"scale": 2j}, X, bias=X),
        fx.ArgumentError,
        r"scaled: params\['scale'\] must be float64\[\], got complex128\[\]",
    ),
    "no array": (
        lambda f: f({"scale": "a"}, X, bias=X),
        fx.ArgumentError,
        r"scaled: argument params\['scale'\] must be an array or a number, got 'a'",
    ),
    "a large number": (
        lambda f: f({"scale": 10**400}, X, bias=X),
        fx.ArgumentError,
        r"scaled: params\['scale'\] = 1000.* does not fit float64",
    ),
    "other name": (
        lambda f: f({"scale": 2.0}, X, b=X),
        fx.ArgumentError,
        r"got an unexpected keyword argument 'b'; it is called as \(params, x, \*, bias, factor=2.0, hidden=\.\.\.\)",
    ),
    "too few": (lambda f: f(X, bias=X), fx.ArgumentError, "scaled: missing a required argument: 'x'; it is called as"),
    "too many": (lambda f: f({"scale": 2.0}, X, X), fx.ArgumentError, "scaled: too many positional arguments; it is"),
    "twice": (lambda f: f({"scale": 2.0}, X, x=X), fx.ArgumentError, "scaled: multiple values for argument 'x'"),
    "other key": (
        lambda f: f({"rate": 2.0}, X, bias=X),
        fx.TreeError,
        "scaled: params is a dict of 'rate', and it was exported for a dict of 'scale'",
    ),
    "other kind": (lambda f: f([2.0], X, bias=X), fx.TreeError, "params is a list, and it was exported for a dict"),
    "other value": (
        lambda f: f({"scale": 2.0}, X, bias=X, factor=3),
        fx.ArgumentError,
        "scaled: factor is 2.0 in this program, as it was when that was made, got 3 of type int; leave it out",
    ),
    "a value that a file has not": (
        lambda f: f({"scale": 2.0}, X, bias=X, hidden=None),
        fx.ArgumentError,
        "scaled: hidden is in this program what it was when that was made, got None",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_arguments(name: str, tmp_path: Path) -> None:
    act, error, message = CALLS[name]
    program = saved(export(jit(scaled), {"scale": 2.0}, X, bias=X), tmp_path)
    with pytest.raises(error, match=message):
        act(program)
    assert fx.allclose(program({"scale": 2}, X, bias=X), 3 * X)
    assert fx.allclose(program(bias=X, factor=2.0, x=X, params={"scale": 2}), 3 * X)


def test_numbers_that_do_not_fit_their_places(tmp_path: Path) -> None:
    """Those of Python, and arrays that are as good as these."""
    for dtype, number, least in ((fx.int8, 300, -128), (fx.uint8, -1, 0), (fx.int32, 2**40, -(2**31))):
        f = saved(export(lambda n: n + 0, fx.ShapedArray((), dtype)), tmp_path)
        for given in (number, jit(lambda number=number: number)()):
            with pytest.raises(fx.ArgumentError, match=f"n = {number} does not fit {dtype}"):
                f(given)
        assert f(least).dtype is dtype and f(least).item() == least
    assert saved(export(lambda n: n, fx.ShapedArray((), fx.uint64)), tmp_path)(2**63).item() == 2**63


def test_a_program_for_the_cpu_says_so_where_it_is_to_run_elsewhere(tmp_path: Path) -> None:
    program = saved(export(jit(fx.linalg.cholesky), fx.eye(2)), tmp_path)
    assert program.platform == "cpu" and repr(program).endswith("on the CPU>")
    with pytest.raises(fx.DeviceError, match="cholesky was exported for cpu, since it calls what is there only"):
        program.portable_artifact()
    assert program.portable_artifact(platform="cpu").startswith(b"ML\xefR")
    with pytest.raises(fx.ArgumentError, match="portable_artifact: cholesky was exported without derivatives"):
        program.portable_artifact("forward")


ASKED: Final[dict[str, tuple[Callable[[Any], object], str]]] = {
    "forward": (lambda f: jvp(f, (X,), (X,)), "forward mode and further derivatives cannot be taken"),
    "further": (lambda f: grad(lambda x: grad(f)(x).sum())(X), "forward mode and further derivatives cannot be taken"),
    "hessian": (lambda f: hessian(f)(X), "forward mode and further derivatives cannot be taken"),
    "vmap": (lambda f: vmap(f)(fx.stack([X, X])), r"has no vmap: export the batched function, export\(jit\(vmap"),
    "gradients by vmap": (lambda f: vmap(grad(f))(fx.stack([X, X])), "has no vmap"),
    "jitted": (lambda f: jit(vmap(f))(fx.stack([X, X])), "has no vmap"),
}


@pytest.mark.parametrize("name", ASKED)
def test_transformations_that_it_does_not_have(name: str, tmp_path: Path) -> None:
    act, message = ASKED[name]
    f = saved(export(jit(lambda x: fx.sum(fx.sin(x))), X, derivatives=1), tmp_path)
    with pytest.raises(fx.MissingRule, match=message):
        act(f)
    np.testing.assert_array_equal(jacrev(f)(X), fx.cos(X))


def test_no_derivatives_without_asking(tmp_path: Path) -> None:
    f = saved(export(jit(lambda x: fx.sum(fx.sin(x))), X), tmp_path)
    for act in (lambda: grad(f)(X), lambda: jvp(f, (X,), (X,)), lambda: vjp(f, X)):
        with pytest.raises(fx.MissingRule, match="was exported without derivatives: export it with derivatives=1"):
            act()
    assert jvp(lambda x: f(X) * x, (2.0,), (1.0,))[1] == f(X)  # of constants there is none to take
    assert vmap(lambda x: f(X) * x)(fx.arange(2.0))[1] == f(X)


def test_what_transformations_refuse_is_at_the_line_of_the_call() -> None:
    """Not at the first one, where it was traced."""
    one, none = [export(lambda x: fx.sum(x * x), X, derivatives=n) for n in (1, 0)]

    def within() -> Any:
        @jit
        def inside(x: Any) -> Any:
            return none(x) * 2  # here

        return grad(inside)(X)

    assert one(X) == none(X) == 3.5
    for refused in (
        lambda: vmap(none)(fx.ones((2, 3))),
        lambda: vmap(one)(fx.ones((2, 3))),
        lambda: hessian(one)(X),
        lambda: grad(none)(X),
        lambda: jit(grad(lambda x: none(x)))(X),
    ):
        refusal(fx.MissingRule, "was exported", of=refused)
    refusal(fx.MissingRule, "was exported without derivatives", of=within)
