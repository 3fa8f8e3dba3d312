"""Fourier transforms against NumPy's: every function, norm, number of elements and dtype; errors; NumPy's own names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects import fft
from effects.errors import ArgumentError, DTypeError, EffaxError, OutOfBoundsError, ShapeError
from handlers import grad, jacfwd, jacrev, make_jaxpr, vmap
from lowering import jit
from tests.errors.expect import refusal

RNG: Final = np.random.default_rng(7)
REAL: Final = RNG.normal(size=(3, 4, 5))
COMPLEX: Final = REAL + 1j * RNG.normal(size=(3, 4, 5))
ONE: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL: Final = ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
NORMS: Final = (None, "backward", "ortho", "forward")
OF_REAL: Final = ("rfft", "rfftn", "rfft2", "ihfft")


def _operand(name: str) -> np.ndarray[Any, Any]:
    return REAL if name in OF_REAL else COMPLEX


def _agree(name: str, x: Any, *args: object, **kwargs: object) -> None:
    ours: Callable[..., fx.Array] = getattr(fft, name)
    theirs: Callable[..., Any] = getattr(np.fft, name)
    expected = theirs(x, *args, **kwargs)
    result = ours(fx.asarray(x), *args, **kwargs)
    assert np.asarray(result).dtype == expected.dtype
    tolerance = 1e-5 if expected.dtype.itemsize in (4, 8) and expected.dtype != np.float64 else 1e-13
    np.testing.assert_allclose(np.asarray(result), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE)
def test_along_one_axis(name: str, norm: str | None) -> None:
    for axis in (-1, 0, 1):
        for n in (None, 2, 3, 4, 5, 7):
            _agree(name, _operand(name), n, axis, norm)
    _agree(name, _operand(name)[0, 0].tolist(), norm=norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name: str, norm: str | None) -> None:
    x = _operand(name)
    for axes in ((0, 1), (1, 0), (-1, 0), (2, 1)):
        for s in (None, (2, 3), (4, 6), (1, 2)):
            _agree(name, x, s=s, axes=axes, norm=norm)
    if not name.endswith("2"):
        _agree(name, x, norm=norm)
        _agree(name, x, axes=(1, 0, 2), norm=norm)
        _agree(name, x, s=(-1, 3), axes=(0, 2), norm=norm)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_along_more_axes_than_one_operation_takes(name: str) -> None:
    x = RNG.normal(size=(2, 3, 2, 3, 4))
    of = x if name in OF_REAL else x + 1j * RNG.normal(size=x.shape)
    _agree(name, of)
    _agree(name, of, s=(3, 2, 2, 5), axes=(4, 0, 2, 1))


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "ifftn"])
def test_dtypes(name: str) -> None:
    _agree(name, _operand(name).astype(np.float32 if name in OF_REAL else np.complex64))
    ours: Callable[[Any], fx.Array] = getattr(fft, name)
    double = fx.float64 if name == "irfft" else fx.complex128
    assert ours(fx.arange(4)).dtype is ours(fx.asarray([True, False])).dtype is double
    for narrow in (fx.float16, fx.bfloat16):
        x = fx.asarray([0.5, 1.0, -2.0], dtype=narrow)
        assert ours(x).dtype is (fx.float32 if name == "irfft" else fx.complex64)
        np.testing.assert_array_equal(np.asarray(ours(x)), np.asarray(ours(x.astype(fx.float32))))


OF_MATRICES: dict[str, Callable[[fx.Array], fx.Array]] = {
    "det": fx.linalg.det,
    "inv": fx.linalg.inv,
    "svd": lambda x: fx.linalg.svd(x)[1],
    "eigh": lambda x: fx.linalg.eigh(x + x.T)[0],
    "qr": lambda x: fx.linalg.qr(x)[1],
    "cholesky": lambda x: fx.linalg.cholesky(x @ x.T + fx.eye(4)),
    "norm": lambda x: fx.linalg.norm(x, ord=2),
}


@pytest.mark.parametrize("of_matrix", OF_MATRICES.values(), ids=OF_MATRICES)
@pytest.mark.parametrize("axis", [0, 1])
def test_compiled_before_and_after_what_wants_matrices_in_columns(
    of_matrix: Callable[[fx.Array], fx.Array], axis: int
) -> None:
    x = fx.asarray(np.random.default_rng(4).normal(size=(4, 4)))
    before: Callable[[fx.Array], fx.Array] = lambda x: of_matrix(fft.irfft(x, n=4, axis=axis) + 2 * fx.eye(4))
    after: Callable[[fx.Array], fx.Array] = lambda x: fft.fft(fft.fft(of_matrix(x) * fx.ones((4, 4)), axis=axis))
    for f in (before, after):
        np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12, atol=1e-12)


def test_compiled_batched_and_of_traced_values() -> None:
    x = fx.asarray(COMPLEX)
    f: Callable[[fx.Array], fx.Array] = lambda x: fft.irfft(
        fft.rfftn(fft.ifft2(x).real, s=(3, 6), axes=(0, 1)), n=9, axis=1, norm="ortho"
    )
    np.testing.assert_allclose(np.asarray(jit(f)(x)), np.asarray(f(x)), atol=1e-14)
    lanes = fx.stack([x, 2.0 * x])
    np.testing.assert_allclose(np.asarray(jit(vmap(f))(lanes)[1]), 2 * np.asarray(f(x)), atol=1e-14)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "irfftn"])
def test_derivatives_are_the_matrix_of_the_transform(name: str) -> None:
    """Along the parts of complex numbers, forwards and in reverse."""
    ours: Callable[[Any], fx.Array] = getattr(fft, name)
    values = RNG.normal(size=(2, 5))

    def f(parts: fx.Array) -> fx.Array:
        y = ours(parts[0] if name in OF_REAL else fx.complex(parts[0], parts[1]))
        return fx.stack([fx.real(y), fx.imag(y)])

    parts = fx.asarray(values)
    columns = [np.asarray(f(fx.asarray(direction.reshape(2, 5)))) for direction in np.eye(10)]
    expected = np.moveaxis(np.reshape(columns, (2, 5, *columns[0].shape)), (0, 1), (-2, -1))
    np.testing.assert_allclose(np.asarray(jacfwd(f)(parts)), expected, atol=1e-13)
    np.testing.assert_allclose(np.asarray(jit(jacrev(f))(parts)), expected, atol=1e-13)


def test_the_gradient_of_a_filter_is_that_of_the_convolution_it_is() -> None:
    signal, kernel = fx.asarray(REAL[0, 0]), fx.asarray([0.5, 0.25, 0.0, 0.0, 0.25])
    filtered: Callable[[fx.Array], fx.Array] = lambda x: fft.irfft(fft.rfft(x) * fft.rfft(kernel), n=5)
    cyclic: Callable[[fx.Array], fx.Array] = lambda x: fx.stack(
        [fx.sum(x * fx.roll(kernel[::-1], i + 1)) for i in range(5)]
    )

    def loss(f: Callable[[fx.Array], fx.Array]) -> Callable[[fx.Array], fx.Array]:
        return lambda x: fx.sum(f(x) ** 3)

    np.testing.assert_allclose(np.asarray(filtered(signal)), np.asarray(cyclic(signal)), atol=1e-14)
    np.testing.assert_allclose(
        np.asarray(grad(loss(filtered))(signal)), np.asarray(grad(loss(cyclic))(signal)), atol=1e-13
    )


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_and_their_order(n: int) -> None:
    for d in (1.0, 0.25, 3):
        np.testing.assert_allclose(np.asarray(fft.fftfreq(n, d)), np.fft.fftfreq(n, d), rtol=1e-15)
        np.testing.assert_allclose(np.asarray(fft.rfftfreq(n, d=d)), np.fft.rfftfreq(n, d), rtol=1e-15)
    assert fft.fftfreq(n, dtype=fx.float32).dtype is fx.float32
    x = np.arange(n * 6).reshape(n, 2, 3)
    for axes in (None, 0, (0, 2), [-1]):
        for name in ("fftshift", "ifftshift"):
            expected = getattr(np.fft, name)(x, axes)
            np.testing.assert_array_equal(np.asarray(getattr(fft, name)(fx.asarray(x), axes=axes)), expected)


def test_numpys_own_functions_take_arrays() -> None:
    x = fx.asarray(REAL)
    for name in (*ONE, *SEVERAL, "fftshift", "ifftshift"):
        f: Callable[..., Any] = getattr(np.fft, name)
        result = jit(f)(x)
        assert type(result) is type(x)
        np.testing.assert_allclose(np.asarray(result), f(REAL), atol=1e-13)
    power: Callable[[Any], Any] = lambda x: np.sum(np.abs(np.fft.rfft(x, norm="ortho")) ** 2)
    np.testing.assert_allclose(np.asarray(grad(power)(x)), np.asarray(grad(lambda x: power(fx.asarray(x)))(x)))


def test_real_numbers_are_not_made_complex_for_rfft() -> None:
    program = make_jaxpr(lambda x: fft.rfft(x))(fx.ones(4))
    assert [eqn.op.name for eqn in program.eqns] == ["rfft"]


x = fx.asarray(REAL)
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (DTypeError, "rfft: x must be of real numbers, got complex128[2]", lambda: fft.rfft(fx.asarray([1j, 2.0]))),
    (ArgumentError, "fft: n must be an int, got 2.5", lambda: fft.fft(x, cast(Any, 2.5))),
    (ShapeError, "fft: a transform needs at least one element, got 0 along axis 2", lambda: fft.fft(x, 0)),
    (ShapeError, "fft: a transform needs at least one element, got 0 along axis 0", lambda: fft.fft(fx.zeros(0))),
    (OutOfBoundsError, "ifft: axis 3 is out of bounds", lambda: fft.ifft(x, axis=3)),
    (ShapeError, "fftn: axes (0, -3) name an axis of shape [3, 4, 5] twice", lambda: fft.fftn(x, axes=(0, -3))),
    (ArgumentError, "fft2: s has 1 entry for 2 axes", lambda: fft.fft2(x, s=(2,))),
    (ShapeError, "fftn: s has 4 entries for the 3 axes", lambda: fft.fftn(x, s=(2, 2, 2, 2))),
    (ArgumentError, "norm must be 'backward', 'ortho' or 'forward'", lambda: fft.fft(x, norm=cast(Any, "orthogonal"))),
    (ShapeError, "irfft: x has one element along axis 0", lambda: fft.irfft(fx.ones(1))),
    (ShapeError, "rfftn: a transform of real numbers needs at least one axis", lambda: fft.rfftn(x, axes=())),
    (ArgumentError, "fftfreq: n must be positive", lambda: fft.fftfreq(0)),
    (ArgumentError, "fftfreq: d must be a number other than 0", lambda: fft.fftfreq(3, 0.0)),
    (DTypeError, "rfftfreq: dtype must be of real floating point", lambda: fft.rfftfreq(3, dtype=cast(Any, fx.int32))),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
