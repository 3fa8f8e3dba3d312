"""Costs of a program by counting: arithmetic and bytes of each equation and line, and where memory peaks.

They are those of the program before XLA joins operations: a compiled program moves fewer bytes and needs less memory;
its arithmetic is about the same.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple, final

from effects.operations.checkpoint import Name
from effects.operations.contraction import DotGeneral
from effects.operations.convolution import Convolution
from effects.operations.creation import Band, Iota
from effects.operations.cumulative import Cumulative
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from effects.operations.factoring import LU, PLU, QR, Cholesky
from effects.operations.fourier import Fourier
from effects.operations.gathering import Gather, Scatter
from effects.operations.higher_order import Cond
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.loops import Scan, While
from effects.operations.movement import (
    Bitcast,
    Broadcast,
    Concat,
    Constrain,
    Flip,
    Pad,
    PermuteDims,
    Place,
    Reshape,
)
from effects.operations.pooling import ReduceWindow
from effects.operations.reduction import ArgReduce, Norm, Reduce
from effects.operations.sharding import ShardMap
from effects.operations.solving import Solve, TriangularSolve
from effects.operations.sorting import Sort
from effects.program.jaxpr import Eqn, Jaxpr, Literal
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.recursion import deeper
from effects.runtime.cpython.source import Location, Source
from effects.types.avals import ShapedArray, Typed


class Line(NamedTuple):
    """A line of the user's program; file "" and number 0 for equations without a line."""

    file: str
    number: int


class Cost(NamedTuple):
    """Number of equations, of elementary operations on numbers, and of bytes read and written.

    `known` is False where some of it cannot be counted: steps of a `while`, of which one counts, and operations whose
    arithmetic is not a formula of the shapes, which count none.
    """

    equations: int = 0
    flops: int = 0
    bytes: int = 0
    known: bool = True

    def plus(self, other: Cost) -> Cost:
        return Cost(
            self.equations + other.equations,
            self.flops + other.flops,
            self.bytes + other.bytes,
            self.known and other.known,
        )

    def times(self, steps: int) -> Cost:
        """The cost of so many steps; equations count once."""
        return self._replace(flops=self.flops * steps, bytes=self.bytes * steps)


class Measured(NamedTuple):
    """Costs of a program: in total, by line, and for each equation.

    For each equation, `live` has the bytes alive while it runs, `outside_bodies` those of them outside of its bodies.
    `inputs` are the bytes of the arguments.
    """

    cost: Cost
    lines: dict[Line, Cost]
    costs: list[Cost]
    live: list[int]
    outside_bodies: list[int]
    inputs: int

    @property
    def peak(self) -> int:
        """The most bytes that are alive at once; arguments stay alive, since the caller holds them."""
        return max(self.live, default=self.inputs)


def nbytes(aval: ShapedArray) -> int:
    """The bytes of an array of this type."""
    return aval.size * aval.dtype.dtype.itemsize


def _contraction(op: Any, out: ShapedArray) -> int:
    products: int = math.prod([op.x.aval.shape[axis] for axis in op.contracting[0]])
    return 2 * out.size * products


def _convolution(op: Any, out: ShapedArray) -> int:
    kernel = op.kernel.aval
    products: int = kernel.size // max(kernel.shape[op.layout.kernel[0]], 1)
    return 2 * out.size * products


def _matrices(formula: Callable[[int, int], int]) -> Callable[[Any, ShapedArray], int]:
    """A cost by a formula of the rows and columns, for each matrix of a stack."""

    def count(op: Any, _: ShapedArray) -> int:
        *stack, rows, columns = op.x.aval.shape
        matrices: int = math.prod(stack)
        return matrices * formula(rows, columns)

    return count


def _solution(op: Any, out: ShapedArray) -> int:
    matrices: ShapedArray = op.a.aval
    n, factored = matrices.shape[-1], isinstance(op, TriangularSolve)
    return n * out.size if factored else 2 * n * matrices.size // 3 + 2 * n * out.size


def _sorting(op: Any, out: ShapedArray) -> int:
    length = max(out.shape[op.axis], 1)
    return out.size * math.ceil(math.log2(length))


def _fourier(op: Any, out: ShapedArray) -> int:
    size: int = max(op.x.aval.size, out.size)
    return 5 * size * math.ceil(math.log2(max(math.prod(op.lengths), 1)))


_MOVES: Final = (
    *(Band, Bitcast, Broadcast, Concat, Constrain, Convert, DynamicSlice, DynamicUpdateSlice, Flip, Gather),
    *(Iota, Name, Pad, PermuteDims, Place, Reshape, Slice),
)
"""Operations that only move elements."""

_PARTIAL_READS: Final = DynamicSlice | Gather | Slice
"""Operations that read only as many bytes of an array as their result has."""

_PER_ELEMENT: Final[Callable[[Any, ShapedArray], int]] = lambda _, out: out.size

