"""Residuals of a derivative, as a table: `saved_residuals`."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array
from effects.operations.checkpoint import Name
from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.runtime.cpython.source import Source
from effects.runtime.tables import Table
from effects.trees.pytree import tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from handlers.higher_order.inlining import flattened
from handlers.stage import Stage
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.staging import abstract_arguments
from handlers.transformations.derivatives.linearization import linear_jaxpr, linearize_flat


class ResidualOrigin(enum.Enum):
    """Kind of value that a residual is."""

    ARGUMENT = "argument"
    CONSTANT = "constant"
    NAMED = "named"
    OPERATION = "operation"


@final
@dataclass(frozen=True)
class SavedResidual:
    """One array that is saved from the forward pass for the backward pass.

    `name` is that of the argument, of `checkpoint_name`, or of the operation; `source` is the user's line that computed
    it.
    """

    aval: ShapedArray
    origin: ResidualOrigin
    name: str
    source: Source | None

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.aval.size * self.aval.dtype.dtype.itemsize

    def __str__(self) -> str:
        origin = {
            ResidualOrigin.ARGUMENT: f"argument {self.name}",
            ResidualOrigin.CONSTANT: "a closed-over array",
            ResidualOrigin.NAMED: f"named {self.name!r}",
            ResidualOrigin.OPERATION: f"the result of {self.name}",
        }[self.origin]
        return f"{self.aval}  {self.bytes} bytes  {origin}{f' at {self.source}' if self.source else ''}"


@final
class SavedResiduals(Table[SavedResidual]):
    """The table of `saved_residuals`: a row per array, its repr the table to read."""

    one = "residual"


def saved_residuals(f: Callable[..., object], *args: object, **kwargs: object) -> SavedResiduals:
    """Table of the values of `f` that reverse mode saves for arguments like these, without computing anything.

    Arguments may also be types (`ShapedArray`). The derivative is taken with respect to all floating-point ones among
    `args`. Values inside calls and checkpoints are listed; a conditional or a loop is listed by its results.

    >>> import effects as fx
    >>> table = saved_residuals(lambda x: fx.sum(fx.sin(x)), fx.zeros(3))
    >>> [(row.name, row.bytes) for row in table]
    [('cos', 24)]
    """
    check_callable("saved_residuals", f)
    named = functools.partial(argument_names, f, args, kwargs)
    avals, treedef = abstract_arguments("saved_residuals", args, kwargs, named)
    positional = tree_structure(args)
    names = named()
    with Stage(function_name(f), lambda: names) as recorder:
        inputs = [recorder.input(aval) for aval in avals]
        leaves = inputs[: positional.num_leaves]
        _, fixed_kwargs = tree_unflatten(treedef, inputs)

        def partial(*values: object) -> object:
            return f(*values, **fixed_kwargs)

        jaxpr, residuals, _ = linear_jaxpr(linearize_flat(partial, leaves, positional, "saved_residuals"))
        program, captured = recorder.program(_used_residuals(jaxpr, residuals))
    flat = flattened(program)
    unique = dict.fromkeys([_before_names(flat, atom) for atom in flat.outputs if type(atom) is Var])
    return SavedResiduals(tuple([_row(flat, len(captured), names, var) for var in unique]))


def _used_residuals(jaxpr: Jaxpr, residuals: Sequence[Array]) -> list[Array]:
    read: set[Atom] = {atom for eqn in jaxpr.eqns for atom in eqn.op.operands}.union(jaxpr.outputs)
    return [value for value, var in zip(residuals, jaxpr.inputs, strict=False) if var in read]


def _before_names(program: Jaxpr, var: Var) -> Var:
    """The variable before `checkpoint_name` named it, since both are one value in memory."""
    for eqn in reversed(program.eqns):
        if type(eqn.op) is Name and eqn.outs[0] is var and type(eqn.op.x) is Var:
            var = eqn.op.x
    return var


def _row(program: Jaxpr, n_captured: int, names: Sequence[str], var: Var) -> SavedResidual:
    if var in program.inputs:
        position = program.inputs.index(var)
        if position < n_captured:
            return SavedResidual(var.aval, ResidualOrigin.CONSTANT, "", None)
        return SavedResidual(var.aval, ResidualOrigin.ARGUMENT, names[position - n_captured], None)
    for eqn in program.eqns:
        if type(eqn.op) is Name and eqn.op.x is var:
            return SavedResidual(var.aval, ResidualOrigin.NAMED, eqn.op.label, eqn.source)
    eqn = next(eqn for eqn in program.eqns if var in eqn.outs)
    return SavedResidual(var.aval, ResidualOrigin.OPERATION, eqn.op.name, eqn.source)


def print_saved_residuals(f: Callable[..., object], *args: object, **kwargs: object) -> None:
    """Print the table of `saved_residuals`.

    >>> import effects as fx
    >>> print_saved_residuals(lambda x: x * x, fx.zeros(3))
    float64[3]  24 bytes  argument x
    1 residual, 24 bytes
    """
    print(saved_residuals(f, *args, **kwargs))
