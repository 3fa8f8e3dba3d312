"""From a program for several sizes to one that leaves them open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from effects.arguments import shown
from effects.errors import ArgumentError
from effects.types.avals import ShapedArray
from lowering.emission import generalised, unportable
from lowering.programs.artifact import PLATFORMS, Artifact
from lowering.programs.exported import Exported
from lowering.programs.sizes import Open, Polynomial, Shape, Size, Values, fitted


def opened(each: Sequence[Exported], points: Sequence[Values], sizes: Sequence[Size]) -> Exported:
    """The function with open sizes, of what it is at some points; ArgumentError where these are no one program."""
    first = each[0]
    try:
        return _opened(each, points, sizes)
    except ValueError as error:
        ranges = ", ".join([f"{size} from {size.least} to {size.greatest}" for size in sizes])
        raise ArgumentError(
            f"export: {first.name} is not one program for all sizes, {ranges}: {str(error).strip()}; export it with "
            "other ranges, or for each size alone"
        ) from None


def _opened(each: Sequence[Exported], points: Sequence[Values], sizes: Sequence[Size]) -> Exported:
    first = each[0]

    def fit(numbers: Sequence[int]) -> Polynomial:
        found = fitted(points, numbers)
        if found is None:
            values = [
                f"{number} for {', '.join([f'{k}={v}' for k, v in p.items()])}"
                for number, p in zip(numbers, points, strict=True)
            ]
            raise ValueError(
                f"a number follows from the sizes in another way than by sums and products, {'; '.join(values)}"
            )
        return found

    if any([_fixed(other) != _fixed(first) for other in each]):
        raise ValueError("what it takes, gives or closes over depends on the sizes")
    arguments = _shapes([e.arguments.avals for e in each], fit)
    left = Open(
        tuple(sizes),
        tuple([_place(size, arguments, first) for size in sizes]),
        arguments,
        _shapes([e.results.avals for e in each], fit),
        _shapes([e.residuals for e in each], fit),
    )
    places = {
        size.name: (len(first.captured) + first.reads.index(leaf), axis)
        for size, (leaf, axis) in zip(sizes, left.places, strict=True)
    }
    programs: list[Artifact] = []
    for artifacts in zip(*[e.programs for e in each], strict=True):
        modules = {
            platform: generalised([artifact.module(platform) for artifact in artifacts], places, fit)
            for platform in reversed(PLATFORMS)
            if all([platform in artifact.modules or "any" in artifact.modules for artifact in artifacts])
        }
        programs.append(Artifact(first.name, artifacts[0].role, modules, artifacts[0].signature).lean())
    made = first._replace(programs=tuple(programs), open=left)
    for point in points:
        for artifact in made.at(point).programs:
            for module in artifact.modules.values():
                if (fault := unportable(module, artifact.signature)) is not None:
                    raise ValueError(fault)
    return made


def _fixed(exported: Exported) -> object:
    """What sizes may have no part in."""
    arrays = [(x.aval, np.asarray(x).tobytes()) for x in exported.captured]
    trees = [
        (tree.node, tree.static, [aval.dtype for aval in tree.avals]) for tree in (exported.arguments, exported.results)
    ]
    return exported.reads, exported.donated, arrays, trees, len(exported.residuals)


def _shapes(each: Sequence[Sequence[ShapedArray]], fit: Callable[[Sequence[int]], Polynomial]) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    for avals in zip(*each, strict=True):
        if len({aval.ndim for aval in avals}) > 1:
            raise ValueError("the rank of an array depends on the sizes")
        shapes.append(tuple([fit(numbers) for numbers in zip(*[aval.shape for aval in avals], strict=True)]))
    return tuple(shapes)


def _place(size: Size, arguments: Sequence[Shape], exported: Exported) -> tuple[int, int]:
    """An axis of an argument that is this size, and that the program reads."""
    wanted = Polynomial((((size.name,), 1),))
    for leaf in exported.reads:
        if wanted in arguments[leaf]:
            return leaf, arguments[leaf].index(wanted)
    raise ValueError(f"it reads no argument with an axis of {shown(size)}")
