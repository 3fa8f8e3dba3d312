"""What a rule gives back, and how it is given, is checked: messages name the rule, the argument, the expectation."""

from __future__ import annotations

from typing import Any, Final

import pytest

import effects as fx
from effects import ArgumentError, DTypeError, ShapeError, TreeError
from handlers import (
    checkpoint,
    closure_convert,
    custom_batching,
    custom_gradient,
    custom_jvp,
    custom_transpose,
    custom_vjp,
    grad,
    hvp,
    jvp,
    scan,
    stop_gradient,
    vjp,
    vmap,
)
from lowering import jit
from tests.errors.expect import refusal

X = fx.ones(3)


def with_jvp(out: Any) -> Any:
    """A function whose rule gives `out`."""

    def rule(primals: Any, tangents: Any) -> Any:
        return out

    f = custom_jvp(lambda x: fx.sin(x))
    f.__name__ = "f"
    f.defjvp(rule)
    return f


RULE = "the jvp rule rule of f"


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
@pytest.mark.parametrize(
    ("out", "kind", "words"),
    [
        (X, TreeError, ("must return a pair (result, its tangent)", "Array")),
        ((X, X, X), TreeError, ("must return a pair",)),
        ((X, (X,)), TreeError, ("the tangent of the result must be an array of type float64[3] or None", "tuple")),
        ((X, fx.ones(2)), ShapeError, ("the tangent of the result must have shape [3]", "float64[2]")),
        ((X, fx.ones(3, dtype=fx.float32)), DTypeError, ("must be float64[3]", "float32[3]", "astype")),
        ((X, "zero"), TreeError, ("the tangent of the result must be an array of type float64[3] or None", "'zero'")),
        (("one", X), ArgumentError, ("the result of rule", "'one'")),
    ],
)
def test_result_of_a_jvp_rule(wrap: Any, out: Any, kind: type[Exception], words: tuple[str, ...]) -> None:
    f = wrap(with_jvp(out))
    rule = () if kind is ArgumentError else (RULE,)
    refusal(kind, *rule, *words, of=lambda: jvp(f, (X,), (X,)))


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["called", "jitted"])
@pytest.mark.parametrize(
    ("result", "kind", "words"),
    [
        ({"a": X}, TreeError, ("must return the result of f first", "{'a'")),
        ((X, X), TreeError, ("must return the result of f first", "float64[3]")),
        (fx.ones(2), ShapeError, ("the result must have shape [3]", "float64[2]")),
        (fx.ones((3, 1)), ShapeError, ("the result must have shape [3]", "float64[3,1]")),
        (fx.ones(3, dtype=fx.float32), DTypeError, ("the result must be float64[3]", "float32[3]")),
    ],
)
def test_result_of_a_rule_against_the_function(
    wrap: Any, result: Any, kind: type[Exception], words: tuple[str, ...]
) -> None:
    forwards = with_jvp((result, result))
    refusal(kind, RULE, *words, of=lambda: jvp(wrap(forwards), (X,), (X,)))
    backwards = custom_vjp(lambda x: (result, None), lambda _, ct: (X,))(lambda x: fx.sin(x))
    backwards.__name__ = "f"
    for _ in range(2):  # what does not fit is not remembered
        refusal(kind, "the forward rule <lambda> of f", *words, of=lambda: vjp(wrap(backwards), X))
    refusal(kind, "the forward rule", *words, of=lambda: vmap(lambda x: vjp(wrap(backwards), x)[0])(fx.ones((2, 3))))


def test_results_of_rules_against_a_function_that_changes() -> None:
    """The types of results are remembered for what rules give, not for the function, which may be another one later."""
    n = [3]
    f = custom_vjp(lambda x: (x * fx.ones(n[0]), None), lambda _, ct: (fx.sum(ct),))(lambda x: x * fx.ones(n[0]))
    for n[0] in (3, 4, 3):
        assert vjp(f, fx.asarray(2.0))[0].shape == (n[0],)


