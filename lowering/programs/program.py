"""`Program`: an exported function, which runs what a file holds of it; `load_program` reads one."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final, final

from effects.arguments import absolute_path, choice, counted
from effects.arrays.array import Array
from effects.errors import ArgumentError, FileError
from effects.files.formats import Unreadable
from effects.files.replacing import replaced, told
from effects.program.chain import perform
from effects.runtime.caches import SMALL, Cache
from effects.trees.pytree import TreeDef, tree_flatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import is_inexact
from handlers.transformations.calls.arguments import as_arrays
from handlers.transformations.custom_rules.functions import CustomFunction
from lowering.jit import jit
from lowering.programs import container
from lowering.programs.artifact import Artifact, Platform, Role, Run, refuse_derivative
from lowering.programs.exported import Exported
from lowering.programs.sizes import Shape, Size, text
from lowering.programs.trees import Tree


@final
class Program:
    """A function as StableHLO, called as it is, with arguments of the types that it was exported for.

    `export` makes one, `load_program` reads one from a file. It is compiled where its arguments are when it is first
    called, also within jitted functions. One that was exported with `derivatives=1` can be differentiated once in
    reverse mode; other transformations refuse it.
    """

    def __init__(self, exported: Exported, unflatten: Callable[[Sequence[object]], Any]) -> None:
        self._exported: Final = exported
        self._unflatten: Final = unflatten
        self._known: Final[Cache[TreeDef, bool]] = Cache(SMALL)
        self._instances: Final[Cache[Hashable, Program]] = Cache(SMALL)
        self._run: Final = jit(_function(exported), donate_argnums=exported.donated)

    @property
    def name(self) -> str:
        """What the function is called."""
        return self._exported.name

    @property
    def types(self) -> Mapping[str, ShapedArray | str]:
        """The type of each leaf of the arguments, by the expression that reaches it; as text where sizes are open."""
        left = self._exported.open
        return _types(self._exported.arguments, left and left.arguments)

    @property
    def results(self) -> Mapping[str, ShapedArray | str]:
        """The type of each leaf of the result, by the expression that reaches it; as text where sizes are open."""
        left = self._exported.open
        return _types(self._exported.results, left and left.results)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The sizes that it leaves open, each with its range."""
        return () if self._exported.open is None else self._exported.open.sizes

    @property
    def derivatives(self) -> int:
        """How many derivatives can be taken of it, 0 or 1."""
        return self._exported.derivatives

    @property
    def platform(self) -> Platform:
        """Where it runs: "any", or "cpu" where it calls what only the CPU has."""
        return "any" if all(["any" in artifact.modules for artifact in self._exported.programs]) else "cpu"

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of StableHLO that it is written in, and of the `effax` and `jaxlib` that wrote it."""
        return dict(self._exported.versions)

    def portable_artifact(self, role: Role = "value", platform: Platform = "any") -> bytes:
        """The StableHLO itself, for other programs that read it: a portable artifact, whose function is `main`.

        It takes the arrays that the function closed over, and then those leaves of the arguments that it reads. The
        role "forward" gives, behind the results, what the derivative keeps; "backward" takes what "forward" takes, then
        what that keeps, then the cotangents of the results, and gives those of the leaves, as far as there are some.
        """
        wanted = choice("portable_artifact", "role", role, Role)
        place = choice("portable_artifact", "platform", platform, Platform)
        artifact = next((a for a in self._exported.programs if a.role == wanted), None)
        if artifact is None:
            raise ArgumentError(f"portable_artifact: {self.name} was exported without derivatives; its role is 'value'")
        return artifact.module(place)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as a whole or, whatever interrupts it, not at all; `load_program` reads it.

        Raises FileError where it cannot be written, DeletedArrayError where an array that it closed over was donated.
        """
        file = absolute_path("save", "path", path)
        with told("save", file), replaced(file) as stream:
            container.write(stream, self._exported.head(), self._exported.parts())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The result; donated arguments are gone afterwards. Python's numbers take the dtypes of their places.

        Raises TreeError or ArgumentError for arguments of another structure or type than it was exported for,
        DeviceError on a platform that it was not.
        """
        arguments, name = self._exported.arguments, self.name
        leaves, treedef = tree_flatten((args, kwargs))
        arrays = as_arrays(name, leaves, lambda: [f"leaf {i}" for i in range(len(leaves))])
        if self._known.find(treedef) is None:
            arguments.check(name, Tree.of(name, treedef, [x.aval for x in arrays]))
            self._known.keep(treedef, True)
        if (left := self._exported.open) is not None:
            values = left.found(name, [x.aval for x in arrays], [leaf.path for leaf in arguments.leaves])
            key = tuple(values.values())
            instance = self._instances.find(key)
            if instance is None:
                instance = self._instances.keep(key, Program(self._exported.at(values), self._unflatten))
            return instance(*args, **kwargs)
        for position, (x, leaf) in enumerate(zip(arrays, arguments.leaves, strict=True)):
            aval = x.aval
            if aval.dtype is not leaf.aval.dtype and aval.weak_type and aval.dtype.rank <= leaf.aval.dtype.rank:
                arrays[position] = x.astype(leaf.aval.dtype)
            elif aval.shape != leaf.aval.shape or aval.dtype is not leaf.aval.dtype:
                raise ArgumentError(
                    f"{name}: {leaf.path} must be {leaf.aval}, got {aval}; it was exported for ({_listed(self.types)})"
                )
        return self._unflatten(self._run(*arrays))

    def __repr__(self) -> str:
        exported = self._exported
        ranges = [f"{size} from {size.least} to {size.greatest}" for size in self.sizes]
        derivatives = [counted(1, "derivative")] if exported.derivatives else []
        closed_over = [f"{counted(len(exported.captured), 'array')} closed over"] if exported.captured else []
        where = ["on the CPU"] if self.platform == "cpu" else []
        more = "".join([f", {each}" for each in (*ranges, *derivatives, *closed_over, *where)])
        return f"<Program {self.name}({_listed(self.types)}) -> ({_listed(self.results)}){more}>"


def _types(tree: Tree, shapes: Sequence[Shape] | None) -> dict[str, ShapedArray | str]:
    if shapes is None:
        return {leaf.path: leaf.aval for leaf in tree.leaves}
    return {leaf.path: text(leaf.aval, shape) for leaf, shape in zip(tree.leaves, shapes, strict=True)}


def _listed(types: Mapping[str, ShapedArray | str]) -> str:
    return ", ".join([f"{path}: {of}" for path, of in types.items()])


def load_program(path: str | os.PathLike[str], *, like: object = None) -> Program:
    """The program that `Program.save` wrote, in this process or another one, which need not know the function.

    Where its result holds instances of classes, `like` is a tree of the structure and types of the result: a file makes
    no objects of classes. Nothing of a file is run but StableHLO.

    Raises MissingFileError where there is no file; FileError where it is no such file, is of another version, cut off
    or altered, holds StableHLO that cannot be read, or is not like `like`.

    >>> import tempfile
    >>> import effects as fx
    >>> from lowering import export, jit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(jit(fx.sin), fx.zeros(3)).save(f"{folder}/sin.program")
    ...     load_program(f"{folder}/sin.program")(fx.zeros(3))
    Array([0., 0., 0.], float64)
    """
    file = absolute_path("load_program", "path", path)
    called = f"load_program: {file}"
    with told("load_program", file):
        data = file.read_bytes()
    try:
        exported = Exported.read(*container.read(data))
    except Unreadable as error:
        part = "" if error.entry is None else f", part {error.entry}"
        raise FileError(f"{called}{part}: {error}") from None
    return Program(exported, exported.results.unflatten(called, like))


def _function(exported: Exported) -> Callable[..., tuple[Array, ...]]:
    """The function of the leaves of the arguments, with the rule of its derivative."""
    captured, reads, name = exported.captured, exported.reads, exported.name
    value, *halves = exported.programs

    def of_read(*xs: Array) -> tuple[Array, ...]:
        return perform(Run(value, (*captured, *xs)))

    of_read.__name__ = name
    run: Callable[..., tuple[Array, ...]] = of_read
    if halves:
        differentiable = CustomFunction(of_read, "custom_vjp")
        differentiable.defvjp(*_rules(exported, *halves))
        differentiable.defjvp(lambda *_: refuse_derivative(name))
        run = differentiable

    def flat(*leaves: Array) -> tuple[Array, ...]:
        return run(*[leaves[i] for i in reads]) if exported.results.leaves else ()

    alone = partial(flat)  # at no line, where all programs would be taken for one function that is compiled again
    alone.__name__ = name  # type: ignore[attr-defined]  # what jit calls it by
    return alone


def _rules(
    exported: Exported, forward: Artifact, backward: Artifact
) -> tuple[Callable[..., tuple[Any, Any]], Callable[..., tuple[Any, ...]]]:
    leaves, results = exported.arguments.leaves, exported.results.avals
    varies = [is_inexact(leaves[i].aval.dtype) for i in exported.reads]

    def ahead(*xs: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        outputs = perform(Run(forward, (*exported.captured, *xs)))
        return outputs[: len(results)], (*xs, *outputs[len(results) :])

    def back(residuals: tuple[Array, ...], cotangents: tuple[Array, ...]) -> tuple[Array | None, ...]:
        of_results = [ct for ct, aval in zip(cotangents, results, strict=True) if is_inexact(aval.dtype)]
        of_arguments = iter(perform(Run(backward, (*exported.captured, *residuals, *of_results))))
        return tuple([next(of_arguments) if each else None for each in varies])

    return ahead, back
