"""`Varying`: the mesh axes along which a value differs from device to device.

This is what `batched` is for `vmap`, for all axes at once. It has two uses: a result that is not split along an axis
must not differ along it, and a sum of values that are the same on all devices is a product, without communication.
Devices that took different branches, or different numbers of steps, would wait forever for each other in collectives;
so all devices run every branch, and as many steps as any of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, final

from effects.arrays.array import Array, Carrier
from effects.arrays.mesh import Sharding
from effects.arrays.promotion import constant_like, convert
from effects.errors import MissingRule
from effects.functions.elementwise import arithmetic, logic
from effects.operations.callbacks import Callback, CallbackKind
from effects.operations.collectives import AllGather, AllReduce, AllReduceKind
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Call, Cond
from effects.operations.loops import While
from effects.operations.sharding import ManualAxes
from effects.program.chain import Performed, each_result, installed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HigherOrder, HostEffect, NamedAxis, Operation
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.higher_order.batched_branches import run_where, select_cases
from handlers.higher_order.loop_carry import Joined, concatenated, fixed_point
from handlers.higher_order.restaging import Restaged, restage, unpack_all
from handlers.sharding.mesh_axes import MeshAxes
from handlers.stage import stage

type Axes = frozenset[Hashable]
_NONE: Axes = frozenset()
UNKNOWN: Final = object()
"""Stands among the axes of a value if it is not known along which it differs.

