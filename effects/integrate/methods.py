"""One step of each method: explicit Runge–Kutta pairs, and a Rosenbrock method for stiff equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.types.dtypes import real_of

type Slope = Callable[[Array, Array], Array]
"""The derivative of a state at a time, of vectors."""

type Weights = tuple[float, ...]


class Step(NamedTuple):
    """The state after a step and the slope there, its increments [stages, n], and the estimate of its error."""

    y: Array
    slope: Array
    increments: Array
    error: Array


class Method(NamedTuple):
    """A step from (y, slope, t) of size h, the order of its error estimate, and the weights of its dense output.

    A part x of the step on, the state is y + Σᵢ increment i · Σⱼ dense[i][j] xʲ⁺¹.
    """

    advance: Callable[[Slope, Array, Array, Array, Array], Step]
    order: int
    dense: tuple[Weights, ...]


class _Tableau(NamedTuple):
    """Nodes and weights of the stages, the last of which is the step, and the weights of its error."""

    nodes: Weights
    stages: tuple[Weights, ...]
    error: Weights


def _weighted(weights: Weights, terms: list[Array]) -> Array:
    used = [w * term for w, term in zip(weights, terms) if w]
    return sum(used[1:], used[0])


def _explicit(tableau: _Tableau) -> Callable[[Slope, Array, Array, Array, Array], Step]:
    """Steps whose last stage is the slope that the next one begins with."""

    def advance(f: Slope, y: Array, slope: Array, t: Array, h: Array) -> Step:
        of_state, slopes, end = convert(h, real_of(y.aval.dtype)), [slope], y
        for node, weights in zip(tableau.nodes, tableau.stages, strict=True):
            end = y + of_state * _weighted(weights, slopes)
            slopes.append(f(end, t + node * h))
        return Step(end, slopes[-1], of_state * fx.stack(slopes), of_state * _weighted(tableau.error, slopes))

    return advance


_DORMAND_PRINCE: Final = _Tableau(
    (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    (
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
)
_TSITOURAS: Final = _Tableau(
    (0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0),
    (
        (0.161,),
        (-0.008480655492356989, 0.335480655492357),
        (2.8971530571054935, -6.359448489975075, 4.3622954328695815),
        (5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525),
        (5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383),
        (0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774),
    ),
    (
        *(-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629),
        *(0.5823571654525552, -0.45808210592918697, 1 / 66),
    ),
)

DOPRI5: Final = Method(
    _explicit(_DORMAND_PRINCE),
    5,
    (
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
"""Dormand and Prince, 1980; dense output by Shampine, 1986."""

TSIT5: Final = Method(
    _explicit(_TSITOURAS),
    5,
    (
        (1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216),
        (0.0, 0.1317, -0.2234, 0.1017),
        (0.0, 3.930296236894751, -5.941033872131505, 2.490627285651253),
        (0.0, -12.411077166933676, 30.338188630282318, -16.548102889244902),
        (0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928),
        (0.0, -27.896526289197286, 65.09189467479368, -34.87065786149661),
        (0.0, 1.5, -4.0, 2.5),
    ),
)
"""Tsitouras, 2011, with his dense output."""

_GAMMA: Final = 0.25
_NODES: Final = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
_OF_TIME: Final = (0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0)
_STATES: Final[tuple[Weights, ...]] = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0),
)
_COUPLINGS: Final[tuple[Weights, ...]] = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616),
    (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
)
_SECOND: Final = (10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662, 0.0)
_THIRD: Final = (-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872, 0.0)


def _rosenbrock(f: Slope, y: Array, slope: Array, t: Array, h: Array) -> Step:
    """(1 - γhJ) Uᵢ = γ (h f(t + cᵢh, y + Σ aᵢⱼUⱼ) + Σ cᵢⱼUⱼ + dᵢh² ∂f/∂t): one matrix for six stages."""
    of_state, one = convert(h, y.aval.dtype), fx.ones_like(t)
    jacobian, by_time = handlers.jacfwd(lambda y: f(y, t))(y), handlers.jvp(lambda t: f(y, t), (t,), (one,))[1]
    jacobian, by_time = [
        fx.where((h == 0) & ~fx.isfinite(v), 0.0, v) for v in (jacobian, by_time)
    ]  # a step of length 0
    factors = fx.linalg.lu_factor(fx.eye(y.size, dtype=y.aval.dtype) - _GAMMA * of_state * jacobian)
    increments: list[Array] = []
    end = y
    for node, of_time, states, couplings in zip(_NODES, _OF_TIME, _STATES, _COUPLINGS, strict=True):
        right = of_state * (slope + of_time * of_state * by_time)
        if increments:
            end = y + _weighted(states, increments)
            rate = f(end, t + node * h) + of_time * of_state * by_time
            right = of_state * rate + _weighted(couplings, increments)
        increments.append(fx.linalg.lu_solve(factors, _GAMMA * right))
    end = end + increments[-1]
    return Step(end, f(end, t + h), fx.stack(increments), increments[-1])


RODAS4: Final = Method(
    _rosenbrock,
    4,
    tuple(
        [
            (weight + second, third - second, -third)
            for weight, second, third in zip((*_STATES[-1], 1.0), _SECOND, _THIRD, strict=True)
        ]
    ),
)
"""Hairer and Wanner, Solving ordinary differential equations II, 1996, with their dense output: order 4, L-stable."""

METHODS: Final = {"dopri5": DOPRI5, "tsit5": TSIT5, "rodas4": RODAS4}
