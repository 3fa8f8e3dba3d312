"""`show`: a picture of a program, of each stage of its transformations side by side, by the user's lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final

from effects.arguments import absolute_path, refusal
from effects.files.atomic_writes import atomic_write, translated_errors
from effects.program.jaxpr import Jaxpr
from lowering.showing import graph, page, text
from lowering.showing.columns import stages
from lowering.showing.equations import program
from lowering.showing.lines import Column
from lowering.stages import Compiled, Lowered, Trace


@final
@dataclass(frozen=True, slots=True)
class Picture:
    """A program at each stage of its transformations, in `columns` from the innermost function outward.

    A notebook shows it as a page. Its repr is the same as text, in colours where that goes to a terminal and NO_COLOR
    is not set. Only the first 1000 equations of a program are shown, with the number of the others.
    """

    title: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def html(self) -> str:
        """A page of its own, which needs no network."""
        return page.document(self.title, page.fragment(self.title, self.columns, self.notes))

    def save(self, path: str | Path) -> None:
        """Write the page to a file, which is there as a whole or not at all.

        Raises ArgumentError for what is no path of a page, .html or .htm, MissingFileError where the folder does not
        exist, FileError where it cannot be written.
        """
        file = absolute_path("save", "path", path)
        if file.suffix not in (".html", ".htm"):
            raise refusal("save", "path", "the path of a page, .html", path)
        with translated_errors("save", file), atomic_write(file) as stream:
            stream.write(self.html().encode())

    def dot(self) -> str:
        """The graph of the outermost program in the language of Graphviz: `dot -Tsvg`.

        >>> import effects as fx
        >>> from lowering import show
        >>> print(show(fx.sin, fx.zeros(3)).dot().splitlines()[0])
        digraph "sin" {
        """
        return graph.dot(self.title, self.columns[-1].program)

    def text(self) -> str:
        """The picture as plain text."""
        return text.text(self.title, self.columns, self.notes, colours=False)

    def _repr_html_(self) -> str:
        return page.fragment(self.title, self.columns, self.notes)

    def __repr__(self) -> str:
        return text.text(self.title, self.columns, self.notes, colours=text.has_colours(sys.stdout))


def show(f: Callable[..., object] | Jaxpr | Trace | Lowered | Compiled, /, *args: object, **kwargs: object) -> Picture:
    """Picture of the program of `f` on these arguments: its equations by the user's lines, with what each line costs.

    Where `f` is a transformed function, `vmap(grad(f))`, there is a column for `f`, `grad(f)` and `vmap(grad(f))`: what
    each transformation makes of each line. `jit` changes no program and has no column of its own. Arguments may also be
    types (`ShapedArray`). Instead of a function it takes a program: of `make_jaxpr`, traced, lowered or compiled; to
    the last two it adds XLA's own figures.

    Costs are counted from the shapes: FLOPs (one for each element of an elementwise operation, two for each product in
    a contraction), bytes read and written, and the bytes alive at once with arguments kept to the end. They are of the
    program as written, before XLA joins operations; of a `while` one step is counted, and operations whose arithmetic
    is no formula of the shapes (`svd`) count nothing: then there is a `+`.

    Raises ArgumentError for what is neither a function nor a program, for arguments to a program, and what `f` raises.

    >>> import effects as fx
    >>> from handlers import grad, vmap
    >>> [column.name for column in show(vmap(grad(fx.sum)), fx.ones((2, 3))).columns]
    ['sum', 'grad(sum)', 'vmap(grad(sum))']
    """
    if isinstance(f, Jaxpr | Trace | Lowered | Compiled):
        if args or kwargs:
            raise refusal("show", "args", "nothing beside a program, which has its arguments", (*args, *kwargs))
        return of_program(f)
    if not callable(f):
        raise refusal("show", "f", "a function or a program", f)
    chain = stages(f, args, kwargs)
    notes = [f"{stage.name} has no program by itself: {stage.error}" for stage in chain if stage.program is None]
    columns = [Column(stage.name, program(stage.program)) for stage in chain if stage.program is not None]
    return Picture(columns[-1].name, tuple(columns), tuple(notes))


def of_program(stage: Jaxpr | Trace | Lowered | Compiled) -> Picture:
    """The picture of one program, with XLA's figures where it has seen it."""
    if isinstance(stage, Jaxpr):
        return Picture("program", (Column("program", program(stage)),))
    notes = [repr(stage).strip("<>")]
    if isinstance(stage, Lowered | Compiled):
        costs = stage.cost_analysis()
        figures = [
            f"{name} {costs[name]:,.0f}" for name in ("flops", "transcendentals", "bytes accessed") if name in costs
        ]
        notes.append(f"XLA's estimate: {', '.join(figures)}")
    if isinstance(stage, Compiled):
        memory = stage.memory_analysis()
        notes.append(f"XLA's plan of the memory: {memory}")
    trace = stage.trace
    return Picture(trace.fun_name, (Column(trace.fun_name, program(trace.jaxpr)),), tuple(notes))
