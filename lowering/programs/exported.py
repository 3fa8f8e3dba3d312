"""`Exported`: the data of an exported function, written to a file and read from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from effects.arrays.concrete import Concrete, from_host
from effects.errors import EffaxError
from effects.files.formats import Unreadable
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype, is_inexact
from handlers.transformations.calls.binding import Parameters
from lowering.emission import refined, unportable
from lowering.programs.artifact import PLATFORMS, Artifact, Role, Signature, Types
from lowering.programs.container import Head
from lowering.programs.sizes import Open, Values, with_shapes
from lowering.programs.trees import Tree, arguments_of


class Exported(NamedTuple):
    """An exported function: the trees of its arguments and results, the arrays that it closed over, its programs.

    The programs take the captured arrays and the leaves of the arguments at the positions `reads`; leaves at `donated`
    are gone after a call. The programs compute its value and, if it can be differentiated, the two halves of the
    derivative. If sizes are left `open`, types are those for some of them, and the programs are for all.
    """

    name: str
    arguments: Tree
    results: Tree
    captured: tuple[Concrete, ...]
    reads: tuple[int, ...]
    donated: tuple[int, ...]
    programs: tuple[Artifact, ...]
    versions: Mapping[str, str]
    parameters: Parameters
    open: Open | None = None

    def at(self, values: Values) -> Exported:
        """The function for known values of the open sizes."""
        assert self.open is not None
        arguments, results = self.arguments.at(self.open.arguments, values), self.results.at(self.open.results, values)
        residuals = with_shapes(self.residuals, self.open.residuals, values)
        read = [arguments.leaves[i].aval for i in self.reads]
        signatures = signatures_of([x.aval for x in self.captured], read, results.avals, residuals)
        programs = [
            Artifact(
                self.name, role, {p: refined(data, signature.inputs) for p, data in general.modules.items()}, signature
            )
            for general, (role, signature) in zip(self.programs, signatures.items(), strict=False)
        ]
        return self._replace(arguments=arguments, results=results, programs=tuple(programs), open=None)

    @property
    def residuals(self) -> Types:
        """The types of the residuals of its derivative."""
        return self.programs[1].signature.outputs[len(self.results.leaves) :] if self.derivatives else ()

    @property
    def derivatives(self) -> int:
        """Number of derivatives."""
        return len(self.programs) // 2

    def head(self) -> Head:
        """Header of the file, as JSON."""
        return {
            "name": self.name,
            "arguments": self.arguments.written(),
            "results": self.results.written(),
            "captured": _written([x.aval for x in self.captured]),
            "reads": self.reads,
            "donated": self.donated,
            "derivatives": self.derivatives,
            "residuals": _written(self.residuals),
            "parameters": self.parameters,
            "open": None if self.open is None else self.open.written(),
            "versions": self.versions,
        }

    def parts(self) -> dict[str, memoryview]:
        """The bytes of its programs and arrays, by name."""
        programs = {
            f"{artifact.role}.{platform}": memoryview(module)
            for artifact in self.programs
            for platform, module in artifact.modules.items()
        }
        arrays = [np.ascontiguousarray(x.fetch()).reshape(-1).view(np.uint8) for x in self.captured]
        return programs | {f"captured.{i}": x.data for i, x in enumerate(arrays)}

    @classmethod
    def read(cls, head: Head, parts: Mapping[str, memoryview]) -> Self:
        """Read from a file; Unreadable if it is inconsistent, or its StableHLO has other types."""
        try:
            exported = cls._read(head, parts)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, EffaxError) as error:
            raise Unreadable(f"its head is not that of a program: {type(error).__name__}: {error}") from None
        try:
            known = (
                exported
                if exported.open is None
                else exported.at({size.name: size.least for size in exported.open.sizes})
            )
        except ValueError as error:
            raise Unreadable(f"its StableHLO cannot be read for the least sizes: {error}") from None
        for artifact in known.programs:
            for platform, module in artifact.modules.items():
                if (fault := unportable(module, artifact.signature)) is not None:
                    raise Unreadable(fault, f"{artifact.role}.{platform}")
        return exported

    @classmethod
    def _read(cls, head: Head, parts: Mapping[str, memoryview]) -> Self:
        arguments, results = Tree.read(head["arguments"]), Tree.read(head["results"])
        types, residuals = _types(head["captured"]), _types(head["residuals"])
        captured = [_array(parts[f"captured.{i}"], aval) for i, aval in enumerate(types)]
        reads, donated = _positions(head["reads"], arguments), _positions(head["donated"], arguments)
        name = str(head["name"])
        signatures = signatures_of(types, [arguments.leaves[i].aval for i in reads], results.avals, residuals)
        programs: list[Artifact] = []
        for role, signature in list(signatures.items())[: 3 if head["derivatives"] else 1]:
            modules = {p: bytes(parts[f"{role}.{p}"]) for p in PLATFORMS if f"{role}.{p}" in parts}
            if not modules:
                raise Unreadable(f"it has no StableHLO for its {role}")
            programs.append(Artifact(name, role, modules, signature))
        versions = {str(component): str(version) for component, version in head["versions"].items()}
        parameters = Parameters.read(head["parameters"])
        dict(arguments_of(arguments.node, parameters))
        ranks = [[aval.ndim for aval in avals] for avals in (arguments.avals, results.avals, residuals)]
        open_sizes = None if head["open"] is None else Open.read(head["open"], *ranks)
        return cls(
            name, arguments, results, tuple(captured), reads, donated, tuple(programs), versions, parameters, open_sizes
        )


def signatures_of(
    captured: Sequence[ShapedArray], read: Sequence[ShapedArray], results: Sequence[ShapedArray], residuals: Types
) -> dict[Role, Signature]:
    """Types of the arguments and results of a function's programs. Results without a derivative have no cotangent;
    residuals that are inputs are not returned, since inputs are passed again.
    """
    inputs = (*captured, *read)
    return {
        "value": Signature(inputs, tuple(results)),
        "forward": Signature(inputs, (*results, *residuals)),
        "backward": Signature((*inputs, *residuals, *differentiable(results)), tuple(differentiable(read))),
    }


def differentiable(avals: Sequence[ShapedArray]) -> list[ShapedArray]:
    """The types that have derivatives."""
    return [aval for aval in avals if is_inexact(aval.dtype)]


def _written(avals: Sequence[ShapedArray]) -> list[Any]:
    return [[aval.dtype.name, aval.shape, aval.weak_type] for aval in avals]


def _types(entries: Sequence[Any]) -> Types:
    return tuple([ShapedArray(tuple(shape), as_dtype(dtype), weak) for dtype, shape, weak in entries])


def _positions(entries: Sequence[Any], arguments: Tree) -> tuple[int, ...]:
    positions = tuple([int(i) for i in entries])
    if any([not 0 <= i < len(arguments.leaves) for i in positions]):
        raise IndexError(f"no argument has one of the positions {positions}")
    return positions


def _array(data: memoryview, aval: ShapedArray) -> Concrete:
    return from_host(np.frombuffer(data, aval.dtype.dtype).reshape(aval.shape).copy())  # which is aligned
