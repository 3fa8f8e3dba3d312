"""Handlers of effects cannot be silently wrong: what a program does happens once, and nothing after an error."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import effects as fx
from effects import Array, Carrier, Effect, Operation, Performed, ShapedArray, each_result
from effects.errors import ArgumentError
from handlers import (
    EffectHandler,
    Forward,
    added,
    catching,
    checking,
    checkpoint,
    cond,
    custom_jvp,
    custom_vjp,
    debug_callback,
    fori_loop,
    grad,
    handled,
    jvp,
    scan,
    switch,
    vmap,
    while_loop,
    with_output,
    with_random,
    with_state,
)
from lowering import jit

X = fx.asarray(0.7)

WRITES: dict[str, Callable[[Any, Array], Array]] = {
    "second branch": lambda f, x: cond(x > 0.0, f, lambda x: x, x),
    "first branch": lambda f, x: cond(x < 0.0, lambda x: x, f, x),
    "last branch": lambda f, x: switch(fx.asarray(2), [lambda x: x, lambda x: -x, f], x),
    "call": lambda f, x: jit(f)(x),
    "scan": lambda f, x: scan(lambda c, _: (f(c), None), x, length=1)[0],
    "while": lambda f, x: while_loop(lambda c: c[0], lambda c: (fx.asarray(False), f(c[1])), (fx.asarray(True), x))[1],
    "branch of a loop": lambda f, x: fori_loop(0, 1, lambda i, c: cond(c > 0.0, f, lambda c: c, c), x),
}
RULES: dict[str, Callable[[Any], Any]] = {
    "custom_jvp": lambda f: custom_jvp(lambda primals, tangents: (f(*primals), tangents[0]))(f),
    "custom_vjp": lambda f: custom_vjp(lambda x: (f(x), x), lambda x, ct: (ct,))(f),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("where", WRITES)
def test_what_a_function_with_rules_writes_is_kept(rule: str, where: str) -> None:
    def program(cell: fx.State[Array], x: Array) -> Array:
        def write(x: Array) -> Array:
            cell.modify(lambda s: s + x)
            return x

        given: Array = RULES[rule](lambda x: WRITES[where](write, x))(x)
        return given

    for f in (
        program,
        lambda cell, x: jit(lambda x: program(cell, x))(x),
        lambda cell, x: grad(lambda x: program(cell, x))(x),
    ):
        assert float(with_state(f, fx.asarray(1.0))(X)[1]) == pytest.approx(1.7)


ENTERED: dict[str, Callable[[Any, Array], Any]] = {
    "as it is": lambda f, x: f(x),
    "grad": lambda f, x: grad(f)(x),
    "jvp": lambda f, x: jvp(f, (x,), (fx.ones(()),)),
    "grad of grad": lambda f, x: grad(grad(f))(x),
    "vmap": lambda f, x: vmap(f)(fx.stack([x, x])),
    "vmap of grad": lambda f, x: vmap(grad(f))(fx.stack([x, x])),
    "jit of grad": lambda f, x: jit(grad(f))(x),
    "loop of grad": lambda f, x: fori_loop(0, 1, lambda i, c: grad(f)(c), x),
}


@pytest.mark.parametrize("name", ENTERED)
@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_happens_in_transformations_after_an_error(name: str, compiled: bool) -> None:
    seen: list[float] = []

    def program(cell: fx.State[Array], x: Array) -> Array:
        def failing(errors: fx.Raise[str], x: Array) -> None:
            errors.check(x > 0.0, "not positive")

            def after(y: Array) -> Array:
                cell.modify(lambda s: s + 1.0)
                debug_callback(lambda y: seen.append(float(y)), y)
                ends = while_loop(lambda t: t < 1.0, lambda t: t + fx.maximum(x, 0.0), fx.asarray(0.0))
                return y * y * y + ends

            ENTERED[name](after, x)

        return catching(failing)(x).status.code

    run = with_state(program, fx.asarray(0.0), lanes=added)
    code, last = (jit(run) if compiled else run)(fx.asarray(-0.7))
    assert int(code) and (float(last), seen) == (0.0, [])
    code, last = (jit(run) if compiled else run)(X)
    assert not int(code) and float(last) > 0.0 and seen


@pytest.mark.parametrize("compiled", [False, True])
def test_what_happened_in_a_transformation_before_an_error_is_kept(compiled: bool) -> None:
    def program(cell: fx.State[Array], x: Array) -> Array:
        def failing(errors: fx.Raise[str], x: Array) -> None:
            def inner(x: Array) -> Array:
                cell.modify(lambda s: s + 1.0)
                errors.check(x > 0.0, "not positive")
                cell.modify(lambda s: s + 10.0)
                return x * x

            grad(inner)(x)
            cell.modify(lambda s: s + 100.0)

        return catching(failing)(x).status.code

    run = with_state(program, fx.asarray(0.0))
    for x, wanted in ((-X, 1.0), (X, 111.0)):
        assert float((jit(run) if compiled else run)(x)[1]) == wanted


def test_draws_after_an_error_are_the_same_compiled() -> None:
    def program(rng: fx.Random, x: Array) -> Array:
        def failing(errors: fx.Raise[str], x: Array) -> None:
            errors.check(x > 0.0, "not positive")
            vmap(lambda y: y * rng.normal())(fx.stack([x, x]))

        catching(failing)(x)
        return rng.normal()

    run = with_random(program, 0)
    for x in (X, -X):
        assert (
            float(run(x))
            == float(jit(run)(x))
            == float(with_random(lambda rng, x: jit(lambda x: program(rng, x))(x), 0)(x))
        )
    assert float(run(X)) != float(run(-X))


def test_checks_around_derivatives_and_their_states() -> None:
    def program(cell: fx.State[Array], x: Array) -> Array:
        def inner(x: Array) -> Array:
            cell.modify(lambda s: s + x)
            return fx.sqrt(x) * cell.get()

        return checking(lambda x: jvp(inner, (x,), (fx.ones(()),))[1])(x).status.code

    for run in (with_state(program, fx.asarray(0.0)), jit(with_state(program, fx.asarray(0.0)))):
        assert float(run(X)[1]) == pytest.approx(0.7) and int(run(X)[0]) == 0
        assert int(run(-X)[0])


class Scale(Effect):
    @abstractmethod
    def scaled(self, x: Array) -> Array: ...


class Times(EffectHandler[Array], Scale):
    def __init__(self, factor: Any) -> None:
        super().__init__(fx.zeros(()))
        self.factor = factor

    def scaled(self, x: Array) -> Array:
        return fx.asarray(self.factor * x)


def test_attributes_of_a_handler_tell_programs_apart() -> None:
    f = jit(lambda scale, x: scale.scaled(x))
    assert [float(handled(Times(factor), f, fx.asarray(1.0))) for factor in (2.0, 3.0, 2, 2.5)] == [2.0, 3.0, 2.0, 2.5]
    loop = [handled(Times(k), lambda s, x: fori_loop(0, 2, lambda i, c: s.scaled(c), x), X) for k in (2.0, 3.0)]
    assert [float(y) for y in loop] == pytest.approx([2.8, 6.3])


def test_attributes_of_a_handler_are_static() -> None:
    for wrong in ([2.0], {"a": 1}, fx.asarray(2.0)):
        with pytest.raises(ArgumentError, match=r"Times.factor is static and must be hashable"):
            Times(wrong)

    class Counting(Times):
        def scaled(self, x: Array) -> Array:
            self.factor = self.factor + 1.0
            return super().scaled(x)

    with pytest.raises(ArgumentError, match=r"Counting.factor is assigned while Counting handles something"):
        handled(Counting(1.0), lambda scale, x: scan(lambda c, _: (scale.scaled(c), None), x, length=3)[0], X)


def test_an_operation_may_be_called_like_a_law() -> None:
    class Weighing(Effect):
        @abstractmethod
        def into_grams(self, x: Array) -> Array: ...

    class Kilograms(EffectHandler[Array], Weighing):
        def into_grams(self, x: Array) -> Array:
            self.state = self.state + 1.0
            return 1000.0 * x

    handler = Kilograms(fx.zeros(()))
    assert float(handled(handler, lambda w, x: w.into_grams(x) + jit(w.into_grams)(x), X)) == pytest.approx(1400.0)
    assert float(handler.state) == 2.0


def _an_effect(name: str, operation: Any, meaning: Any) -> Any:
    effect = type("Own", (Effect,), {name: operation})
    return type("Handler", (EffectHandler, effect), {name: meaning})


@pytest.mark.parametrize("name", ["send", "copied", "halted", "widened", "into_lanes", "from_sent", "key"])
def test_operations_are_not_called_as_what_every_handler_has(name: str) -> None:
    def operation(self: Any, x: Any) -> None: ...

    handler = _an_effect(name, abstractmethod(operation), lambda self, x: None)(fx.zeros(()))
    with pytest.raises(
        ArgumentError, match=rf"every handler has its own {name}; give the operation Own.{name} another"
    ):
        handled(handler, lambda own: None)


def test_operations_are_methods_that_take_what_is_declared() -> None:
    def operation(self: Any, x: Any, *, sure: bool = False) -> None: ...

    for declared, meaning in [
        (property(abstractmethod(lambda self: 1)), property(lambda self: 1)),
        (staticmethod(abstractmethod(lambda x: 1)), staticmethod(lambda x: 1)),
        (abstractmethod(operation), 3),
    ]:
        with pytest.raises(ArgumentError, match=r"Own.act must be a method, def act\(self, ...\)"):
            handled(_an_effect("act", declared, meaning)(fx.zeros(())), lambda own: None)
    for narrow in (lambda self: 1, lambda self, x: 1, lambda self, x, y, *, sure: 1):
        with pytest.raises(
            ArgumentError, match=r"Handler.act must take what Own.act takes, \(self: 'Any', x: 'Any', \*, sure"
        ):
            handled(_an_effect("act", abstractmethod(operation), narrow)(fx.zeros(())), lambda own: None)


class Held(Carrier):
    def __init__(self, owner: object, value: Array) -> None:
        self.owner, self.value = owner, value

    @property
    def aval(self) -> ShapedArray:
        return self.value.aval


class Holding(Forward[Held, None]):
    augments = True

    def constant(self, value: Array, /) -> Held:
        return Held(self, value)

    def interpret(self, op: Operation[Held], /) -> Performed:
        return each_result(lambda value: Held(self, value), fx.perform(op.map(lambda held: held.value)))

    def unpack(self, value: Held, /) -> tuple[tuple[Array, ...], None]:
        return (value.value,), None

    def pack(self, parts: Sequence[Array], static: None, /) -> Held:
        return Held(self, parts[0])


def test_what_is_written_inside_of_a_handler_with_carriers_leaves_it() -> None:
    def program(cell: fx.State[Array], x: Array) -> Array:
        def write(x: Array) -> Array:
            cell.modify(lambda s: s + x)
            return x

        with Holding() as handler:
            return handler.lift(cond(Held(handler, x) > 0.0, write, lambda x: x, Held(handler, x))).value

    for run in (with_state(program, X), jit(with_state(program, X))):
        assert [float(v) for v in run(X)] == pytest.approx([0.7, 1.4])


DERIVATIVES: dict[str, Callable[[Any], Callable[[Array], Any]]] = {
    "grad": grad,
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,)),
    "grad of jit": lambda f: grad(jit(f)),
    "jit of grad": lambda f: jit(grad(f)),
    "grad of scan": lambda f: grad(lambda x: scan(lambda c, _: (f(c), None), x, length=1)[0]),
    "grad of cond": lambda f: grad(lambda x: cond(x > 0.0, f, lambda x: x, x)),
    "grad of checkpoint": lambda f: grad(checkpoint(f)),
}


def _acting(act: Callable[[str, Array], object], function: bool, rule: bool, kind: str) -> Any:
    """sin with a rule of its own, of which the function, or the rule, or both act."""

    def f(x: Array) -> Array:
        if function:
            act("function", x)
        return fx.sin(x)

    def forwards(x: Array) -> Array:
        if rule:
            act("rule", x)
        return fx.sin(x)

    if kind == "custom_jvp":
        return custom_jvp(lambda primals, tangents: (forwards(*primals), fx.cos(primals[0]) * tangents[0]))(f)
    return custom_vjp(lambda x: (forwards(x), x), lambda x, ct: (fx.cos(x) * ct,))(f)


@pytest.mark.parametrize("kind", ["custom_jvp", "custom_vjp"])
@pytest.mark.parametrize("around", DERIVATIVES)
def test_what_happens_is_what_the_function_does_whichever_rule_runs(kind: str, around: str) -> None:
    if (kind, around) == ("custom_vjp", "jvp"):
        return
    amounts = {"function": 1.0, "rule": 10.0}
    for function, rule, wanted in [(True, False, 1.0), (True, True, 1.0), (False, True, 10.0), (False, False, 0.0)]:

        def counted(cell: fx.State[Array], x: Array, function: bool = function, rule: bool = rule) -> Any:
            act = lambda what, x: cell.modify(lambda s: s + amounts[what])
            return DERIVATIVES[around](_acting(act, function, rule, kind))(x)

        assert float(with_state(counted, fx.asarray(0.0))(X)[1]) == wanted, (function, rule)

    def emitting(out: fx.Output, x: Array) -> Any:
        return DERIVATIVES[around](_acting(lambda what, x: out.emit(what, x), True, True, kind))(x)

    assert with_output(emitting)(X)[1].keys() == {"function"}

    def failing(errors: fx.Raise[str], x: Array) -> Any:
        return DERIVATIVES[around](_acting(lambda what, x: errors.check(x > 1.0, what), True, True, kind))(x)

    assert catching(failing)(X).result().failure() == "function"


def test_functions_that_perform_nothing_pass_a_state_around_lanes() -> None:
    ruled = custom_jvp(lambda primals, tangents: (fx.sin(*primals), fx.cos(primals[0]) * tangents[0]))(fx.sin)
    slopes, _ = with_state(lambda cell, x: vmap(grad(ruled))(fx.stack([x, x])), fx.asarray(0.0))(X)
    assert slopes.tolist() == pytest.approx([0.7648421872844885] * 2)
