"""Handlers of operations, declared as data: what is handled, fields that never change, fields that are the state.

A handler says what operations mean on arrays, and nothing of control flow, of transformations or of itself: its fields
are all there is to know of it. So it is copied for the inside of programs, its state goes through them, and programs
are shared between handlers of equal fields.
"""

from __future__ import annotations

import copy
import dataclasses
import difflib
import enum
import inspect
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from types import FunctionType
from typing import Any, ClassVar, Final, Generic, Literal, Self, dataclass_transform

from typing_extensions import TypeVar

from effects.arguments import describe
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.errors import ArgumentError, EffaxError, IllTyped
from effects.program.chain import Performed, current, installed
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import Operation
from effects.requests.forms import Form, take_apart, types_of
from effects.runtime.caches import exact_key
from effects.runtime.cpython.extent import Extent
from effects.runtime.cpython.source import rule_around
from effects.trees.pytree import tree_map
from handlers.stateful.handled_operations import Handled, HandledOperations
from handlers.stateful.handler import Stateful, of_type, strong
from handlers.stateful.operation_link import OperationLink


class Default(enum.Enum):
    BY_CALLER = enum.auto()


def kept[T](*, default: T | Literal[Default.BY_CALLER] = Default.BY_CALLER) -> T:
    """A field that is state: `count: Array = kept(default=fx.asarray(0))`, or `kept()`, which the constructor takes.

    It is an array or a tree of arrays, which passes through programs, is differentiated and batched like all others,
    and keeps its type.

    >>> import effects as fx
    >>> from handlers import OperationHandler
    >>> class Count(OperationHandler):
    ...     handles = fx.operations.Unary
    ...     count: fx.Array = kept(default=fx.asarray(0))
    ...
    ...     def interpret(self, op):
    ...         self.count = self.count + 1
    ...         return fx.perform(op)
    >>> with Count() as counter:
    ...     y = fx.sin(fx.cos(fx.asarray(1.0)))
    >>> counter.count
    Array(2, int64)
    """
    if default is Default.BY_CALLER:
        result: Any = dataclasses.field(metadata={"kept": True})
    else:
        result = dataclasses.field(default_factory=lambda: default, metadata={"kept": True})
    field: T = result
    return field


O = TypeVar("O", bound=Operation[Any], default=Operation[Array])


@dataclass_transform(field_specifiers=(kept,), eq_default=False)
class OperationHandler(Stateful[dict[str, Any]], Extent, ABC, Generic[O]):
    """Base of operation handlers: a subclass says which operations it `handles`, has fields, and defines `interpret`.

    Fields are dataclass fields. A field made by `kept` is state, which `interpret` reads and assigns. All others are
    static: hashable and never reassigned; programs are shared between handlers where they are equal. A handler is
    installed by `with`, once; its state can be read in the block and after it.

    `OperationHandler[Scan[Array]]` tells a type checker the class of the operations that `interpret` takes; without it,
    they are any operations.

    The handler sees the operations at its place in the chain, including those in jitted functions, conditionals and
    loops. Of a transformation inside it, it sees the operations that the transformation performs. Requests of effects
    pass.

    Raises ArgumentError for a field named like an attribute of every handler, for a field that is not hashable, for an
    attribute that is not a field, and for a state that depends on a user-defined operation that does not declare that
    it acts.

    >>> import effects as fx
    >>> from effects.operations import UnaryKind
    >>> from handlers import kept, scan
    >>> class Sines(OperationHandler):
    ...     handles = UnaryKind.SIN
    ...     count: fx.Array = kept(default=fx.asarray(0))
    ...     def interpret(self, op, /):
    ...         self.count = self.count + 1
    ...         return fx.perform(op)
    >>> with Sines() as sines:
    ...     y = scan(lambda x, _: (fx.sin(x), None), fx.asarray(1.0), length=5)[0]
    >>> sines.count
    Array(5, int64)
    """

    handles: ClassVar[Handled | Sequence[Handled]] = Operation
    """The operations that are interpreted; all others pass. A class that holds programs (`Scan`) is interpreted as one
    operation.
    """

    link: OperationLink

    concern: ClassVar[HandledOperations]
    _state_fields: ClassVar[tuple[str, ...]] = ()
    _static: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def interpret(self, op: O, /) -> Performed:
        """The meaning of `op`: results of its types. Runs outside the handler."""

    @property
    def in_derivative(self) -> bool:
        """True if the operation in `interpret` belongs to a derivative: performed by its rule, or in the backward pass.

        An operation that a rule performs to compute the value belongs to the program. So do the operations of functions
        with custom rules, except those that depend on tangents or cotangents. So a change of the program alone is the
        same inside a derivative and around it.
        """
        return bool(rule_around())

    def inside(self, program: Jaxpr, operands: Sequence[Array], /) -> list[Array]:
        """The results of a program under this handler; for the meaning of operations that hold programs.

        It also works in a transformation that `interpret` enters, if the program does not change the state.
        """
        if "link" not in vars(self):
            raise ArgumentError(f"{type(self).__name__}.inside: the handler is not installed; ask in its `with` block")
        if current() is self.link.outer:
            with installed(self.link):
                return eval_jaxpr(program, operands)
        with self.link.copied(self.state) as inner:
            results = eval_jaxpr(program, operands)
        for name, value in inner.handler.state.items():
            setattr(self, name, value)
        for name, arrays in inner.handler.sent.items():
            self.send(name, *arrays)
        return results

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        try:
            dataclasses.dataclass(eq=False, repr=False)(cls)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"class {cls.__name__}(OperationHandler): {error}; a static field must be hashable, a state field is "
                "made by kept(...), and fields without a default come first"
            ) from None
        fields: Sequence[dataclasses.Field[Any]] = dataclasses.fields(cls)  # type: ignore[arg-type]  # it is one now
        for name in [f.name for f in fields if f.name in _OF_ALL or hasattr(OperationHandler, f.name)]:
            raise ArgumentError(
                f"{cls.__name__}.{name}: every handler has an attribute {name}, which this field would hide; give it "
                "another name"
            )
        _check_interpret(cls)
        cls._state_fields = tuple([f.name for f in fields if "kept" in f.metadata])
        cls._static = tuple([f.name for f in fields if "kept" not in f.metadata])
        cls.concern = HandledOperations(cls.__name__, cls.handles)
        for name in [n for n in vars(cls) if n != "handles" and difflib.get_close_matches(n, ["handles"], cutoff=0.8)]:
            raise ArgumentError(f"{cls.__name__}.{name}: declare by `handles` which operations the handler interprets")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._state_fields:
            before = vars(self).get(name)
            object.__setattr__(
                self, name, _initial(self, name, value) if before is None else _like(self, name, before, value)
            )
        elif name in _OF_ALL:
            object.__setattr__(self, name, value)
        elif name in self._static and name not in vars(self):
            object.__setattr__(self, name, _hashable(self, name, value))
        else:
            problem = "a static field, the same for good" if name in self._static else "no field"
            raise ArgumentError(
                f"{type(self).__name__}.{name} is {problem}; what changes is state, which goes through programs: "
                f"declare it in the class, {name}: Array = kept(...)"
            )

    @property
    def state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state_fields}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed
        return tuple([exact_key(getattr(self, name)) for name in self._static])

    def copied(self, state: dict[str, Any]) -> Self:
        handler = copy.copy(self)
        vars(handler).update(state, sent={}, _held=None)
        return handler

    def __enter__(self) -> Self:
        if "link" in vars(self):
            raise ArgumentError(f"{type(self).__name__} was installed before; make a new one for every `with` block")
        self.sent = {}
        self.link = OperationLink(self)
        self.link.__enter__()
        return self

    def complete(self) -> None:
        self.link.complete()

    def leave(self) -> None:
        if "link" in vars(self):
            self.link.leave()

    def __repr__(self) -> str:
        static = [f"{name}={getattr(self, name)!r}" for name in self._static]
        return f"{type(self).__name__}({', '.join(static)})"


