"""Programs over blocks: Shardy's manual computations, whose region calls the function of the body."""

from __future__ import annotations

from collections.abc import Sequence

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.mesh import Sharding
from effects.errors import ArgumentError, DeviceError
from effects.operations.sharding import ManualAxes, ShardMap
from effects.program.jaxpr import Atom, Jaxpr, Var, eval_jaxpr
from effects.types.avals import ShapedArray
from handlers.sharding.as_vmap import as_lanes
from handlers.sharding.varying import restaged_under_varying
from handlers.stage import stage
from lowering.stablehlo.context import Attribute, Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.shardy import manual_axes, per_value


@RULES.rule(ShardMap)
def lower_shard_map(op: ShardMap[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    functions, builder, mesh = scope.functions, scope.builder, op.over.mesh
    results, operands = [TYPES[out.aval] for out in outs], [scope[v] for v in op.operands_]
    if len(mesh.devices) == 1:
        functions.devices.add(mesh.devices[0])
        return builder.call(functions.symbol(_lanes(op), op.label), results, operands)
    layout = functions.layout
    if layout is None or layout.mesh != mesh:
        where = "on one device" if layout is None else f"over {layout.mesh}"
        raise DeviceError(f"shard_map over {mesh} in a program that runs {where}")
    body = restaged_under_varying(op.body, op.over, op.in_cuts)
    manual = _nested(functions.manual, op.over)
    symbol = functions.symbol(body.jaxpr, op.label, manual=manual)
    name = functions.mesh(mesh)

    def attribute(shardings: Sequence[Sharding], avals: Sequence[ShapedArray]) -> Attribute:
        names = tuple([sharding.names(aval.ndim) for sharding, aval in zip(shardings, avals, strict=True)])
        return per_value(name, names, free=manual.has_auto)

    attributes = {
        "in_shardings": attribute(op.in_cuts, op.body.in_avals),
        "out_shardings": attribute(op.out_cuts, op.body.out_avals),
        "manual_axes": manual_axes(op.over.axes),
    }
    blocks, blocks_out = [TYPES[aval] for aval in op.body.in_avals], [TYPES[aval] for aval in op.body.out_avals]

    def called(values: list[Value]) -> list[Value]:
        return builder.call(symbol, blocks_out, [*[_constant(value, op, scope) for value in body.captured], *values])

    return builder.manual(results, operands, attributes, blocks, called)


def _nested(outer: ManualAxes | None, inner: ManualAxes) -> ManualAxes:
    """The manual axes of a program over blocks inside of another one: those of both."""
    if outer is None:
        return inner
    return ManualAxes(inner.mesh, tuple([name for name in inner.mesh.axes if name in (*outer.axes, *inner.axes)]))


def _constant(value: Array, op: ShardMap[Atom], scope: Scope) -> Value:
    """The value that a derivative rule of a function in the body closes over."""
    if type(value) is not Concrete:
        raise ArgumentError(f"{op.label} uses {value.aval}, a value of a trace; make it an argument")
    return scope.builder.constant(value.fetch())


def _lanes(op: ShardMap[Atom]) -> Jaxpr:
    """The program with the same results on one device, by batching."""

    def run(*operands: Array) -> list[Array]:
        return as_lanes(lambda blocks: eval_jaxpr(op.body, blocks), op.over, op.in_cuts, operands, lambda: op.out_cuts)

    key = ("as lanes", op.over, op.in_cuts, op.out_cuts)
    return op.body.cached(key, lambda: stage(run, [v.aval for v in op.operands_], op.label)[0])
