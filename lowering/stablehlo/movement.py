"""Movement of elements: shapes, order, joining, padding."""

from __future__ import annotations

from effects.errors import DeviceError
from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import Value, i64, i64s
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.shardy import sharding_attribute


@RULES.rule(Broadcast)
def lower_broadcast(op: Broadcast[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    attributes = {"broadcast_dimensions": i64s(op.dims)}
    return scope.op("stablehlo.broadcast_in_dim", TYPES[outs[0].aval], (scope[op.x],), attributes)


@RULES.rule(Reshape)
def lower_reshape(op: Reshape[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return scope.reshape(scope[op.x], outs[0].aval)


@RULES.rule(Constrain)
def lower_constrain(op: Constrain[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    layout, mesh = scope.functions.layout, op.sharding.mesh
    if len(mesh.devices) == 1:
        scope.functions.devices.add(mesh.devices[0])
        return scope[op.x]
    if layout is None or layout.mesh != mesh:
        where = "on one device" if layout is None else f"over {layout.mesh}"
        raise DeviceError(f"with_sharding_constraint over {mesh} in a program that runs {where}")
    names = op.sharding.names(outs[0].aval.ndim)
    attributes = {"sharding": sharding_attribute(scope.functions.mesh(op.sharding.mesh), names, range(op.free))}
    return scope.op("sdy.sharding_constraint", TYPES[outs[0].aval], (scope[op.x],), attributes)


@RULES.rule(Place)
def lower_place(op: Place[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    scope.functions.devices.add(op.device)
    return scope[op.x]


@RULES.rule(PermuteDims)
def lower_permute_dims(op: PermuteDims[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return scope.op("stablehlo.transpose", TYPES[outs[0].aval], (scope[op.x],), {"permutation": i64s(op.axes)})


@RULES.rule(Flip)
def lower_flip(op: Flip[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return scope.op("stablehlo.reverse", TYPES[outs[0].aval], (scope[op.x],), {"dimensions": i64s(op.axes)})


@RULES.rule(Concat)
def lower_concat(op: Concat[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    parts = [scope[x] for x in op.xs]
    return scope.op("stablehlo.concatenate", TYPES[outs[0].aval], parts, {"dimension": i64(op.axis)})


@RULES.rule(Pad)
def lower_pad(op: Pad[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    low, high, interior = zip(*op.config, strict=True) if op.config else ((), (), ())
    return scope.pad(scope[op.x], scope[op.value], outs[0].aval, low, high, interior)


@RULES.rule(Bitcast)
def lower_bitcast(op: Bitcast[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    x, out = op.x.aval, outs[0].aval
    narrower, wider = x.dtype.itemsize // out.dtype.itemsize, out.dtype.itemsize // x.dtype.itemsize
    if wider > 1:  # elements are grouped along a new axis
        apart = x.with_shape((*out.shape, wider))
        return scope.bits(scope.reshape(scope[op.x], apart), out)
    apart = out.with_shape((*x.shape, narrower) if narrower > 1 else x.shape)
    parts = scope.bits(scope[op.x], apart)
    return scope.reshape(parts, out) if narrower > 1 else parts
