"""Annotations of jaxtyping, which says dimensions in strings; `# E: rule` and `# U: reason` as in programs/."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.checking.test_command import run

PROGRAM: Final = """
from typing import NamedTuple

import effects as fx
from effects import Array
from jaxtyping import Bool, Complex, Float, Float32, Int, Shaped


def attend(q: Float[Array, "*b t d"], k: Float[Array, "*b s d"], v: Float[Array, "*b s e"]) -> Float[Array, "*b t e"]:
    return fx.nn.softmax(q @ k.mT) @ v


def attend_wrongly(q: Float[Array, "*b t d"], k: Float[Array, "*b s d"]) -> Float[Array, "*b s t"]:
    return q @ k.mT  # E: shape


def differences(x: Float[Array, "n d"]) -> Float[Array, "n-1 d"]:
    return x[1:] - x[:-1]


def padded(x: Float[Array, "n d"]) -> Float[Array, "n+2 d"]:
    return fx.concat([x, x[:1]])  # E: shape


def fixed(x: Float[Array, "n 3"], w: Float[Array, "rows=3 4"]) -> Float[Array, "n 4"]:
    return x @ w


def fixed_wrongly(x: Float[Array, "n 3"], w: Float[Array, "4 3"]) -> Float[Array, "n 4"]:
    return x @ w  # E: shape


def of_any(x: Float[Array, "... d"], y: Float[Array, "... d"]) -> Float[Array, "... d"]:
    return x - y


def of_any_wrongly(x: Float[Array, "... d"], w: Float[Array, "d e"]) -> Float[Array, "... d"]:
    return x @ w  # E: shape


def rows(x: Float[Array, "n _"]) -> Float[Array, "n"]:
    return x.sum(axis=0)  # E: shape


def kinds(mask: Bool[Array, "n"], ids: Int[Array, ""], z: Complex[Array, "n"]) -> Float32[Array, "n"]:
    return fx.where(mask, fx.abs(z.astype("complex64")), ids.astype("float32"))


def kinds_wrongly(ids: Int[Array, "n"]) -> Float[Array, "n"]:
    return ids * 2  # E: dtype


def same(x: Shaped[Array, "n n"]) -> Shaped[Array, "n"]:
    return fx.linalg.diagonal(x)


class Layer(NamedTuple):
    w: Float[Array, "i o"]

    def __call__(self, x: Float[Array, "n i"]) -> Float[Array, "n o"]:
        return x @ self.w

    def turned(self, x: Float[Array, "n o"]) -> Float[Array, "n i"]:
        return x @ self.w  # E: shape


def composed(first: Layer, second: Layer, x: Float[Array, "n i"]) -> Float[Array, "n o"]:  # U: argument first
    return second(first(x))


def either(x: Float[Array, "#n d"], y: Float[Array, "n d"]) -> Float[Array, "n d"]:  # U: argument x: the dimension #n
    return x + y


def with_inner(x: Float[Array, "n d"]) -> Float[Array, "n"]:
    def norm(x: Float[Array, "n"]) -> Float[Array, ""]:
        return fx.linalg.norm(x)

    from handlers import vmap

    return vmap(norm)(x)
"""


def test_strings_of_dimensions(tmp_path: Path) -> None:
    pytest.importorskip("jaxtyping")
    (tmp_path / "program.py").write_text(PROGRAM)
    code, lines = run(tmp_path, "--format", "json", "program.py")
    report = json.loads("\n".join(lines))
    marks = [re.search(r"# ([EU]): (.*)$", line) for line in PROGRAM.splitlines()]
    expected = {n: mark[2] for n, mark in enumerate(marks, 1) if mark is not None and mark[1] == "E"}
    unchecked = {n: mark[2] for n, mark in enumerate(marks, 1) if mark is not None and mark[1] == "U"}
    assert code == 1 and {e["line"]: e["rule"] for e in report["errors"]} == expected
    reasons = {u["line"]: u["reason"] for u in report["unchecked"]}
    assert reasons.keys() == unchecked.keys()
    assert all(reasons[n].startswith(reason) for n, reason in unchecked.items())