_FLOPS: Final[dict[type, Callable[[Any, ShapedArray], int]]] = {
    **dict.fromkeys(_MOVES, lambda _, out: 0),
    **dict.fromkeys((Unary, Binary, Compare, Select, Cumulative), _PER_ELEMENT),
    Clamp: lambda _, out: 2 * out.size,
    Reduce: lambda op, out: max(op.x.aval.size - out.size, 0),
    ArgReduce: lambda op, out: max(op.x.aval.size - out.size, 0),
    Norm: lambda op, _: 2 * op.x.aval.size,
    ReduceWindow: lambda op, out: out.size * max(math.prod(op.sizes) - 1, 0),
    DotGeneral: _contraction,
    Convolution: _convolution,
    Scatter: lambda op, _: op.update.aval.size,
    Sort: _sorting,
    Fourier: _fourier,
    Cholesky: _matrices(lambda rows, _: rows**3 // 3),
    **dict.fromkeys((LU, PLU), _matrices(lambda m, n: max(m, n) * min(m, n) ** 2 - min(m, n) ** 3 // 3)),
    QR: _matrices(lambda m, n: 2 * max(m, n) * min(m, n) ** 2 - 2 * min(m, n) ** 3 // 3),
    Solve: _solution,
    TriangularSolve: _solution,
}


@final
class Measuring:
    """Measures programs, each once, however often it is called: the time is linear in the number of equations."""

    def __init__(self) -> None:
        self._measured: dict[int, tuple[Jaxpr, Measured]] = {}
        self._lines: dict[Location, Line] = {}

    def line(self, eqn: Eqn) -> Line:
        """The user's line of an equation."""
        if eqn.place is None:
            return Line("", 0)
        line = self._lines.get(eqn.place)
        if line is None:
            source = Source(*eqn.place)
            line = self._lines[eqn.place] = Line(source.file, source.line)
        return line

    def measured(self, program: Jaxpr) -> Measured:
        """Costs of a program, cached by identity, since equal ones may have other lines."""
        known = self._measured.get(id(program))
        if known is None:
            with deeper():
                known = self._measured[id(program)] = program, self._walk(program)
        return known[1]

    def _walk(self, program: Jaxpr) -> Measured:
        inputs = frozenset(program.inputs)
        arguments = sum([nbytes(aval) for aval in program.in_avals])
        alive, total = arguments, Cost()
        lines, costs, live, outside_bodies = dict[Line, Cost](), list[Cost](), list[int](), list[int]()
        for eqn, dead in zip(program.eqns, program.last_uses, strict=True):
            written = sum([nbytes(out.aval) for out in eqn.outs])
            cost, inside = self._costs(eqn, written)
            for line, part in inside.items():
                lines[line] = lines.get(line, Cost()).plus(part)
            total = total.plus(cost)
            costs.append(cost)
            outside = alive + (written if isinstance(eqn.op, Scan | While) else 0)
            live.append(max(alive + written, outside + self._inside(eqn.op)))
            outside_bodies.append(outside)
            alive += written - sum([nbytes(var.aval) for var in dead if var not in inputs])
        return Measured(total, lines, costs, live, outside_bodies, arguments)

    def _costs(self, eqn: Eqn, written: int) -> tuple[Cost, dict[Line, Cost]]:
        """The cost of an equation, in total and by line."""
        op, line = eqn.op, self.line(eqn)
        if not isinstance(op, HigherOrder) or not op.bodies:
            limit = written if isinstance(op, _PARTIAL_READS) else math.inf
            read = sum([min(nbytes(atom.aval), limit) for atom in {*op.operands} if not isinstance(atom, Literal)])
            formula = _FLOPS.get(type(op))
            flops = 0 if formula is None else formula(op, eqn.outs[0].aval)
            cost = Cost(1, flops, int(read) + written, formula is not None)
            return cost, {line: cost}
        bodies = [self.measured(body) for body in op.bodies]
        costliest = max(range(len(bodies)), key=lambda position: bodies[position].cost[1:3])
        lines = {line: Cost(1, known=not isinstance(op, While))}
        for position, body in enumerate(bodies):
            steps = int(position == costliest) if isinstance(op, Cond) else _steps(op)  # one branch runs
            for inner, part in body.lines.items():
                lines[inner] = lines.get(inner, Cost()).plus(part.times(steps))
        return functools.reduce(Cost.plus, lines.values()), lines

    def _inside(self, op: Operation[Any]) -> int:
        """The bytes that the bodies of an operation need besides their arguments."""
        if not isinstance(op, HigherOrder):
            return 0
        return max([body.peak - body.inputs for body in map(self.measured, op.bodies)], default=0)


def _steps(op: Operation[Typed] | Operation[Any]) -> int:
    """Number of times that the bodies of an operation run."""
    if isinstance(op, Scan):
        return op.length
    if isinstance(op, ShardMap):
        return math.prod([op.over.mesh.axes[axis] for axis in op.over.axes])
    return 1
