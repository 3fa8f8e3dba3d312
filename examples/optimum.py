"""Minima by L-BFGS and by Newton's method, differentiated by the equation that they satisfy.

`minimum(loss, start, *args)` is differentiable in `args`, as often as asked, whatever found it: at a minimum the
gradient is 0, and the implicit function theorem says how it moves.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import effects as fx
from effects import Array, linalg
from handlers import cg, custom_root, fori_loop, grad, hessian, stop_gradient, value_and_grad, while_loop

type Loss = Callable[[Array], Array]
type Method = Callable[[Loss, Array], Array]

MEMORY, MOST = 10, 500
SMALL = 1e-9
"""Length of a gradient below which a point is a minimum."""


def backtracked(loss: Loss, x: Array, along: Array, value: Array, rate: Array) -> Array:
    """The longest of the steps 1, ½, ¼, … that makes the loss less by a part of what its slope `rate` promises."""
    enough: Callable[[Array], Array] = lambda t: loss(x + t * along) <= value + 1e-4 * t * rate
    return while_loop(lambda t: ~enough(t) & (t > 1e-12), lambda t: t / 2, fx.ones_like(value))


class Search(NamedTuple):
    """State of L-BFGS: the point, and the last steps and changes of the gradient, the newest one first."""

    x: Array
    value: Array
    slope: Array
    steps: Array  # [M, N]
    changes: Array  # [M, N]
    inverses: Array  # [M]: of their products, 0 where there is none
    tries: Array


def direction(search: Search) -> Array:
    """Down the slope by the two loops of Nocedal (1980)."""
    steps, changes, inverses = search.steps, search.changes, search.inverses

    def back(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        q, shares = state
        share = inverses[i] * (steps[i] @ q)
        return q - share * changes[i], shares.at[i].set(share)

    q, shares = fori_loop(0, MEMORY, back, (search.slope, fx.zeros_like(inverses)))
    size = inverses[0] * (changes[0] @ changes[0])
    q = fx.where(size > 0, q / fx.where(size > 0, size, 1.0), q / fx.maximum(linalg.norm(search.slope), 1.0))

    def forth(i: Array, q: Array) -> Array:
        last = MEMORY - 1 - i
        return q + steps[last] * (shares[last] - inverses[last] * (changes[last] @ q))

    return -fori_loop(0, MEMORY, forth, q)


def lbfgs(loss: Loss, start: Array) -> Array:
    """A minimum by the L-BFGS method, from a vector on.

    >>> fx.round(lbfgs(lambda x: (x[0] - 1) ** 2 + 10 * (x[1] + 2) ** 2, fx.zeros(2)), 6)
    Array([ 1., -2.], float64)
    """
    both = value_and_grad(loss)

    def step(search: Search) -> Search:
        along = direction(search)
        t = backtracked(loss, search.x, along, search.value, search.slope @ along)
        x = search.x + t * along
        value, slope = both(x)
        moved, change = x - search.x, slope - search.slope
        product = moved @ change
        inverse = fx.where(product > 1e-14, 1 / fx.where(product > 1e-14, product, 1.0), 0.0)
        pushed: Callable[[Array, Array], Array] = lambda rows, row: fx.concat([row[None], rows[:-1]])
        rows = pushed(search.steps, moved), pushed(search.changes, change), pushed(search.inverses, inverse)
        return Search(x, value, slope, *rows, search.tries + 1)

    rows = fx.zeros((MEMORY, start.size), dtype=start.dtype)
    search = Search(start, *both(start), rows, rows, rows[:, 0], fx.asarray(0))
    going: Callable[[Search], Array] = lambda s: (linalg.norm(s.slope) > SMALL) & (s.tries < MOST)
    return while_loop(going, step, search).x


def newton(loss: Loss, start: Array) -> Array:
    """A minimum by Newton's method, with shorter steps where whole ones go too far.

    >>> fx.round(newton(lambda x: (x[0] - 1) ** 4 + (x[1] + 2) ** 2, fx.zeros(2)), 2)
    Array([ 1., -2.], float64)
    """
    both = value_and_grad(loss)

    def step(state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        x, value, slope, count = state
        along = -linalg.solve(hessian(loss)(x), slope)
        along = fx.where(slope @ along < 0, along, -slope)
        x = x + backtracked(loss, x, along, value, slope @ along) * along
        return x, *both(x), count + 1

    first = start, *both(start), fx.asarray(0)
    return while_loop(lambda s: (linalg.norm(s[2]) > SMALL) & (s[3] < MOST), step, first)[0]


def minimum(loss: Callable[..., Array], start: Array, *args: Any, method: Method = lbfgs) -> Array:
    """The x near `start` where loss(x, *args) is least, found by `method`, with derivatives in `args`.

    >>> from handlers import jacfwd
    >>> jacfwd(lambda a: minimum(lambda x, a: fx.sum((x - a) ** 2), fx.zeros(2), a))(fx.ones(2))
    Array([[1., 0.],
           [0., 1.]], float64)
    """
    fixed = stop_gradient(args)
    find: Callable[[Any, Array], Array] = lambda _, x: method(lambda x: loss(x, *fixed), x)
    solve: Callable[[Any, Array], Array] = lambda g, y: cg(g, y, tol=1e-12)
    return custom_root(lambda x: grad(loss)(x, *args), start, find, solve)