def with_vjp(result: Any, cotangents: Any) -> Any:
    """A function of an array and a dict, whose rules give these."""

    def fwd(x: Any, p: Any) -> Any:
        return result

    def bwd(kept: Any, ct: Any) -> Any:
        return cotangents

    f = custom_vjp(lambda x, p: fx.sum(x))
    f.__name__ = "f"
    f.defvjp(fwd, bwd)
    return lambda: grad(f, argnums=(0, 1))(X, {"w": fx.asarray(1.0)})


@pytest.mark.parametrize(
    ("cotangents", "kind", "words"),
    [
        (X, TreeError, ("must return a tuple with one cotangent (or None) for each of the 2 arguments", "Array")),
        ((X,), TreeError, ("each of the 2 arguments",)),
        ((X, 1.0), TreeError, ("the structure of cotangent 1", "expected a dict")),
        ((X, {"v": 1.0}), TreeError, ("the structure of cotangent 1", "['w'] is missing")),
        ((fx.ones(2), None), ShapeError, ("cotangent 0 must have shape [3]", "float64[2]")),
        ((None, {"w": fx.asarray(1, dtype=fx.int32)}), DTypeError, ("cotangent 1['w'] must be float64[]", "int32[]")),
    ],
)
def test_result_of_a_backward_rule(cotangents: Any, kind: type[Exception], words: tuple[str, ...]) -> None:
    of = with_vjp((fx.asarray(1.0), None), cotangents)
    with pytest.raises(kind) as caught:
        of()
    for word in ("the backward rule bwd of f", *words):
        assert word in str(caught.value)


def test_result_of_a_forward_rule() -> None:
    with pytest.raises(TreeError, match=r"the forward rule fwd of f must return a pair \(result, residuals\)"):
        with_vjp(X, None)()


def test_arity_of_rules() -> None:
    f = custom_jvp(lambda x: x)
    f.__name__ = "f"
    words = ("f.defjvp: the rule <lambda> is called with (primals, tangents)", "too many positional arguments")
    refusal(ArgumentError, *words, of=lambda: f.defjvp(lambda x: x))  # type: ignore[type-var]  # the mistake
    words = ("f.defvjp: the rule <lambda> is called with (residuals, cotangent)", "missing a required argument")
    refusal(ArgumentError, *words, of=lambda: f.defvjp(lambda x: (x, x), lambda a, b, c: (a,)))
    g = custom_jvp(lambda n, x: x, nondiff_argnums=(0,))
    given = "the 1 arguments of nondiff_argnums and (primals, tangents)"
    refusal(ArgumentError, given, of=lambda: g.defjvp(lambda primals, tangents: (primals, tangents)))
    f.defvjp(lambda x, y: (x, y), lambda kept, ct: (ct,))
    refusal(
        ArgumentError,
        "f.defvjp: the rule <lambda> is called as the function is, with 1 arguments",
        of=lambda: grad(f)(1.0),
    )
    h = custom_jvp(lambda x: x)
    h.defjvps(None, None)
    refusal(ArgumentError, "defjvps was given 2 rules, but it takes 1", of=lambda: jvp(h, (1.0,), (1.0,)))


