"""Control flow under a handler whose operations have several results: programs are run in place.

After such an operation values have an axis more than in the staged program. So the program of a call is run in place, a
loop is unrolled, and a conditional runs every branch, each on its own copy of the state, and selects.
"""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.errors import MissingRule
from effects.functions.creation import creation
from effects.operations.checkpoint import Checkpoint
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Call, Cond
from effects.operations.loops import Scan, While
from effects.program.chain import Link, installed, perform
from effects.program.jaxpr import eval_jaxpr
from handlers.higher_order.batched_branches import select_cases
from handlers.requests.link import IN_PLACE, EffectLink
from handlers.requests.paths import axes_of


@IN_PLACE.rule(CustomCall)
def custom_in_place(link: EffectLink, op: CustomCall[Array]) -> tuple[Array, ...]:
    """A function with rules of its own, which cover one result, and so may not perform the effect."""
    body = op.body
    if body is None and op.definition.out_avals is None:
        with installed(link):
            body = op.definition.staged([x.aval for x in op.operands_])[0]
    if body is not None and link.label in body.effects:
        raise MissingRule(f"{link!r}: {op.definition.name} has rules of its own and chooses; choose outside of it")
    return perform(op)


@IN_PLACE.rule(Call, Checkpoint)
def call_in_place(link: EffectLink, op: Call[Array] | Checkpoint[Array]) -> tuple[Array, ...]:
    with installed(link):
        return tuple(eval_jaxpr(op.body, op.operands_))


@IN_PLACE.rule(Scan)
def unrolled(link: EffectLink, op: Scan[Array]) -> tuple[Array, ...]:
    carry, rows = list(op.init), []
    before, read = len(link.forks), set[Link]()
    with installed(link):
        for i in reversed(range(op.length)) if op.reverse else range(op.length):
            out = eval_jaxpr(op.body, (*op.consts, *carry, *[x[i] for x in op.xs]))
            carry = out[: op.carried]
            rows.append(out[op.carried :])
            read |= axes_of(rows[-1])
            link.forks.merge(before, read | axes_of(carry))
        rows = rows[::-1] if op.reverse else rows
        stacked = [fx.stack(column) for column in zip(*rows, strict=True)]
        return (*carry, *(stacked if rows else [creation.zeros_of(aval) for aval in op.types()[op.carried :]]))


@IN_PLACE.rule(Cond)
def every_branch(link: EffectLink, op: Cond[Array]) -> tuple[Array, ...]:
    before, form = link.handler.state_taken_apart()
    cases = []
    chose: list[tuple[int, Array]] = []
    for number, branch in enumerate(op.branches):
        link.handler.state, n_chosen = form.build(before), len(link.forks.choices)
        with installed(link):
            results = eval_jaxpr(branch, op.operands_)
        chose += [(number, chosen) for chosen in link.forks.choices[n_chosen:]]
        cases.append([*link.handler.state_taken_apart()[0], *results])
    with installed(link.outer):
        chosen = [select_cases(op.index, case) for case in zip(*cases, strict=True)]
        link.handler.state = form.build(chosen[: len(before)])
        for number, index in chose:
            is_taken = select_cases(op.index, [fx.asarray(i == number) for i in range(len(op.branches))])
            link.handler.unreachable(fx.logical_and(fx.logical_not(is_taken), index != 0))
    return tuple(chosen[len(before) :])


@IN_PLACE.rule(While)
def refuse_while(link: EffectLink, op: While[Array]) -> tuple[Array, ...]:
    raise MissingRule(f"{link!r}: a choice in a while_loop, whose number of steps is not known; use scan or fori_loop")
