"""Initialisers: functions of a key, a shape and a dtype that give the first parameters of a network.

    from effects.nn import initializers             # or fx.nn.initializers

Each function here gives one: `initializers.he_normal()(key, (128, 64))`. The numbers are jax's for the same key. Arrays
are of the default float where no dtype is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

import effects as fx
from effects.arguments import at_least, choice, integer, integers, number, refusal
from effects.errors import ShapeError
from effects.random.keys import Key, one_key
from effects.runtime.names import unknown
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.types.dtypes import DTypeLike
    from effects.types.shapes import Ints
    from effects.types.signatures.creation import Sizes

if not TYPE_CHECKING:  # to the type checker the names below are all there are

    def __getattr__(name: str) -> object:
        raise unknown(__name__, name)

    def __dir__() -> list[str]:
        return __all__


__all__ = [
    "constant",
    "delta_orthogonal",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "orthogonal",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "zeros",
]

type Mode = Literal["fan_in", "fan_out", "fan_avg", "fan_geo_avg"]
type Distribution = Literal["truncated_normal", "normal", "uniform"]
type SomeAxes = int | tuple[int, ...]

_AXES = ("in_axis", "out_axis", "batch_axis")
_WITHIN_TWO = 0.87962566103423978
"""The standard deviation of a standard normal number between -2 and 2."""


class Initializer(Protocol):
    """Interface of initialisers: an array of a shape, from a key."""

    def __call__(self, key: Key, shape: Sizes, dtype: DTypeLike | None = None) -> Array: ...


def _initializer(name: str, draw: Callable[[Key, Ints, type[dtypes.Floating]], Array]) -> Initializer:
    """An initialiser of floats; `name`, the function that returns it, stands in messages."""

    def initializer(key: Key, shape: Sizes, dtype: DTypeLike | None = None) -> Array:
        target = dtypes.floating_or_default(name, dtype)
        return draw(one_key(name, key), shapes.static_shape(name, shape), target)

    initializer.__name__ = initializer.__qualname__ = f"{name}()"
    return initializer


def zeros(key: Key, shape: Sizes, dtype: DTypeLike | None = None) -> Array:
    """Zeros; an initialiser itself.

    >>> import effects as fx
    >>> fx.nn.initializers.zeros(fx.random.key(0), (2,))
    Array([0., 0.], float64)
    """
    one_key("zeros", key)
    return fx.zeros(shape, dtype=dtype)


def ones(key: Key, shape: Sizes, dtype: DTypeLike | None = None) -> Array:
    """Ones; an initialiser itself.

    >>> import effects as fx
    >>> fx.nn.initializers.ones(fx.random.key(0), (2,))
    Array([1., 1.], float64)
    """
    one_key("ones", key)
    return fx.ones(shape, dtype=dtype)


def constant(value: float) -> Initializer:
    """The same number everywhere.

    >>> import effects as fx
    >>> fx.nn.initializers.constant(0.5)(fx.random.key(0), (2,))
    Array([0.5, 0.5], float64)
    """
    known = number("constant", "value", value)

    def initializer(key: Key, shape: Sizes, dtype: DTypeLike | None = None) -> Array:
        one_key("constant", key)
        return fx.full(shape, known, dtype=dtypes.default_of(float) if dtype is None else dtype)

    initializer.__name__ = initializer.__qualname__ = "constant()"
    return initializer


def normal(stddev: float = 1e-2) -> Initializer:
    """Normal numbers of mean 0 and this standard deviation.

    >>> import effects as fx
    >>> fx.nn.initializers.normal(0.1)(fx.random.key(0), (2,))
    Array([-0.02058421, -0.07847658], float64)
    """
    scale = at_least("normal", "stddev", stddev)
    return _initializer("normal", lambda key, shape, dtype: fx.random.normal(key, shape, dtype) * scale)


def truncated_normal(stddev: float = 1e-2, lower: float = -2.0, upper: float = 2.0) -> Initializer:
    """stddev times standard normal numbers between `lower` and `upper`.

    >>> import effects as fx
    >>> fx.nn.initializers.truncated_normal(1.0, 0.0, 1.0)(fx.random.key(0), (2,)).round(2)
    Array([0.37, 0.19], float64)
    """
    name = "truncated_normal"
    scale, low, high = at_least(name, "stddev", stddev), number(name, "lower", lower), number(name, "upper", upper)
    if not low < high:
        raise refusal(name, "lower", f"less than upper, {high}", lower)

    return _initializer(
        name, lambda key, shape, dtype: fx.random.truncated_normal(key, low, high, shape, dtype) * scale
    )


def uniform(scale: float = 1e-2) -> Initializer:
    """Uniform numbers from 0 to `scale`.

    >>> import effects as fx
    >>> fx.nn.initializers.uniform(10.0)(fx.random.key(0), (2,)).round(2)
    Array([4.18, 2.16], float64)
    """
    factor = at_least("uniform", "scale", scale)
    return _initializer("uniform", lambda key, shape, dtype: fx.random.uniform(key, shape, dtype) * factor)


def _fans(name: str, shape: Ints, axes: tuple[SomeAxes, SomeAxes, SomeAxes]) -> tuple[float, float]:
    """The numbers of inputs and outputs of an element of a weight, that of its window among them."""
    if axes[0] == -2 and len(shape) < 2:
        raise ShapeError(f"{name}: a shape of {shapes.show(shape)} has no axis -2; pass in_axis and out_axis")
    into, out, batch = [
        math.prod([shape[shapes.normalize_axis(name, shape, i, which)] for i in integers(name, which, axis)])
        for which, axis in zip(_AXES, axes, strict=True)
    ]
    window = math.prod(shape) / (into * out * batch) if into * out * batch else 0.0
    return into * window, out * window


def _scaled(
    name: str, scale: float, mode: str, distribution: str, axes: tuple[SomeAxes, SomeAxes, SomeAxes]
) -> Initializer:
    """The initialiser of `variance_scaling`, or of a function of this name that uses it."""
    for which, axis in zip(_AXES, axes, strict=True):
        if isinstance(axis, Key):
            raise refusal(
                name, which, "an int", axis, f"a key and a shape are for the initialiser: {name}()(key, shape)"
            )
        integers(name, which, axis)

    def draw(key: Key, sizes: Ints, dtype: type[dtypes.Floating]) -> Array:
        into, out = _fans(name, sizes, axes)
        fan = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2, "fan_geo_avg": math.sqrt(into * out)}[mode]
        variance = scale / fan if fan else 0.0
        if distribution == "normal":
            return fx.random.normal(key, sizes, dtype) * math.sqrt(variance)
        if distribution == "uniform":
            return fx.random.uniform(key, sizes, dtype, minval=-1.0) * math.sqrt(3 * variance)
        return fx.random.truncated_normal(key, -2.0, 2.0, sizes, dtype) * (math.sqrt(variance) / _WITHIN_TWO)

    return _initializer(name, draw)


def variance_scaling(
    scale: float,
    mode: Mode,
    distribution: Distribution,
    in_axis: SomeAxes = -2,
    out_axis: SomeAxes = -1,
    batch_axis: SomeAxes = (),
) -> Initializer:
    """Numbers of mean 0 and variance scale / fan, so that signals keep their size from layer to layer.

    The fan is the number of inputs, of outputs, or the (geometric) mean of both: the sizes of `in_axis` and `out_axis`
    times those of all other axes, but `batch_axis`. `truncated_normal` are normal numbers between two deviations.

    >>> import effects as fx
    >>> he = fx.nn.initializers.variance_scaling(2.0, "fan_in", "normal")
    >>> fx.std(he(fx.random.key(0), (200, 50))).round(2)
    Array(0.1, float64)
    """
    name = "variance_scaling"
    kind, drawn = choice(name, "mode", mode, Mode), choice(name, "distribution", distribution, Distribution)
    return _scaled(name, at_least(name, "scale", scale), kind, drawn, (in_axis, out_axis, batch_axis))


def glorot_normal(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(1, "fan_avg", "truncated_normal"). Source: Glorot and Bengio 2010.

    >>> import effects as fx
    >>> fx.nn.initializers.glorot_normal()(fx.random.key(0), (2, 3)).shape
    (2, 3)
    """
    return _scaled("glorot_normal", 1.0, "fan_avg", "truncated_normal", (in_axis, out_axis, batch_axis))


