"""A program with open sizes, from programs for several sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

import numpy as np

from effects.arguments import counted, shown
from effects.arrays.concrete import Concrete
from effects.types.avals import ShapedArray
from lowering.emission import generalised, unportable
from lowering.programs.artifact import PLATFORMS, Artifact
from lowering.programs.exported import Exported
from lowering.programs.sizes import NoPolynomial, Open, Points, Polynomial, Shape, Size, described, fitting


def with_open_sizes(each: Sequence[Exported], points: Points, sizes: Sequence[Size]) -> Exported:
    """The function with open sizes, from its programs at some points.

    Raises NoPolynomial if a number is no polynomial of the sizes with the powers of the points, ValueError if the
    programs differ otherwise.
    """
    first, fit = each[0], fitting(sizes, points)
    descriptions = [described(values) for values in points.each]
    for other, description in zip(each, descriptions, strict=True):
        if (difference := _difference(first, other)) is not None:
            raise ValueError(f"for {descriptions[0]} {difference[0]}, for {description} {difference[1]}")
    arguments = _shapes("an argument", [e.arguments.avals for e in each], fit)
    places = tuple([_place(size, arguments, first) for size in sizes])
    inputs = {
        size.name: (len(first.captured) + first.reads.index(leaf), axis)
        for size, (leaf, axis) in zip(sizes, places, strict=True)
    }
    programs: list[Artifact] = []
    for artifacts in zip(*[e.programs for e in each], strict=True):
        modules = {
            platform: generalised([artifact.module(platform) for artifact in artifacts], descriptions, inputs, fit)
            for platform in reversed(PLATFORMS)
            if all([platform in artifact.modules or "any" in artifact.modules for artifact in artifacts])
        }
        programs.append(
            Artifact(first.name, artifacts[0].role, modules, artifacts[0].signature).without_duplicate_module()
        )
    results = _shapes("the result", [e.results.avals for e in each], fit)
    residuals = _shapes("what the derivative keeps", [e.residuals for e in each], fit)
    exported = first._replace(programs=tuple(programs), open=Open(tuple(sizes), places, arguments, results, residuals))
    for point in points.each:
        for artifact in exported.at(point).programs:
            for module in artifact.modules.values():
                if (reason := unportable(module, artifact.signature)) is not None:
                    raise ValueError(reason)
    return exported


def _difference(one: Exported, other: Exported) -> tuple[str, str] | None:
    """A difference in something that must not depend on sizes, as the words for either; None if there is none."""
    for own, theirs in zip_longest(one.captured, other.captured):
        if own is not theirs and (own is None or theirs is None or not _equal(own, theirs)):
            arrays = ["no further array" if x is None else f"an array, {x.aval}" for x in (own, theirs)]
            return (
                f"it closes over {arrays[0]}",
                f"over {arrays[1]} (what NumPy computes while it is traced is closed over: compute it with operations)",
            )
    if one.reads != other.reads:
        reads = [", ".join([e.arguments.leaves[i].path for i in e.reads]) or "no argument" for e in (one, other)]
        return f"it reads {reads[0]}", reads[1]
    for field, tree in (("arguments", one.arguments), ("results", one.results)):
        others = getattr(other, field)
        if tree.node != others.node or tree.static != others.static:
            return f"its {field} have a structure", "another one"
        dtypes = [[str(aval.dtype) for aval in each.avals] for each in (tree, others)]
        if dtypes[0] != dtypes[1]:
            return f"its {field} are of the dtypes {', '.join(dtypes[0])}", ", ".join(dtypes[1])
    if len(one.residuals) != len(other.residuals):
        return f"its derivative keeps {counted(len(one.residuals), 'array')}", str(len(other.residuals))
    return None


def _equal(x: Concrete, y: Concrete) -> bool:
    return x.aval is y.aval and np.asarray(x).tobytes() == np.asarray(y).tobytes()


def _shapes(
    subject: str, each: Sequence[Sequence[ShapedArray]], fit: Callable[[Sequence[int], None], Polynomial]
) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    for avals in zip(*each, strict=True):
        if len({aval.ndim for aval in avals}) > 1:
            raise ValueError(f"the rank of {subject} depends on the sizes")
        try:
            shapes.append(tuple([fit(numbers, None) for numbers in zip(*[aval.shape for aval in avals], strict=True)]))
        except NoPolynomial as error:
            raise NoPolynomial(f"in the shape of {subject} {error}") from None
    return tuple(shapes)


def _place(size: Size, arguments: Sequence[Shape], exported: Exported) -> tuple[int, int]:
    """An axis, with this size, of an argument that the program reads."""
    expected = Polynomial((((size.name,), 1),))
    for leaf in exported.reads:
        if expected in arguments[leaf]:
            return leaf, arguments[leaf].index(expected)
    raise ValueError(f"it reads no argument with an axis of {shown(size)}")
