"""Collectives, which in a manual computation are StableHLO's, over groups of devices that differ along the named axes.

`vmap` replaces those of its own axes before, so any other name is unknown. StableHLO's keep the axis that effax's add
or remove, so a reshape follows. Groups refer to devices by their position in the mesh, which needs a channel and global
ids; otherwise they refer to replicas, of which there is one. Floats of 16 and 8 bits are summed in float32, and rounded
once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from effects.errors import UnboundAxisError
from effects.operations.collectives import (
    AllGather,
    AllReduce,
    AllReduceKind,
    AllToAll,
    AxisIndex,
    PPermute,
    ReduceScatter,
)
from effects.operations.sharding import ManualAxes
from effects.program.jaxpr import Atom, Var
from effects.program.operation import NamedAxis, Single
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import Floating
from lowering.pjrt.mesh import groups_of
from lowering.stablehlo.builder import Attributes, Region
from lowering.stablehlo.context import Value, i64, i64_table, i64s, parsed, tensor_type
from lowering.stablehlo.extremes import by_counts
from lowering.stablehlo.patterns import pattern_of
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope
from lowering.stablehlo.shardy import manual_axes, per_value

_FOLDS = {
    AllReduceKind.MAX: "stablehlo.maximum",
    AllReduceKind.MIN: "stablehlo.minimum",
    AllReduceKind.SUM: "stablehlo.add",
}


def _manual_axes(op: Single[Atom], scope: Scope) -> ManualAxes:
    """The manual axes of the surrounding program, which collectives can name."""
    manual = scope.functions.manual
    names = [effect.name for effect in op.effects if isinstance(effect, NamedAxis)]
    if manual is None or any([name not in manual.axes for name in names]):
        raise UnboundAxisError(
            f"{op.describe()}: this part of a program was traced within a vmap or a shard_map that names the axis, and "
            "is compiled outside of it"
        )
    return manual


def _channel() -> Attributes:
    return {"channel_handle": parsed("#stablehlo.channel_handle<handle = 1, type = 1>")}


def _among(op: Single[Atom], scope: Scope, names: tuple[Hashable, ...], *, ids: bool = True) -> Attributes:
    groups = groups_of(_manual_axes(op, scope).mesh, names)
    unit = {"use_global_device_ids": parsed("unit")} if ids else {}
    return {"replica_groups": i64_table(groups, len(groups[0])), **_channel(), **unit}


def _fold(fold: str, aval: ShapedArray, scope: Scope) -> Region:
    element = tensor_type((), aval.dtype.dtype)
    return Region((element, element), lambda pair: (scope.op(fold, element, pair),))


def _emitted(
    name: str, out: ShapedArray, x: Value, attributes: Attributes, scope: Scope, regions: Sequence[Region] = ()
) -> Value:
    return scope.builder.ops(f"stablehlo.{name}", [TYPES[out]], [x], attributes, regions)[0]


def _reshaped(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    return scope.reshape(x, aval)


@RULES.rule(AllReduce)
def lower_all_reduce(op: AllReduce[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out, x, fold = outs[0].aval, scope[op.x], _FOLDS[op.kind]
    among = _among(op, scope, op.names)

    def together(x: Value, aval: ShapedArray) -> Value:
        return _emitted("all_reduce", aval, x, among, scope, [_fold(fold, aval, scope)])

    summed = op.kind is AllReduceKind.SUM
    wide = out.with_dtype(dtypes.float32) if out.dtype in (dtypes.NARROW if summed else FLOAT8) else out
    x = x if wide is out else scope.convert(x, wide)
    if summed or not issubclass(out.dtype, Floating):
        total = together(x, wide)
    else:
        total = by_counts(fold, [(x, wide)], wide, scope, lambda x: together(x, pattern_of(wide)))
    return total if wide is out else scope.convert(total, out)


@RULES.rule(AllGather)
def lower_all_gather(op: AllGather[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    shape = op.x.aval.shape
    x = _reshaped(scope[op.x], op.x.aval.with_shape((*shape[: op.axis], 1, *shape[op.axis :])), scope)
    attributes = {"all_gather_dim": i64(op.axis), **_among(op, scope, (op.axis_name,))}
    return _emitted("all_gather", outs[0].aval, x, attributes, scope)


@RULES.rule(ReduceScatter)
def lower_reduce_scatter(op: ReduceScatter[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out, aval, x = outs[0].aval, op.x.aval, scope[op.x]
    narrow = aval.dtype in dtypes.NARROW
    if narrow:
        aval = aval.with_dtype(dtypes.float32)
        x = scope.convert(x, aval)
    part = aval.with_shape((*aval.shape[: op.axis], 1, *aval.shape[op.axis + 1 :]))
    attributes = {"scatter_dimension": i64(op.axis), **_among(op, scope, (op.axis_name,))}
    scattered = _emitted("reduce_scatter", part, x, attributes, scope, [_fold("stablehlo.add", aval, scope)])
    return _reshaped(scope.convert(scattered, part.with_dtype(out.dtype)) if narrow else scattered, out, scope)


@RULES.rule(AllToAll)
def lower_all_to_all(op: AllToAll[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    axis = i64(op.split_axis)
    among = _among(op, scope, (op.axis_name,), ids=False)
    attributes = {"split_dimension": axis, "concat_dimension": axis, "split_count": i64(op.size), **among}
    exchanged = _emitted("all_to_all", op.x.aval, scope[op.x], attributes, scope)
    order = [i for i in range(op.x.aval.ndim) if i != op.split_axis]
    order.insert(op.concat_axis, op.split_axis)
    return scope.op("stablehlo.transpose", TYPES[outs[0].aval], (exchanged,), {"permutation": i64s(tuple(order))})


@RULES.rule(PPermute)
def lower_ppermute(op: PPermute[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    groups = groups_of(_manual_axes(op, scope).mesh, (op.axis_name,))
    pairs = tuple([(group[source], group[target]) for group in groups for source, target in op.pairs])
    attributes = {"source_target_pairs": i64_table(pairs, 2), **_channel()}
    return _emitted("collective_permute", outs[0].aval, scope[op.x], attributes, scope)


@RULES.rule(AxisIndex)
def lower_axis_index(op: AxisIndex[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    """The index, from the number of the device, which counts later axes faster."""
    manual = _manual_axes(op, scope)
    names, u32 = list(manual.mesh.axes), np.dtype(np.uint32)
    faster, number = manual.mesh.parts(tuple(names[names.index(str(op.axis_name)) + 1 :])), tensor_type((), u32)

    def place(_: list[Value]) -> list[Value]:
        index = scope.op("stablehlo.partition_id", number, ())
        for name, by in (("divide", faster), ("remainder", op.size)):
            index = scope.op(f"stablehlo.{name}", number, (index, scope.builder.fill((), u32, by)))
        return [index]

    if not manual.has_auto:
        return scope.convert(place([])[0], outs[0].aval)
    others = tuple([name for name in names if name not in manual.axes])  # the number of a device is over all axes
    mesh = scope.functions.mesh(manual.mesh)
    attributes = {
        "in_shardings": per_value(mesh, ()),
        "out_shardings": per_value(mesh, ((),)),
        "manual_axes": manual_axes(others),
    }
    return scope.convert(scope.builder.manual([number], [], attributes, [], place)[0], outs[0].aval)
