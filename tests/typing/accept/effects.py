"""Programs with effects, and their handlers."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Concatenate, NamedTuple, reveal_type

import effects as fx
from effects import Array, ArrayLike, Effect
from handlers import (
    EffectHandler,
    Merging,
    Reading,
    added,
    catching,
    checking,
    enumerated,
    handled,
    with_output,
    with_raise,
    with_reader,
    with_state,
)
from lowering import jit


class Statistics(NamedTuple):
    mean: Array
    steps: Array


class Diverged(NamedTuple):
    step: int
    loss: Array


def centred(stats: fx.State[Statistics], x: Array) -> Array:
    mean, steps = stats.get()
    reveal_type(mean)  # Array[Any, Any]
    stats.put(Statistics(mean, steps + 1))
    stats.modify(lambda s: s._replace(steps=s.steps + 1))
    return x - mean


def train(stats: fx.State[Statistics], out: fx.Output, errors: fx.Raise[Diverged], w: Array) -> Array:
    out.emit("w", w)
    errors.check(w > 0, Diverged(1, w))
    return centred(stats, w)


init = Statistics(fx.zeros(2), fx.asarray(0))
x = fx.ones(2)
reveal_type(with_state(centred, init)(x))
#: tuple[Array[Any, Any], tuple[Array[Any, Any], Array[Any, Any], fallback=Statistics]]
reveal_type(with_state(centred, init, lanes=added)(x))
#: tuple[Array[Any, Any], tuple[Array[Any, Any], Array[Any, Any], fallback=Statistics]]
reveal_type(jit(with_state(centred, init))(x))
#: tuple[Array[Any, Any], tuple[Array[Any, Any], Array[Any, Any], fallback=Statistics]]
result = with_raise(with_output(with_state(train, init)))(x)
reveal_type(result.failure())  # tuple[int, Array[Any, Any], fallback=Diverged]

outcome = catching(with_output(with_state(train, init)))(x)
reveal_type(outcome.result().unwrap()[1]["w"].value)  # Array[Any, Any]


def scaled(asks: fx.Ask[dict[str, float]], x: Array) -> Array:
    return x * asks.ask()["scale"]


reveal_type(with_reader(scaled, {"scale": 2.0})(x))  # Array[Any, Any]
reveal_type(checking(lambda x: fx.log(x))(x).result().failure().line)  # str


def coins(choice: fx.Choice, p: float) -> tuple[Array, Array]:
    return choice.flip(p), choice.choose(fx.ones(3))


reveal_type(enumerated(coins)(0.5).values)  # tuple[Array[Any, Any], Array[Any, Any]]


class Cost(Effect):
    @abstractmethod
    def charge(self, amount: ArrayLike) -> None: ...


class Total(Merging[Array], Cost):
    def charge(self, amount: ArrayLike) -> None:
        self.state = self.state + amount

    def unit(self) -> Array:
        return fx.zeros(())

    def merge(self, state: Array) -> None:
        self.charge(state)

    def from_lanes(self, size: int, state: Array) -> None:
        self.charge(fx.sum(state))


def with_cost[**P, R](f: Callable[Concatenate[Cost, P], R]) -> Callable[P, tuple[R, Array]]:
    def costed(*args: P.args, **kwargs: P.kwargs) -> tuple[R, Array]:
        total = Total(fx.zeros(()))
        return handled(total, f, *args, **kwargs), total.state

    return costed


def work(cost: Cost, x: Array) -> Array:
    cost.charge(x)
    return x * x


reveal_type(with_cost(work)(x))  # tuple[Array[Any, Any], Array[Any, Any]]
reveal_type(handled(Total(fx.zeros(())), work, x))  # Array[Any, Any]
