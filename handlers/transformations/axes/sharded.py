"""Programs over blocks: `shard_map`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import partial
from typing import Any, cast

from effects.arguments import check_callable, counted, function_name, refusal, shown
from effects.arrays.array import Array
from effects.arrays.mesh import Mesh, Sharding
from effects.errors import ArgumentError, DeviceError, ShapeError
from effects.operations.movement import Constrain, Place
from effects.operations.sharding import ManualAxes, ShardMap, block_of
from effects.program.chain import current, perform
from effects.program.jaxpr import Eqn, Jaxpr
from effects.program.operation import HigherOrder
from effects.trees.pytree import TreeDef, broadcast_prefix, tree_flatten, tree_leaves_with_path, tree_unflatten
from handlers.sharding.as_vmap import as_lanes
from handlers.sharding.mesh_axes import MeshAxes, enclosing_manual_axes
from handlers.sharding.rules import undeclared_differences
from handlers.sharding.varying import may_diverge, restaged_under_varying
from handlers.transformations.calls.arguments import argument_names, as_arrays, call_flat, flatten_results, named_after
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.calls.types import Fields

type Spec = str | Sharding | None
"""Sharding of an array: the name of an axis for dimension 0, a sharding of the mesh, or None for a whole array."""
type SpecTree = Spec | tuple[Any, ...] | list[Any] | Mapping[Any, Any] | Fields
"""A `Spec`, or a tree of these that is a prefix of the sharded tree."""


def shard_map[F: Callable[..., Any]](
    f: F, mesh: Mesh, in_specs: SpecTree, out_specs: SpecTree, *, axis_names: str | Collection[str] | None = None
) -> F:
    """`f` on blocks: every device of the mesh runs it on its own part of the arguments.

    `in_specs` says how arguments are split. It is one spec for all, or a tuple or list with one entry per positional
    argument, each a tree prefix of specs. An argument that has a position is split the same way when it is passed by
    name; keyword-only arguments are whole on every device. A spec is the name of an axis, over which dimension 0 is
    split, or a sharding of the mesh, or None for a value that every device has whole, like those that `f` closes over.
    `out_specs` says likewise how the blocks of results are put together; if a result is not split along an axis, the
    devices along it must have equal values. In `f` the axes of the mesh have names: `psum(x, "data")`,
    `axis_index("data")`, ….

    `axis_names` are the axes that specs and `f` refer to. Along the others, the partitioner splits arrays as it likes,
    or as `with_sharding_constraint` in `f` says. By default they are all axes that no enclosing `shard_map` has.

    It means a `vmap` for each axis, each with its `axis_name`, on arrays that are split. So it can be differentiated,
    batched and transformed like anything else, and computes on many devices what it computes on one. Called outside
    `jit` it is compiled for the mesh, from a new trace each time; under `disable_jit` it is that `vmap`.

    Raises ArgumentError, ShapeError or TreeError naming the argument where specs do not fit, ArgumentError for a result
    that differs along an axis over which it is not split and for axes in use, DeviceError for values that `f` itself
    splits or moves along its axes, and for callbacks where some axes are the partitioner's.

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
    for name, specs in (("in_specs", in_specs), ("out_specs", out_specs)):
        for path, leaf in tree_leaves_with_path(specs):
            _sharding(mesh, leaf, f"{name}{path}")
    requested_axes = None if axis_names is None else _requested_axes(mesh, axis_names)
    label = function_name(f)

    @named_after(f, "shard_map")
    def mapped(*args: Any, **kwargs: Any) -> Any:
        manual = _manual_axes(mesh, requested_axes, label)
        leaves, in_tree = tree_flatten((args, kwargs))
        names: Callable[[], list[str]] = lambda: argument_names(f, args, kwargs)
        named: Callable[[int], str] = lambda i: f"argument {names()[i]}"
        in_shardings = _argument_shardings(f, manual, in_specs, args, kwargs)
        arrays = as_arrays("shard_map", leaves, names)
        blocks = [
            block_of(x.aval, sharding, partial(named, i))
            for i, (x, sharding) in enumerate(zip(arrays, in_shardings, strict=True))
        ]
        if current().eager:
            return _run_as_vmap(f, manual, in_shardings, arrays, in_tree, out_specs)
        with MeshAxes(manual):
            staged = stage_tree(f, blocks, in_tree, "shard_map", names)
        for eqn in _moving_equations(staged.jaxpr, manual):
            raise _moving_error(label, eqn)
        shardings = (*[manual.replicated_sharding] * len(staged.captured), *in_shardings)
        body, captured = staged.jaxpr.shared(), [*staged.captured]
        if may_diverge(body):  # before derivatives: all devices save the same residuals of a branch
            synchronised = restaged_under_varying(body, manual, shardings, last=False)
            body, captured = synchronised.jaxpr, [*synchronised.captured, *captured]
            shardings = (*[manual.replicated_sharding] * len(synchronised.captured), *shardings)
        result = tree_unflatten(staged.out_tree, body.out_avals)
        out_shardings = _result_shardings(manual, out_specs, result, label)
        for i, name in undeclared_differences(body, manual, shardings, out_shardings):
            raise _difference_error(result, i, name, label)
        results = perform(ShardMap(body, manual, label, shardings, out_shardings, (*captured, *arrays)))
        return tree_unflatten(staged.out_tree, results)

    return cast(F, mapped)


