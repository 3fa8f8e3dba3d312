"""Operations with programs among their parameters. The programs are closed."""

from __future__ import annotations

from typing import Any

from effects.errors import DTypeError, IllTyped
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed


def same_types(avals: tuple[ShapedArray, ...], expected: tuple[ShapedArray, ...]) -> bool:
    """Compare types in number, shapes and dtypes; weakness does not matter to a program."""
    return avals == expected or (
        len(avals) == len(expected)
        and all(a.shape == b.shape and a.dtype is b.dtype for a, b in zip(avals, expected, strict=True))
    )


def _check_operands(name: str, body: Jaxpr, operands: tuple[Typed, ...]) -> None:
    avals = tuple([v.aval for v in operands])
    if not same_types(avals, body.in_avals):
        raise IllTyped(f"{name}: the body takes {body.in_avals}, got operands {avals}")


class CallLike[V](HigherOrder[V]):
    """An operation that runs one program once, on its operands. `label` is the program's name."""

    __slots__ = ()
    body: Jaxpr
    label: str
    operands_: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return (self.body,)

    def of[W](self, body: Jaxpr, operands: tuple[W, ...]) -> CallLike[W]:
        """The same operation of another program."""
        raise NotImplementedError

    def types(self: CallLike[Any]) -> tuple[ShapedArray, ...]:
        _check_operands(self.name, self.body, self.operands_)
        return self.body.out_avals


@operation
class Call[V](CallLike[V]):
    """The outputs of the program `body` on `operands`: what a jitted function performs. `label` is its name."""

    name = "call"
    body: Jaxpr
    label: str
    operands_: tuple[V, ...]

    def of[W](self, body: Jaxpr, operands: tuple[W, ...]) -> Call[W]:
        return Call(body, self.label, operands)


@operation
class Cond[V](HigherOrder[V]):
    """The outputs of one of `branches` on `operands`, chosen by `index`.

    `index` is a bool (False chooses the first branch, True the second) or an integer, clamped into range. The branches
    take and give the same types.
    """

    name = "cond"
    branches: tuple[Jaxpr, ...]
    index: V
    operands_: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return self.branches

    def types(self: Cond[Typed]) -> tuple[ShapedArray, ...]:
        index = self.index.aval
        if index.shape or not (index.dtype is dtypes.bool_ or issubclass(index.dtype, dtypes.Integer)):
            raise DTypeError(f"cond: the choice must be a bool or integer scalar, got {index}")
        for branch in self.branches:
            _check_operands(self.name, branch, self.operands_)
            if not same_types(branch.out_avals, self.branches[0].out_avals):
                raise IllTyped(
                    f"cond: the branches give different types: {self.branches[0].out_avals} and {branch.out_avals}"
                )
        return self.branches[0].out_avals
