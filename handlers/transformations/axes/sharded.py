"""Programs over blocks: `shard_map`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from effects.arguments import check_callable, function_name, refusal, shown
from effects.arrays.mesh import Mesh, Sharding
from effects.errors import ArgumentError, DeviceError, ShapeError, TreeError
from effects.operations.movement import Constrain, Place
from effects.operations.sharding import ShardMap, block_of
from effects.program.chain import current, perform
from effects.program.jaxpr import Eqn, Jaxpr
from effects.program.operation import HigherOrder
from effects.trees.pytree import structure_difference, tree_flatten, tree_leaves, tree_leaves_with_path, tree_unflatten
from handlers.sharding.differing import followed, may_part
from handlers.sharding.named import MeshAxes
from handlers.sharding.row import differing
from handlers.transformations.calls.arguments import argument_names, as_arrays, named_after
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.calls.types import Fields

type Cut = str | Sharding | None
"""How an array is cut: along dimension 0 over an axis, as a sharding of the mesh says, or not at all."""
type CutTree = Cut | tuple[Any, ...] | list[Any] | Mapping[Any, Any] | Fields
"""A cut, or a container of such that is a prefix of the tree it is for."""


def shard_map[F: Callable[..., Any]](f: F, mesh: Mesh, in_specs: CutTree, out_specs: CutTree) -> F:
    """`f` on blocks: every device of the mesh runs it on its own part of the arguments.

    `in_specs` says how arguments are cut: it is one cut for all, or a tuple or list with one entry per positional
    argument, of cuts in trees that the argument begins with. A cut is the name of an axis, over which dimension 0 is
    cut, or a sharding of the mesh, or None for what every device has whole, as it has what `f` closes over. `out_specs`
    says likewise how the blocks of results are put together; of a result that is not cut along an axis, the devices
    along it must hold the same. In `f` the axes of the mesh have names: `psum(x, "data")`, `axis_index("data")`, ….

    It means what a `vmap` for each axis of the mesh means, each with its `axis_name`, on arrays that are cut. So it has
    derivatives and batches and goes through all else, and what it computes on one device it computes on many. Called
    outside of `jit` it is compiled, for the mesh, each time from a new trace.

    Raises ArgumentError, ShapeError or TreeError naming the argument where specs do not fit, ArgumentError for a result
    that differs along an axis that does not cut it, and DeviceError for values that `f` cuts or moves itself.

    >>> import effects as fx
    >>> from handlers import psum
    >>> from lowering import Mesh
    >>> mesh = Mesh({"data": 1}, ["cpu:0"])
    >>> share = shard_map(lambda x: x / psum(fx.sum(x), "data"), mesh, in_specs="data", out_specs="data")
    >>> share(fx.asarray([1.0, 3.0]))
    Array([0.25, 0.75], float64)
    """
    check_callable("shard_map", f)
    if not isinstance(mesh, Mesh):
        raise refusal("shard_map", "mesh", "a Mesh", mesh)
    in_specs = tuple(in_specs) if isinstance(in_specs, list) else in_specs
    for name, given in (("in_specs", in_specs), ("out_specs", out_specs)):
        for leaf in tree_leaves(given):
            _cut(mesh, leaf, name)

    @named_after(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        _check_arguments(f, in_specs, args, kwargs)
        leaves, in_tree = tree_flatten((args, kwargs))
        names: Callable[[], list[str]] = lambda: argument_names(f, args, {})
        arrays = as_arrays("shard_map", leaves, names)
        what = f"the arguments of {function_name(f)}"
        in_cuts = _spread(mesh, in_specs, args, "in_specs", what)
        blocks = [
            block_of(x.aval, cut, f"argument {names()[i]}")
            for i, (x, cut) in enumerate(zip(arrays, in_cuts, strict=True))
        ]
        _refuse_within(mesh)
        with MeshAxes(mesh):
            staged = stage_tree(f, blocks, in_tree, "shard_map", names)
        for eqn in _moving(staged.jaxpr):
            raise _moved(f, eqn)
        cuts = (*[mesh.sharding()] * len(staged.captured), *in_cuts)
        body, captured = staged.jaxpr.shared(), [*staged.captured]
        if may_part(body):  # now: what a derivative keeps of a branch, all devices keep
            together = followed(body, mesh, cuts, last=False)
            body, captured = together.jaxpr, [*together.captured, *captured]
            cuts = (*[mesh.sharding()] * len(together.captured), *cuts)
        result = tree_unflatten(staged.out_tree, body.out_avals)
        out_cuts = tuple(_spread(mesh, out_specs, result, "out_specs", f"the result of {function_name(f)}"))
        paths = tree_leaves_with_path(result)
        of_result: Callable[[int], str] = lambda i: f"the result{paths[i][0]} of {function_name(f)}"
        for i, (aval, cut) in enumerate(zip(body.out_avals, out_cuts, strict=True)):
            if len(cut.spec) > aval.ndim:
                raise ShapeError(
                    f"shard_map: out_specs cuts dimension {len(cut.spec) - 1} of {of_result(i)}, a block {aval}"
                )
        for i, name in differing(body, mesh, cuts, out_cuts):
            raise ArgumentError(
                f"shard_map: {of_result(i)}, blocks {body.out_avals[i]}, differs between the devices along {name!r}, "
                f"and out_specs says that it is the same on all of them; cut it along {name!r}, or make it the same: "
                "psum, pmean, all_gather"
            )
        results = perform(ShardMap(body, mesh, function_name(f), cuts, out_cuts, (*captured, *arrays)))
        return tree_unflatten(staged.out_tree, results)

    return cast(F, mapped)


def _cut(mesh: Mesh, given: object, name: str) -> Sharding:
    """How an array is cut; ArgumentError for what does not say that, or says it of another mesh."""
    if given is None:
        return mesh.sharding()
    if isinstance(given, Sharding):
        if given.mesh != mesh:
            raise ArgumentError(f"shard_map: {name} has {given}, of another mesh than {mesh}")
        return given
    if isinstance(given, str):
        if given not in mesh.axes:
            known = ", ".join(map(repr, mesh.axes)) or "none"
            raise ArgumentError(f"shard_map: {name} names the axis {given!r}, which {mesh} has not; it has {known}")
        return mesh.sharding(given)
    raise refusal(
        "shard_map", name, "names of axes, shardings, which mesh.sharding(…) makes, or None, or a tree of these", given
    )


def _check_arguments(
    f: Callable[..., object], in_specs: object, args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
    if kwargs:
        raise ArgumentError(
            f"shard_map: {function_name(f)} was called with {next(iter(kwargs))!r} by name, and in_specs says how "
            "arguments by position are cut; pass it by position"
        )
    if isinstance(in_specs, tuple) and len(in_specs) != len(args):
        raise ArgumentError(
            f"shard_map: in_specs has {len(in_specs)} entries but {function_name(f)} was called with {len(args)} "
            "positional arguments"
        )


def _spread(mesh: Mesh, prefix: object, tree: object, name: str, what: str) -> list[Sharding]:
    """How each leaf of a tree is cut, from a prefix of it."""
    if prefix is None or isinstance(prefix, str | Sharding):
        return [_cut(mesh, prefix, name)] * len(tree_leaves(tree))
    leaves, treedef = tree_flatten(prefix, lambda leaf: leaf is None)
    try:
        subtrees = treedef.flatten_up_to(tree)
    except ValueError:
        raise TreeError(
            f"shard_map: {name} {shown(prefix)} does not fit {what}, whose structure "
            f"{structure_difference(prefix, tree)}"
        ) from None
    return [
        _cut(mesh, leaf, name) for leaf, subtree in zip(leaves, subtrees, strict=True) for _ in tree_leaves(subtree)
    ]


def _refuse_within(mesh: Mesh) -> None:
    """Raise ArgumentError where the blocks of another mesh are at work."""
    link: Any = current()
    while hasattr(link, "outer"):
        if isinstance(link, MeshAxes):
            raise ArgumentError(
                f"shard_map over {mesh} within one over {link.mesh}, which has cut everything already; cut over all "
                "axes at once"
            )
        link = link.outer


def _moving(body: Jaxpr) -> list[Eqn]:
    """The equations of a program that cut or move values over a mesh themselves."""
    found = [eqn for eqn in body.eqns if isinstance(eqn.op, Constrain | Place)]
    held = [inner for eqn in body.eqns if isinstance(eqn.op, HigherOrder) for inner in eqn.op.bodies]
    return [*found, *[eqn for inner in held for eqn in _moving(inner)]]


def _moved(f: Callable[..., object], eqn: Eqn) -> DeviceError:
    at = "" if eqn.source is None else f", at {eqn.source}"
    return DeviceError(
        f"shard_map: {function_name(f)} runs on blocks, and {eqn.op.describe()}{at} asks how a whole array is cut; "
        "say it outside, or by in_specs and out_specs"
    )
