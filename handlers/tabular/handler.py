"""Forward handlers given by a table: a carrier that names its parts, and one rule for each kind of operation.

This is all that a handler needs whose rules look at one operation at a time: how its carriers go through control flow,
and how values enter and leave, follows from the fields of the carrier.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Hashable, Sequence
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, ClassVar, Generic, dataclass_transform, get_args, get_origin, overload

from typing_extensions import TypeVar

from effects.arguments import describe
from effects.arrays.array import Array, ArrayLike, Carrier
from effects.errors import ArgumentError, EffaxError, IllTyped, MissingRule
from effects.program.chain import Handler, Performed, each_result, installed
from effects.program.custom import CustomOp
from effects.program.operation import Kind, Operation
from effects.runtime.caches import weakly_held
from effects.types.avals import ShapedArray
from handlers.contracts import check_static, checked_type
from handlers.forward import Forward
from handlers.handler_keys import DefaultKey
from handlers.tabular.any_operation import AnyOperation
from handlers.tabular.fields import are_arrays
from handlers.tabular.over import Over, OverAttribute
from handlers.transformations.calls.types import Tree

type Rule[V] = Callable[[AnyOperation[V]], tuple[object, ...]]
"""Rule of an operation on carriers `V`: gives the fields of the result."""

type Rules[V] = dict[Any, Rule[V]]
"""A table of rules, by the kind of the operation or its class."""


@dataclass_transform(eq_default=False)
@dataclasses.dataclass(eq=False, repr=False)
class Parts(Carrier):
    """A carrier defined by the annotated fields of a subclass; the constructor takes the owner, then the fields.

    Fields annotated as arrays are the parts; others are static and hashable. The type of the value is that of the first
    part, unless the subclass defines `aval`. Raises ArgumentError for a field named like an attribute of every array,
    such as `mean`.
    """

    owner: Handler[Any]
    layout: ClassVar[tuple[tuple[str, bool], ...]] = ()
    _typed_by: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "owner" in vars(cls).get("__annotations__", {}):
            raise ArgumentError(
                f"{cls.__name__}.owner: every carrier has an owner, its handler; give the field another name"
            )
        dataclasses.dataclass(eq=False, repr=False)(cls)
        fields = [f for f in dataclasses.fields(cls) if f.name != "owner"]
        for name in [f.name for f in fields if hasattr(Array, f.name) and f.name != "aval"]:
            raise ArgumentError(
                f"{cls.__name__}.{name}: every array has an x.{name}, and carriers stand in place of arrays; give the "
                "field another name"
            )
        cls.layout = tuple(zip([f.name for f in fields], are_arrays(cls, [f.name for f in fields]), strict=True))
        arrays = [name for name, is_array in cls.layout if is_array]
        if cls.layout and not arrays and cls.aval is Parts.aval:
            raise ArgumentError(
                f"class {cls.__name__}(Parts): no field is an array; annotate one, {cls.layout[0][0]}: Array, or "
                "define aval, the type of the value"
            )
        cls._typed_by = arrays[0] if arrays else ""

    @property
    def aval(self) -> ShapedArray:
        first: Array = getattr(self, self._typed_by)
        return first.aval


V = TypeVar("V", bound=Any)  # Parts; but of an attribute's rules pyright takes `V` for its bound
O = TypeVar("O", default=Any)


def _is_blamed_below(error: EffaxError) -> bool:
    """Return True if an error names a line of a rule, where it should name that of the operation."""
    source = error.source
    return source is not None and any(frame.f_code is source.code for frame, _ in walk_tb(error.__traceback__))


def _refuse_arity(where: str, rule: Rule[Any], error: TypeError) -> None:
    """Raise IllTyped for a rule that does not take an operation alone."""
    if not callable(rule):
        raise IllTyped(f"{where} must be a function of the operation, got {describe(rule)}") from None
    try:
        inspect.signature(rule).bind(None)
    except TypeError:
        raise IllTyped(f"{where} is given the operation and nothing else: {error}") from None
    except ValueError:  # it has no signature
        return


class Tabular(Forward[V, tuple[Any, ...]], Generic[V, O]):
    """A forward handler whose meaning is the table `rules`. `V` is its carrier, a class of `Parts`.

    `O` represents a carrier in calls of a function made by `over`: a pytree with its fields, without the owner.

    A rule is found by the operation's `kind` if it has one (`UnaryKind.SIN`), else by its class (`Reshape`). It takes
    the operation on carriers and returns the fields of the result, without the owner; for several results, a tuple of
    these. User-defined operations without a rule are interpreted through their `evaluate`.

    A type checker knows the carrier in a rule: that `op.x` in `lambda op: …` is a `V`, and that the rule takes one
    argument and returns a tuple. The number and the types of its fields are checked when the rule is used. pyright
    checks the table only if it is annotated, `rules: Rules[Interval] = {…}`. Add lambdas to a table of functions, or
    functions to one of lambdas, by `rules |= {…}`: in one display, mypy takes the lambdas for functions.

    Raises MissingRule, naming the operation and the table, where there is no rule.

    >>> from typing import NamedTuple
    >>> from effects import Array
    >>> from effects.operations import BinaryKind
    >>> from handlers import Parts, partwise
    >>> class Bounds(NamedTuple):
    ...     lo: float
    ...     hi: float
    >>> class Interval(Parts):
    ...     lo: Array
    ...     hi: Array
    >>> class Intervals(Tabular[Interval, Bounds]):
    ...     rules = {BinaryKind.ADD: partwise}
    >>> Intervals.over(lambda x: x + 1.0)(Bounds(0.0, 2.0))
    Bounds(lo=Array(1., float64), hi=Array(3., float64))
    """

    rules: Rules[V]
    carrier: ClassVar[type[Parts]]
    outside: ClassVar[type]

    def __init_subclass__(cls) -> None:
        """Raises ArgumentError where the carrier is a class of something else than `Parts`."""
        super().__init_subclass__()
        for base in getattr(cls, "__orig_bases__", ()):
            if get_origin(base) is Tabular:
                type_args = dict(zip(("carrier", "outside"), get_args(base), strict=True))
                for name, argument in type_args.items():
                    if isinstance(argument, type) and argument is not Any:
                        setattr(cls, name, argument)
        rules: object = vars(cls).get("rules", {})
        if not isinstance(rules, dict):
            raise ArgumentError(
                f"class {cls.__name__}(Tabular): rules must be a dict of functions, got {describe(rules)}"
            )
        carrier = getattr(cls, "carrier", Parts)
        if not issubclass(carrier, Parts):
            raise ArgumentError(
                f"class {cls.__name__}(Tabular[{carrier.__name__}]): a carrier is a class of Parts with its fields"
            )

    def constant(self, value: Array, /) -> V:
        """`value` in every part; a carrier with static fields needs a handler that overrides this."""
        static = [name for name, is_array in self.carrier.layout if not is_array]
        if static:
            cls = type(self).__name__
            raise MissingRule(
                f"{cls}.constant is not written: a value from outside has no {static[0]}, the static field of a "
                f"{self.carrier.__name__}; write {cls}.constant(self, value), which sets it"
            )
        return self.make(*[value] * len(self.carrier.layout))

    def make(self, *fields: object) -> V:
        """The carrier of this handler with these fields."""
        carrier: V = self.carrier(self, *fields)  # type: ignore[assignment]  # of the class that V is
        return carrier

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed
        """The table itself, which may be changed; None for a handler with attributes of its own, or that sees all."""
        rules = DefaultKey().__get__(self, type(self))
        return None if rules is None else tuple([(key, weakly_held(rule)) for key, rule in self.rules.items()])

    def interpret(self, op: Operation[V], /) -> Performed:
        key: object = getattr(op, "kind", None) or type(op)
        rule = self.rules.get(key)
        if rule is not None:
            return self._made_by_rule(op, key, rule)
        if isinstance(op, CustomOp):
            with installed(self):
                results: Performed = op.evaluate()
            return each_result(self.lift, results)
        where = type(op).__name__ if key is type(op) else key
        hint = f" (help({type(key).__name__}) says what it is)" if isinstance(key, Kind) else ""
        raise MissingRule(f"{self!r} has no rule for {op.name}{hint}; write {type(self).__name__}.rules[{where}]")

    def _made_by_rule(self, op: Operation[V], key: object, rule: Rule[V]) -> Performed:
        where = f"{self!r}.rules[{key.__name__ if isinstance(key, type) else key}]"
        try:
            fields: object = rule(op)  # type: ignore[arg-type]  # of the kind that the rule is for
        except TypeError as error:
            _refuse_arity(where, rule, error)
            raise
        avals = op.types()
        if not isinstance(avals, tuple):
            return checked_type(where, avals, self._packed(where, fields))
        if not isinstance(fields, tuple | list) or len(fields) != len(avals):
            raise IllTyped(f"{where} must return the fields of each of {len(avals)} results, got {describe(fields)}")
        several = [(f"{where}, result {i}", aval, each) for i, (aval, each) in enumerate(zip(avals, fields))]
        return tuple([checked_type(which, aval, self._packed(which, each)) for which, aval, each in several])

    def _packed(self, where: str, fields: object) -> V:
        names = [name for name, _ in self.carrier.layout]
        if not isinstance(fields, tuple | list) or len(fields) != len(names):
            raise IllTyped(
                f"{where} must return a tuple of the fields of {self.carrier.__name__}, ({', '.join(names)}), got "
                f"{describe(fields)}"
            )
        for field, (name, is_array) in zip(fields, self.carrier.layout, strict=True):
            if is_array and not isinstance(field, Array):
                raise IllTyped(f"{where}: {name} must be an array, got {describe(field)}")
            if not is_array:
                check_static(f"{where}: {name}", field)
        return self.make(*fields)

    def unpack(self, value: V, /) -> tuple[tuple[Array, ...], tuple[Any, ...]]:
        fields = value.layout
        parts = tuple([getattr(value, name) for name, is_array in fields if is_array])
        return parts, tuple([getattr(value, name) for name, is_array in fields if not is_array])

    def pack(self, parts: Sequence[Array], static: tuple[Any, ...], /) -> V:
        arrays, others = iter(parts), iter(static)
        return self.make(*[next(arrays if is_array else others) for _, is_array in self.carrier.layout])

    def handle(self, op: Operation[Array], /) -> Performed:
        try:
            return super().handle(op)
        except EffaxError as error:
            if _is_blamed_below(error):
                raise type(error)(error.message) from error.__cause__
            raise

    def coerce(self, value: V, static: tuple[Any, ...], /) -> V:
        return self.pack(self.unpack(value)[0], static)

    if TYPE_CHECKING:

        @overload
        @classmethod
        def over[**P, R: ArrayLike](cls, f: Callable[P, R]) -> Over[P, O, O]: ...
        @overload
        @classmethod
        def over[**P, T: Tree](cls, f: Callable[P, T]) -> Over[P, O, Any]: ...
        @classmethod
        def over(cls, f: Callable[..., Any]) -> Callable[..., Any]:
            """`f` under a handler of this class, or under copies of a handler that has attributes."""
    else:
        over = OverAttribute()
