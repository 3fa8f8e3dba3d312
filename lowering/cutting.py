"""How arguments and results of a jitted function are asked to be cut over a mesh: `in_shardings`, `out_shardings`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Self

from effects.arguments import function_name, shown
from effects.arrays.concrete import Concrete
from effects.arrays.mesh import Mesh, Sharding
from effects.errors import ArgumentError, DeviceError
from effects.operations.movement import Constrain
from effects.operations.sharding import ShardMap
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder
from effects.trees.pytree import TreeDef, spread, tree_flatten, tree_leaves, tree_unflatten
from handlers.transformations.calls.arguments import as_arrays
from lowering import pjrt
from lowering.arrays import common_place, cut_of
from lowering.emission import Layout
from lowering.pjrt import Device


class Asked(NamedTuple):
    """What is asked for: trees of shardings that the positional arguments and the result begin with, None for any."""

    inputs: object
    outputs: object

    @classmethod
    def of(cls, inputs: object, outputs: object) -> Self:
        """Check what does not depend on the function."""
        for name, given in (("in_shardings", inputs), ("out_shardings", outputs)):
            for leaf in tree_leaves(given):
                if not isinstance(leaf, Sharding):
                    raise ArgumentError(
                        f"jit: {name} must be shardings, which mesh.sharding(…) makes, or None, in a tree that "
                        f"{'arguments begin' if name == 'in_shardings' else 'results begin'} with; got {shown(leaf)}"
                    )
        return cls(tuple(inputs) if isinstance(inputs, list) else inputs, outputs)  # arguments are a tuple

    @property
    def anything(self) -> bool:
        """Whether anything is asked for."""
        return bool(tree_leaves(self.inputs) or tree_leaves(self.outputs))

    def of_inputs(self, in_tree: TreeDef, leaves: Sequence[object], f: Callable[..., object]) -> list[Sharding | None]:
        """The sharding of each leaf of the dynamic arguments; TreeError where the trees do not fit."""
        args, kwargs = tree_unflatten(in_tree, leaves)
        what = f"jit: in_shardings, for the arguments of {function_name(f)}"
        by_position = spread(self.inputs, args, lambda difference: f"{what}: the structure {difference}")
        return [*by_position, *[None] * len(tree_leaves(kwargs))]

    def of_outputs(
        self, out_tree: TreeDef, leaves: Sequence[object], f: Callable[..., object]
    ) -> list[Sharding | None]:
        """The sharding of each leaf of the result; TreeError where the trees do not fit."""
        what = f"jit: out_shardings, for the result of {function_name(f)}"
        return spread(
            self.outputs, tree_unflatten(out_tree, leaves), lambda difference: f"{what}: the structure {difference}"
        )

    def around(self, f: Callable[..., Any], names: Callable[[], Sequence[str]]) -> Callable[..., Any]:
        """`f` with what is asked for in its program, so that transformations see it."""

        def cut(*args: Any, **kwargs: Any) -> Any:
            leaves, in_tree = tree_flatten((args, kwargs))
            given = _constrained(self.of_inputs(in_tree, leaves, f), leaves, lambda i: f"argument {names()[i]}")
            args, kwargs = tree_unflatten(in_tree, given)
            found, out_tree = tree_flatten(f(*args, **kwargs))
            results = as_arrays("jit", found, lambda: [f"leaf {i} of the result" for i in range(len(found))])
            asked = self.of_outputs(out_tree, results, f)
            return tree_unflatten(out_tree, _constrained(asked, results, lambda i: f"leaf {i} of the result"))

        cut.__name__ = function_name(f)
        return cut


def place_for(
    program: Jaxpr,
    operands: Sequence[object],
    inputs: Sequence[Sharding | None],
    outputs: Sequence[Sharding | None],
    names: Callable[[], Sequence[str]],
) -> Device | Layout:
    """Where a program runs: where its operands are, else where it is asked to or says itself, else by default.

    What is on the host, and types in place of operands, go where the program wants them. Raises DeviceError naming an
    operand that is elsewhere.
    """
    place = common_place(operands, names)
    asked = {sharding.mesh: None for sharding in (*inputs, *outputs) if sharding is not None}
    said: tuple[Mesh, ...] = program.cached("meshes", lambda: tuple(islice(_meshes(program), 1)))
    wanted = next(iter((*asked, *said)), None)
    if place is None and wanted is not None:
        place = pjrt.place_over(wanted)
    if isinstance(place, Device):
        if wanted is not None and wanted.devices != (place.name,):
            at = next(i for i, x in enumerate(operands) if isinstance(x, Concrete) and pjrt.is_buffer(x.stored))
            raise DeviceError(
                f"jit: {names()[at]} is on {place.name}, and the program is cut over {wanted}; "
                "put it over the mesh with device_put(x, mesh.sharding(…)), or leave it on the host"
            )
        return place
    if place is None:
        return pjrt.default_device()
    mesh = place.mesh
    if wanted is not None and not asked and wanted.devices != mesh.devices:
        held = [i for i, x in enumerate(operands) if isinstance(x, Concrete) and cut_of(x)]
        raise DeviceError(
            f"jit: {names()[held[0]]} is over {mesh}, and the program is cut over {wanted}; move it with device_put"
        )
    for other in asked:
        if other != mesh:
            raise DeviceError(
                f"jit: shardings over {other} are asked for in a program that runs over {mesh}; ask for those of one "
                "mesh, and move what is over another one with device_put(x, sharding) before or afterwards"
            )
    cuts = [cut_of(x) if isinstance(x, Concrete) else None for x in operands]
    for i, (cut, sharding) in enumerate(zip(cuts, inputs, strict=True)):
        if cut is not None and sharding is not None and cut != sharding:
            raise DeviceError(
                f"jit: {names()[i]} is cut as {cut}, and in_shardings asks for {sharding}; "
                "cut it so with device_put(x, sharding)"
            )
    return Layout(mesh, tuple([cut or sharding for cut, sharding in zip(cuts, inputs)]), tuple(outputs))


def _meshes(program: Jaxpr) -> Iterator[Mesh]:
    """The meshes that a program cuts values over, in itself or in what it calls."""
    seen: set[int] = set()
    left = [program]
    while left:
        jaxpr = left.pop()
        if id(jaxpr) in seen:
            continue
        seen.add(id(jaxpr))
        for eqn in jaxpr.eqns:
            if isinstance(eqn.op, Constrain):
                yield eqn.op.sharding.mesh
            elif isinstance(eqn.op, ShardMap):
                yield eqn.op.over.mesh
            elif isinstance(eqn.op, HigherOrder):
                left += eqn.op.bodies


def _constrained(asked: Sequence[Sharding | None], arrays: Sequence[Any], named: Callable[[int], str]) -> list[Any]:
    for i, (sharding, array) in enumerate(zip(asked, arrays, strict=True)):
        if sharding is not None:
            sharding.block(array.aval.shape, "jit", named(i))
    return [
        array if sharding is None else perform(Constrain(sharding, 0, array))
        for sharding, array in zip(asked, arrays, strict=True)
    ]
