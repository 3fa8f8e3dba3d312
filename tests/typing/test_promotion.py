"""The dtype that type checkers say two dtypes meet in, and every dtype and number of Python's, is what staging gives.

All pairs are added; other functions have the same rows of dtypes, and are asked about a dtype of each kind. Shapes are
those of broadcasting, or unknown.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from mypy import api

import effects as fx
from effects.types import dtypes, elements
from effects.types.promotion import promote
from handlers import eval_shape

ROOT: Final = Path(__file__).parents[2]
DTYPES: Final = [dtype for dtype in dtypes.ALL if not dtype.name.startswith("float8")]
KINDS: Final = [dtypes.bool_, dtypes.int32, dtypes.uint64, dtypes.bfloat16, dtypes.float32, dtypes.complex64]
SUM: Final = "{x} + {y}"
PAIRS: Final = (
    *(SUM, "{x} / {y}", "{x} // {y}", "{x} & {y}", "{x} < {y}"),
    *("fx.maximum({x}, {y})", "fx.logaddexp({x}, {y})", "fx.atan2({x}, {y})", "fx.where({x} > 0, {x}, {y})"),
)
ARRAYS: Final = ("{x} @ {y}", "fx.outer({x}, {y})", "fx.einsum('i,i->', {x}, {y})")
NUMBERS: Final = ("True", "2", "2.0", "2j")


def test_rows_are_the_table_of_promote() -> None:
    for dtype in DTYPES:
        row = inspect.get_annotations(dtype)["row"]
        met = [getattr(elements, name) for name in re.findall(r"\w+", row)[1:]]
        assert met == [promote(dtype, other) for other in DTYPES], dtype


def expressions() -> list[str]:
    said = []
    for form in PAIRS + ARRAYS:
        of = DTYPES if form == SUM else KINDS
        said += [form.format(x=f"a_{a}", y=f"b_{b}") for a, b in itertools.product(of, of)]
        if form in PAIRS:
            said += [form.format(x=f"a_{a}", y=number) for a in of for number in NUMBERS]
        if form in PAIRS[:-1]:
            said += [form.format(x=number, y=f"b_{b}") for b in of for number in NUMBERS]
    return said


def staged(expression: str) -> str:
    """The dtype that the expression has, or the name of the error that it raises."""
    names = sorted(set(re.findall(r"[ab]_\w+", expression)))
    operands = [fx.ShapedArray((3,), dtypes.as_dtype(name[2:])) for name in names]
    try:
        result = eval_shape(eval(f"lambda {', '.join(names)}: {expression}", {"fx": fx}), *operands)
    except (fx.DTypeError, TypeError):
        return "raises"
    assert isinstance(result, fx.ShapedArray)
    return result.dtype.name


def said(texts: list[str], parameters: list[str], folder: Path) -> list[tuple[str, str]]:
    """The dtype and the shape that mypy says of each expression, or that it refuses it."""
    head = [
        "from typing import Any, Literal, reveal_type",
        "import effects as fx",
        f"def f({', '.join(parameters)}) -> None:",
    ]
    program = folder / "program.py"
    program.write_text("\n".join([*head, *[f"    reveal_type({text})" for text in texts]]))
    options = ["--config-file", str(ROOT / "mypy.ini"), "--cache-dir", str(ROOT / ".mypy_cache"), "--no-error-summary"]
    report, trouble, _ = api.run([*options, str(program)])
    assert not trouble
    by_line: dict[int, tuple[str, str]] = {}
    for number, kind, text in re.findall(r"program\.py:(\d+): (error|note): (.*)", report):
        array = re.search(r'array\.Array\[(?:\w+\.)*(\w+)(?:, (.*))?\]"', text)
        if kind == "error":
            by_line[int(number)] = "raises", ""
        elif array is not None:
            by_line.setdefault(int(number), (array[1].rstrip("_"), array[2]))
    return [by_line[number] for number, _ in enumerate(texts, len(head) + 1)]


@pytest.mark.slow
def test_results_have_the_dtypes_that_are_said(tmp_path: Path) -> None:
    texts = expressions()
    parameters = [f"{side}_{dtype}: fx.Array[fx.{dtype}]" for side in "ab" for dtype in DTYPES]
    outcomes: Counter[str] = Counter()
    wrong: list[tuple[str, str, str]] = []
    for text, dtype, (revealed, _) in zip(texts, map(staged, texts), said(texts, parameters, tmp_path)):
        if revealed == dtype:
            outcomes["right"] += 1
        elif revealed == "Any":
            outcomes["unknown"] += 1
        elif dtype == "raises":
            outcomes["passes"] += 1
        else:
            wrong.append((text, dtype, revealed))
    assert not wrong
    assert outcomes["right"] > 0.97 * len(texts), outcomes
    assert outcomes["passes"] < 10, outcomes


SHAPES: Final = {"no": "tuple[()]", "row": "tuple[int]", "three": "tuple[Literal[3]]", "matrix": "tuple[int, int]"}
RANKS: Final = {"no": 0, "row": 1, "three": 1, "matrix": 2}


@pytest.mark.slow
def test_shapes_of_results_are_those_of_broadcasting_or_unknown(tmp_path: Path) -> None:
    written = {**SHAPES, "unknown": "Any"}
    names = list(itertools.product(("f32", "i32", "Any"), written))
    parameters = [f"{d}_{s}: fx.Array[{d if d == 'Any' else f'fx.{d}'}, {written[s]}]" for d, s in names]
    cases = list(itertools.product(names, "+/", names))
    texts = ["{}_{} {} {}_{}".format(*one, operator, *other) for one, operator, other in cases]
    wrong, vague = [], []
    for ((a, left), _, (b, right)), text, (_, shape) in zip(cases, texts, said(texts, parameters, tmp_path)):
        known = "unknown" not in (left, right)
        broadcast = SHAPES[max(left, right, key=RANKS.__getitem__)] if known else "Any"
        if shape != "Any" and shape != broadcast and {left, right} != {"row", "three"}:
            wrong.append((text, shape, broadcast))
        if shape == "Any" and known and "Any" not in (a, b) and (left == right or "no" in (left, right)):
            vague.append((text, broadcast))
    assert not wrong and not vague
