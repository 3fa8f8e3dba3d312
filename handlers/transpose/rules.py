"""The rule table of transposition, and running a linear program backwards.

A linear program's equations are run in reverse order on cotangents. An operand in which the program is linear is a
`Linear`: only its type is known. A rule gets the operation and the cotangent of its result and gives a cotangent, or
None, for each operand. A missing cotangent is absent, never an array of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from typing_extensions import TypeIs

from effects.arrays.array import Array, Carrier
from effects.arrays.promotion import convert
from effects.operations.elementwise import Binary, BinaryKind
from effects.program.chain import perform
from effects.program.custom import CustomOp
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.program.operation import HostEffect
from effects.runtime.cpython.source import current_location, transposed_location
from effects.types.avals import ShapedArray
from effects.types.dtypes import NARROW, float32
from handlers.contracts import checked_transpose
from handlers.rule_table import RuleTable

type Cotangents = tuple[Array | None, ...]


class Linear(Carrier):  # not final: to type checkers an `Operand` may be one
    """Marks an operand in which the operation is linear; it has a type, and no value."""

    __slots__ = ("aval",)
    owner = None  # belongs to no handler: rules only ask whether an operand is one
    aval: ShapedArray

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def unknown_reason(self) -> str:
        return "a linear operand of an operation that is being transposed"


@final
class _Places(dict[ShapedArray, Linear]):
    """One `Linear` for each type, created when it is first asked for."""

    def __missing__(self, aval: ShapedArray) -> Linear:
        return self.setdefault(aval, Linear(aval))


LINEAR: Final = _Places()
"""The `Linear` of each type."""


def is_linear(value: object) -> TypeIs[Linear]:
    """Return True if the operation is linear in this operand."""
    return type(value) is Linear


def _transpose_custom(op: CustomOp[Array], cotangent: Array) -> Sequence[Array | None]:
    return checked_transpose(op, op.transpose(cotangent), [is_linear(v) for v in op.operands])


RULES: Final = RuleTable[Callable[..., Sequence[Array | None]]]("Transpose", _transpose_custom)


def backward(
    eqns: Sequence[Eqn],
    env: dict[Var, Array],
    outputs: Sequence[Atom | None],
    out_cts: Sequence[Array | None],
    first_uses: Sequence[int] = (),
) -> dict[Var, Array]:
    """Run equations backwards: the cotangents `out_cts` of `outputs` become those of the linear variables they read.

    `env` holds the known variables; all others are linear. With `first_uses`, the number of the equation that first
    reads each variable of `env`, in order, values are removed from `env` when no equation needs them any more. The
    cotangents of several uses of a narrow float are added in float32, and rounded when the sum is complete.
    """
    droppable = list(zip(first_uses, env, strict=True)) if first_uses else []
    cotangents: dict[Var, Array] = {}
    in_float32: set[Var] = set()
    known, placeholders, plus = env.get, LINEAR, BinaryKind.ADD

    def operand(atom: Atom) -> Array:
        if type(atom) is Var:
            value = known(atom)
            return placeholders[atom.aval] if value is None else value
        return atom.value

    def total(var: Var, before: Array, ct: Array) -> Array:
        if var.aval.dtype in NARROW:
            in_float32.add(var)
            before, ct = convert(before, float32, before.aval.weak_type), convert(ct, float32, ct.aval.weak_type)
        return perform(Binary(plus, before, ct))

    def rounded(var: Var, ct: Array) -> Array:
        return convert(ct, var.aval.dtype, ct.aval.weak_type) if var in in_float32 else ct

    for atom, ct in zip(outputs, out_cts, strict=True):
        if ct is not None and type(atom) is Var and atom not in env:
            collected = cotangents.get(atom)
            cotangents[atom] = ct if collected is None else total(atom, collected, ct)
    before = current_location.get()
    take, locate = cotangents.pop, current_location.set
    try:
        for number in range(len(eqns) - 1, -1, -1):
            while droppable and droppable[-1][0] > number:
                del env[droppable.pop()[1]]
            eqn = eqns[number]
            of_results: Array | Cotangents | None
            if eqn.multiple:
                of_results = tuple([take(out, None) for out in eqn.outs])
                if all(ct is None for ct in of_results) and HostEffect.HOST not in eqn.op.effects:
                    continue
                if in_float32:
                    outs = zip(eqn.outs, of_results, strict=True)
                    of_results = tuple([ct if ct is None else rounded(out, ct) for out, ct in outs])
            else:
                of_results = take(eqn.outs[0], None)
                if of_results is None:
                    continue
                if in_float32:
                    of_results = rounded(eqn.outs[0], of_results)
            op = eqn.op
            locate(transposed_location(eqn.place, op.name) or before)
            for atom, ct in zip(op.operands, RULES[type(op)](op.map(operand), of_results)):  # strict costs 5 %
                if ct is not None and type(atom) is Var and atom not in env:
                    collected = cotangents.get(atom)
                    cotangents[atom] = ct if collected is None else total(atom, collected, ct)
        locate(before)
    except BaseException:  # not in `finally`: an interrupt may come just before it begins
        locate(before)
        raise
    return {var: rounded(var, ct) for var, ct in cotangents.items()} if in_float32 else cotangents


def transpose_jaxpr(
    jaxpr: Jaxpr, linear_in: Sequence[bool], known: Sequence[Array], cotangents: Sequence[Array | None]
) -> list[Array | None]:
    """The cotangents of the linear inputs of `jaxpr`, from its known inputs and the cotangents of its outputs.

    Equations that do not depend on the linear inputs are run forwards first.
    """
    values = iter(known)
    env = {var: next(values) for var, linear in zip(jaxpr.inputs, linear_in, strict=True) if not linear}

    def read(atom: Atom) -> Array:
        return env[atom] if type(atom) is Var else atom.value

    later: list[Eqn] = []
    before = current_location.get()
    try:
        for eqn in jaxpr.eqns:
            if any(type(atom) is Var and atom not in env for atom in eqn.op.operands):
                later.append(eqn)
            else:
                current_location.set(eqn.place or before)
                result = perform(eqn.op.map(read))
                env.update(zip(eqn.outs, result if isinstance(result, tuple) else (result,), strict=True))
    finally:
        current_location.set(before)
    collected = backward(later, env, jaxpr.outputs, cotangents)
    return [collected.get(var) for var, linear in zip(jaxpr.inputs, linear_in, strict=True) if linear]
