"""Loops: operations that run a closed program repeatedly.

The values that a loop passes from one step to the next are its *carry*. Its type never changes: it is that of the
inputs of the body. Values that the programs close over are operands of their own, the same in every step.
"""

from __future__ import annotations

from effects.errors import DTypeError, IllTyped
from effects.operations.higher_order import same_types
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed


def _types_of(operands: tuple[Typed, ...]) -> tuple[ShapedArray, ...]:
    return tuple([v.aval for v in operands])


@operation
class While[V](HigherOrder[V]):
    """The last carry of a loop that applies `body` to the carry as long as `condition` holds for it.

    c ← body(body_consts, c) while condition(condition_consts, c)

    `condition` takes its constants, then the carry, and gives one bool scalar; `body` takes its own constants, then
    the carry, and gives the next one. The results have the types of the body's carry inputs.
    """

    name = "while"
    condition: Jaxpr
    body: Jaxpr
    condition_consts: tuple[V, ...]
    body_consts: tuple[V, ...]
    init: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return (self.condition, self.body)

    def types(self: While[Typed]) -> tuple[ShapedArray, ...]:
        init = _types_of(self.init)
        _check_inputs("while: the condition", self.condition, (*_types_of(self.condition_consts), *init))
        _check_inputs("while: the body", self.body, (*_types_of(self.body_consts), *init))
        _check_predicate(self.condition)
        if not same_types(self.body.out_avals, init):
            raise IllTyped(f"while: the body takes the carry {init} and gives {self.body.out_avals}")
        return self.body.in_avals[len(self.body_consts) :]


@operation
class Scan[V](HigherOrder[V]):
    """The last carry, and the stacked results, of a loop of `body` over `length` slices of `xs` along axis 0.

    c, ys[i] ← body(consts, c, xs[i]) for i = 0, …, length - 1; from the last to the first if `reverse`

    `body` takes the constants, the carry, one slice of each of `xs`, and gives the next carry, then one slice of each
    of the stacked results; these have an axis of size `length` in front. `carried` is the number of arrays in the
    carry. `unroll` steps are compiled as one (at least 1): this changes how fast it runs, not what it means.
    """

    name = "scan"
    body: Jaxpr
    carried: int
    length: int
    reverse: bool
    unroll: int
    consts: tuple[V, ...]
    init: tuple[V, ...]
    xs: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return (self.body,)

    def of[W](self, body: Jaxpr, consts: tuple[W, ...], init: tuple[W, ...], xs: tuple[W, ...]) -> Scan[W]:
        """The scan of another program, with as many steps in the same order."""
        return Scan(body, len(init), self.length, self.reverse, self.unroll, consts, init, xs)

    def types(self: Scan[Typed]) -> tuple[ShapedArray, ...]:
        if len(self.init) != self.carried or self.length < 0 or self.unroll < 1:
            raise IllTyped(
                f"scan: {len(self.init)} arrays carried of {self.carried}, length {self.length}, unroll {self.unroll}"
            )
        init = _types_of(self.init)
        slices = tuple([_slice_type(x.aval, self.length) for x in self.xs])
        _check_inputs("scan: the body", self.body, (*_types_of(self.consts), *init, *slices))
        results = self.body.out_avals
        if not same_types(results[: self.carried], init):
            raise IllTyped(f"scan: the body takes the carry {init} and gives {results[: self.carried]}")
        carry = self.body.in_avals[len(self.consts) : len(self.consts) + self.carried]
        return (*carry, *[aval.with_shape((self.length, *aval.shape)) for aval in results[self.carried :]])


def _slice_type(aval: ShapedArray, length: int) -> ShapedArray:
    if aval.shape[:1] != (length,):
        raise IllTyped(f"scan: {length} steps over an array {aval}")
    return aval.with_shape(aval.shape[1:])


def _check_inputs(subject: str, program: Jaxpr, avals: tuple[ShapedArray, ...]) -> None:
    if not same_types(avals, program.in_avals):
        raise IllTyped(f"{subject} takes {program.in_avals}, got {avals}")


def _check_predicate(condition: Jaxpr) -> None:
    results = condition.out_avals
    if len(results) != 1 or results[0].shape or results[0].dtype is not dtypes.bool_:
        raise DTypeError(f"while: the condition must return one bool scalar, got {results}")
