"""Functions with rules of their own: the operation that `custom_jvp`, `custom_vjp` and the like perform.

The operation holds a `Definition`: the function and its rules over flat lists of arrays. A handler runs the rule that
is for it; all others perform the operation again, one link outward, with a definition that does the same inside them.
Until it is staged there is no program in it: evaluation runs the user's Python code. Staging adds the program of the
function as `body`, and keeps the definition, whose rules run when a handler that needs one meets the program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from effects.arrays.array import Array
from effects.errors import IllTyped
from effects.operations.higher_order import same_types
from effects.program.jaxpr import Atom, Jaxpr
from effects.program.operation import HigherOrder, operation
from effects.runtime.caches import Cache, Personal
from effects.types.avals import ShapedArray, Typed

if TYPE_CHECKING:
    from effects.program.operation import Recorder

type Sparse = list[Array | None]
"""Tangents or cotangents, None where there is none."""

type Rule = Literal["jvp", "vjp", "batch", "transpose"]


class Definition(Personal, ABC):
    """A function over flat lists of arrays, and its rules: `rules` names the methods that are defined.

    All methods perform operations under the chain they are called in. Definitions of equal `key` are equal, so that
    programs that hold them can be.
    """

    name: str
    rules: frozenset[Rule]

    linear: tuple[bool, ...] = ()
    """For each operand, True if the function is linear in it; for functions with a transposition rule."""

    closed_over: frozenset[int] = frozenset()
    """Positions of the operands that the function and its rules close over: rules have no arguments for these."""

    states: Mapping[int, str] = MappingProxyType({})
    """Positions of the operands that are states of enclosing handlers, for which derivative rules have no arguments."""

    out_avals: tuple[ShapedArray, ...] | None = None
    """The types of the results if they are known without running the function, which is not staged then."""

    keeper: Cache[Hashable, Jaxpr] | None = None
    """Owner of the cache of programs with this definition: a user's function in it, or None."""

    @property
    def key(self) -> Hashable:
        return id(self)

    @property
    def n_states_out(self) -> int:
        """Number of leading results that are final states and values that handlers send; known after the first run."""
        return 0

    @property
    def meaning(self) -> Hashable:
        """None if it holds users' functions: the program, which is compiled, is beside it."""
        return None if self.keeper is not None and self.out_avals is None else self

    @abstractmethod
    def call(self, operands: Sequence[Array], /) -> list[Array]:
        """The function."""

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        """The results and their tangents."""
        raise NotImplementedError

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        """The results, residuals, and the derivative: a linear function of residuals and the `varying` tangents.

        It has `out_avals`, and returns the tangents of the last results: earlier ones do not vary.
        """
        raise NotImplementedError

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        """The results for `size` lanes, and which of them have these along axis 0, as the `batched` operands do."""
        raise NotImplementedError

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        """The cotangents of the operands that are None, from those of the results."""
        raise NotImplementedError

    def finished(self) -> Definition:
        """This definition after the function's last run: its rules return results in the forms of that run."""
        return self

    @abstractmethod
    def staged(self, avals: Sequence[ShapedArray], /) -> tuple[Jaxpr, list[Array], Definition]:
        """The program of the function, the values it captured (its first inputs), and its definition with these."""

    def __hash__(self) -> int:
        return hash((type(self), self.key))

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self.key == other.key)

    def __repr__(self) -> str:
        return self.name


@operation
class CustomCall[V](HigherOrder[V]):
    """The results of a function with rules of its own; `body` is its program, None until it is staged."""

    name = "custom_call"
    definition: Definition
    body: Jaxpr | None
    operands_: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return () if self.body is None else (self.body,)

    def types(self: CustomCall[Typed]) -> tuple[ShapedArray, ...]:
        if self.body is None:
            return self.definition.out_avals or ()  # known after the first run
        avals = tuple([v.aval for v in self.operands_])
        if not same_types(avals, self.body.in_avals):
            raise IllTyped(f"{self.definition.name}: the function takes {self.body.in_avals}, got operands {avals}")
        return self.body.out_avals

    def written(self: CustomCall[Array], recorder: Recorder, /) -> CustomCall[Atom]:
        definition, body, operands = self.definition, self.body, self.operands_
        if body is None and definition.out_avals is None:
            body, captured, definition = definition.staged([v.aval for v in operands])
            operands = (*captured, *operands)
        atoms = [v.atom if v.owner is recorder else recorder.capture(v) for v in operands]  # type: ignore[attr-defined,comparison-overlap]  # ours have one
        return CustomCall(definition, body, tuple(atoms))
