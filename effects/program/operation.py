"""Operations: what a program may ask for, as data.

An operation is a class with typed fields. Fields annotated with the class's type variable (`x: V`, `xs: tuple[V, ...]`)
are *operands*, all others are static *parameters*. One class serves every layer: `Op[Array]` is a request,
`Op[ShapedArray]` a typing judgement, `Op[Atom]` the right-hand side of an equation, `Op[Dual]` the argument of a jvp
rule. The `operation` decorator writes the traversals (`map`, `operands`, ...) as straight-line code, because every
operation of every traced program goes through them.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeVar, dataclass_transform, final

from effects.arguments import shown
from effects.errors import ArgumentError, EffaxError
from effects.program.operands import is_operand, is_tuple_of_operands
from effects.program.traversals import give_traversals
from effects.types.avals import ShapedArray, Typed

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.program.jaxpr import Atom, Jaxpr

    class Recorder(Protocol):
        """A handler that records operations: its own carriers have an `atom`, other values are captured."""

        def capture(self, value: Array, /) -> Atom: ...

    class Names[A](Protocol):
        """Mapping from operands to their names in a structure or in printed text."""

        def __getitem__(self, atom: A, /) -> Hashable: ...


@enum.unique
class HostEffect(enum.Enum):
    """Side effect of performing an operation on the host."""

    HOST = "host"
    """It calls Python on the host, and does so as often as the program says: never dropped, repeated or moved."""
    ORDERED = "ordered"
    """It happens after all such effects that come before it in the program."""

    __hash__ = object.__hash__


@final
class NamedAxis(NamedTuple):
    """The effect of asking the handler of the axis of this name."""

    name: Hashable


@final
class Label(NamedTuple):
    """The effect of asking a handler of `effect`: the one that has `level` others of it further out."""

    effect: type
    level: int

    def __repr__(self) -> str:
        return self.effect.__name__ + (f"#{self.level}" if self.level else "")


type Effects = frozenset[HostEffect | NamedAxis | Label]


class Kind(enum.Enum):
    """The base of the enumerations that distinguish the members of a regular family. The value is the printed name."""

    __hash__ = object.__hash__  # Enum's own is Python code, and kinds are the keys of every rule table

    def __init__(self, printed: str) -> None:
        self.printed = printed  # as `value`, which is Python code, too


class Operation[V]:
    """The base of all operations. `V` is the type of the operands."""

    __slots__ = ()

    placed: ClassVar[bool] = True
    """False for an operation that only the library performs, in programs of its own: its equation has no line of the
    user's, and belongs to the line of the program that it is in."""

    of_users: ClassVar[bool] = False
    """True for classes that users write, whose parameters may be anything."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """Name of the operation in printed programs: a class attribute, for families a property of their kind."""
            raise NotImplementedError

        @property
        def effects(self) -> Effects:
            """Side effects of performing it: a class attribute, or a property where they depend on its parameters."""
            raise NotImplementedError

        def map[W](self, f: Callable[[V], W], /) -> Operation[W]:
            """The same operation with `f` applied to every operand, in the order of the fields."""
            raise NotImplementedError

        def lifted[W](self, handler: object, constant: Callable[[V], W], /) -> Operation[W]:
            """The operation with `constant` applied to operands foreign to `handler`; perhaps itself if none is."""
            raise NotImplementedError

        def written(self, recorder: Recorder, /) -> Operation[Atom]:
            """The same operation over the atoms that `recorder` knows the operands by."""
            raise NotImplementedError

        def owned_by(self, handler: object, /) -> bool:
            """Return True if any operand is a carrier of `handler`."""
            raise NotImplementedError

        def structure(self, names: Names[V], /) -> Hashable:
            """Hashable description of the operation on operands of these names: equal for equal operations only."""
            raise NotImplementedError

        @property
        def params(self) -> tuple[Hashable, ...]:
            """The static parameters in the order of the fields."""
            raise NotImplementedError

        @property
        def operands(self) -> tuple[V, ...]:
            """All operands in the order of the fields, tuples flattened."""
            raise NotImplementedError

        def _asks(self) -> tuple[V, Array | tuple[Array, ...]]:
            """The operand type and the result type of performing the operation, for the type checker."""
            raise NotImplementedError

    def types(self: Operation[Typed]) -> ShapedArray | tuple[ShapedArray, ...]:
        """The type of the result (or the types of several results), from the operands' types.

        Raises ShapeError or DTypeError when the operands do not fit the operation.
        """
        raise NotImplementedError

    def describe(self) -> str:
        """The printed form of the operation without its operands: `reduce_sum[axes=(0,)]`."""
        params = [(field, getattr(self, field), default) for field, default in self.shown_params.items()]
        named = [(field, value) for field, value, default in params if value is not default]
        shown = [f"{field}={value.value if isinstance(value, enum.Enum) else repr(value)}" for field, value in named]
        return f"{self.display_name}[{', '.join(shown)}]" if shown else self.display_name

    def __repr__(self) -> str:
        return self.describe() + "".join([f" {getattr(operand, 'aval', operand)}" for operand in self.operands])

    shown_params: ClassVar[Mapping[str, object]] = {}
    """The parameters that are printed, each with the default at which it is left out, if it has one."""

    if not TYPE_CHECKING:
        effects = frozenset()

        def __init__(self, *_: object, **__: object) -> None:
            name = type(self).__name__
            raise ArgumentError(
                f"{name} is a class without fields until it is decorated: write @operation above class {name}"
            )

    @property
    def display_name(self) -> str:
        return self.name


class Single[V](Operation[V]):
    """An operation with one result."""

    __slots__ = ()

    if TYPE_CHECKING:

        def map[W](self, f: Callable[[V], W], /) -> Single[W]:
            raise NotImplementedError

        def _asks(self) -> tuple[V, Array]:
            raise NotImplementedError

    def types(self: Single[Typed]) -> ShapedArray:
        raise NotImplementedError


class Multiple[V](Operation[V]):
    """An operation with a tuple of results."""

    __slots__ = ()

    if TYPE_CHECKING:

        def map[W](self, f: Callable[[V], W], /) -> Multiple[W]:
            raise NotImplementedError

        def _asks(self) -> tuple[V, tuple[Array, ...]]:
            raise NotImplementedError

    def types(self: Multiple[Typed]) -> tuple[ShapedArray, ...]:
        raise NotImplementedError


class HigherOrder[V](Multiple[V]):
    """An operation with closed programs among its parameters: a jitted call, a conditional."""

    __slots__ = ()

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        """The programs, in the order of the fields."""
        raise NotImplementedError

    @property
    def effects(self) -> Effects:
        return frozenset().union(*[body.effects for body in self.bodies])


def _refuse_unhashable(op: Operation[object]) -> None:
    """Raise ArgumentError if a parameter of `op` is not hashable; for an array, the array's own error."""
    try:
        hash(op.params)
    except EffaxError:
        raise
    except TypeError as error:
        raise ArgumentError(
            f"{op.name}: the parameters of an operation must be hashable, since they identify programs: {error}; "
            "use a tuple in place of a list"
        ) from None