def glorot_uniform(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(1, "fan_avg", "uniform"). Source: Glorot and Bengio 2010.

    >>> import effects as fx
    >>> fx.nn.initializers.glorot_uniform()(fx.random.key(0), (2, 3)).shape
    (2, 3)
    """
    return _scaled("glorot_uniform", 1.0, "fan_avg", "uniform", (in_axis, out_axis, batch_axis))


def he_normal(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(2, "fan_in", "truncated_normal"), for layers before `relu`. Source: He et al. 2015.

    >>> import effects as fx
    >>> fx.nn.initializers.he_normal()(fx.random.key(0), (3, 3, 2, 4)).shape
    (3, 3, 2, 4)
    """
    return _scaled("he_normal", 2.0, "fan_in", "truncated_normal", (in_axis, out_axis, batch_axis))


def he_uniform(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(2, "fan_in", "uniform"), for layers before `relu`. Source: He et al. 2015.

    >>> import effects as fx
    >>> fx.nn.initializers.he_uniform()(fx.random.key(0), (2, 3)).shape
    (2, 3)
    """
    return _scaled("he_uniform", 2.0, "fan_in", "uniform", (in_axis, out_axis, batch_axis))


def lecun_normal(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(1, "fan_in", "truncated_normal"). Source: LeCun et al. 1998.

    >>> import effects as fx
    >>> fx.nn.initializers.lecun_normal()(fx.random.key(0), (2, 3)).shape
    (2, 3)
    """
    return _scaled("lecun_normal", 1.0, "fan_in", "truncated_normal", (in_axis, out_axis, batch_axis))


def lecun_uniform(in_axis: SomeAxes = -2, out_axis: SomeAxes = -1, batch_axis: SomeAxes = ()) -> Initializer:
    """variance_scaling(1, "fan_in", "uniform"). Source: LeCun et al. 1998.

    >>> import effects as fx
    >>> fx.nn.initializers.lecun_uniform()(fx.random.key(0), (2, 3)).shape
    (2, 3)
    """
    return _scaled("lecun_uniform", 1.0, "fan_in", "uniform", (in_axis, out_axis, batch_axis))


def orthogonal(scale: float = 1.0, column_axis: int = -1) -> Initializer:
    """scale times a matrix with orthonormal rows or columns; `column_axis` has the columns, all others the rows.

    Raises ShapeError for fewer than two axes. Source: Saxe, McClelland and Ganguli 2014.

    >>> import effects as fx
    >>> q = fx.nn.initializers.orthogonal()(fx.random.key(0), (3, 2))
    >>> fx.allclose(q.T @ q, fx.eye(2))
    Array(True, bool)
    """
    factor, columns = at_least("orthogonal", "scale", scale), integer("orthogonal", "column_axis", column_axis)

    def draw(key: Key, sizes: Ints, dtype: type[dtypes.Floating]) -> Array:
        axis = shapes.normalize_axis("orthogonal", sizes, columns, "column_axis")
        if len(sizes) < 2:
            raise ShapeError(f"orthogonal: a shape must have two axes, got {shapes.show(sizes)}")
        if 0 in sizes:
            return fx.zeros(sizes, dtype=dtype)
        others = sizes[:axis] + sizes[axis + 1 :]
        matrix = fx.random.orthogonal(key, math.prod(others), (), dtype, sizes[axis])
        return fx.moveaxis(fx.reshape(matrix, (*others, sizes[axis])), -1, axis) * factor

    return _initializer("orthogonal", draw)


def delta_orthogonal(scale: float = 1.0, column_axis: int = -1) -> Initializer:
    """A kernel of a convolution that is an orthogonal matrix in the middle of its window, and 0 elsewhere.

    Raises ShapeError unless there are one to three axes of windows and no more inputs (axis -2) than outputs (axis -1).
    Source: Xiao et al. 2018.

    >>> import effects as fx
    >>> kernel = fx.nn.initializers.delta_orthogonal()(fx.random.key(0), (3, 2, 2))
    >>> fx.sum(kernel**2, axis=(1, 2)).round(12)
    Array([0., 2., 0.], float64)
    """
    matrix = orthogonal(scale, column_axis)

    def draw(key: Key, sizes: Ints, dtype: type[dtypes.Floating]) -> Array:
        if len(sizes) not in (3, 4, 5) or sizes[-2] > sizes[-1]:
            raise ShapeError(
                "delta_orthogonal: a shape must have 1 to 3 axes of windows, then inputs and as many outputs or more, "
                f"got {shapes.show(sizes)}"
            )
        if 0 in sizes:
            return fx.zeros(sizes, dtype=dtype)
        middle = tuple([(size - 1) // 2 for size in sizes[:-2]])
        return fx.zeros(sizes, dtype=dtype).at[middle].set(matrix(key, sizes[-2:], dtype))

    return _initializer("delta_orthogonal", draw)