def _run_as_vmap(
    f: Callable[..., Any],
    manual: ManualAxes,
    in_shardings: Sequence[Sharding],
    arrays: Sequence[Array],
    in_tree: TreeDef,
    out_specs: SpecTree,
) -> Any:
    """Run `f` eagerly, by `vmap`: the devices are lanes."""
    label, traced = function_name(f), list[tuple[Any, TreeDef, tuple[Sharding, ...]]]()

    def body(blocks: Sequence[Array]) -> list[Array]:
        results, out_tree = flatten_results("shard_map", f, call_flat(f, in_tree, blocks))
        result = tree_unflatten(out_tree, [x.aval for x in results])
        traced.append((result, out_tree, _result_shardings(manual, out_specs, result, label)))
        return results

    def refuse(i: int, name: str) -> None:
        raise _difference_error(traced[0][0], i, name, label)

    with MeshAxes(manual):
        results = as_lanes(body, manual, in_shardings, arrays, lambda: traced[0][2], refuse)
    _, out_tree, out_shardings = traced[0]
    return tree_unflatten(
        out_tree, [perform(Constrain(sharding, 0, x)) for sharding, x in zip(out_shardings, results, strict=True)]
    )


def _requested_axes(mesh: Mesh, axis_names: object) -> tuple[str, ...]:
    """The requested axes, in the order of the mesh."""
    named = (axis_names,) if isinstance(axis_names, str) else axis_names
    if not isinstance(named, tuple | list | Set) or not named or not all(isinstance(name, str) for name in named):
        raise refusal("shard_map", "axis_names", "the names of some axes of the mesh, or None", axis_names)
    for name in named:
        if name not in mesh.axes:
            raise _unknown_axis(mesh, "axis_names", name)
    return tuple([name for name in mesh.axes if name in named])


def _manual_axes(mesh: Mesh, names: tuple[str, ...] | None, label: str) -> ManualAxes:
    """The blocks of a program: over the requested axes, else over those that no program around it uses."""
    used: dict[str, None] = {}
    for outer in enclosing_manual_axes():
        if outer.mesh != mesh:
            raise ArgumentError(
                f"shard_map: {label} is over {mesh}, within one over {outer.mesh}; a nested shard_map must be over "
                "further axes of the same mesh"
            )
        used |= dict.fromkeys(outer.axes)
    axes = tuple([name for name in mesh.axes if name not in used]) if names is None else names
    if not axes or not used.keys().isdisjoint(axes):
        raise ArgumentError(
            f"shard_map: {label} is within one over {', '.join(map(repr, used))} of {mesh}; "
            "a nested shard_map must be over further axes, not in the axis_names of the outer one"
        )
    return ManualAxes(mesh, axes)


def _unknown_axis(mesh: Mesh, argument: str, name: str) -> ArgumentError:
    known = ", ".join(map(repr, mesh.axes)) or "none"
    return ArgumentError(f"shard_map: {argument} names the axis {name!r}, which {mesh} lacks; its axes: {known}")


def _difference_error(result: object, i: int, name: str, label: str) -> ArgumentError:
    path, block = tree_leaves_with_path(result)[i]
    return ArgumentError(
        f"shard_map: the result{path} of {label}, blocks {block}, differs between the devices along {name!r}, "
        f"but out_specs says that it is the same on all of them; name {name!r} there, or make it the same: "
        "pmean (of a mean, and of the gradient of one), psum (of a sum), all_gather"
    )


def _sharding(mesh: Mesh, spec: object, name: str) -> Sharding:
    """Sharding of one array; ArgumentError for values that are none, or of another mesh."""
    if spec is None:
        return mesh.sharding()
    if isinstance(spec, Sharding):
        if spec.mesh != mesh:
            raise ArgumentError(f"shard_map: {name} has {spec}, of another mesh than {mesh}")
        return spec
    if isinstance(spec, str):
        if spec not in mesh.axes:
            raise _unknown_axis(mesh, name, spec)
        return mesh.sharding(spec)
    raise refusal(
        "shard_map", name, "names of axes, shardings, which mesh.sharding(…) makes, or None, or a tree of these", spec
    )


