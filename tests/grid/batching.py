"""The checks of batching: a batched case gives what a Python loop over its lanes gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import effects as fx
from effects import Array
from handlers import jvp, vmap
from tests.cases import Case
from tests.grid.checks import Function, in_smooth, samples
from tests.grid.operands import LANES, assert_all_close, directions, lanes

type Axes = tuple[int | None, ...]


def _loop(f: Callable[..., tuple[Array, ...]], axes: Axes, args: Sequence[Array], count: int) -> list[Array]:
    """What vmap means."""
    by_lane = [f(*[x if axis is None else x[i] for x, axis in zip(args, axes, strict=True)]) for i in range(count)]
    return [fx.stack(list(results)) for results in zip(*by_lane, strict=True)]


def choices(count: int) -> Iterator[Axes]:
    """Every choice of batched operands but none."""
    for batched in product((True, False), repeat=count):
        if any(batched):
            yield tuple([0 if b else None for b in batched])


def check_vmap(case: Case) -> None:
    """Every combination of batched operands gives what the loop gives."""
    for axes in choices(len(case.operands)):
        args = [x if axis is None else lanes(x) for x, axis in zip(case.operands, axes, strict=True)]
        assert_all_close(vmap(case.all_on, in_axes=axes)(*args), _loop(case.all_on, axes, args, LANES))


def check_nested_vmap(case: Case) -> None:
    """vmap inside vmap, both batching all operands, and each its own choice of them."""
    every = list(choices(len(case.operands)))
    for outer, inner in dict.fromkeys([(every[0], every[0]), *zip(every, every[1:] + every[:1])]):
        args: list[Array] = []
        for x, out, within in zip(case.operands, outer, inner, strict=True):
            value = x if within is None else lanes(x)
            args.append(value if out is None else lanes(value, 2))

        def per_row(*row: Array, axes: Axes = inner) -> tuple[Array, ...]:
            return tuple(_loop(case.all_on, axes, row, LANES))

        nested = vmap(vmap(case.all_on, in_axes=inner), in_axes=outer)
        assert_all_close(nested(*args), _loop(per_row, outer, args, 2))


def _pushed(f: Function, count: int) -> Function:
    """(x, t) ↦ (f(x), ∂f(x)·t), its results one after the other."""

    def push(*args: Array) -> tuple[Array, ...]:
        values, slopes = jvp(f, args[:count], args[count:])
        return (*values, *slopes)

    return push


def check_vmap_of_jvp(case: Case) -> None:
    """Derivatives in every lane: of batched primals, of batched tangents, of both."""
    f, xs, steps = in_smooth(case), samples(case), directions(case)
    count = len(xs)
    push = _pushed(f, count)
    for primal, tangent in ((0, 0), (0, None), (None, 0)):
        axes: Axes = (*[primal] * count, *[tangent] * count)
        args = [x if axis is None else lanes(x) for x, axis in zip((*xs, *steps), axes, strict=True)]
        assert_all_close(vmap(push, in_axes=axes)(*args), _loop(push, axes, args, LANES), rtol=1e-12, atol=1e-12)


def check_jvp_of_vmap(case: Case) -> None:
    """The derivative of the batched function, by the derivative of each lane."""
    f, xs, steps = in_smooth(case), samples(case), directions(case)
    count = len(xs)
    for axes in choices(count):
        args = [x if axis is None else lanes(x) for x, axis in zip(xs, axes, strict=True)]
        moves = [t if axis is None else lanes(t) for t, axis in zip(steps, axes, strict=True)]
        actual = _pushed(vmap(f, in_axes=axes), count)(*args, *moves)
        expected = _loop(_pushed(f, count), (*axes, *axes), [*args, *moves], LANES)
        assert_all_close(actual, expected, rtol=1e-12, atol=1e-12)
