"""Requested shardings of a jitted function's arguments and results: `in_shardings`, `out_shardings`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Self

from effects.arguments import function_name, refusal
from effects.arrays.concrete import Concrete
from effects.arrays.mesh import Mesh, Sharding
from effects.errors import DeviceError
from effects.operations.movement import Constrain
from effects.operations.sharding import ShardMap
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder
from effects.trees.pytree import (
    TreeDef,
    broadcast_prefix,
    tree_flatten,
    tree_leaves,
    tree_leaves_with_path,
    tree_unflatten,
)
from handlers.transformations.calls.arguments import flatten_results
from handlers.transformations.calls.static_arguments import Signature
from lowering import pjrt
from lowering.arrays import common_placement, sharding_of
from lowering.emission import Layout
from lowering.pjrt import Device, DeviceMesh


class Shardings(NamedTuple):
    """Requested shardings: tree prefixes of the positional arguments and of the result, None for none."""

    inputs: object
    outputs: object

    @classmethod
    def of(cls, inputs: object, outputs: object) -> Self:
        """Check the trees, as far as that does not depend on the function."""
        for name, shardings in (("in_shardings", inputs), ("out_shardings", outputs)):
            for path, leaf in tree_leaves_with_path(shardings):
                if not isinstance(leaf, Sharding):
                    trees = "arguments begin" if name == "in_shardings" else "results begin"
                    expected = f"shardings, which mesh.sharding(…) makes, or None, in a tree that {trees} with"
                    raise refusal("jit", f"{name}{path}", expected, leaf)
        return cls(tuple(inputs) if isinstance(inputs, list) else inputs, outputs)  # the arguments are a tuple

    @property
    def any_requested(self) -> bool:
        """True if any sharding is requested."""
        return bool(tree_leaves(self.inputs) or tree_leaves(self.outputs))

    def of_inputs(self, in_tree: TreeDef, leaves: Sequence[object], signature: Signature) -> list[Sharding | None]:
        """The sharding of each leaf of the dynamic arguments, by its position, however it is passed.

        TreeError where the trees do not fit.
        """
        args, kwargs = tree_unflatten(in_tree, leaves)
        names = signature.dynamic_names()[len(args) :] if kwargs else []
        while names and names[-1] not in kwargs:
            names.pop()
        values = (*args, *[kwargs.get(name) for name in names])
        static = ", of which static ones have no entry" if signature.has_static else ""
        subject = f"jit: in_shardings, for the arguments of {function_name(signature.f)}{static}"
        shardings = iter(
            broadcast_prefix(self.inputs, values, lambda difference: f"{subject}: the structure {difference}")
        )
        shardings_by_value = [[*islice(shardings, len(tree_leaves(value)))] for value in values]
        named = dict(zip(names, shardings_by_value[len(args) :], strict=True))
        shardings_by_value[len(args) :] = [
            named.get(name, [None] * len(tree_leaves(kwargs[name]))) for name in sorted(kwargs)
        ]
        return [sharding for of_one in shardings_by_value for sharding in of_one]

    def of_outputs(
        self, out_tree: TreeDef, leaves: Sequence[object], f: Callable[..., object]
    ) -> list[Sharding | None]:
        """The sharding of each leaf of the result; TreeError where the trees do not fit."""
        subject = f"jit: out_shardings, for the result of {function_name(f)}"
        return broadcast_prefix(
            self.outputs, tree_unflatten(out_tree, leaves), lambda difference: f"{subject}: the structure {difference}"
        )

    def constraining(
        self, f: Callable[..., Any], signature: Signature, names: Callable[[], Sequence[str]]
    ) -> Callable[..., Any]:
        """`f` with the requested shardings as operations in its program, so that transformations see them."""

        def with_constraints(*args: Any, **kwargs: Any) -> Any:
            leaves, in_tree = tree_flatten((args, kwargs))
            shardings = self.of_inputs(in_tree, leaves, signature)
            constrained = _constrained(shardings, leaves, lambda i: f"argument {names()[i]}")
            args, kwargs = tree_unflatten(in_tree, constrained)
            result = f(*args, **kwargs)
            results, out_tree = flatten_results("jit", f, result)
            shardings = self.of_outputs(out_tree, results, f)
            return tree_unflatten(
                out_tree, _constrained(shardings, results, lambda i: f"the result{tree_leaves_with_path(result)[i][0]}")
            )

        with_constraints.__name__ = function_name(f)
        return with_constraints


def placement_for(
    program: Jaxpr,
    operands: Sequence[object],
    inputs: Sequence[Sharding | None],
    outputs: Sequence[Sharding | None],
    names: Callable[[], Sequence[str]],
    function: str,
) -> Device | Layout:
    """Device or layout of a program: that of its operands, else the requested one or its own, else the default.

    Operands on the host, and types in place of operands, follow the program. Raises DeviceError naming an operand, or a
    sharding, of another device or mesh.
    """
    placement = common_placement(function, operands, names)
    first_placed = (
        None
        if placement is None
        else next(i for i, x in enumerate(operands) if isinstance(x, Concrete) and pjrt.is_buffer(x.stored))
    )
    first: str | None = None
    for mesh, source in _requested_meshes(program, inputs, outputs):
        requested = pjrt.placement_over(mesh)
        if placement is None:
            placement, first = requested, source
        elif placement is not requested:
            if first_placed is None:
                first_placement = placement.mesh if isinstance(placement, DeviceMesh) else placement.name
                raise DeviceError(
                    f"{function}: {source} is over {mesh}, and {first} over {first_placement}; a program runs over one "
                    "mesh: call one for each, and move arrays between them with device_put(x, sharding)"
                )
            placement_text = f"over {placement.mesh}" if isinstance(placement, DeviceMesh) else f"on {placement.name}"
            raise DeviceError(
                f"{function}: {names()[first_placed]} is {placement_text}, but {source} is over {mesh}; a program runs "
                "in one place: move the argument with device_put(x, sharding), or leave it on the host"
            )
    if isinstance(placement, Device):
        return placement
    if placement is None:
        return pjrt.default_device()
    operand_shardings = [sharding_of(x) if isinstance(x, Concrete) else None for x in operands]
    for i, (operand_sharding, sharding) in enumerate(zip(operand_shardings, inputs, strict=True)):
        if operand_sharding is not None and sharding is not None and operand_sharding != sharding:
            raise DeviceError(
                f"{function}: {names()[i]} is sharded as {operand_sharding}, but in_shardings asks for {sharding}; "
                "move it with device_put(x, sharding)"
            )
    return Layout(
        placement.mesh,
        tuple([operand_sharding or sharding for operand_sharding, sharding in zip(operand_shardings, inputs)]),
        tuple(outputs),
    )


def _requested_meshes(
    program: Jaxpr, inputs: Sequence[Sharding | None], outputs: Sequence[Sharding | None]
) -> Iterator[tuple[Mesh, str]]:
    """The meshes that are requested for a program, and by what."""
    for shardings, source in ((inputs, "in_shardings"), (outputs, "out_shardings")):
        yield from [(sharding.mesh, source) for sharding in shardings if sharding is not None]
    yield from _declared_meshes(program).items()


def _declared_meshes(program: Jaxpr) -> dict[Mesh, str]:
    """The meshes of shardings in a program and in its bodies, with the first operation that has each."""
    visited: set[int] = set()
    pending, meshes = [program], dict[Mesh, str]()
    while pending:
        jaxpr = pending.pop()
        if id(jaxpr) in visited:
            continue
        visited.add(id(jaxpr))
        for eqn in jaxpr.eqns:
            op = eqn.op
            if isinstance(op, HigherOrder):
                pending += op.bodies
            if isinstance(op, (Constrain, ShardMap)):
                mesh = op.sharding.mesh if isinstance(op, Constrain) else op.over.mesh
                if mesh not in meshes:
                    meshes[mesh] = op.name if eqn.source is None else f"{op.name} at {eqn.source}"
    return meshes


def _constrained(shardings: Sequence[Sharding | None], arrays: Sequence[Any], named: Callable[[int], str]) -> list[Any]:
    for i, (sharding, array) in enumerate(zip(shardings, arrays, strict=True)):
        if sharding is not None:
            sharding.block(array.aval.shape, "jit", partial(named, i))
    return [
        array if sharding is None else perform(Constrain(sharding, 0, array))
        for sharding, array in zip(shardings, arrays, strict=True)
    ]