def _argument_shardings(
    f: Callable[..., object], manual: ManualAxes, in_specs: object, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[Sharding]:
    """Shardings of the leaves of the arguments, by the position of their parameters; keyword-only ones stay whole."""
    positions = {name: position for name, position in _positions(f).items() if name in kwargs} if kwargs else {}
    specs: dict[str, object] = dict.fromkeys(kwargs)
    by_position = in_specs
    if isinstance(in_specs, tuple):
        if [*range(len(args)), *sorted(positions.values())] != [*range(len(in_specs))]:
            raise ArgumentError(
                f"shard_map: in_specs has {counted(len(in_specs), 'entry', 'entries')} but {function_name(f)} was "
                f"called with {counted(len(args) + len(positions), 'positional argument')}{_one_array_advice(in_specs)}"
            )
        by_position = in_specs[: len(args)]
        specs |= {name: in_specs[position] for name, position in positions.items()}
    else:
        specs |= dict.fromkeys(positions, in_specs)
    subject = f"the arguments of {function_name(f)}"
    shardings = _leaf_shardings(manual, by_position, args, "in_specs", subject)
    for name in sorted(kwargs):
        shardings += _leaf_shardings(
            manual, specs[name], kwargs[name], "in_specs", f"argument {name} of {function_name(f)}"
        )
    return shardings


def _one_array_advice(in_specs: tuple[object, ...]) -> str:
    """Advice for specs that the user meant for the dimensions of one array."""
    if not in_specs or not all([name is None or isinstance(name, str) for name in in_specs]):
        return ""
    dims = ", ".join(map(repr, in_specs))
    return f"; an array split like this has one entry: in_specs=(mesh.sharding({dims}),)"


def _positions(f: Callable[..., object]) -> dict[str, int]:
    """The positions of the parameters that may be passed by name."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: position for position, p in enumerate(parameters) if p.kind is p.POSITIONAL_OR_KEYWORD}


def _result_shardings(manual: ManualAxes, out_specs: object, result: object, label: str) -> tuple[Sharding, ...]:
    """Shardings of the leaves of a result, which is a tree of the types of its blocks."""
    shardings = _leaf_shardings(manual, out_specs, result, "out_specs", f"the result of {label}")
    for (path, block), sharding in zip(tree_leaves_with_path(result), shardings, strict=True):
        if len(sharding.spec) > block.ndim:
            raise ShapeError(
                f"shard_map: out_specs splits dimension {len(sharding.spec) - 1} of the result{path} of {label}, "
                f"a block {block}"
            )
    return tuple(shardings)


def _leaf_shardings(manual: ManualAxes, prefix: object, tree: object, name: str, subject: str) -> list[Sharding]:
    """Shardings of the leaves of a tree, from a prefix of it."""
    mesh = manual.mesh

    def mismatch(difference: str) -> str:
        hint = f"; for one array give a sharding, such as mesh.sharding(None, {next(iter(mesh.axes), '')!r})"
        return (
            f"shard_map: {name} {shown(prefix)} does not fit {subject}, whose structure {difference}"
            f"{hint if 'expected a tuple, got' in difference else ''}"
        )

    shardings = [_sharding(mesh, leaf, name) for leaf in broadcast_prefix(prefix, tree, mismatch)]
    for used in (
        [axis for sharding in shardings for names in sharding.spec for axis in names] if manual.has_auto else ()
    ):
        if used not in manual.axes:
            raise ArgumentError(
                f"shard_map: {name} names the axis {used!r}, but the program is over blocks along "
                f"{', '.join(map(repr, manual.axes))} only"
            )
    return shardings


def _moving_equations(body: Jaxpr, manual: ManualAxes) -> list[Eqn]:
    """The equations of a program that shard or move values along the axes of its blocks."""
    eqns: list[Eqn] = []
    for eqn in body.eqns:
        if isinstance(eqn.op, Place) or (isinstance(eqn.op, Constrain) and not manual.is_auto(eqn.op.sharding)):
            eqns.append(eqn)
        elif isinstance(eqn.op, HigherOrder):
            eqns += [inner_eqn for inner in eqn.op.bodies for inner_eqn in _moving_equations(inner, manual)]
    return eqns


def _moving_error(label: str, eqn: Eqn) -> DeviceError:
    at = "" if eqn.source is None else f", at {eqn.source}"
    return DeviceError(
        f"shard_map: {label} runs on blocks, and {eqn.op.describe()}{at} shards a whole array; "
        "do that outside, or by in_specs and out_specs"
    )
