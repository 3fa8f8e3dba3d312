"""`Program`: an exported function, which runs without the original one; `load_program` reads one from a file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast, final

from effects.arguments import absolute_path, choice, counted
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, scalar
from effects.errors import ArgumentError, FileError
from effects.files.atomic_writes import atomic_write, translated_errors
from effects.files.formats import Unreadable
from effects.program.chain import ROOT, current, perform
from effects.runtime.attributes import advising
from effects.runtime.caches import SMALL, Cache
from effects.trees.pytree import TreeDef, tree_flatten, tree_unflatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import WEAK_OF, float32, is_inexact
from handlers.transformations.custom_rules.functions import CustomFunction
from lowering.jit import jit
from lowering.programs import container
from lowering.programs.artifact import Artifact, Platform, Role, Run, refuse_derivative
from lowering.programs.exported import Exported
from lowering.programs.sizes import Open, Shape, Size, SizedArray, Values
from lowering.programs.trees import Leaf, Tree


@advising
@final
class Program:
    """A function as StableHLO, called like the function, with arguments of the types it was exported for.

    `export` makes one, `load_program` reads one from a file. It is compiled where its arguments are, at its first call,
    also within jitted functions. If exported with `derivatives=1` it can be differentiated once in reverse mode; other
    transformations refuse it.
    """

    def __init__(self, exported: Exported, unflatten: Callable[[Sequence[object]], Any]) -> None:
        self._exported: Final = exported
        self._unflatten: Final = unflatten
        self._known: Final[Cache[TreeDef, bool]] = Cache(SMALL)
        self._instances: Final[Cache[Hashable, Program]] = Cache(SMALL)
        function = _function(exported)
        self._compiled: Final = jit(_alone(function, exported), donate_argnums=exported.donated)
        self._performed: Final = function if exported.derivatives else self._compiled
        """Function for calls under handlers: one operation, with the user's line."""
        self.__name__: Final = exported.name  # transformations of it read these, as those of a function
        self.__signature__: Final = exported.parameters.signature()

    @property
    def name(self) -> str:
        """Name of the function."""
        return self._exported.name

    @property
    def types(self) -> Mapping[str, ShapedArray | SizedArray]:
        """The type of each leaf of the arguments, by the expression that reaches it."""
        return self._typed(self._exported.arguments, lambda open_sizes: open_sizes.arguments)

    @property
    def results(self) -> Mapping[str, ShapedArray | SizedArray]:
        """The type of each leaf of the result, by the expression that reaches it."""
        return self._typed(self._exported.results, lambda open_sizes: open_sizes.results)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The sizes that it leaves open, each with its range."""
        return () if self._exported.open is None else self._exported.open.sizes

    @property
    def derivatives(self) -> int:
        """Number of derivatives that can be taken of it, 0 or 1."""
        return self._exported.derivatives

    @property
    def platform(self) -> Platform:
        """Platform it runs on: "any", or "cpu" where it calls functions that only the CPU has."""
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
        chosen = choice("portable_artifact", "role", role, Role)
        place = choice("portable_artifact", "platform", platform, Platform)
        artifact = next((a for a in self._exported.programs if a.role == chosen), None)
        if artifact is None:
            raise ArgumentError(f"portable_artifact: {self.name} was exported without derivatives; its role is 'value'")
        return artifact.module(place)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as a whole or, whatever interrupts it, not at all; `load_program` reads it.

        Raises FileError where it cannot be written, DeletedArrayError where an array that it closed over was donated.
        """
        file = absolute_path("save", "path", path)
        with translated_errors("save", file), atomic_write(file) as stream:
            container.write(stream, self._exported.head(), self._exported.parts())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The result; donated arguments are gone afterwards. Arguments are passed as those of the function are.

        Python's numbers take the dtypes of their places. Arguments that are static, or were left out when the program
        was made, are in it: it may be passed as it was, by name.

        Raises ArgumentError or TreeError for arguments of other names, structures or types than it was exported for,
        and for numbers that do not fit, DeviceError on a platform that it was not.
        """
        exported, name = self._exported, self.name
        arguments = exported.arguments
        leaves, treedef = tree_flatten((args, kwargs))
        if self._known.find(treedef) is None:
            leaves, treedef = tree_flatten(exported.parameters.bound(name, args, kwargs))
            if self._known.find(treedef) is None:
                arguments.check(name, Tree.of(name, treedef, [_ANY] * len(leaves)), exported.parameters)
                self._known.keep(treedef, True)
        arrays = [_array(name, leaf, place) for leaf, place in zip(leaves, arguments.leaves, strict=True)]
        if exported.open is None:
            for x, place in zip(arrays, arguments.leaves, strict=True):
                if x.aval.shape != place.aval.shape or x.aval.dtype is not place.aval.dtype:
                    raise ArgumentError(f"{name}: {place.path} must be {place.aval}, got {x.aval}; {self._takes()}")
            return self._unflatten((self._compiled if current() is ROOT else self._performed)(*arrays))
        values = self._sizes([x.aval for x in arrays])
        key = tuple(values.values())
        instance = self._instances.find(key)
        if instance is None:
            instance = self._instances.keep(key, Program(exported.at(values), self._unflatten))
        args, kwargs = tree_unflatten(treedef, arrays)
        return instance(*args, **kwargs)

    def _sizes(self, avals: Sequence[ShapedArray]) -> Values:
        """The sizes in a call with arguments of these types; ArgumentError for other types than the program takes."""
        exported, open_sizes = self._exported, self._exported.open
        assert open_sizes is not None
        values, refusal = open_sizes.values_of_sizes(avals)
        types = zip(avals, exported.arguments.leaves, open_sizes.arguments, strict=True)
        for position, (aval, place, shape) in enumerate(types):
            if refusal == position or (
                refusal is None
                and (aval.dtype is not place.aval.dtype or aval.shape != tuple([n.at(values) for n in shape]))
            ):
                others = [
                    f"{size} is {values[size.name]} in {exported.arguments.leaves[leaf].path}"
                    for size, (leaf, _) in zip(open_sizes.sizes, open_sizes.places, strict=True)
                    if leaf != position
                    and size in SizedArray.of(aval, shape, open_sizes.sizes).shape
                    and size.name in values
                ]
                also = f", where {' and '.join(others)}," if others else ","
                expected = SizedArray.of(place.aval, shape, open_sizes.sizes)
                raise ArgumentError(f"{self.name}: {place.path} must be {expected}{also} got {aval}; {self._takes()}")
        return values

    def _typed(self, tree: Tree, shapes: Callable[[Open], Sequence[Shape]]) -> dict[str, ShapedArray | SizedArray]:
        if (open_sizes := self._exported.open) is None:
            return {leaf.path: leaf.aval for leaf in tree.leaves}
        each = zip(tree.leaves, shapes(open_sizes), strict=True)
        return {leaf.path: SizedArray.of(leaf.aval, shape, open_sizes.sizes) for leaf, shape in each}

    def _takes(self) -> str:
        return f"it was exported for ({_listed(self.types)}){''.join(self._ranges())}"

    def _ranges(self) -> list[str]:
        return [f", {size} from {size.least} to {size.greatest}" for size in self.sizes]

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: object) -> Program:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """It is pickled as its file; where it gives instances of classes, with the names of these."""
        stream = io.BytesIO()
        container.write(stream, self._exported.head(), self._exported.parts())
        return _read, (f"pickled program {self.name}", stream.getvalue(), self._unflatten(self._exported.results.avals))

    def __repr__(self) -> str:
        exported = self._exported
        derivatives = [counted(1, "derivative")] if exported.derivatives else []
        closed_over = [f"{counted(len(exported.captured), 'array')} closed over"] if exported.captured else []
        where = ["on the CPU"] if self.platform == "cpu" else []
        more = "".join([*self._ranges(), *[f", {each}" for each in (*derivatives, *closed_over, *where)]])
        return f"<Program {self.name}({_listed(self.types)}) -> ({_listed(self.results)}){more}>"


_ANY: Final = ShapedArray((), float32)
"""The type of a leaf where its structure is all that matters."""


def _array(name: str, leaf: object, place: Leaf) -> Array:
    """A leaf of a call as an array; ArgumentError for other objects, and for numbers that its dtype cannot hold.

    A weakly typed array takes the expected dtype, unless it is of another kind of number.
    """
    dtype = place.aval.dtype
    weak = WEAK_OF.get(type(leaf))
    if weak is None:
        x = as_leaf(leaf, name, f"argument {place.path}")
        if not x.aval.weak_type or x.aval.dtype is dtype or x.aval.dtype.rank > dtype.rank:
            return x
        if x.aval.ndim or x.known() is None:
            return x.astype(dtype)
        leaf = x.item()
    elif weak.rank > dtype.rank:
        return as_leaf(leaf, name, f"argument {place.path}")
    return scalar(leaf, dtype, function=name, argument=place.path)  # type: ignore[arg-type]  # it is a number


def _listed(types: Mapping[str, ShapedArray | SizedArray]) -> str:
    return ", ".join([f"{path}: {type_}" for path, type_ in types.items()])


def _read(called: str, data: bytes, like: object) -> Program:
    """The program in the bytes of a file; `called` names the file in errors."""
    try:
        exported = Exported.read(*container.read(data))
        return Program(exported, exported.results.unflatten(called, like))
    except Unreadable as error:
        part = "" if error.entry is None else f", part {error.entry}"
        raise FileError(f"{called}{part}: {error}") from None
    except RecursionError:
        raise FileError(f"{called}: its results are nested too deeply") from None


def load_program(path: str | os.PathLike[str], *, like: object = None) -> Program:
    """The program that `Program.save` wrote, in this process or another one, which need not know the function.

    If its result holds instances of classes, `like` is a tree of the structure and types of the result: files do not
    create objects of classes. Only StableHLO is run from a file.

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
    with translated_errors("load_program", file):
        data = file.read_bytes()
    return _read(called, data, like)


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

    return flat


def _alone(flat: Callable[..., tuple[Array, ...]], exported: Exported) -> Callable[..., tuple[Array, ...]]:
    """The same function without a source line, since one line for all programs would look like repeated compilation."""
    alone: Any = partial(flat)  # attributes of a partial can be set
    alone.__name__ = exported.name  # the name in messages of jit
    alone.leaf_names = [leaf.path for leaf in exported.arguments.leaves]  # names of its arguments there
    return cast("Callable[..., tuple[Array, ...]]", alone)


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
