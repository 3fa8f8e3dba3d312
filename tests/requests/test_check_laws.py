"""The laws that the handler of an effect writes, held against plain meanings by `check_laws`."""

from __future__ import annotations

from typing import Any

import pytest

import effects as fx
from effects import Array
from effects.errors import BrokenLawError
from handlers import EffectHandler, Reading, check_laws
from tests.requests.own import Cost, Total

ZERO, x = fx.zeros(()), fx.asarray(0.3)


def work(cost: Cost, x: Array) -> Array:
    cost.charge(x)
    return x * fx.sin(x)


class Along(EffectHandler[Array], Cost):
    def charge(self, amount: Any) -> None:
        self.state = self.state + amount


class Nothing(Reading[None], Cost):
    def charge(self, amount: Any) -> None:
        """Only looks."""


class Named(EffectHandler[dict[str, Any]], Cost):
    def __init__(self, state: Any) -> None:
        super().__init__({"name": "a", "cost": state})

    def charge(self, amount: Any) -> None:
        self.state = {**self.state, "cost": self.state["cost"] + amount}


@pytest.mark.parametrize(
    "handler", [Total(ZERO), Along(ZERO), Nothing(None), Named(ZERO)], ids=lambda handler: type(handler).__name__
)
def test_lawful(handler: EffectHandler[Any]) -> None:
    refused = check_laws(handler, work, x, compiled=False)
    lanes = (
        {"handle(jit(vmap(f)))", "jit(handle(vmap(f)))"}
        if type(handler).into_lanes is EffectHandler.into_lanes
        else set()
    )
    unwritten = {name for name in refused if "custom_vjp" in name or "while_loop" in name}
    assert refused.keys() == lanes | unwritten


class NoMerge(Total):
    def merge(self, state: Array) -> None:
        """Forgets."""


class OneLane(Total):
    def from_lanes(self, size: int, state: Array) -> None:
        self.charge(state[0])


class NoUnit(Total):
    def unit(self) -> Array:
        return fx.ones(())


class NotBack(Along):
    def from_derivative(self, state: Array) -> None:
        """Forgets."""


@pytest.mark.parametrize(
    ("handler", "law"),
    [(NoMerge, "jvp(f)"), (OneLane, "vmap(f)"), (NoUnit, "jvp(f)"), (NotBack, "jvp(f)")],
    ids=lambda case: getattr(case, "__name__", None),
)
def test_broken(handler: type[Any], law: str) -> None:
    with pytest.raises(BrokenLawError, match=r"the state of handle") as caught:
        check_laws(handler(ZERO), work, x, compiled=False)
    assert f"the state of handle({law})" in str(caught.value)