def _check_interpret(cls: type[OperationHandler[Any]]) -> None:
    """Raise ArgumentError where `interpret` does not take an operation alone; what `__init__` raises blames users."""
    try:
        inspect.signature(cls.interpret).bind(None, None)
    except TypeError as error:
        raise ArgumentError(
            f"{cls.__name__}.interpret is given an operation and nothing else, def interpret(self, op, /): {error}"
        ) from None
    written = vars(cls).get("__init__")
    if isinstance(written, FunctionType) and written.__code__.co_filename == "<string>":  # by dataclass
        written.__code__ = written.__code__.replace(co_filename=f"<effax {cls.__name__}>")


_OF_ALL: Final = frozenset({"link", "sent", "state", *Extent.__annotations__})


def _initial(handler: OperationHandler[Any], name: str, value: object) -> object:
    """The first value of a field that is state: numbers in it are arrays, none of them weakly typed."""
    subject = f"{type(handler).__name__}.{name}"
    result: object = tree_map(lambda leaf: strong(as_leaf(leaf, subject, "a state")), value)
    return result


def _like(handler: OperationHandler[Any], name: str, before: Any, value: Any) -> object:
    """The next value of a field that is state, of the type that it has."""
    if isinstance(value, Array) and isinstance(before, Array) and value.aval is before.aval:
        return value
    subject = f"{type(handler).__name__}.{name}"
    old, form = take_apart(before, subject)
    new, new_form = take_apart(tree_map(lambda leaf: as_leaf(leaf, subject, "a state"), value), subject)
    if form == new_form:
        fitting = [of_type(v, b.aval, subject) for v, b in zip(new, old, strict=True)]
        if None not in fitting:
            return form.build(fitting)
    raise IllTyped(
        f"{subject} must stay what it is in all steps of a program, {_shown(old, form)}, got {_shown(new, new_form)}; "
        "begin with what it has to hold, convert, or let arrays out by send(name, ...)"
    )


def _shown(arrays: Sequence[Array], form: Form) -> str:
    return str(form.build(types_of(arrays)))


def _hashable(handler: OperationHandler[Any], name: str, value: object) -> object:
    try:
        hash(value)
    except (TypeError, EffaxError):
        raise ArgumentError(
            f"{type(handler).__name__}.{name} is static and must be hashable, since it identifies shared programs, got "
            f"{describe(value)}; an array belongs in the state: {name}: Array = kept()"
        ) from None
    return value
