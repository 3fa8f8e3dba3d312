"""Programs over images, signals and along axes, for each library in its own words: functions have different names.

Each is a pair of a function of arrays and its arguments; what is measured are the function and its gradient.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import jax
import jax.image
import jax.numpy as jnp
import jax.scipy.signal
import numpy

import effects as fx
from benchmarks.namespace import Function, Value
from effects import image, nn, signal

_SPATIAL = ("NHWC", "HWIO", "NHWC")


@dataclass(frozen=True)
class Program:
    """One program: what each library writes, by its name, and the shapes of the operands."""

    name: str
    functions: Mapping[str, Function]
    shapes: tuple[tuple[int, ...], ...]

    def arguments(self) -> tuple[Value, ...]:
        """Positive operands in float32."""
        random = numpy.random.default_rng(0)
        return tuple([random.uniform(0.5, 1.5, size=shape).astype(numpy.float32) for shape in self.shapes])


def _jax_conv(stride: int, groups: int) -> Function:
    return lambda x, kernel: jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=_SPATIAL, feature_group_count=groups
    )


def _fx_conv(stride: int, groups: int) -> Function:
    return lambda x, kernel: fx.conv(
        x, kernel, strides=stride, padding="same", dimension_numbers=_SPATIAL, feature_groups=groups
    )


def _jax_max_pool(size: int, stride: int) -> Function:
    window, strides = (1, size, size, 1), (1, stride, stride, 1)
    return lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, strides, "SAME")


def _fx_max_pool(size: int, stride: int) -> Function:
    return lambda x: nn.max_pool(x, size, strides=stride, padding="same", dimension_numbers="NHWC")


def _jax_avg_pool(size: int, stride: int) -> Function:
    window, strides = (1, size, size, 1), (1, stride, stride, 1)
    return lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, window, strides, "SAME") / size**2


def _fx_avg_pool(size: int, stride: int) -> Function:
    return lambda x: nn.avg_pool(x, size, strides=stride, padding="same", dimension_numbers="NHWC")


def _both(jaxs: Callable[..., Function], ours: Callable[..., Function], *how: int) -> dict[str, Function]:
    return {"effax": ours(*how), "jax": jaxs(*how)}


def _along(axis: int, ours: Function, theirs: Function) -> dict[str, Function]:
    return {"effax": lambda x: ours(x, axis=axis), "jax": lambda x: theirs(x, axis=axis)}


def _resized(shape: tuple[int, ...], method: str) -> dict[str, Function]:
    resize: Value = image.resize
    return {"effax": lambda x: resize(x, shape, method), "jax": lambda x: jax.image.resize(x, shape, method)}


def _attention(window: int | None) -> dict[str, Function]:
    lengths = numpy.array([256, 200, 100, 7], numpy.int32)
    both = None if window is None else (window, window)

    def of(attend: Value) -> Function:
        how = {"query_seq_lengths": lengths, "key_value_seq_lengths": lengths, "local_window_size": both}
        return lambda q, k, v: attend(q, k, v, **how)

    return {"effax": of(nn.dot_product_attention), "jax": of(jax.nn.dot_product_attention)}


def _of_signals(name: str, *args: Value, **how: Value) -> dict[str, Function]:
    """The function of this name; of spectra, beside which there are times and frequencies, the power."""

    def of(module: Value) -> Function:
        def f(*xs: Value) -> Value:
            result = getattr(module, name)(*xs, *args, **how)
            return abs(result[-1]) ** 2 if isinstance(result, tuple) else result

        return f

    return {"effax": of(signal), "jax": of(jax.scipy.signal)}


_IMAGES = (8, 28, 28, 16)
_PICTURES = (2, 112, 112, 64)
_ROWS = (256, 1024)
PROGRAMS = [
    Program("conv 3x3", _both(_jax_conv, _fx_conv, 1, 1), (_IMAGES, (3, 3, 16, 32))),
    Program("conv 3x3, stride 2", _both(_jax_conv, _fx_conv, 2, 1), (_IMAGES, (3, 3, 16, 32))),
    Program("conv 3x3 of each feature", _both(_jax_conv, _fx_conv, 1, 16), (_IMAGES, (3, 3, 1, 16))),
    Program("max_pool 2x2", _both(_jax_max_pool, _fx_max_pool, 2, 2), (_IMAGES,)),
    Program("max_pool 3x3, stride 2", _both(_jax_max_pool, _fx_max_pool, 3, 2), (_IMAGES,)),
    Program("max_pool 3x3, stride 1", _both(_jax_max_pool, _fx_max_pool, 3, 1), (_IMAGES,)),
    Program("max_pool 7x7", _both(_jax_max_pool, _fx_max_pool, 7, 7), (_IMAGES,)),
    Program("max_pool 2x2 of pictures", _both(_jax_max_pool, _fx_max_pool, 2, 2), (_PICTURES,)),
    Program("max_pool 3x3, stride 2, of pictures", _both(_jax_max_pool, _fx_max_pool, 3, 2), (_PICTURES,)),
    Program("avg_pool 2x2", _both(_jax_avg_pool, _fx_avg_pool, 2, 2), (_IMAGES,)),
    Program("avg_pool 3x3, stride 2", _both(_jax_avg_pool, _fx_avg_pool, 3, 2), (_IMAGES,)),
    Program("avg_pool 3x3, stride 1", _both(_jax_avg_pool, _fx_avg_pool, 3, 1), (_IMAGES,)),
    Program("cumulative_sum", _along(1, fx.cumulative_sum, jax.lax.cumsum), (_ROWS,)),
    Program("cumulative_sum of columns", _along(0, fx.cumulative_sum, jax.lax.cumsum), (_ROWS[::-1],)),
    Program("cumulative_prod", _along(1, fx.cumulative_prod, jax.lax.cumprod), (_ROWS,)),
    Program("cummax", _along(1, fx.cummax, jax.lax.cummax), (_ROWS,)),
    Program("cumlogsumexp", _along(1, fx.cumlogsumexp, jax.lax.cumlogsumexp), (_ROWS,)),
    Program("resize, linear, to twice the size", _resized((8, 56, 56, 16), "linear"), (_IMAGES,)),
    Program("resize, cubic, to half the size", _resized((8, 14, 14, 16), "cubic"), (_IMAGES,)),
    Program("resize, lanczos3, of pictures", _resized((2, 80, 80, 64), "lanczos3"), (_PICTURES,)),
    Program("attention by lengths", _attention(None), ((4, 256, 4, 32),) * 3),
    Program("attention by lengths, in windows", _attention(16), ((4, 256, 4, 32),) * 3),
    Program("convolve", _of_signals("convolve"), ((8_192,), (64,))),
    Program("fftconvolve", _of_signals("fftconvolve"), ((65_536,), (4_096,))),
    Program("stft", _of_signals("stft", nperseg=256), ((8, 16_384),)),
    Program("welch", _of_signals("welch", nperseg=256), ((8, 16_384),)),
]


_LAYERS: dict[str, tuple[Function, Function]] = {
    "effax": (lambda x, k: fx.conv(x, k, padding="same"), lambda x: nn.max_pool(x, 2)),
    "jax": (
        lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME"),
        lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
    ),
}


def classifier_loss(library: str) -> Function:
    """(params, images, labels) ↦ loss of the network of `examples/convnet.py`."""
    np: Value = {"effax": fx, "jax": jnp}[library]
    conv, pool = _LAYERS[library]

    def loss(params: Mapping[str, Value], images: Value, labels: Value) -> Value:
        x = images
        for number in "12":
            x = conv(x, params["kernel" + number]) + np.reshape(params["bias" + number], (-1, 1, 1))
            x = pool(np.maximum(x, 0.0))
        logits = np.matmul(np.reshape(x, (x.shape[0], -1)), params["last"])
        top = np.max(logits, axis=1, keepdims=True)
        log_sum = np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True)) + top
        return -np.mean(np.sum(labels * (logits - log_sum), axis=1))

    return loss


def classifier_arguments() -> tuple[Value, ...]:
    """Parameters, and a batch of 64 images of 8 by 8 with their labels as rows."""
    random = numpy.random.default_rng(0)
    shapes = {"kernel1": (8, 1, 3, 3), "bias1": (8,), "kernel2": (16, 8, 3, 3), "bias2": (16,), "last": (64, 10)}
    params = {name: (0.1 * random.normal(size=shape)).astype(numpy.float32) for name, shape in shapes.items()}
    images = random.uniform(size=(64, 1, 8, 8)).astype(numpy.float32)
    return params, images, numpy.eye(10, dtype=numpy.float32)[random.integers(0, 10, 64)]
