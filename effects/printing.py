"""The printed form of programs: `{ lambda a:float64[3] . let b:float64[3] = sin a in ( b ) }`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from string import ascii_lowercase

from effects.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.operation import HigherOrder


def _names() -> Iterator[str]:
    """a, b, …, z, aa, ab, …"""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)


def format_jaxpr(jaxpr: Jaxpr, indent: str = "") -> str:
    """A program as text: on one line with at most one equation, else one equation a line, inner programs nested."""
    names = _names()
    by_var: dict[Var, str] = {}

    def bind(var: Var) -> str:
        by_var[var] = next(names)
        return f"{by_var[var]}:{var.aval}"

    def read(atom: Atom) -> str:
        return by_var[atom] if isinstance(atom, Var) else str(atom.value.host.item())

    def equation(eqn: Eqn) -> str:
        operands = "".join(f" {read(atom)}" for atom in eqn.op.operands)
        bodies = ""
        if isinstance(eqn.op, HigherOrder):
            inner = indent + "        "
            bodies = "".join(f"\n{inner}{format_jaxpr(body, inner)}" for body in eqn.op.bodies)
        outs = " ".join(bind(out) for out in eqn.outs)
        return f"{outs}{' = ' if outs else ''}{eqn.op.describe()}{bodies}{operands}"

    inputs = " ".join(bind(var) for var in jaxpr.inputs)
    head = f"{{ lambda {inputs} ." if inputs else "{ lambda ."
    lines = [equation(eqn) for eqn in jaxpr.eqns]
    results = ", ".join(read(atom) for atom in jaxpr.outputs)
    tail = f"in ( {results} ) }}" if results else "in ( ) }"
    if len(lines) <= 1 and "\n" not in "".join(lines):
        return " ".join([head, "let", *lines, tail])
    body = f"\n{indent}      ".join(lines)
    return f"{head}\n{indent}  let {body}\n{indent}  {tail}"
