"""`map` is a functor on every class of operations, the built-in ones and users'."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import handlers  # noqa: F401  # every layer's operations exist
from effects import Operation
from tests.reference.multiply_add import MultiplyAdd


def subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def is_operation(cls: type[Any]) -> bool:
    """Whether a class has fields and is the one that its module knows (slots make a class twice)."""
    own = getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls
    return own and "map" in vars(cls)


OPERATIONS = sorted({cls for cls in subclasses(Operation) if is_operation(cls)}, key=lambda cls: cls.__name__)


def sample(cls: type[Any]) -> Any:
    """An operation with numbers as operands and strings as parameters: no rule looks at them."""
    count = iter(range(1, 100))
    values: list[object] = []
    for field in dataclasses.fields(cls):
        if str(field.type) in ("V", "Operand"):
            values.append(next(count))
        elif str(field.type).startswith(("tuple[V", "Operands")):
            values.append((next(count), next(count), next(count)))
        else:
            values.append(f"the {field.name}")
    return cls(*values)


def test_the_operations_are_found() -> None:
    assert MultiplyAdd in OPERATIONS
    assert len(OPERATIONS) > 20


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.__name__)
def test_map_is_a_functor(cls: type[Any]) -> None:
    op = sample(cls)
    mapped: Any = op.map(lambda v: v)
    assert type(mapped) is cls
    assert (mapped.operands, mapped.params) == (op.operands, op.params)
    for field in dataclasses.fields(cls):
        assert getattr(mapped, field.name) == getattr(op, field.name)
    twice: Any = op.map(lambda v: v + 1).map(str)
    once: Any = op.map(lambda v: str(v + 1))
    assert twice.operands == once.operands == tuple(str(v + 1) for v in op.operands)
    assert twice.params == once.params == op.params


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.__name__)
def test_map_visits_the_operands_in_order(cls: type[Any]) -> None:
    op = sample(cls)
    seen: list[int] = []
    op.map(seen.append)
    assert tuple(seen) == op.operands == tuple(range(1, len(seen) + 1))


@dataclasses.dataclass
class Owned:
    owner: object


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.__name__)
def test_an_operation_is_owned_by_the_owners_of_its_operands(cls: type[Any]) -> None:
    op = sample(cls)
    handler = object()
    assert not op.map(lambda _: Owned(None)).owned_by(handler)
    for position in op.operands:
        mixed = op.map(lambda v, position=position: Owned(handler if v == position else None))
        assert mixed.owned_by(handler)
        assert not mixed.owned_by(object())
