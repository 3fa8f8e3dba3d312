"""Mistakes in users' operations and handlers: a method that is missing, or that gives back what it should not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import pytest

from effects.arrays.array import Array, Carrier
from effects.errors import ArgumentError, ConcretizationError, EffaxError, IllTyped, MissingRule, UnhashableError
from effects.operations.elementwise import UnaryKind
from effects.program.chain import Handler, Performed, perform
from effects.program.custom import CustomOp
from effects.program.operation import Operation, operation
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.tabular.handler import Parts, Tabular
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, jit, jvp, vmap

x3, m23 = fx.asarray([1.0, 2.0, 3.0]), fx.ones((2, 3))


def make(**methods: Callable[..., object]) -> Any:
    """An operation `Op(x)` with these methods; `types` says the type of x unless it is given."""
    methods.setdefault("types", lambda self: self.x.aval)
    source = "@operation\nclass Op[V](CustomOp[V]):\n    x: V\n"
    source += "".join(f"    {name} = {name}\n" for name in methods)
    namespace: dict[str, Any] = {"operation": operation, "CustomOp": CustomOp, **methods}
    exec(compile(source, "<effax test>", "exec"), namespace)
    return namespace["Op"]


do: Any = perform


def test_a_class_that_is_not_decorated() -> None:
    class Forgotten(CustomOp[Any]):
        x: Any

    refusal(ArgumentError, "write @operation above class Forgotten", of=lambda: cast(Any, Forgotten)(x3))


def doubled(self: Any) -> Any:
    return self.x * 2


F7 = ShapedArray((7,), fx.float32)
TYPES: list[tuple[type[EffaxError], Any, str]] = [
    (
        IllTyped,
        make(evaluate=doubled, types=lambda self: F7),
        "evaluate(self): the result must be float32[7], got float64[3]",
    ),
    (
        IllTyped,
        make(evaluate=doubled, types=lambda self: (self.x.aval, self.x.aval)),
        "evaluate(self) must return 2 results",
    ),
    (
        IllTyped,
        make(evaluate=lambda self: (self.x, self.x)),
        "types(self) says one result, float64[3], but evaluate(self) gives",
    ),
    (IllTyped, make(evaluate=doubled, types=lambda self: (3,)), "types(self) must return a ShapedArray"),
    (IllTyped, make(evaluate=doubled, types=lambda self: None), "types(self) must return a ShapedArray"),
    (
        ArgumentError,
        make(evaluate=lambda self: "a"),
        "evaluate(self): the result must be an array or a number, got 'a'",
    ),
    (
        ArgumentError,
        make(evaluate=lambda self: None),
        "evaluate(self): the result must be an array or a number, got None",
    ),
    (IllTyped, make(evaluate=lambda self: 1.0), "evaluate(self): the result must be float64[3], got float64[]"),
]


@pytest.mark.parametrize(("kind", "op", "words"), TYPES, ids=[case[2] for case in TYPES])
def test_types_and_results_that_differ(kind: type[EffaxError], op: Any, words: str) -> None:
    refusal(kind, words, of=lambda: do(op(x3)))
    refusal(kind, words, of=lambda: jit(lambda x: do(op(x)))(x3))


def test_python_numbers_become_results() -> None:
    op = make(evaluate=lambda self: 1, types=lambda self: ShapedArray((), fx.float32))
    assert do(op(x3)).dtype is fx.float32 and jit(lambda x: do(op(x)))(x3).tolist() == 1.0


JVP: list[tuple[type[EffaxError], Callable[[Any], object], str]] = [
    (IllTyped, lambda self: self.x.primal, "jvp(self) must return a pair (result, tangent), got Array"),
    (IllTyped, lambda self: (1, 2, 3), "jvp(self) must return a pair"),
    (IllTyped, lambda self: None, "jvp(self) must return a pair"),
    (ArgumentError, lambda self: ("a", None), "jvp(self): the result must be an array"),
    (IllTyped, lambda self: (self.x.primal, fx.ones(7)), "jvp(self): the tangent must be float64[3], got float64[7]"),
    (
        IllTyped,
        lambda self: (self.x.primal, fx.ones(3, dtype="float32")),
        "the tangent must be float64[3], got float32[3]",
    ),
    (IllTyped, lambda self: (fx.ones(7), None), "jvp(self): the result must be float64[3], got float64[7]"),
    (IllTyped, lambda self: (self.x, self.x), "jvp(self): the result is a Dual, as the operands are"),
    (
        IllTyped,
        lambda self: ((self.x.primal,), (None,)),
        "types(self) says one result, float64[3], but jvp(self) gives",
    ),
]
BATCH: list[tuple[type[EffaxError], Callable[[Any], object], str]] = [
    (IllTyped, lambda self: self.x.value, "batch(self) must return a pair (result, whether it is batched)"),
    (ArgumentError, lambda self: ("a", True), "batch(self): the result, of 2 lanes, must be an array"),
    (IllTyped, lambda self: (fx.ones(7), True), "the result, of 2 lanes, must be float64[2,3], got float64[7]"),
    (IllTyped, lambda self: (self.x.value, False), "batch(self): the result must be float64[3], got float64[2,3]"),
    (IllTyped, lambda self: (self.x.value, "yes"), "must be True or False, got 'yes'"),
    (IllTyped, lambda self: (self.x, True), "is a Batched, as the operands are"),
    (IllTyped, lambda self: ((self.x.value,), (True,)), "types(self) says one result"),
]
TRANSPOSE: list[tuple[type[EffaxError], Callable[[Any, Any], object], str]] = [
    (IllTyped, lambda self, ct: (ct, ct), "transpose(self, cotangent) must return 1 cotangent, got 2 of them"),
    (IllTyped, lambda self, ct: fx.ones(7), "the cotangent of operand 0 must be float64[3], got float64[7]"),
    (IllTyped, lambda self, ct: self.x, "the cotangent of operand 0 is a Linear"),
    (ArgumentError, lambda self, ct: "a", "the cotangent of operand 0 must be an array"),
]


@pytest.mark.parametrize(("kind", "method", "words"), JVP, ids=[case[2] for case in JVP])
def test_what_jvp_gives(kind: type[EffaxError], method: Callable[[Any], object], words: str) -> None:
    op = make(evaluate=doubled, jvp=method)
    refusal(kind, words, of=lambda: jvp(lambda x: do(op(x)), (x3,), (x3,)))
    refusal(kind, "Op.jvp(self)" if "types" not in words else words, of=lambda: grad(lambda x: fx.sum(do(op(x))))(x3))


@pytest.mark.parametrize(("kind", "method", "words"), BATCH, ids=[case[2] for case in BATCH])
def test_what_batch_gives(kind: type[EffaxError], method: Callable[[Any], object], words: str) -> None:
    op = make(evaluate=doubled, batch=method)
    refusal(kind, words, of=lambda: vmap(lambda x: do(op(x)))(m23))


@pytest.mark.parametrize(("kind", "method", "words"), TRANSPOSE, ids=[case[2] for case in TRANSPOSE])
def test_what_transpose_gives(kind: type[EffaxError], method: Callable[[Any, Any], object], words: str) -> None:
    op = make(evaluate=doubled, jvp=lambda self: (self.x.primal, do(type(self)(self.x.tangent))), transpose=method)
    refusal(kind, words, of=lambda: grad(lambda x: fx.sum(do(op(x))))(x3))


def test_several_results() -> None:
    good: dict[str, Callable[..., object]] = {
        "types": lambda self: (self.x.aval, self.x.aval),
        "evaluate": lambda self: (self.x, 2 * self.x),
        "jvp": lambda self: ((self.x.primal, 2 * self.x.primal), (self.x.tangent, None)),
        "batch": lambda self: ((self.x.value, 2 * self.x.value), (True, True)),
    }
    op = make(**good)
    assert [r.tolist() for r in do(op(x3))] == [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]
    assert vmap(lambda x: do(op(x))[1])(m23).tolist() == [[2.0] * 3] * 2
    assert jvp(lambda x: do(op(x))[0], (x3,), (x3,))[1].tolist() == [1.0, 2.0, 3.0]
    short = make(**{**good, "jvp": lambda self: ((self.x.primal,), (None,))})
    refusal(
        IllTyped, "jvp(self) must return 2 results, got 1 of them", of=lambda: jvp(lambda x: do(short(x)), (x3,), (x3,))
    )
    odd = make(**{**good, "jvp": lambda self: ((self.x.primal, self.x.primal), None)})
    refusal(IllTyped, "jvp(self) must return 2 tangents, got None", of=lambda: jvp(lambda x: do(odd(x)), (x3,), (x3,)))
    flags = make(**{**good, "batch": lambda self: ((self.x.value, self.x.value), (True,))})
    refusal(IllTyped, "batch(self) must return 2 flags, got 1 of them", of=lambda: vmap(lambda x: do(flags(x)))(m23))


def test_an_operand_that_is_no_array() -> None:
    op = make(evaluate=doubled)
    refusal(ArgumentError, "Op: an operand must be an array, got 'a' of type str", of=lambda: do(op("a")))
    refusal(ArgumentError, "Op: an operand must be an array, got 1.0", of=lambda: jit(lambda x: do(op(1.0)))(x3))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        op()


class Tagged(Carrier):
    __slots__ = ("value",)

    def __init__(self, owner: Handler[Any], value: Array) -> None:
        self.owner, self.value = owner, value

    @property
    def aval(self) -> ShapedArray:
        return self.value.aval


def test_a_forward_handler_without_its_methods() -> None:
    class Half(Forward[Any, Any]):
        def constant(self, value: Array, /) -> Any:
            return Tagged(self, value)

        def interpret(self, op: Operation[Any], /) -> Performed:
            return Tagged(self, do(op.map(lambda v: v.value)))

    with pytest.raises(TypeError, match="abstract methods 'pack', 'unpack'"):
        Half()  # type: ignore[abstract]  # that is the mistake


def test_an_operation_that_a_handler_does_not_know() -> None:
    class OnlyAdd(Handler[Tagged]):
        def constant(self, value: Array, /) -> Tagged:
            return Tagged(self, value)

        def interpret(self, op: Operation[Tagged], /) -> Performed:
            if op.name == "add":
                return Tagged(self, do(op.map(lambda v: v.value)))
            return cast(Performed, None)

    with OnlyAdd() as handler:
        x = Tagged(handler, x3)
        assert fx.add(x, 1).value.tolist() == [2.0, 3.0, 4.0]
        refusal(MissingRule, "OnlyAdd.interpret returned None for mul", of=lambda: fx.multiply(x, 2))


def test_parameters_that_cannot_be_part_of_a_program() -> None:
    @operation
    class Scale[V](CustomOp[V]):
        factor: Any
        x: V

        def types(self) -> Any:
            return cast(Any, self.x).aval

        def evaluate(self) -> Any:
            return cast(Any, self.x) * self.factor

    def scale(factor: Any, x: Any) -> Any:
        return do(Scale(factor, x))

    assert scale(x3, x3).shape == (3,), "where nothing is written down, all is well"
    bad: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
        (ArgumentError, "Scale: the parameters .* hashable.*'list'", lambda: jit(lambda x: scale([2.0], x))(x3)),
        (ConcretizationError, "argument f of .*static_argnums", lambda: jit(lambda f, x: scale(f, x))(2.0, x3)),
        (UnhashableError, "cannot be hashed", lambda: jit(lambda x: scale(x3, x))(x3)),
    ]
    for error, words, attempt in bad:
        with pytest.raises(error, match=words):
            attempt()


class Ends(NamedTuple):
    low: Any
    high: Any


class Segment(Parts):
    low: Array
    high: Array


@pytest.mark.parametrize("given", [lambda x: x.low, lambda x: (x.low,), lambda x: x, lambda x: None])
def test_a_rule_that_does_not_give_the_fields(given: Callable[[Any], Any]) -> None:
    class Segments(Tabular[Segment, Ends]):
        rules = dict.fromkeys([UnaryKind.SIN], lambda op: given(op.x))

    words = r"Segments.rules\[UnaryKind.SIN\] must return a tuple of the fields of Segment, \(low, high\)"
    for end in (1.0, fx.ones(2)):  # the second has as many elements as there are fields
        with pytest.raises(IllTyped, match=words):
            Segments.over(fx.sin)(Ends(end, end))


def test_a_field_that_hides_what_arrays_have() -> None:
    with pytest.raises(ArgumentError, match=r"Spread.var: every array has an x.var"):

        class Spread(Parts):
            centre: Array
            var: Array  # type: ignore[assignment]  # the mistake, which mypy sees too


def test_an_operation_without_a_type_variable() -> None:
    class Plain(CustomOp):
        x: int

    undeclared: Any = Plain
    with pytest.raises(ArgumentError, match=r"an operation is generic in its operands: class Plain\[V\]"):
        operation(undeclared)
