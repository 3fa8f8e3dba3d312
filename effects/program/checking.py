"""`check_jaxpr`: type checking of programs."""

from __future__ import annotations

from typing import NamedTuple

from returns.result import Failure, Result, Success

from effects.arguments import refusal
from effects.errors import EffaxError, IllTyped
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var
from effects.program.operation import HigherOrder
from effects.types.avals import ShapedArray


class JaxprType(NamedTuple):
    """Type of a program: the types of its inputs and outputs."""

    inputs: tuple[ShapedArray, ...]
    outputs: tuple[ShapedArray, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})"


def check_jaxpr(jaxpr: Jaxpr) -> Result[JaxprType, IllTyped]:
    """The type of a program, or the first equation that breaks the rules.

    Every variable is bound once, before it is used; every operation's type rule accepts its operands and gives the
    types of the variables it binds; the bodies of higher-order operations check too.

    >>> import effects as fx
    >>> from handlers import make_jaxpr
    >>> print(check_jaxpr(make_jaxpr(fx.sin)(fx.zeros(3))).unwrap())
    (float64[3]) -> (float64[3])
    """
    if not isinstance(jaxpr, Jaxpr):
        raise refusal("check_jaxpr", "jaxpr", "a Jaxpr (of make_jaxpr)", jaxpr)
    checked: set[Jaxpr] = set()
    waiting = [jaxpr]
    while waiting:
        program = waiting.pop()
        if program not in checked:
            checked.add(program)
            try:
                waiting += _check(program)
            except IllTyped as error:
                return Failure(error)
    return Success(JaxprType(jaxpr.in_avals, jaxpr.out_avals))


def _check(jaxpr: Jaxpr) -> list[Jaxpr]:
    """Check one program; returns the programs inside its operations."""
    bound: set[Var] = set()
    inner: list[Jaxpr] = []
    for var in jaxpr.inputs:
        _bind(bound, var, "input")
    for number, eqn in enumerate(jaxpr.eqns):
        where = f"equation {number} ({eqn.op.describe()}, from {eqn.source})"
        for atom in eqn.op.operands:
            _check_atom(bound, atom, where)
        _check_types(eqn, where)
        for out in eqn.outs:
            _bind(bound, out, where)
        if isinstance(eqn.op, HigherOrder):
            inner += eqn.op.bodies
    for atom in jaxpr.outputs:
        _check_atom(bound, atom, "an output")
    return inner


def _bind(bound: set[Var], var: Var, where: str) -> None:
    if var in bound:
        raise IllTyped(f"{where}: a variable of type {var.aval} is bound twice")
    bound.add(var)


def _check_atom(bound: set[Var], atom: Atom, where: str) -> None:
    if isinstance(atom, Literal):
        if atom.aval.shape:
            raise IllTyped(f"{where}: a literal must be a scalar, got {atom.aval}")
    elif atom not in bound:
        raise IllTyped(f"{where}: a variable of type {atom.aval} is used but not bound before")


def _check_types(eqn: Eqn, where: str) -> None:
    try:
        types = eqn.op.types()
    except EffaxError as error:
        raise IllTyped(f"{where}: {error.message}") from error
    avals = types if isinstance(types, tuple) else (types,)
    expected = tuple([out.aval for out in eqn.outs])
    if avals != expected or isinstance(types, tuple) != eqn.multiple:
        raise IllTyped(f"{where}: the operation gives {avals}, the equation binds {expected}")
