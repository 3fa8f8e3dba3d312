"""A function of scalars, or of arrays of small ranks, over arrays that broadcast: `vectorize`, on `vmap`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import effects as fx
from effects.arguments import check_callable, counted, describe, entries, function_name, integer, sequence, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, ShapeError
from effects.types import shapes
from effects.types.dtypes import DType, DTypeLike, as_dtype
from handlers.transformations.axes.batching import vmap
from handlers.transformations.calls.arguments import named_after

type Core = list[tuple[str, ...]]
"""The names of a function's core axes, for each argument or result."""

_SIDE: Final = re.compile(r"\(\w*(,\w+)*\)(,\(\w*(,\w+)*\))*")


def vectorize[**P, R](
    pyfunc: Callable[P, R],
    /,
    otypes: Sequence[DTypeLike] | None = None,
    *,
    excluded: Sequence[int | str] = (),
    signature: str | None = None,
) -> Callable[P, R]:
    """`pyfunc`, a function of scalars, as a function of arrays that broadcast together, element by element.

    It is called once, under `vmap`, so it cannot ask for values. `signature` gives it core axes, such as
    "(m,n),(n)->(m)": the last ones of each argument. Sizes of one name are equal. `excluded` has the positions and
    names of arguments that are passed unchanged, `otypes` the dtypes of the results. Raises ArgumentError or ShapeError
    where arguments or results do not fit the signature.

    >>> import effects as fx
    >>> vectorize(lambda x, y: x * y + 1.0)(fx.asarray([1.0, 2.0]), fx.asarray([[3.0], [4.0]]))
    Array([[4., 7.],
           [5., 9.]], float64)
    >>> vectorize(lambda x, y: x @ y, signature="(n),(n)->()")(fx.ones((2, 3)), fx.ones(3))
    Array([3., 3.], float64)
    """
    check_callable("vectorize", pyfunc, "pyfunc")
    types = None if otypes is None else _dtypes(otypes)
    left_out = {e if isinstance(e, str) else integer("vectorize", "excluded", e) for e in entries(excluded)}
    inputs, outputs = (None, None) if signature is None else _parsed(signature)

    @named_after(pyfunc, "vectorize", decorates=True)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        arguments: dict[int | str, Any] = dict(enumerate(args)) | kwargs
        places = [place for place in arguments if place not in left_out]
        arrays = [as_array(arguments[place], "vectorize", f"argument {place}") for place in places]
        own: Core = [()] * len(arrays) if inputs is None else inputs
        if len(own) != len(arrays):
            raise ArgumentError(
                f"vectorize: signature {signature!r} has {counted(len(own), 'argument')}, got {len(arrays)}"
            )
        sizes = _sizes(own, arrays)

        def of_one(*parts: Array) -> Any:
            filled = arguments | dict(zip(places, parts, strict=True))
            result = pyfunc(*[filled[i] for i in range(len(args))], **{name: filled[name] for name in kwargs})
            return _results(result, outputs, sizes, types)

        of_one.__name__ = function_name(pyfunc)
        return _mapped(of_one, arrays, [len(names) for names in own])

    return cast("Callable[P, R]", vectorized)


def _dtypes(dtypes_like: Sequence[DTypeLike]) -> list[type[DType]]:
    sequence("vectorize", "otypes", dtypes_like, "dtypes")
    return [as_dtype(dtype) for dtype in dtypes_like]


def _parsed(signature: object) -> tuple[Core, Core]:
    text = re.sub(r"\s", "", signature) if isinstance(signature, str) else ""
    sides = text.split("->")
    if len(sides) != 2 or not all([_SIDE.fullmatch(side) for side in sides]):
        raise ArgumentError(f"vectorize: signature must be like '(m,n),(n)->(m)', got {describe(signature)}")
    first, last = [
        [tuple(filter(None, part.split(","))) for part in re.findall(r"\(([^)]*)\)", side)] for side in sides
    ]
    return first, last


def _sizes(own: Core, arrays: Sequence[Array]) -> dict[str, int]:
    """The sizes of the core axes, by name."""
    sizes: dict[str, int] = {}
    for i, (names, array) in enumerate(zip(own, arrays, strict=True)):
        _fit(f"argument {i}", names, array, sizes)
    return sizes


def _fit(subject: str, names: tuple[str, ...], array: Array, sizes: dict[str, int]) -> None:
    """Check the last axes of an array, which have these names, and add the sizes of new names."""
    shape = array.aval.shape
    if len(shape) < len(names):
        raise ShapeError(
            f"vectorize: {subject} must have the axes ({', '.join(names)}) of the signature, got {array.aval}"
        )
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise ShapeError(
                f"vectorize: axis {name} of {subject}, {array.aval}, has size {size}, elsewhere {sizes[name]}"
            )


def _results(result: Any, outputs: Core | None, sizes: dict[str, int], types: Sequence[type[DType]] | None) -> Any:
    several = result if isinstance(result, tuple) else (result,)
    arrays = [as_array(result, "vectorize", "a result of pyfunc") for result in several]
    own = [()] * len(arrays) if outputs is None else outputs
    if len(own) != len(arrays) or (types is not None and len(types) != len(arrays)):
        raise ArgumentError(
            f"vectorize: pyfunc gives {counted(len(arrays), 'result')}, which does not fit "
            + (f"otypes {shown(types)}" if len(own) == len(arrays) else f"the {len(own)} of the signature")
        )
    known = dict(sizes)
    for i, (names, array) in enumerate(zip(own, arrays, strict=True)):
        if array.aval.ndim != len(names):
            advice = "" if outputs is not None else "; say which axes are its own with signature="
            raise ShapeError(f"vectorize: result {i} of pyfunc must be of rank {len(names)}, got {array.aval}{advice}")
        _fit(f"result {i}", names, array, known)
    if types is not None:
        arrays = [fx.astype(array, dtype) for array, dtype in zip(arrays, types, strict=True)]
    return tuple(arrays) if isinstance(result, tuple) else arrays[0]


def _mapped(f: Callable[..., Any], arrays: list[Array], ranks: Sequence[int]) -> Any:
    """f mapped over the axes before the last `ranks` ones, which broadcast; all lanes share arrays of size 1."""
    loops = [a.aval.shape[: a.aval.ndim - rank] for a, rank in zip(arrays, ranks, strict=True)]
    common = shapes.broadcast_all(loops) if loops else ()
    squeezed, mapped = [], []
    for array, loop in zip(arrays, loops, strict=True):
        behind = len(common) - len(loop)
        shared = [i for i, n in enumerate(loop) if n == 1 and common[behind + i] != 1]
        squeezed.append(fx.squeeze(array, tuple(shared)) if shared else array)
        mapped.append({behind + i for i in range(len(loop))} - {behind + i for i in shared})
    for axis in reversed(range(len(common))):
        f = vmap(f, in_axes=tuple([0 if axis in axes else None for axes in mapped]), axis_size=common[axis])
    return f(*squeezed)
