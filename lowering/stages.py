"""The stages of compilation, to look at: `Trace`, `Lowered`, `Compiled`.

    jit(f).trace(x).lower().compile()(x)

Each stage does its work when it is made, and nothing is taken from or put into the caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from effects.array import Array
from effects.concrete import Concrete
from effects.errors import ArgumentError, TreeError
from effects.jaxpr import Jaxpr
from effects.operations.higher_order import same_types
from effects.pytree import TreeDef, structure_difference, tree_flatten, tree_unflatten
from handlers.transformations.arguments import as_arrays
from lowering import pjrt
from lowering.arrays import buffer_of, outputs_of, refuse_deleted, refuse_shared
from lowering.compilation import compile_module
from lowering.pjrt import Executable, MemoryAnalysis
from lowering.stablehlo import Module, emit


@final
class Trace:
    """A traced call: `jaxpr` is its program, whose first inputs are the arrays that the function closed over."""

    def __init__(
        self,
        name: str,
        jaxpr: Jaxpr,
        captured: Sequence[Array],
        in_tree: TreeDef,
        out_tree: TreeDef,
        donated: Sequence[bool],
    ) -> None:
        self.name = name
        self.jaxpr = jaxpr
        self.captured = tuple(captured)
        self.in_tree = in_tree
        self.out_tree = out_tree
        self.donated = (False,) * len(captured) + tuple(donated) if any(donated) else ()

    def lower(self) -> Lowered:
        """Write the program in StableHLO."""
        return Lowered(self, emit(self.jaxpr, self.name, self.donated))


@final
class Lowered:
    """A program in StableHLO."""

    def __init__(self, trace: Trace, module: Module) -> None:
        self.trace = trace
        self._module = module

    def as_text(self) -> str:
        """The module as StableHLO text."""
        return self._module.text()

    def compile(self) -> Compiled:
        """Compile for the default device.

        Raises CompileError with XLA's words when it cannot.
        """
        return Compiled(self.trace, compile_module(self._module, pjrt.default_device(), self.trace.jaxpr.out_avals))


@final
class Compiled:
    """An executable program, callable with arguments of the types it was traced for."""

    def __init__(self, trace: Trace, executable: Executable) -> None:
        self.trace = trace
        self._executable = executable

    def as_text(self) -> str:
        """The optimised program as HLO text."""
        return self._executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates: `flops`, `bytes accessed`, ….."""
        return self._executable.cost_analysis()

    def memory_analysis(self) -> MemoryAnalysis:
        """XLA's plan of the memory, in bytes."""
        return self._executable.memory_analysis()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the program; donated arguments are gone afterwards.

        Raises TreeError or ArgumentError when the arguments are not of the structure and types it was traced for.
        """
        trace = self.trace
        leaves, in_tree = tree_flatten((args, kwargs))
        if in_tree != trace.in_tree:
            expected = tree_unflatten(trace.in_tree, trace.jaxpr.in_avals[len(trace.captured) :])
            raise TreeError(
                f"compiled {trace.name}: the arguments' structure {structure_difference(expected, (args, kwargs))}"
            )
        arrays = as_arrays(f"compiled {trace.name}", leaves, lambda: [f"leaf {i}" for i in range(len(leaves))])
        expected_types = trace.jaxpr.in_avals[len(trace.captured) :]
        if not same_types(tuple([a.aval for a in arrays]), expected_types):
            raise ArgumentError(
                f"compiled {trace.name} takes {', '.join(map(str, expected_types))}, "
                f"got {', '.join(str(a.aval) for a in arrays)}"
            )
        operands = [value.known() for value in (*trace.captured, *arrays)]
        if not all(isinstance(value, Concrete) for value in operands):
            raise ArgumentError(f"compiled {trace.name} takes values; call the jitted function under transformations")
        names = lambda: [f"operand {i}" for i in range(len(operands))]
        refuse_deleted(f"compiled {trace.name}", [*trace.captured, *arrays], names)
        refuse_shared(f"compiled {trace.name}", operands, trace.donated, names)
        device = self._executable.device
        buffers = [buffer_of(value, device) for value in operands if value is not None]
        return tree_unflatten(trace.out_tree, outputs_of(self._executable.execute(buffers), trace.jaxpr.out_avals))
