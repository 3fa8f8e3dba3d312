"""Static and donated arguments of jit, compiled programs called with others, and buffers that are gone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError, DeletedArrayError, EffaxError, TreeError
from tests.errors.expect import refusal
from tests.errors.untyped import block_until_ready, cond, device_put, fx, grad, handlers, jit, jvp, lowering, vmap

x3, x4 = fx.asarray([1.0, 2.0, 3.0]), fx.ones(4)


def scaled(x: Any, n: Any) -> object:
    return x * n


STATIC: list[tuple[str, Callable[[], object]]] = [
    (
        "static argument 1 of scaled must be hashable, got [1] of type list; use a tuple",
        lambda: jit(scaled, static_argnums=1)(x3, [1]),
    ),
    ("static argument 'n' of scaled must be hashable", lambda: jit(scaled, static_argnames="n")(x3, n=[1])),
    ("static argument 1 of scaled must be hashable", lambda: jit(scaled, static_argnums=-1)(x3, np.ones(3))),
    ("static argument 1 of scaled is an array, float64[3]", lambda: jit(scaled, static_argnums=1)(x3, x3)),
    ("static argument 1 of scaled is an array", lambda: jit(lambda y: jit(scaled, static_argnums=1)(y, y))(x3)),
    ("static_argnums names argument 3, but scaled has 2 positional", lambda: jit(scaled, static_argnums=3)),
    ("static_argnums must be a position or a sequence of positions, got 'a'", lambda: jit(scaled, static_argnums="a")),
    ("static_argnums must be a position or a sequence of positions, got 1.5", lambda: jit(scaled, static_argnums=1.5)),
    (
        "static_argnums must be a position or a sequence of positions, got True",
        lambda: jit(scaled, static_argnums=True),
    ),
    ("static_argnames names 'zz', but scaled takes n, x", lambda: jit(scaled, static_argnames="zz")),
    ("static_argnames must be a name or a sequence of names, got (1,)", lambda: jit(scaled, static_argnames=(1,))),
    ("static_argnames must be a name or a sequence of names, got 3", lambda: jit(scaled, static_argnames=3)),
    ("donate_argnums names argument 3", lambda: jit(scaled, donate_argnums=3)),
    ("donate_argnums must be a position", lambda: jit(scaled, donate_argnums="x")),
    ("donate_argnames names 'zz', but scaled takes n, x", lambda: jit(scaled, donate_argnames=["x", "zz"])),
    ("donate_argnames must be a name or a sequence of names, got 3", lambda: jit(scaled, donate_argnames=3)),
    ("donate_argnames must be a name or a sequence of names, got (0,)", lambda: jit(scaled, donate_argnames=(0,))),
    (
        "argument 'x' of scaled cannot be both static and donated",
        lambda: jit(scaled, donate_argnums=0, static_argnums=0),
    ),
    (
        "argument 'n' of scaled cannot be both static and donated",
        lambda: jit(scaled, donate_argnames="n", static_argnums=1),
    ),
    (
        "argument 'n' of scaled cannot be both static and donated",
        lambda: jit(scaled, donate_argnames=("n", "x"), static_argnames="n"),
    ),
    (
        "argument 'n' of scaled cannot be both static and donated",
        lambda: jit(scaled, donate_argnums=-1, static_argnames="n"),
    ),
    (
        "argument 1 of <lambda> cannot be both static and donated",
        lambda: jit(lambda *args: args[0], donate_argnums=1, static_argnums=1),
    ),
    ("jit: argument n must be an array or a number, got 'a'", lambda: jit(scaled)(x3, "a")),
    ("jit: argument n must be an array", lambda: jit(scaled, static_argnums=0)(2, "a")),
    ("jit: argument n must be an array", lambda: jit(scaled).lower(x3, "a")),
    ("jit: argument n must be an array", lambda: jit(scaled, static_argnums=0).lower(2, "a")),
    ("got 'a' of type str; name it in static_argnums or static_argnames", lambda: jit(scaled)(x3, "a")),
]


@pytest.mark.parametrize(("words", "bad"), STATIC, ids=[case[0] for case in STATIC])
def test_static_and_other_arguments(words: str, bad: Callable[[], object]) -> None:
    refusal(ArgumentError, words, of=bad)


def test_none_is_no_argument() -> None:
    f = jit(scaled, static_argnums=None, static_argnames=None, donate_argnums=None, donate_argnames=None)
    assert f(x3, 2.0).tolist() == [2.0, 4.0, 6.0]


def test_compiled_programs_take_what_they_were_compiled_for() -> None:
    compiled = jit(scaled).lower(x3, 2.0).compile()
    takes = "it takes (x: float64[3], n: float64[])"
    refusal(ArgumentError, "compiled scaled: x must be float64[3], got float64[4]", takes, of=lambda: compiled(x4, 2.0))
    refusal(TreeError, "compiled scaled: the structure of x differs at the top", of=lambda: compiled((x3,), 2.0))
    for missing in (lambda: compiled(x3), lambda: compiled(x=x3)):
        refusal(ArgumentError, "compiled scaled: missing a required argument: 'n'", "it is called as (x, n", of=missing)
    refusal(ArgumentError, "got an unexpected keyword argument 'z'", of=lambda: compiled(x3, z=2.0))
    assert compiled(n=2.0, x=x3).tolist() == compiled(x3, n=2.0).tolist() == [2.0, 4.0, 6.0]
    refusal(ArgumentError, "must be an array or a number, got 'a'", of=lambda: compiled(x3, "a"))
    kind = fx.ShapedArray((3,), fx.float64)
    refusal(
        ArgumentError,
        "operation_times: argument x must be an array or a number, got a type, float64[3]; a type stands",
        of=lambda: lowering.operation_times(lambda x: x, kind),
    )
    refusal(
        ArgumentError,
        "lower: argument n must be an array or a number, got 'a'",
        of=lambda: lowering.lower(scaled, x3, "a"),
    )
    total = jit(fx.sum).lower(x3).compile()
    refusal(ArgumentError, "compiled sum takes values; call the jitted", of=lambda: grad(total)(x3))
    refusal(ArgumentError, "compiled sum takes values", of=lambda: jvp(total, (x3,), (x3,)))
    refusal(ArgumentError, "compiled sum takes values", of=lambda: handlers.jet(total, (x3,), ([x3],)))
    refusal(ArgumentError, "compiled scaled takes values", of=lambda: vmap(lambda x: compiled(x, 2.0))(fx.ones((2, 3))))


def gone() -> Any:
    given = fx.ones(3)
    jit(lambda x: x + 1.0, donate_argnums=0)(given)
    return given


d = gone()
DONATED: list[tuple[str, Callable[[], object]]] = [
    ("add: an array float64[3]", lambda: d + 1),
    ("sum", lambda: fx.sum(d)),
    ("argument x, float64[3], was donated", lambda: jit(lambda x: x * 2)(d)),
    ("argument p['w'], float64[3], was donated", lambda: jit(lambda p: p["w"])({"w": d})),
    ("closed-over array 0, float64[3], was donated", lambda: jit(lambda x: x * d)(x3)),
    ("multiply", lambda: vmap(lambda x: x * 2)(d)),
    ("multiply", lambda: grad(lambda x: fx.sum(x * 2))(d)),
    ("an array float64[3]", lambda: cond(True, lambda: d * 2, lambda: x3)),
    ("an array float64[3]", lambda: np.asarray(d)),
    ("an array float64[3]", lambda: d.tolist()),
    ("an array float64[3]", lambda: pickle.dumps(d)),
    ("an array float64[3]", lambda: copy.deepcopy(d)),
    ("block_until_ready: an array float64[3]", lambda: block_until_ready(d)),
    ("device_put: tree['w'], float64[3]", lambda: device_put({"w": d})),
    ("compiled <lambda>: argument x", lambda: jit(lambda x: x).lower(x3).compile()(d)),
]


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": lambda x: copy.deepcopy([x])[0],
    "copy": fx.copy,
    "asarray": lambda x: fx.asarray(x, copy=True),
    "from_dlpack": lambda x: fx.from_dlpack(x, copy=True),
    "by NumPy": lambda x: fx.asarray(np.asarray(x)),
}


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("computed", [False, True])
def test_a_copy_outlives_its_original(made: Callable[[Any], Any], computed: bool) -> None:
    x = jit(fx.sin)(x3) if computed else fx.asarray([1.0, 2.0, 3.0])
    kept = x.tolist()
    other = made(x)
    jit(lambda x: x * 2, donate_argnums=0)(x)
    assert other.tolist() == kept and (other + 0.0).tolist() == kept
    with pytest.raises(DeletedArrayError):
        x.tolist()


@pytest.mark.parametrize(("words", "bad"), DONATED)
def test_a_donated_buffer_used_again(words: str, bad: Callable[[], object]) -> None:
    refusal(DeletedArrayError, words, "donate", of=bad)


def test_a_donated_buffer_keeps_its_type() -> None:
    assert d.shape == (3,) and d.dtype is fx.float64
    assert fx.zeros_like(d).tolist() == [0.0, 0.0, 0.0]


def test_a_donated_argument_given_again_to_the_same_function() -> None:
    step = jit(lambda x: x + 1.0, donate_argnums=0)
    a = step(fx.ones(3))
    b = step(a)
    refusal(DeletedArrayError, "<lambda>: argument x, float64[3], was donated", of=lambda: step(a))
    assert step(b).tolist() == [4.0, 4.0, 4.0]


def step(p: Any, g: Any, n: int = 2, *, extra: Any = None) -> Any:
    return {name: p[name] - g * n + (0.0 if extra is None else extra) for name in p}


@pytest.mark.parametrize(
    "given",
    [
        {"donate_argnums": (0, 1)},
        {"donate_argnames": ("p", "g")},
        {"donate_argnums": 0, "donate_argnames": "g"},
        {"donate_argnums": 0, "donate_argnames": "g", "static_argnames": "n"},
    ],
    ids=str,
)
def test_a_donated_argument_is_donated_however_it_is_passed(given: dict[str, Any]) -> None:
    donating = jit(step, **given)
    calls: list[Callable[[Any, Any, Any], Any]] = [
        lambda p, g, extra: donating(p, g, extra=extra),
        lambda p, g, extra: donating(p, extra=extra, g=g),
        lambda p, g, extra: donating(g=g, extra=extra, p=p),
        lambda p, g, extra: donating(p, g, 2, extra=extra),
    ]
    for call in calls:
        for _ in range(2):
            p, g = {"b": jit(fx.ones_like)(x3), "a": fx.ones(3)}, fx.ones(3)
            extra = jit(fx.zeros_like)(x3)
            assert call(p, g, extra)["a"].tolist() == [-1.0, -1.0, -1.0]
            for gone in (p["a"], p["b"], g):
                refusal(DeletedArrayError, "an array float64[3]", of=lambda: gone + 1.0)  # noqa: B023
            assert extra.tolist() == [0.0, 0.0, 0.0]


def test_names_of_keyword_arguments() -> None:
    def f(*args: Any, **kwargs: Any) -> Any:
        return args[0] + kwargs["u"] * kwargs["v"]

    def g(x: Any, *, u: Any, v: Any = 2.0) -> Any:
        return f(x, u=u, v=v)

    for donating in (jit(f, donate_argnames="u"), jit(g, donate_argnames=["u"])):
        for call in (donating, donating.lower(x3, v=x3, u=x3).compile()):
            kept, u, v = fx.ones(3), fx.ones(3), fx.ones(3)
            assert call(kept, v=v, u=u).tolist() == [2.0, 2.0, 2.0]
            refusal(DeletedArrayError, "an array float64[3]", of=lambda: u + 1.0)  # noqa: B023
            refusal(DeletedArrayError, "float64[3], was donated", of=lambda: call(kept, v=v, u=u))  # noqa: B023
            assert kept.tolist() == v.tolist() == [1.0, 1.0, 1.0]
            refusal(ArgumentError, "is donated and is", of=lambda: call(kept, u=v, v=v))  # noqa: B023


@pytest.mark.parametrize("f", [lambda x: x * 2.0, lambda x: fx.sum(x), lambda x: x > 0.0])
@pytest.mark.parametrize("read", [lambda x: x, np.asarray, lambda x: x + 1.0])
def test_an_array_that_the_host_has_read_is_gone_too(f: Callable[..., Any], read: Callable[..., Any]) -> None:
    given = jit(lambda: fx.ones(4))()
    seen = read(given)
    jit(f, donate_argnums=0)(given)
    refusal(DeletedArrayError, "an array float64[4]", "donate", of=lambda: given + 1.0)
    refusal(DeletedArrayError, "argument x, float64[4], was donated", of=lambda: jit(f, donate_argnums=0)(given))
    assert seen is given or np.array_equal(seen, np.asarray(read(fx.ones(4))))


def test_memory_is_given_away_by_name() -> None:
    donating = jit(lambda w, g: w - 0.1 * g, donate_argnames="w")
    plans = [
        lowered.compile().memory_analysis()
        for lowered in (donating.lower(fx.ones(1000), fx.ones(1000)), donating.lower(g=fx.ones(1000), w=fx.ones(1000)))
    ]
    assert [plan.alias for plan in plans] == [8000, 8000]


def test_under_transformations_nothing_is_given_away() -> None:
    donating, given = jit(lambda x: fx.sum(x * x), donate_argnames="x"), fx.ones(3)
    with pytest.warns(RuntimeWarning, match="arguments are donated, and keep their memory in this call") as told:
        for _ in range(2):  # once for each line
            assert grad(lambda x: donating(x=x))(given).tolist() == [2.0, 2.0, 2.0]
        assert vmap(lambda x: donating(x=x))(fx.ones((2, 3))).tolist() == [3.0, 3.0]
    assert {warning.filename for warning in told} == {__file__}
    assert jit(lambda x: donating(x=x))(given) == 3.0
    assert given.tolist() == [1.0, 1.0, 1.0]


def test_an_array_donated_twice_in_one_call() -> None:
    both = jit(lambda x, y: x + y, donate_argnums=(0, 1))
    a = fx.ones(3)
    refusal(ArgumentError, "argument x, float64[3], is donated and is argument y too", of=lambda: both(a, a))
    assert a.tolist() == [1.0, 1.0, 1.0]
    assert both(fx.ones(3), fx.ones(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("f", [lambda x, y: x + y, lambda x, y: fx.sum(x + y)], ids=["has room", "has no room"])
def test_an_array_donated_and_read_in_a_later_call(f: Callable[..., Any]) -> None:
    held = jit(lambda x: x + 1.0)(x3)
    first, closed = jit(f, donate_argnums=0), jit(lambda x: f(x, held), donate_argnums=0)
    for given in (fx.ones(3), held + 1.0):
        closed(given * 2.0)
        first(given, x3)
    refusal(ArgumentError, "argument x, float64[3], is donated and is argument y", of=lambda: first(held, held))
    refusal(ArgumentError, "float64[3], is donated and is", "closed-over array 0", of=lambda: closed(held))
    compiled = jit(f, donate_argnums=1).lower(x3, x3).compile()
    refusal(ArgumentError, "argument y, float64[3], is donated and is argument x", of=lambda: compiled(held, held))
    assert held.tolist() == [2.0, 3.0, 4.0]
    assert np.sum(np.asarray(closed(fx.ones(3)))) == 12.0


@pytest.mark.parametrize("f", [lambda x, y: x + y, lambda x, y: fx.sum(x + y)], ids=["has room", "has no room"])
def test_a_compiled_program_donates_as_the_jitted_function_does(f: Callable[..., Any]) -> None:
    donating = jit(f, donate_argnums=0)
    for call in (donating, donating.lower(x3, x3).compile()):
        given, kept = jit(lambda x: x + 1.0)(x3), jit(lambda x: x + 2.0)(x3)
        assert np.sum(np.asarray(call(given, kept))) == 21.0
        refusal(DeletedArrayError, "an array float64[3]", "donate", of=lambda: given + 1.0)  # noqa: B023
        refusal(DeletedArrayError, "float64[3], was donated", of=lambda: call(given, kept))  # noqa: B023
        assert kept.tolist() == [3.0, 4.0, 5.0]


def test_a_closed_over_array_that_is_donated_later() -> None:
    held = fx.ones(3)
    f = jit(lambda x: x * held)
    assert f(x3).tolist() == f(x3).tolist() == [1.0, 2.0, 3.0]
    jit(lambda x: x + 1.0, donate_argnums=0)(held)
    refusal(DeletedArrayError, "closed-over array 0, float64[3], was donated", of=lambda: f(x3))


def test_errors_of_the_function_itself_stay_as_they_are() -> None:
    def raises(kind: type[Exception]) -> Any:
        def f(x: Any) -> Any:
            raise kind("mine")

        return jit(f)

    for kind in (ValueError, RuntimeError, TypeError, AttributeError):
        with pytest.raises(kind, match=r"^mine$") as caught:
            raises(kind)(x3)
        assert not isinstance(caught.value, EffaxError)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        jit(scaled)(x3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        jit(scaled)(x3, y=1.0)
