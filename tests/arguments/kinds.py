"""Valid values by the annotation of an argument, and what of `nonsense` may be there besides.

All other nonsense an argument has to refuse. Arguments whose annotation is not here may be anything (operands, trees):
of them it is only asked that no error is somebody else's.
"""

from __future__ import annotations

from typing import Any, Final

import effects as fx
import handlers
import lowering
from tests.requests.own import Total

X: Final = fx.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V: Final = fx.asarray([1.0, 2.0, 3.0])
WHOLE: Final = fx.asarray([1, 2, 3])


def itself(f: Any) -> Any:
    return f


def double(x: Any, *rest: Any, **options: Any) -> Any:
    return fx.tree_map(lambda leaf: fx.multiply(leaf, 2.0), x)


def total(x: Any, *rest: Any) -> Any:
    return fx.sum(fx.square(x))


def step(carry: Any, x: Any) -> Any:
    return carry, x


def keep(i: Any, carry: Any) -> Any:
    return carry


HANDLER: Final = Total(V)
PROGRAM: Final = handlers.make_jaxpr(double)(V)

INT: Final = {"-1", "NumPy's 1"}
SEVERAL: Final = {"()", "[]", "[0, 0]", "NumPy vector", *INT}
SEQUENCES: Final = {"()", "[]", "[0, 0]", "(True,)", "range(100)"}
ARRAYS: Final = {
    *SEQUENCES,
    "-1",
    "2.5",
    "nan",
    "inf",
    "True",
    "1j",
    "NumPy's 1",
    "NumPy's True",
    "vector",
    "NumPy vector",
    "traced",
    "2**100",  # which a float can hold
    "-10**30",
}
DTYPES: Final = {"int", "'int8'"}
REAL: Final = {"-1", "2.5", "nan", "inf", "NumPy's 1", "2**100", "-10**30"}

_MESH: Final = lowering.Mesh({"a": 1}, ["cpu:0"])
KINDS: Final[dict[str, tuple[Any, set[str]]]] = {
    "ArrayLike": (X, ARRAYS),
    "Real": (X, ARRAYS - {"1j"}),
    "Real | None": (X, {*ARRAYS - {"1j"}, "None"}),
    "AsBits[DT, Sh]": (X, ARRAYS),
    "Integers[W]": (X, ARRAYS),
    "ArrayLike | None": (X, {*ARRAYS, "None"}),
    "Like[DT]": (X, ARRAYS),
    "Meeting[DT, RT]": (X, ARRAYS),
    **{f"As{kind}": (X, ARRAYS) for kind in ("Floats[DT]", "FloatsOf[DT, Sh]", "RealFloats[DT]")},
    **{f"{kind}Matrices[DT]": (X, ARRAYS) for kind in ("Complex", "Float", "Real")},
    "ArrayLike | AsSums[DT]": (X, ARRAYS),
    "ArrayLike | AsFloats[DT]": (X, ARRAYS),
    "HasIntegers[DType] | AsFloats[DT]": (X, ARRAYS),
    "ParameterMask": (True, {"True", "NumPy's True", "(True,)", "()", "[]", "{}", "lambda", "int", "object()"}),
    **{f"GradientTransformation[{state}]": (fx.optim.identity(), set[str]()) for state in ("S", "T")},
    "Rate": (0.1, {*REAL, "lambda", "int", "object()"}),
    "ArrayLike | Schedule": (0.1, {*REAL, "lambda", "int", "object()"}),
    "Init[S]": (lambda params: (), set[str]()),
    "Update[S]": (lambda gradients, state, params: (gradients, ()), set[str]()),
    "Sequence[StepSchedule]": ([], set[str]()),
    "Mapping[int, float]": ({}, {"{}"}),
    "MethodName": ("dopri5", set()),
    "Gradient": ("adjoint", set()),
    "ResizeMethod": ("linear", set()),
    "Mask": (True, {"True", "NumPy's True", "(True,)"}),
    "bool": (False, {"True", "NumPy's True"}),
    "bool | None": (None, {"None", "True", "NumPy's True"}),
    "int": (0, INT),
    "int | None": (0, {*INT, "None"}),
    "Axes": (0, {*SEVERAL, "None"}),
    "int | tuple[int, ...]": (0, SEVERAL),
    "int | tuple[int, ...] | None": (0, {*SEVERAL, "None"}),
    "tuple[int, ...]": ((1, 0), SEVERAL),
    "Sizes": ((2, 3), SEVERAL),
    "Sizes | None": ((2, 3), {*SEVERAL, "None"}),
    "Key": (fx.random.key(0), set()),
    "DTypeLike": ("float32", DTYPES),
    "DTypeOf[DT] | None": (None, {*DTYPES, "None"}),
    "Mesh": (_MESH, set()),
    "SpecTree": ("a", {"None", "'a'"}),
    "Sharding | Array": (_MESH.sharding(), ARRAYS),
    "Lowered | Compiled": (lowering.lower(fx.sin, 1.0), set()),
    "Sharding": (_MESH.sharding(), set()),
    "DTypeLike | None": (None, {*DTYPES, "None"}),
    "type[DT] | ForeignDType | None": (None, {*DTYPES, "None"}),
    "float": (1.0, REAL),
    "float | None": (2.0, {*REAL, "None"}),
    "int | bool": (1, {*INT, "True"}),
    "int | bool | None": (1, {*INT, "True", "None"}),
    "str": ("a", {"'a'", "'int8'", "''"}),
}