def test_what_cannot_be_called() -> None:
    f = custom_jvp(lambda x: x)
    one: Any = 1
    refusal(ArgumentError, "custom_vjp takes a function, got 1", of=lambda: custom_vjp(one))
    refusal(ArgumentError, "hvp takes a function", of=lambda: hvp(one, (1.0,), (1.0,)))
    refusal(ArgumentError, "hvp: primals must be a tuple", of=lambda: hvp(abs, one, (1.0,)))
    refusal(ArgumentError, "defjvp takes a function, got 1", of=lambda: f.defjvp(one))
    refusal(ArgumentError, "defvjp takes a function as fwd", of=lambda: f.defvjp(one, lambda kept, ct: (ct,)))
    refusal(ArgumentError, "defjvps takes a function", of=lambda: f.defjvps(one))
    refusal(ArgumentError, "defbatch takes a function", of=lambda: f.defbatch(one))
    words = "custom_jvp: nondiff_argnums names argument 1, but <lambda> has 1 positional ones"
    refusal(ArgumentError, words, of=lambda: custom_jvp(f, nondiff_argnums=(1,)))
    words = "custom_vjp: nondiff_argnames names 'y', but <lambda> takes x"
    refusal(ArgumentError, words, of=lambda: custom_vjp(f, nondiff_argnames="y"))
    g: Any = lambda x, *, k=1: x
    words = "nondiff_argnames names 'k', which <lambda> takes by keyword only"
    refusal(ArgumentError, words, of=lambda: custom_vjp(g, nondiff_argnames="k"))
    bad: Any = "a"
    refusal(ArgumentError, "nondiff_argnums must be a position", of=lambda: custom_jvp(f, nondiff_argnums=bad))
    refusal(ArgumentError, "nondiff_argnames must be a name", of=lambda: custom_jvp(f, nondiff_argnames=one))


def test_calls() -> None:
    f: Any = custom_jvp(lambda x, *, k=1: x)
    f.__name__ = "f"
    refusal(ArgumentError, "custom_jvp: f has no rule yet", "defjvp", of=lambda: f(1.0))
    f.defjvp(lambda p, t: (p, t))
    refusal(ArgumentError, "f: rules take positional arguments", "'k'", "by keyword only", of=lambda: f(1.0, k=2))
    assert f(1.0) == 1
    g: Any = with_jvp((X, X))
    refusal(ArgumentError, "f: missing a required argument: 'x'", of=lambda: g())
    refusal(ArgumentError, "f: argument x must be an array or a number, got 'a'", of=lambda: g("a"))
    refusal(ArgumentError, "stop_gradient: argument tree['a']", of=lambda: stop_gradient({"a": "b"}))


def test_batching_and_transposition_rules() -> None:
    f = custom_batching(lambda x: x)
    f.__name__ = "f"
    f.defbatch(lambda size, batched, x: x)
    refusal(TreeError, "the batching rule <lambda> of f must return a pair", of=lambda: vmap(f)(X))
    f.defbatch(lambda size, batched, x: (x, (True, False)))
    refusal(TreeError, "must say of each array of its result", of=lambda: vmap(f)(X))
    f.defbatch(lambda size, batched, x: (x, 1))
    refusal(TreeError, "must say of each array of its result", of=lambda: vmap(f)(X))
    h: Any = custom_transpose(lambda a, x: a * x)
    h.__name__ = "h"
    h.deftranspose(lambda a, ct: fx.ones(2))
    refusal(ShapeError, "the transposition rule <lambda> of h", "float64[2]", of=lambda: grad(h, 1)(2.0, 1.0))
    wrong: Any = custom_transpose(lambda x: x)  # type: ignore[arg-type, misc]  # it takes two arguments
    wrong.deftranspose(lambda a, ct: ct)
    refusal(ArgumentError, "takes two arguments, (residuals, x)", of=lambda: wrong(1.0))


LANES: Final[dict[str, Any]] = {
    "vmap": vmap,
    "jit of vmap": lambda f: jit(vmap(f)),
    "vmap of jit": lambda f: vmap(jit(f)),
    "vmap of checkpoint": lambda f: vmap(checkpoint(f)),
    "grad": lambda f: grad(lambda x: sum([fx.sum(y) for y in fx.tree_leaves(vmap(f)(x))])),
    "scan": lambda f: lambda x: scan(lambda c, _: (c, vmap(f)(x)), 0.0, length=1)[1],
    "vmap of scan": lambda f: vmap(lambda x: scan(lambda c, _: (c, f(x)), 0.0, length=1)[1]),
}


