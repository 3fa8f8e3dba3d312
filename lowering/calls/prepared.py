"""Prepared calls: an executable, the inputs that it takes, and the treatment of its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Self, cast, final

from effects.arrays.concrete import Concrete, concrete_of
from effects.arrays.mesh import Sharding
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr
from effects.trees.pytree import LEAF, TreeDef, tree_structure
from handlers.transformations.calls.staging import Staged
from lowering.arrays import buffer_of, placed, refuse_deleted, refuse_shared
from lowering.emission import Layout
from lowering.pjrt import Buffer, Device, Executable


class LiveInputs(NamedTuple):
    """A program as it is compiled: without the inputs that it does not read; `positions` are those of the others."""

    program: Jaxpr
    positions: tuple[int, ...]
    donated: tuple[bool, ...]

    @classmethod
    def of(cls, jaxpr: Jaxpr, donated: Sequence[bool], keep_unused: bool) -> Self:
        """The program without unread inputs, or with all of them if `keep_unused`. `donated` may be empty for none."""
        live = dead_code_eliminated(jaxpr)
        read = {atom for eqn in live.eqns for atom in eqn.op.operands}.union(live.outputs)
        positions = tuple([i for i, var in enumerate(jaxpr.inputs) if keep_unused or var in read])
        if len(positions) == len(jaxpr.inputs):
            return cls(jaxpr, positions, tuple(donated))
        mask = tuple([donated[i] for i in positions]) if donated else ()
        program = Jaxpr(tuple([jaxpr.inputs[i] for i in positions]), live.eqns, live.outputs)
        return cls(program, positions, mask if any(mask) else ())

    def where(self, layout: Device | Layout) -> Device | Layout:
        """Layout of the live inputs, from that of all inputs."""
        if isinstance(layout, Device):
            return layout
        return layout._replace(inputs=tuple([layout.inputs[i] for i in self.positions]))

    def check(
        self, function: str, operands: Sequence[Concrete], names: Callable[[], Sequence[str]]
    ) -> Sequence[Concrete]:
        """The operands that are read; raises if one was donated before, or is donated here and read twice."""

        def names_read() -> list[str]:
            every = names()
            return [every[i] for i in self.positions]

        read = [operands[i] for i in self.positions]
        refuse_deleted(function, read, names_read)
        refuse_shared(function, read, self.donated, names_read)
        return read


@final
class PreparedCall:
    """A prepared call: the executable, its captured arrays, its live inputs, and how its results are unflattened.

    `operands` gives the operands from the buffers of the arguments; None if they are the same. `handlers` convert
    result buffers to arrays, and `unflatten` converts these to the function's result.
    """

    __slots__ = (
        "_placement",
        "_shardings",
        "failure_behind",
        "handlers",
        "launch",
        "operands",
        "program",
        "unflatten",
    )

    def __init__(
        self, executable: Executable, captured: Sequence[Concrete], staged: Staged, inputs: LiveInputs
    ) -> None:
        first = len(captured)
        shardings: Sequence[Sharding | None] = executable.parameter_shardings or [None] * len(inputs.positions)
        sharding_at = dict(zip(inputs.positions, shardings, strict=True))
        reads = [i - first for i in inputs.positions if i >= first]
        constants = [
            buffer_of(captured[i], executable.placement, sharding_at[i]) for i in inputs.positions if i < first
        ]
        reads_all = first + len(reads) == len(staged.jaxpr.inputs)
        self._placement = executable.placement
        self._shardings = [sharding_at.get(i) for i in range(first, len(staged.jaxpr.inputs))]
        self.operands = None if reads_all and not constants else _operand_order(constants, None if reads_all else reads)
        avals = staged.jaxpr.out_avals
        self.handlers = [each.wrap(concrete_of(aval)) for each, aval in zip(executable.handlers, avals, strict=True)]
        self.failure_behind = executable.failure_behind
        self.launch = executable.launch
        self.program = staged.jaxpr  # keeps its callbacks alive
        self.unflatten = _unflatten(staged.out_tree)

    def buffers(self, arrays: Sequence[Concrete], *, shared: bool) -> list[Buffer]:
        """The buffers of the arguments on the program's devices; those of scalars may be `shared` with other calls."""
        if isinstance(self._placement, Device):
            return placed(arrays, self._placement, shared=shared)
        pairs = zip(arrays, self._shardings, strict=True)
        # Inputs that are not live stay where they are.
        return [
            buffer_of(array, self._placement, sharding, shared=shared) if sharding else cast(Buffer, array.stored)
            for array, sharding in pairs
        ]


def _unflatten(tree: TreeDef) -> Callable[[list[Concrete]], Any]:
    """`tree.unflatten`, or an equal and faster function for a single array or a tuple of arrays."""
    if tree == LEAF:
        return itemgetter(0)
    return tuple if tree == tree_structure((0,) * tree.num_leaves) else tree.unflatten


def _operand_order(constants: list[Buffer], reads: list[int] | None) -> Callable[[list[Buffer]], Sequence[Buffer]]:
    """Function from the buffers of the arguments to operands: `constants`, then the buffers at `reads` (None: all)."""
    if reads is None:
        return lambda buffers: constants + buffers
    if not reads:
        return lambda buffers: constants
    if not constants and len(reads) > 1:
        return itemgetter(*reads)
    return lambda buffers: constants + [buffers[i] for i in reads]


def operand_names(n_captured: int, arguments: Sequence[str]) -> list[str]:
    """Names of a program's inputs in messages: the arrays that it closes over, then arguments."""
    return [*(f"closed-over array {i}" for i in range(n_captured)), *(f"argument {name}" for name in arguments)]
