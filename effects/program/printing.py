"""The printed form of programs: `{ lambda a:float64[3] . let b:float64[3] = sin a in ( b ) }`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, product
from string import ascii_lowercase

from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.program.operation import HigherOrder
from effects.runtime.cpython.recursion import deeper


def names() -> Iterator[str]:
    """Names of variables: a, b, …, z, aa, ab, …"""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)


def format_jaxpr(jaxpr: Jaxpr, indent: str = "") -> str:
    """A program as text: on one line with at most one equation, else one equation a line, inner programs nested."""
    text: list[str] = []
    _write(jaxpr, indent, text.append)
    return "".join(text)


def _write(jaxpr: Jaxpr, indent: str, write: Callable[[str], None]) -> None:
    fresh = names()
    by_var: dict[Var, str] = {}

    def bind(var: Var) -> str:
        by_var[var] = next(fresh)
        return f"{by_var[var]}:{var.aval}"

    def read(atom: Atom) -> str:
        return by_var[atom] if isinstance(atom, Var) else str(atom.value.host.item())

    inputs = " ".join([bind(var) for var in jaxpr.inputs])
    write(f"{{ lambda {inputs} ." if inputs else "{ lambda .")
    eqns = jaxpr.eqns
    one_line = len(eqns) <= 1 and not any([isinstance(eqn.op, HigherOrder) for eqn in eqns])
    write(" let" if one_line else f"\n{indent}  let")
    for number, eqn in enumerate(eqns):
        operands = "".join([f" {read(atom)}" for atom in eqn.op.operands])
        outs = " ".join([bind(out) for out in eqn.outs])
        write(f"\n{indent}      " if number else " ")
        write(f"{outs}{' = ' if outs else ''}{eqn.op.describe()}")
        if isinstance(eqn.op, HigherOrder):
            inner = indent + "        "
            with deeper():
                for body in eqn.op.bodies:
                    write(f"\n{inner}")
                    _write(body, inner, write)
        write(operands)
    results = ", ".join([read(atom) for atom in jaxpr.outputs])
    write(" " if one_line else f"\n{indent}  ")
    write(f"in ( {results} ) }}" if results else "in ( ) }")
