"""Checks of the results of users' operations and handlers against their declared types.

Every handler that calls a method of a `CustomOp` passes its result through the function here: a result of the wrong
number, kind, shape or dtype is an error that names the method, not a wrong number later. Python numbers become arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from effects.arguments import describe
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, EffaxError, IllTyped
from effects.program.custom import CustomHigherOrder, CustomOp
from effects.program.operation import Operation, Single
from effects.types.avals import ShapedArray

if TYPE_CHECKING:
    from handlers.forward import Forward

type Types = ShapedArray | tuple[ShapedArray, ...] | None

_EVALUATE = "evaluate(self)"
_EXPAND = "expand(self)"
_TRANSPOSE = "transpose(self, cotangent)"  # known operands are plain values, or carriers of outer handlers


def declared_types(op: Operation[Array]) -> Types:
    """The result of `types(self)`; None if the class does not define it."""
    return None if type(op).types is CustomOp.types else checked_types(op)


def checked_types(op: Operation[Array]) -> ShapedArray | tuple[ShapedArray, ...]:
    """The result of `types(self)`; IllTyped if it is neither a type nor a tuple of types."""
    types: object = op.types()
    if isinstance(types, ShapedArray):
        return types
    if isinstance(types, tuple) and all([isinstance(t, ShapedArray) for t in types]):
        if not types and not op.effects and isinstance(op, CustomOp) and not isinstance(op, CustomHigherOrder):
            raise IllTyped(
                f"{op.name}.types(self) gives (), no result, and {op.name} does not act: give a type of each result, "
                "x.aval rather than x.aval.shape, or write acts = True"
            )
        return types
    raise IllTyped(
        f"{op.name}.types(self) must return a ShapedArray, or a tuple of them for several results, got "
        f"{describe(types)}"
    )


def checked_evaluate(op: CustomOp[Array], result: object) -> Array | tuple[Array, ...]:
    """The result (the tuple of results) of `evaluate(self)`."""
    types = declared_types(op)
    holds_programs = issubclass(type(op), CustomHigherOrder)
    method = _EXPAND if holds_programs else _EVALUATE
    if holds_programs and isinstance(types, ShapedArray):
        raise IllTyped(f"{op.name}.types(self) must return a tuple, a type for each result, got {types} alone")
    if isinstance(result, tuple) or isinstance(types, tuple):
        return tuple(_checked_results(op, method, result, types, "result"))
    return _checked_result(op, method, result, types, "the result")


def checked_jvp(
    op: CustomOp[Array], returned: object
) -> tuple[Array, Array | None] | tuple[tuple[Array, ...], tuple[Array | None, ...]]:
    """The result and the tangent (or tuples of them) that `jvp(self)` returns."""
    method = "jvp(self)"
    primal, tangent = _pair(op, method, returned, "tangent")
    types = declared_types(op)
    if isinstance(primal, tuple) or isinstance(types, tuple):
        primals = _checked_results(op, method, primal, types, "result")
        tangents = _sequence(op, method, tangent, len(primals), "tangent")
        checked_tangents = [
            None if t is None else _checked_result(op, method, t, p.aval, f"tangent {i}")
            for i, (p, t) in enumerate(zip(primals, tangents, strict=True))
        ]
        return tuple(primals), tuple(checked_tangents)
    result = _checked_result(op, method, primal, types, "the result")
    return result, None if tangent is None else _checked_result(op, method, tangent, result.aval, "the tangent")


def checked_batch(
    op: CustomOp[Array], result: object, size: int
) -> tuple[Array, bool] | tuple[tuple[Array, ...], tuple[bool, ...]]:
    """The result, and True if it has the batch axis in front (or tuples of them), that `batch(self)` returns."""
    method = "batch(self)"
    value, flag = _pair(op, method, result, "whether it is batched")
    types = declared_types(op)
    if isinstance(value, tuple) or isinstance(types, tuple):
        declared = _several_types(op, method, value, types)
        values = _sequence(op, method, value, None if declared is None else len(declared), "result")
        flags = _sequence(op, method, flag, len(values), "flag")
        per_result = [None] * len(values) if declared is None else declared
        pairs = [
            _checked_lanes(op, v, f, t, size, f"result {i}")
            for i, (v, f, t) in enumerate(zip(values, flags, per_result, strict=True))
        ]
        return tuple([v for v, _ in pairs]), tuple([f for _, f in pairs])
    return _checked_lanes(op, value, flag, types, size, "the result")


def _checked_lanes(
    op: CustomOp[Array], value: object, flag: object, expected: Types, size: int, subject: str
) -> tuple[Array, bool]:
    method = "batch(self)"
    if not isinstance(flag, bool):
        raise IllTyped(f"{op.name}.{method}: whether {subject} is batched must be True or False, got {describe(flag)}")
    if isinstance(expected, ShapedArray):
        batched_type = expected.with_shape((size, *expected.shape)) if flag else expected
        return _checked_result(
            op, method, value, batched_type, f"{subject}, of {size} lanes," if flag else subject
        ), flag
    array = _checked_result(op, method, value, None, subject)
    if flag and array.aval.shape[:1] != (size,):
        raise IllTyped(f"{op.name}.{method}: {subject} must have the {size} lanes along axis 0, got {array.aval}")
    return array, flag


def checked_transpose(op: CustomOp[Array], result: object, linear: Sequence[bool]) -> list[Array | None]:
    """The cotangents of the `linear` operands that `transpose(self, cotangent)` returns: one or None per operand."""
    method = _TRANSPOSE
    several = result if isinstance(result, tuple | list) else (result,)
    cotangents = _sequence(op, method, several, len(linear), "cotangent")
    return [
        _checked_result(op, method, ct, operand.aval, f"the cotangent of operand {i}")
        if is_linear and ct is not None
        else None
        for i, (ct, operand, is_linear) in enumerate(zip(cotangents, op.operands, linear, strict=True))
    ]


def check_handler(handler: Forward[Any, Any]) -> None:
    """Raise IllTyped if the `key` of a forward handler is not hashable."""
    name = type(handler).__name__
    try:
        hash(handler.key)
    except TypeError as error:
        raise IllTyped(f"{name}.key must be hashable, got {describe(handler.key)}: {error}") from None


def checked_unpack(handler: Forward[Any, Any], value: Array) -> tuple[tuple[Array, ...], Hashable]:
    """The parts and the static form that `unpack` returns for a carrier."""
    unpacked: object = handler.unpack(value)
    if isinstance(unpacked, tuple) and len(unpacked) == 2 and isinstance(unpacked[0], tuple | list):
        parts, static = unpacked
        if all([isinstance(part, Array) for part in parts]):
            try:
                hash(static)
            except TypeError:
                name = type(handler).__name__
                raise IllTyped(f"{name}.unpack: the static form must be hashable, got {describe(static)}") from None
            return tuple(parts), static
    raise IllTyped(
        f"{type(handler).__name__}.unpack(value) must return a pair: a tuple of arrays, and the static form, hashable; "
        f"got {describe(unpacked)}"
    )


def checked_pack[V: Array](handler: Forward[V, Any], parts: Sequence[Array], static: Hashable) -> V:
    """The carrier that `pack` returns."""
    packed: object = handler.pack(parts, static)
    if isinstance(packed, Array) and (packed.owner is handler or handler.loses or handler.sees_all):
        return packed  # type: ignore[return-value]  # what class of carriers V is, only the type checker knows
    name = type(handler).__name__
    raise IllTyped(f"{name}.pack(parts, static) must return a carrier of {name}, got {describe(packed)}")


def checked_type[V: Array](rule: str, aval: ShapedArray, result: V) -> V:
    """The carrier that a rule of a table returns, which must have the type of the operation's result."""
    actual = result.aval
    if actual.shape != aval.shape or actual.dtype is not aval.dtype:
        raise IllTyped(f"{rule} must return a carrier of type {aval}, got {actual}")
    return result


