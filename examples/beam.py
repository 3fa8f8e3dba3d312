"""Beam search: the most likely sequences of a model; the best few are kept at every step."""

from collections.abc import Callable
from typing import Any

import effects as fx
from effects import Array
from handlers import scan

type Advance = Callable[[Any, Array], tuple[Array, Any]]
"""(state, tokens [W]) ↦ (the logarithms of the probabilities of the next tokens [W, V], the next state)."""


def search(advance: Advance, state: Any, start: int, end: int, width: int, length: int) -> tuple[Array, Array]:
    """The `width` most likely sequences [width, length] that were found, best first, and their log-probabilities.

    A sequence begins after `start`, and is filled with `end` once it reached it. `state` is a tree of arrays, each with
    a leading axis of beams.

    >>> table = fx.log(fx.asarray([[0.1, 0.6, 0.3], [0.0, 0.1, 0.9], [0.0, 0.0, 1.0]]))
    >>> tokens, scores = search(lambda state, tokens: (table[tokens], state), (), start=0, end=2, width=2, length=3)
    >>> tokens, fx.exp(scores)
    (Array([[1, 2, 2],
           [2, 2, 2]], int64), Array([0.54, 0.3 ], float64))
    """

    def step(carry: Any, place: Array) -> Any:
        state, tokens, scores, tokens_found = carry
        chances, state = advance(state, tokens)
        stay = fx.where(fx.arange(chances.shape[1]) == end, 0, -fx.inf)
        chances = fx.where((tokens == end)[:, None], stay, chances)
        scores, best = fx.top_k(fx.ravel(scores[:, None] + chances), width)
        beams, tokens = best // chances.shape[1], best % chances.shape[1]
        state = fx.tree_map(lambda leaf: leaf[beams], state)
        return (state, tokens, scores, tokens_found[beams].at[:, place].set(tokens)), None

    first = fx.full(width, start)
    only_one = fx.where(fx.arange(width) == 0, 0.0, -fx.inf)  # so that the beams differ
    begin = (state, first, only_one, fx.zeros((width, length), dtype=first.dtype))
    (_, _, scores, tokens_found), _ = scan(step, begin, fx.arange(length))
    return tokens_found, scores