@pytest.mark.parametrize("wrap", LANES.values(), ids=LANES)
@pytest.mark.parametrize(
    ("out", "kind", "words"),
    [
        (({"a": fx.ones((3, 5)), "b": X}, True), ShapeError, "['a'], 3 lanes along axis 0, must have shape [3, 2]"),
        (({"a": fx.ones((2, 2)), "b": X}, True), ShapeError, "['a'], 3 lanes along axis 0, must have shape [3, 2]"),
        (({"a": fx.ones(2), "b": X}, True), ShapeError, "['a'], 3 lanes along axis 0, must have shape [3, 2]"),
        (({"a": fx.ones((3, 2)), "b": X}, False), ShapeError, "the result['a'] must have shape [2]"),
        (({"a": fx.ones(2), "b": X}, {"a": False, "b": False}), ShapeError, "the result['b'] must have shape []"),
        (({"a": fx.ones((3, 2)), "b": X.astype(fx.float32)}, True), DTypeError, "must be float64[3], got float32[3]"),
        (((fx.ones((3, 2)), X), True), TreeError, "must return the result of f first, of the structure {'a'"),
        (({"a": fx.ones((3, 2)), "b": X}, (True, True)), TreeError, "which are batched differs at the top"),
        (({"a": fx.ones((3, 2)), "b": X}, {"a": 1, "b": True}), TreeError, "must say of each array of its result"),
    ],
)
def test_result_of_a_batching_rule(wrap: Any, out: Any, kind: type[Exception], words: str) -> None:
    f: Any = custom_batching(lambda x: {"a": x, "b": fx.sum(x)})
    f.__name__ = "f"
    f.defbatch(lambda size, batched, x: out)
    with pytest.raises(kind) as caught:
        wrap(f)(fx.ones((3, 2)))
    assert "the batching rule <lambda> of f" in str(caught.value) and words in str(caught.value)


def test_result_of_a_batching_rule_of_a_function_that_asks_for_values() -> None:
    f: Any = custom_batching(lambda x: x if x > 0 else -x)
    f.defbatch(lambda size, batched, x: (abs(x), True))
    assert fx.all(vmap(f)(fx.asarray([-1.0, 1.0])) == 1.0)
    f.defbatch(lambda size, batched, x: (x[:1], True))
    refusal(ShapeError, "must have the 2 lanes along axis 0, got float64[1]", of=lambda: vmap(f)(fx.ones(2)))


def test_closure_conversion_is_for_one_structure() -> None:
    converted, _ = closure_convert(lambda x: x["a"], {"a": 1.0})
    refusal(TreeError, "converted for arguments of the structure", of=lambda: converted(1.0))
    identity: Any = lambda x: x
    words = ("with has_aux=True <lambda> must return (result, aux)",)
    refusal(TreeError, *words, of=lambda: jvp(identity, (1.0,), (1.0,), has_aux=True))


def test_unhashable_static_arguments_are_told_apart_by_identity() -> None:
    f = custom_vjp(lambda x, sizes: x * sizes[0], nondiff_argnums=(1,))
    f.defvjp(lambda x, sizes: (x * sizes[0], ()), lambda sizes, kept, ct: (ct * sizes[0] * 10,))
    assert jit(grad(lambda x: f(x, [2])))(1.0) == 20 and grad(jit(lambda x: f(x, [3])))(1.0) == 30


def test_custom_gradient_is_what_messages_call_it() -> None:
    def gives(rule: Any) -> Any:
        return custom_gradient(lambda x, y: (x * y, rule))

    def text() -> object:
        return grad(gives(lambda ct: "text"))(1.0, 2.0)  # here

    def single() -> object:
        return grad(gives(lambda ct: ct))(1.0, 2.0)  # here

    refusal(ArgumentError, "custom_gradient: the result of <lambda> must be an array or a number, got 'text'", of=text)
    refusal(TreeError, "the backward rule of custom_gradient of <lambda> must return a tuple", of=single)
