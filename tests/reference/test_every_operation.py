"""The document that lists the operations: every class with its fields, every kind with its members."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Final

import pytest

import effects.operations as ops
from effects.program.operation import Kind, Operation

TEXT: Final = (Path(__file__).parents[2] / "docs" / "every-operation.md").read_text()
CLASSES: Final[dict[str, Any]] = {
    name: found for name in ops.__all__ if isinstance(found := getattr(ops, name), type) and found is not Kind
}


def _row(name: str) -> list[str]:
    rows = [line for line in TEXT.splitlines() if line.startswith(f"| `{name}` |")]
    assert len(rows) == 1, f"{name} is to have one row"
    return rows[0].split("|")[2].replace("*", "").strip().split(", ")


@pytest.mark.parametrize("name", [name for name, cls in CLASSES.items() if issubclass(cls, Operation | Kind)])
def test_every_operation_and_kind_is_listed(name: str) -> None:
    cls = CLASSES[name]
    if issubclass(cls, Kind):
        assert _row(name) == [member.name for member in cls]
    else:
        assert _row(name) == [field.name for field in dataclasses.fields(cls)]
