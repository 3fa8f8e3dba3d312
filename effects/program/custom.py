"""`CustomOp`: an operation of a user's own, a peer of the built-in ones.

A subclass declares operands and parameters like any operation and writes one method for each handler it should work
with. A method that is not written raises MissingRule when it is needed, naming what to write.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar, Generic, NoReturn

from typing_extensions import TypeVar

from effects.errors import MissingRule
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, HostEffect, Operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from effects.arrays.array import Array
    from effects.types.avals import ShapedArray, Typed

V_co = TypeVar("V_co", covariant=True, default="Array")
R_co = TypeVar("R_co", covariant=True, bound="Array | tuple[Array, ...]", default="Array")


class CustomOp(Operation[V_co], Generic[V_co, R_co]):
    """The base of user-defined operations. Decorate a subclass with `operation` and call it through `perform`.

    Its operands are the fields annotated `Operand` (`x: Operand`), or `Operands` for a tuple of them; all others are
    parameters. `class Softplus(CustomOp)` has one result; an operation with several declares them to the type checker:
    `class SinCos(CustomOp[Array, tuple[Array, Array]])`.

    To check each method for its own operands alone, make the class generic in them, `class Softplus[V](CustomOp[V])`
    with `x: V`, and annotate the method: `jvp(self: Softplus[Dual])`.

    Methods, each needed only where it is used:

    - `types(self)`: the type of the result from `self.x.aval`, … (a tuple of types for several results);
    - `evaluate(self)`: the result on arrays, written with the functions of `effects` (it then also serves compiled
      code) or with NumPy on `numpy.asarray(self.x)`;
    - `jvp(self)`: operands are `Dual`s; `x.primal` is an array, `x.tangent` an array, or None if there is none;
      returns (result, tangent), the tangent None if there is none;
    - `transpose(self, cotangent)`: operands in which the operation is linear are `Linear` (only their `aval` is known);
      returns one cotangent, or None, for each operand;
    - `batch(self)`: operands are `Batched`s; `x.value` has a leading batch axis if `x.batched`; returns (result,
      whether the result is batched);
    - `lower(self, builder)`: operands and result are StableHLO values; not needed if `evaluate` is written with the
      functions of `effects`.
    """

    __slots__ = ()

    of_users = True

    acts: ClassVar[bool] = False
    """True if the operation has a side effect: then it is never dropped, repeated or moved out of loops."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.acts:
            setattr(cls, "effects", frozenset([HostEffect.HOST]))  # noqa: B010  # a property to the type checker

    if TYPE_CHECKING:

        def map[W](self, f: Callable[[V_co], W], /) -> CustomOp[W, R_co]:
            raise NotImplementedError

        def _asks(self) -> tuple[V_co, R_co]:
            raise NotImplementedError

    @property
    def name(self) -> str:
        return type(self).__name__

    def _missing(self, handler: str, method: str) -> NoReturn:
        raise MissingRule(
            f"{type(self).__name__} has no meaning under {handler} yet: write the method `{method}` of "
            f"{type(self).__name__}"
        )

    def types(self: CustomOp[Typed]) -> ShapedArray | tuple[ShapedArray, ...]:
        self._missing("staging (abstract evaluation)", "types(self)")

    def evaluate(self) -> Any:
        self._missing("Evaluate", "evaluate(self)")

    def jvp(self) -> Any:
        self._missing("Jvp", "jvp(self)")

    def transpose(self, cotangent: Array, /) -> Any:
        self._missing("Transpose", "transpose(self, cotangent)")

    def batch(self) -> Any:
        self._missing("Vmap", "batch(self)")

    def lower(self, builder: Any, /) -> Any:
        self._missing("lowering", "lower(self, builder), or evaluate(self) with functions of `effects`,")


class CustomHigherOrder(HigherOrder[V_co], CustomOp[V_co, "tuple[Array, ...]"]):
    """The base of user-defined operations that hold programs, fields annotated `Jaxpr`; results are a tuple.

    Its meaning is `expand(self)`: the results, by other operations; `eval_jaxpr(self.body, …)` runs a program. Every
    handler goes through that. `types(self)` returns the types of the results. All else is optional:

    - `jvp(self)`, `transpose(self, cotangents)`, `batch(self)`: rules like those of a `CustomOp`, which every other
      handler keeps; arguments and results are tuples, with one entry for each result. With a `transpose` and no `jvp`,
      `linear` names the fields in which the operation is linear.
    - `lower(self, builder)`: StableHLO in place of that of its expansion.
    """

    __slots__ = ()

    linear: ClassVar[tuple[str, ...]] = ()
    """The operands in which it is linear, by field, for a transposition rule."""

    if TYPE_CHECKING:

        def map[W](self, f: Callable[[V_co], W], /) -> CustomHigherOrder[W]:
            raise NotImplementedError

        def _asks(self) -> tuple[V_co, tuple[Array, ...]]:
            raise NotImplementedError

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        fields = [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]  # it is one
        return tuple([value for value in fields if isinstance(value, Jaxpr)])

    def expand(self) -> Any:
        self._missing("every handler", "expand(self)")

    def evaluate(self) -> Any:
        return self.expand()

    def types(self: CustomHigherOrder[Typed]) -> tuple[ShapedArray, ...]:
        self._missing("staging (abstract evaluation)", "types(self)")
