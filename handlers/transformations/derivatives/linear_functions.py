"""Linear functions as values, the results of `linearize`, `vjp` and `linear_transpose`: a program and its residuals.

They are pytrees: the residuals are leaves, and the program, which holds no array, is part of the structure. So `jit`
can return them, `vmap` can batch them, loops can carry them, and those with equal programs share a compilation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, final

from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import TreeError
from effects.functions.creation import creation
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var, eval_jaxpr
from effects.trees.pytree import TreeDef, tree_unflatten
from effects.trees.registration import register_node
from effects.types.avals import ShapedArray
from handlers.stage import Recorder
from handlers.transformations.calls.arguments import match
from handlers.transpose.rules import backward


class Types(NamedTuple):
    """The structure of a tree of arrays, and the types of these."""

    tree: TreeDef
    avals: tuple[ShapedArray, ...]

    def types(self) -> Any:
        return tree_unflatten(self.tree, self.avals)

    def full(self, values: Sequence[Array | None]) -> Any:
        """The tree of these values, with zeros for None."""
        each = zip(self.avals, values, strict=True)
        return tree_unflatten(self.tree, [creation.zeros_of(aval) if x is None else x for aval, x in each])


class LinearProgram(NamedTuple):
    """A linear function without its residuals: `jaxpr` takes these, then the arguments, and returns varying results.

    `name` is the transformation that created it; `varies` is True for each result that depends on the arguments.
    """

    name: str
    jaxpr: Jaxpr
    arguments: Types
    result: Types
    varies: tuple[bool, ...]


class LinearFunction:
    """A linear function of trees of arrays; it is a tree itself, with the residuals as leaves."""

    def __init__(self, program: LinearProgram, residuals: Sequence[Any], *, normalised: bool = True) -> None:
        self._parts = program, tuple(residuals), normalised

    @classmethod
    def of(
        cls,
        name: str,
        recorder: Recorder,
        tangents: Sequence[Atom | None],
        arguments: Types,
        result: tuple[TreeDef, Sequence[ShapedArray]],
    ) -> Self:
        """The recorded function; None among the tangents of its results is zero."""
        recorded, captured = recorder.program([])
        outputs = tuple([t for t in tangents if t is not None])
        jaxpr = Jaxpr(recorded.inputs, recorded.eqns, outputs)
        varies = tuple([t is not None for t in tangents])
        program = LinearProgram(name, jaxpr, arguments, Types(result[0], tuple(result[1])), varies)
        return cls(program, captured, normalised=False)

    def __repr__(self) -> str:
        name, _, arguments, result, _ = self._parts[0]
        source, target = (result, arguments) if isinstance(self, Pullback) else (arguments, result)
        return f"<{type(self).__name__} of {name}: {source.types()} -> {target.types()}>"

    def finished(self) -> tuple[LinearProgram, tuple[Any, ...]]:
        """The function with its program and residuals in the form that equal functions share; computed on first use."""
        program, residuals, normalised = self._parts
        if not normalised:
            jaxpr, residuals = _lifted(dead_code_eliminated(program.jaxpr), residuals)
            program = program._replace(jaxpr=jaxpr)
            self._parts = program, residuals, True
        return program, residuals


@final
class Pushforward(LinearFunction):
    """A linear function from tangents of the arguments to that of the result: a result of `linearize`."""

    def __call__(self, *tangents: object) -> Any:
        (name, jaxpr, arguments, result, varies), residuals = self.finished()
        arrays = match(name, "tangent", arguments.types(), tangents)
        values = iter(eval_jaxpr(jaxpr, [*_arrays(name, jaxpr, residuals), *arrays]))
        return result.full([next(values) if varies_here else None for varies_here in varies])


@final
class Pullback(LinearFunction):
    """A linear function from a cotangent of the result to those of the arguments, as `vjp` returns."""

    def __call__(self, cotangent: object) -> Any:
        (name, jaxpr, arguments, result, varies), residuals, _ = self._parts
        cotangents = match(name, "cotangent", result.types(), cotangent)
        env = dict(zip(jaxpr.inputs, _arrays(name, jaxpr, residuals), strict=False))
        moving = [ct for ct, varies_here in zip(cotangents, varies, strict=True) if varies_here]
        collected = backward(jaxpr.eqns, env, jaxpr.outputs, moving)
        return arguments.full([collected.get(var) for var in jaxpr.inputs[len(residuals) :]])


def _register[F: LinearFunction](cls: type[F]) -> None:
    def flatten(f: F) -> tuple[tuple[Any, ...], LinearProgram]:
        program, residuals = f.finished()
        return residuals, program

    register_node(cls, flatten, cls)


_register(Pushforward)
_register(Pullback)


def _arrays(name: str, jaxpr: Jaxpr, residuals: Sequence[Any]) -> list[Array]:
    """Residuals as the program's inputs; TreeError if they were replaced by other values."""
    arrays: list[Array] = []
    for aval, residual in zip(jaxpr.in_avals, residuals, strict=False):
        array = as_array(residual, name, "a residual of its linear function")
        got = array.aval
        if got is not aval and (got.shape != aval.shape or got.dtype is not aval.dtype):
            lanes = got.shape[1:] == aval.shape and got.dtype is aval.dtype
            advice = "; vmap gave it lanes, so call it in a function that is mapped over it" if lanes else ""
            raise TreeError(f"{name}: a residual of its linear function is {got}, expected {aval}{advice}")
        arrays.append(array)
    return arrays


def _lifted(jaxpr: Jaxpr, captured: Sequence[Array]) -> tuple[Jaxpr, tuple[Array, ...]]:
    """The program with its captured values and computed scalars as first inputs, in the order of use; and these values.

    A computed scalar is recorded as a literal, with another value each time: as an input it leaves the structure of the
    program unchanged. The order does not depend on which of them were known scalars.
    """
    values: dict[Var, Array] = dict(zip(jaxpr.inputs, captured, strict=False))
    residuals: dict[Var, Array] = {}
    scalars: dict[int, Var] = {}

    def read(atom: Atom) -> Var:
        if type(atom) is Literal:
            var = scalars.setdefault(id(atom.value), Var(atom.aval))
            residuals[var] = atom.value
            return var
        if atom in values:
            residuals[atom] = values[atom]
        return atom

    eqns = tuple([Eqn(eqn.op.map(read), eqn.outs, eqn.place, eqn.multiple) for eqn in jaxpr.eqns])
    outputs = tuple([read(atom) for atom in jaxpr.outputs])
    return Jaxpr((*residuals, *jaxpr.inputs[len(captured) :]), eqns, outputs), tuple(residuals.values())