def _names_operands(cls: type) -> bool:
    """Return True if a class without a type variable declares some of its fields as operands."""
    annotations = inspect.get_annotations(cls).values()
    return not cls.__type_params__ and any(
        [is_operand(a, set()) or is_tuple_of_operands(a, set()) for a in annotations]
    )


@dataclass_transform(frozen_default=True)
def operation[T](cls: type[T]) -> type[T]:
    """Make a class an operation: a slotted dataclass with its traversals written out.

    Fields are read-only to the type checker only, since creating a frozen dataclass takes three times as long.

    >>> import effects as fx
    >>> from effects.program.operation import Single, operation
    >>> @operation
    ... class Twice[V](Single[V]):
    ...     name = "twice"
    ...     x: V
    ...     def types(self):
    ...         return self.x.aval
    >>> Twice(3).map(str).operands
    ('3',)
    """
    if not issubclass(cls, Operation):
        name = getattr(cls, "__name__", "Name")
        raise ArgumentError(f"operation takes a class of CustomOp, got {shown(cls)}; write class {name}(CustomOp)")
    type_params = cls.__type_params__
    if (len(type_params) != 1 or not isinstance(type_params[0], TypeVar)) and not _names_operands(cls):
        raise ArgumentError(
            f"an operation is generic in its operands: class {cls.__name__}[V](Single[V]), or class {cls.__name__}"
            "(CustomOp) where they are annotated Operand"
        )
    op_class = dataclasses.dataclass(slots=True, eq=False, repr=False)(cls)
    pure = issubclass(op_class, Single) or (issubclass(op_class, Multiple) and op_class.effects is Operation.effects)
    give_traversals(
        op_class,
        own=vars(cls).keys() & {"written"},  # an operation may say how it is recorded
        judged_once=pure,  # others may hold objects of users, which no cache may keep alive
        refuse_unhashable=_refuse_unhashable if op_class.of_users else None,
    )
    return op_class