Such a value is a tangent of a function that has a reverse rule only.
"""


@final
class Differs(Carrier):
    """A value, and the mesh axes along which it differs."""

    __slots__ = ("along", "aval", "value")
    owner: Varying
    aval: ShapedArray

    def __init__(self, owner: Varying, value: Array, along: Axes) -> None:
        self.owner = owner
        self.value = value
        self.along = along
        self.aval = value.aval


@final
class Varying(Forward[Differs, Axes]):
    """Tracks the mesh axes along which the values of a program over blocks differ.

    With `last`, no other handler will interpret the program: sums along axes without differences become products, and
    custom rules are dropped.
    """

    sees_all = True
    augments = True

    def __init__(self, manual: ManualAxes, *, last: bool) -> None:
        self.manual = manual
        self.sizes = manual.sizes
        self.last = last

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed from the fields
        return self.manual, self.last

    def fresh(self) -> Varying:
        return Varying(self.manual, last=self.last)

    def sees(self, op: Operation[Array], /) -> bool:
        return bool(op.effects)

    def constant(self, value: Array, /) -> Differs:
        return Differs(self, value, _NONE)

    def interpret(self, op: Operation[Differs], /) -> Performed:
        along = _NONE.union(*[x.along for x in op.operands])
        results = self._reduced(op, along) if isinstance(op, AllReduce) else perform(op.map(lambda x: x.value))
        result_axes = _result_axes(op, along, self.sizes)
        return each_result(lambda value: Differs(self, value, result_axes), results) if result_axes else results

    def _reduced(self, op: AllReduce[Differs], along: Axes) -> Array:
        """The sum over the axes along which `op.x` differs, times the number of devices along the others."""
        x = op.x.value
        uniform_axes = _uniform_axes(op, x.aval, along, self.sizes) if self.last else []
        varying_names = tuple([name for name in op.names if name not in uniform_axes])
        result = perform(AllReduce(op.kind, varying_names, x)) if varying_names else x
        if op.kind is not AllReduceKind.SUM or not uniform_axes:
            return result
        return arithmetic.multiply(
            result, constant_like(math.prod([self.sizes[str(name)] for name in uniform_axes]), result)
        )

    def interpret_higher_order(self, op: HigherOrder[Differs], /) -> tuple[Array, ...]:
        if self.last and isinstance(op, CustomCall):
            return self._without_rules(op)
        if isinstance(op, Cond) and op.index.along:
            return self._cond(op)
        if isinstance(op, While):
            return self._while(op)
        return super().interpret_higher_order(op)

    def _without_rules(self, op: CustomCall[Differs]) -> tuple[Array, ...]:
        body, captured = op.body, list[Array]()
        if body is None:
            try:
                body, captured, _ = op.definition.staged([x.aval for x in op.operands_])
            except MissingRule:  # a derivative that only goes backwards
                results = perform(op.map(lambda x: x.value))
                along = _NONE.union(*[x.along for x in op.operands_], [UNKNOWN])
                return tuple([Differs(self, result, along) for result in results])
        operands = (*map(self.lift, captured), *op.operands_)
        return super().interpret_higher_order(Call(body, op.definition.name, operands))

    def _cond(self, op: Cond[Differs]) -> tuple[Array, ...]:
        """A conditional whose index differs between devices."""
        along = op.index.along
        if _has_collectives_along(op, along):
            with installed(self):
                branches = [run_where(op, i, op.operands_) for i in range(len(op.branches))]
                results = [select_cases(op.index, cases) for cases in zip(*branches, strict=True)]
        else:
            results = [self._widened(self.lift(result), along) for result in super().interpret_higher_order(op)]
        positions = [_forwarded_inputs(branch) for branch in op.branches]
        common = [position[0] if len(set(position)) == 1 else None for position in zip(*positions, strict=True)]
        return tuple(
            [r if position is None else op.operands_[position] for r, position in zip(results, common, strict=True)]
        )

    def _while(self, op: While[Differs]) -> tuple[Array, ...]:
        consts, condition_consts = unpack_all(self, op.body_consts), unpack_all(self, op.condition_consts)
        loop_axes: Axes = _NONE
        while True:
            carry, step = fixed_point(self, op.body, op.init, lambda carry: concatenated(consts, carry))
            restaged_condition = restage(self, op.condition, concatenated(condition_consts, carry))
            (along,) = restaged_condition.statics
            assert isinstance(along, frozenset), "forms are sets of axes"
            if along <= loop_axes:
                break
            loop_axes |= along
            unchanged = [
                out is var for out, var in zip(op.body.outputs, op.body.inputs[len(op.body_consts) :], strict=True)
            ]
            init = [x if keep else self._widened(x, loop_axes) for x, keep in zip(op.init, unchanged, strict=True)]
            op = While(op.condition, op.body, op.condition_consts, op.body_consts, tuple(init))
        if not _has_collectives_along(op, loop_axes):
            return super().interpret_higher_order(op)
        if HostEffect.HOST in op.effects:
            raise MissingRule(
                "while_loop: it calls the host, has collectives, and its devices need different numbers of steps; let "
                "the condition be the same on all of them (psum, pmax)"
            )
        condition, body = _in_lockstep(
            restaged_condition, step, tuple(loop_axes), len(condition_consts.parts), len(consts.parts)
        )
        shared = (*restaged_condition.captured, *condition_consts.parts, *step.captured, *consts.parts)
        results = perform(While(condition, body, shared, shared, carry.parts))
        return tuple([self.pack((r,), along) for r, along in zip(results, carry.statics, strict=True)])  # type: ignore[arg-type]  # sets

    def _widened(self, x: Differs, along: Axes) -> Differs:
        return Differs(self, x.value, x.along | along)

    def unpack(self, value: Differs, /) -> tuple[tuple[Array, ...], Axes]:
        return (value.value,), value.along

    def pack(self, parts: Sequence[Array], static: Axes, /) -> Differs:
        return Differs(self, parts[0], static) if static else parts[0]  # type: ignore[return-value]  # `lift` makes it one

    def join(self, a: Axes, b: Axes, /) -> Axes:
        return a | b

    def coerce(self, value: Differs, static: Axes, /) -> Differs:
        return Differs(self, value.value, static)


def _result_axes(op: Operation[Any], along: Axes, sizes: Mapping[str, int]) -> Axes:
    """The axes along which the results of an operation differ, if its operands differ along `along`."""
    if isinstance(op, AllReduce):
        return along.difference(op.names)
    if isinstance(op, AllGather):
        return along - {op.axis_name}
    if not op.effects or (isinstance(op, Callback) and op.kind is CallbackKind.PURE):
        return along
    for effect in op.effects:  # nothing is known of results from other effects
        names = {effect.name} if isinstance(effect, NamedAxis) else set(sizes)
        along |= names & sizes.keys()
    return along


def _uniform_axes(op: AllReduce[Any], x: ShapedArray, along: Axes, sizes: Mapping[str, int]) -> list[Hashable]:
    """The axes of a sum along which its operand does not differ."""
    return [n for n in op.names if n in sizes and n not in along] if dtypes.is_inexact(x.dtype) else []


def _has_collectives_along(op: HigherOrder[Differs], along: Axes) -> bool:
    """Return True if the operation has collectives over axes in `along`."""
    return not along.isdisjoint([effect.name for effect in op.effects if isinstance(effect, NamedAxis)])


def _forwarded_inputs(branch: Jaxpr) -> list[int | None]:
    """The position of the input that each output is, None for other outputs."""
    positions: dict[object, int] = {var: i for i, var in enumerate(branch.inputs)}
    return [positions.get(atom) for atom in branch.outputs]


def _in_lockstep(
    condition: Restaged, body: Restaged, names: tuple[Hashable, ...], n_condition: int, n_body: int
) -> tuple[Jaxpr, Jaxpr]:
    """The condition and the step of a loop that all devices run as long as any of them.

    Both take the constants of the condition and of the step, then the carry; a device that has finished keeps its
    carry.
    """
    first = len(condition.captured) + n_condition
    n_consts = first + len(body.captured) + n_body

    def live(args: Sequence[Array]) -> Array:
        return eval_jaxpr(condition.jaxpr, (*args[:first], *args[n_consts:]))[0]

    def any_live(*args: Array) -> list[Array]:
        is_live = convert(live(args), dtypes.int32)
        return [logic.not_equal(perform(AllReduce(AllReduceKind.MAX, names, is_live)), 0)]

    def step(*args: Array) -> list[Array]:
        runs, carry = live(args), args[n_consts:]
        new_carry = eval_jaxpr(body.jaxpr, (*args[first:n_consts], *carry))
        return [select_cases(runs, (old, new)) for old, new in zip(carry, new_carry, strict=True)]

    avals = (*condition.jaxpr.in_avals[:first], *body.jaxpr.in_avals)
    return stage(any_live, avals, "whether any device runs")[0], stage(step, avals, "a step of all devices")[0]


def restaged_under_varying(
    body: Jaxpr, manual: ManualAxes, shardings: Sequence[Sharding], *, last: bool = True
) -> Restaged:
    """A program over blocks restaged under `Varying`; `statics` are the axes along which its outputs differ."""
    in_axes = _split_axes(manual, shardings)
    if (along := _axes_if_unchanged(body, manual, in_axes, last)) is not None:
        return Restaged(body, (), along, (1,) * len(along))
    forms = Joined(body.in_avals, in_axes, (1,) * len(shardings))
    with MeshAxes(manual):
        return restage(Varying(manual, last=last), body, forms)


def differs_along(body: Jaxpr, manual: ManualAxes, shardings: Sequence[Sharding]) -> tuple[Hashable, ...]:
    """The axes along which the outputs of a program over blocks differ, for inputs with these shardings."""
    along = _axes_if_unchanged(
        body, manual, _split_axes(manual, shardings), False
    )  # unneeded sums do not change the axes
    return restaged_under_varying(body, manual, shardings).statics if along is None else along


def _split_axes(manual: ManualAxes, shardings: Sequence[Sharding]) -> tuple[Axes, ...]:
    return tuple([frozenset(manual.axes).difference(manual.unsplit(sharding)) for sharding in shardings])


def _axes_if_unchanged(
    body: Jaxpr, manual: ManualAxes, in_axes: tuple[Axes, ...], last: bool
) -> tuple[Axes, ...] | None:
    """The axes along which the outputs of a program differ; None if `Varying` may change the program."""
    sizes = manual.sizes
    axes_of: dict[object, Axes] = dict(zip(body.inputs, in_axes, strict=True))
    for eqn in body.eqns:
        op = eqn.op
        if isinstance(op, HigherOrder):
            return None
        along = _NONE.union(*[axes_of.get(x, _NONE) for x in op.operands])
        if op.effects:
            if last and isinstance(op, AllReduce) and _uniform_axes(op, op.x.aval, along, sizes):
                return None
            along = _result_axes(op, along, sizes)
        if along:
            for out in eqn.outs:
                axes_of[out] = along
    return tuple([axes_of.get(out, _NONE) for out in body.outputs])


def may_diverge(body: Jaxpr) -> bool:
    """Return True if devices may take different branches, or numbers of steps, around collectives of a program."""
    return body.cached("may part", lambda: any([_may_diverge(eqn.op) for eqn in body.eqns]))


def _may_diverge(op: Operation[Any]) -> bool:
    if not isinstance(op, HigherOrder) or not any([isinstance(effect, NamedAxis) for effect in op.effects]):
        return False
    return isinstance(op, Cond | While) or any([may_diverge(body) for body in op.bodies])
