"""Detection of an operation's operands: the fields of its type variable, and those annotated `Operand`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args, overload

if TYPE_CHECKING:
    from effects.arrays.array import Array

    class OperandArray(Array):
        """An operand in any method of its operation: the attributes of a `Dual`, a `Batched` and an array."""

        primal: Array
        tangent: Array | None
        value: Array
        batched: bool


class Operand:
    """The annotation of an operand in an operation without a type variable: `x: Operand`.

    To a type checker, `Scale(x)` takes an array. In the methods of the operation, `self.x` has everything that an
    operand may be: the `primal` and `tangent` of a `Dual`, the `value` and `batched` of a `Batched`, and the attributes
    of arrays.
    """

    if TYPE_CHECKING:

        @overload
        def __get__(self, op: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, op: object, owner: type, /) -> OperandArray: ...
        def __get__(self, *args: Any, **kwargs: Any) -> Any: ...

        def __set__(self, op: object, value: Array, /) -> None: ...


class Operands:
    """The annotation of a tuple of operands, like `Operand` for one: `xs: Operands`."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, op: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, op: object, owner: type, /) -> tuple[OperandArray, ...]: ...
        def __get__(self, *args: Any, **kwargs: Any) -> Any: ...

        def __set__(self, op: object, value: tuple[Array, ...], /) -> None: ...


def variables(cls: type) -> set[str]:
    """The names of the operand types of an operation and of those it inherits from."""
    return {v.__name__ for base in cls.__mro__ for v in getattr(base, "__type_params__", ())}


def is_operand(annotation: object, names: set[str]) -> bool:
    """Return True if an annotation marks an operand, for an operation whose type variables have these names."""
    return isinstance(annotation, TypeVar) or annotation in names or _is(annotation, Operand)


def is_tuple_of_operands(annotation: object, names: set[str]) -> bool:
    """Return True if an annotation marks a tuple of operands."""
    if _is(annotation, Operands):
        return True
    if isinstance(annotation, str):
        return any(annotation.startswith(f"tuple[{name},") for name in names)
    return isinstance(next(iter(get_args(annotation)), None), TypeVar)


def _is(annotation: object, cls: type) -> bool:
    """Return True if the annotation is `cls`, or text that names it."""
    return annotation is cls or (isinstance(annotation, str) and annotation.rpartition(".")[2] == cls.__name__)