def check_static(subject: str, field: object) -> None:
    """Raise ArgumentError for a static field that cannot distinguish programs: one that is not hashable."""
    try:
        hash(field)
    except (TypeError, EffaxError):
        raise ArgumentError(
            f"{subject} is a static field and must be hashable, since it identifies shared programs, got "
            f"{describe(field)}; a tuple for a list, a frozen dataclass, or annotate it as an array if it is one"
        ) from None


def check_carried(handler: Forward[Any, Any], op: Operation[Any], returned: object) -> None:
    """Raise IllTyped if `interpret` returns anything but carriers of its handler, of the types of `op`."""
    name = type(handler).__name__
    results = returned if isinstance(returned, tuple) else (returned,)
    for result in results:
        if getattr(result, "owner", None) is not handler:
            description = result.aval if isinstance(result, Array) else describe(result)
            raise IllTyped(
                f"{name}.interpret of {op.name} gives {description}, which is not a carrier of {name}, so all that it "
                "knows would be lost; make carriers of the results, each_result(lambda y: ..., perform(...)), "
                f"or write loses = True in the class {name} if a result may be a constant"
            )
    if isinstance(op, Single) and not isinstance(op, CustomOp):
        types, aval = op.types(), results[0].aval
        if aval is not types and (aval.shape != types.shape or aval.dtype is not types.dtype):
            raise IllTyped(f"{name}.interpret of {op.name} must return a carrier of type {types}, got {aval}")


