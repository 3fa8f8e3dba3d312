"""Transposes of programs as programs, which are cached with the program."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, Protocol, cast

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.program.chain import current
from effects.program.jaxpr import Jaxpr
from handlers.stage import stage
from handlers.transpose.rules import transpose_jaxpr


class Transposed(NamedTuple):
    """The transpose of a linear program. Its inputs are the values that users' rules `captured`, the known inputs, then
    the cotangents that are not None; its outputs the cotangents of the inputs marked in `present`.
    """

    jaxpr: Jaxpr
    present: tuple[bool, ...]
    captured: tuple[Array, ...]


def transposed(jaxpr: Jaxpr, linear_in: tuple[bool, ...], nonzero: tuple[bool, ...], dense: bool = False) -> Transposed:
    """The transpose of `jaxpr` as a program, for the cotangents of the outputs marked in `nonzero`.

    A `dense` one has a cotangent for every linear input, of zeros if need be.
    """
    key = ("transposed", linear_in, nonzero, dense)
    return unless_captured(jaxpr, key, lambda: staged_transpose(jaxpr, linear_in, nonzero, dense))


class Captures(Protocol):
    """A program derived from one with users' rules, and the values that the rules close over."""

    @property
    def captured(self) -> Sequence[Array]: ...


def unless_captured[T: Captures](jaxpr: Jaxpr, key: Hashable, derive: Callable[[], T]) -> T:
    """`derive()`, cached with the program if it captured nothing: captured values may be others next time."""
    key = (key, *current().axes.items())  # users' rules may ask for the sizes of axes
    if (cached := jaxpr.recall(key)) is not None:
        return cast(T, cached)
    derived = derive()
    return derived if derived.captured else jaxpr.cached(key, lambda: derived)


def staged_transpose(
    jaxpr: Jaxpr,
    linear_in: tuple[bool, ...],
    nonzero: tuple[bool, ...],
    dense: bool = False,
    first: Callable[[int, Array], Array] = lambda _, ct: ct,
    last: Callable[[int, Array], Array] = lambda _, ct: ct,
) -> Transposed:
    """The transpose, not cached; `first` is applied to the cotangent of output i, `last` to that of input i."""
    known_avals = [aval for aval, is_lin in zip(jaxpr.in_avals, linear_in, strict=True) if not is_lin]
    given_avals = [aval for aval, is_given in zip(jaxpr.out_avals, nonzero, strict=True) if is_given]
    masks: list[tuple[bool, ...]] = []

    def run(*args: Array) -> list[Array]:
        given_cts = iter(args[len(known_avals) :])
        cotangents = [first(i, next(given_cts)) if g else None for i, g in enumerate(nonzero)]
        results = iter(transpose_jaxpr(jaxpr, linear_in, args[: len(known_avals)], cotangents))
        by_input = [next(results) if linear else None for linear in linear_in]
        if dense:
            each = zip(by_input, jaxpr.in_avals, linear_in, strict=True)
            by_input = [creation.zeros_of(aval) if linear and ct is None else ct for ct, aval, linear in each]
        masks.append(tuple([ct is not None for ct in by_input]))
        return [last(i, ct) for i, ct in enumerate(by_input) if ct is not None]

    program, captured = stage(run, (*known_avals, *given_avals), "the transpose")
    return Transposed(program, masks[0], tuple(captured))