def check_constants(handler: Forward[Any, Any], op: Operation[Array]) -> None:
    """Raise IllTyped if `constant` returns no carrier; called after `interpret` has failed."""
    for value in op.operands:
        constant: object = value if value.owner is handler else handler.constant(value)
        if getattr(constant, "owner", None) is not handler:
            name = type(handler).__name__
            raise IllTyped(
                f"{name}.constant(value) must return a carrier of {name}, got {describe(constant)}"
            ) from None


def _pair(op: CustomOp[Array], method: str, result: object, second: str) -> tuple[object, object]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise IllTyped(f"{op.name}.{method} must return a pair (result, {second}), got {describe(result)}")
    return result[0], result[1]


def _sequence(
    op: CustomOp[Array], method: str, result: object, number: int | None, description: str
) -> Sequence[object]:
    if not isinstance(result, tuple | list) or (number is not None and len(result) != number):
        count = f"{len(result)} of them" if isinstance(result, tuple | list) else describe(result)
        number_text = "a tuple of" if number is None else f"{number}"
        raise IllTyped(
            f"{op.name}.{method} must return {number_text} {description}{'' if number == 1 else 's'}, got {count}"
        )
    return result


def _checked_results(op: CustomOp[Array], method: str, result: object, types: Types, description: str) -> list[Array]:
    declared = _several_types(op, method, result, types)
    values = _sequence(op, method, result, None if declared is None else len(declared), description)
    expected = [None] * len(values) if declared is None else declared
    return [
        _checked_result(op, method, v, t, f"{description} {i}")
        for i, (v, t) in enumerate(zip(values, expected, strict=True))
    ]


def _several_types(op: CustomOp[Array], method: str, result: object, types: Types) -> tuple[ShapedArray, ...] | None:
    if isinstance(types, ShapedArray):
        raise IllTyped(f"{op.name}: types(self) says one result, {types}, but {method} gives {describe(result)}")
    return types


def _checked_result(op: CustomOp[Array], method: str, value: object, expected: Types, description: str) -> Array:
    array = as_array(value, f"{op.name}.{method}", description)
    for operand in () if method in (_EVALUATE, _EXPAND) else op.operands:  # their operands are the values themselves
        is_carrier = array.owner is not None and array.owner is operand.owner and method != _TRANSPOSE
        if array is operand or is_carrier:
            raise IllTyped(
                f"{op.name}.{method}: {description} is a {type(array).__name__}, as the operands are; give an array "
                "made of their parts"
            )
    aval = array.aval
    if not isinstance(expected, ShapedArray) or (aval.shape == expected.shape and aval.dtype is expected.dtype):
        return array
    if aval.shape == expected.shape and aval.weak_type:
        return array.astype(expected.dtype)
    raise IllTyped(f"{op.name}.{method}: {description} must be {expected}, got {aval}")
