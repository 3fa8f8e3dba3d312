"""Signals against scipy.signal: values eager, compiled and in lanes, derivatives, bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.signal

import effects as fx
from effects import signal
from effects.runtime.spellings import names_of
from effects.signal.weights import WINDOWS
from handlers import grad, jvp, vmap
from lowering import jit
from tests.errors.expect import refusal

type Host = np.ndarray[Any, Any]

RNG: Final = np.random.default_rng(5)
X: Final = RNG.normal(size=(3, 50))
Y: Final = RNG.normal(size=(3, 50))
Z: Final = X + 1j * Y
IMAGE: Final = RNG.normal(size=(6, 7))
KERNEL: Final = RNG.normal(size=(3, 4))
WHOLE: Final = RNG.integers(-9, 9, (5, 4))

CALLS: Final[list[tuple[str, tuple[Host, ...], dict[str, Any]]]] = [
    *[
        (name, pair, {"mode": mode, "method": method})
        for name in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
        for method in ("direct", "fft")
        for pair in ((IMAGE, KERNEL), (Z[0], X[0, :5]), (KERNEL, IMAGE) if mode == "valid" else (X[0, :4], Y[0, :9]))
    ],
    ("convolve", (WHOLE, WHOLE[:2, :3]), {}),
    ("convolve", (X[:2].reshape(2, 5, 10), Y[0].reshape(1, 5, 10)), {"mode": "same"}),
    ("correlate", (np.float64(2.0), np.complex128(1 - 1j)), {}),  # type: ignore[list-item]  # of rank 0
    *[("fftconvolve", (X, Y[:1, :7]), {"axes": [1], "mode": mode}) for mode in ("full", "same", "valid")],
    ("fftconvolve", (Z[:2], X), {}),
    ("detrend", (X,), {}),
    ("detrend", (Z,), {"axis": 0, "type": "constant"}),
    ("detrend", (X.T,), {"axis": 0, "bp": [10, 30, 31, 33]}),
    ("detrend", (X[:2],), {"axis": 0}),
    *[
        (name, args, {"nperseg": 16, **options})
        for name, args in (("welch", (X,)), ("csd", (X, Y)), ("csd", (Z, X)))
        for options in (
            {},
            {"fs": 10.0, "window": ("tukey", 0.3), "noverlap": 3, "nfft": 21, "scaling": "spectrum"},
            {"detrend": "linear", "return_onesided": False, "window": "boxcar"},
            {"detrend": False, "average": "median", "window": ("kaiser", 3.0), "nperseg": 13},
        )
    ],
    ("welch", (X.T,), {"axis": 0, "nperseg": 20}),
    ("welch", (X,), {"window": np.hanning(12)}),
    *[
        ("stft", (x,), {"nperseg": 16, **options})
        for x in (X, Z)
        for options in (
            {},
            {"boundary": "even", "noverlap": 5, "fs": 4.0, "scaling": "psd"},
            {"boundary": "odd", "detrend": "constant", "nfft": 20},
            {"boundary": "constant", "padded": False, "nperseg": 11, "window": "bartlett"},
            {"boundary": None, "return_onesided": False},
        )
    ],
    ("stft", (X.T,), {"axis": 0, "nperseg": 10}),
    ("istft", (scipy.signal.stft(X, nperseg=16)[2],), {}),
    ("istft", (scipy.signal.stft(X, 4.0, "bartlett", 11, 3)[2],), {"nperseg": 11, "noverlap": 3, "window": "bartlett"}),
    (
        "istft",
        (scipy.signal.stft(Z, nperseg=12, nfft=15, return_onesided=False)[2],),
        {"nperseg": 12, "nfft": 15, "input_onesided": False},
    ),
    (
        "istft",
        (RNG.normal(size=(5, 9, 2)) + 0j,),
        {"time_axis": 0, "freq_axis": 1, "boundary": False, "scaling": "psd", "fs": 3.0, "window": "hamming"},
    ),
]


def _close(ours: Any, theirs: Any, digits: float = 1e-11) -> None:
    if isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            _close(one, other, digits)
        return
    expected = np.asarray(theirs)
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=digits, atol=digits * np.abs(expected).max(initial=0.1))
    assert np.iscomplexobj(np.asarray(ours)) == np.iscomplexobj(expected)


def _theirs(name: str, args: tuple[Host, ...], options: dict[str, Any]) -> Any:
    """SciPy's, which is to be told what follows from complex signals."""
    sided = {"return_onesided": False} if name in ("csd", "stft") and np.iscomplexobj(args[0]) else {}
    result = getattr(scipy.signal, name)(*args, **options, **({} if "return_onesided" in options else sided))
    if name == "istft":  # whose times are as many as the first axis has elements
        time = options.get("time_axis", -1)
        return np.arange(result[1].shape[time]) / options.get("fs", 1.0), result[1]
    return result


def _function(name: str, options: dict[str, Any]) -> Callable[..., Any]:
    return lambda *xs: getattr(signal, name)(*xs, **options)


@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=[f"{i}-{name}" for i, (name, *_) in enumerate(CALLS)])
def test_values(name: str, args: tuple[Host, ...], options: dict[str, Any]) -> None:
    f, expected = _function(name, options), _theirs(name, args, options)
    arrays = [fx.asarray(x) for x in args]
    _close(f(*arrays), expected)
    _close(jit(f)(*arrays), expected)
    lanes = fx.tree_map(lambda x: x[1], vmap(f)(*[fx.stack([x, x]) for x in arrays]))
    _close(lanes, expected)
    if all([x.dtype == float for x in args]):
        single = f(*[x.astype(fx.float32) for x in arrays])
        _close(single, expected, 2e-5)
        leaf = fx.tree_leaves(single)[-1]
        assert leaf.dtype in (fx.float32, fx.complex64)


def _number(result: Any) -> fx.Array:
    """A real number that depends on every element in another way."""
    last = fx.tree_leaves(result)[-1]
    weights = fx.sin(1.0 + fx.arange(last.size).reshape(last.shape))
    return fx.sum(weights * (fx.real(last) + 0.5 * abs(last) ** 2) + fx.cos(weights) * fx.imag(last + 0j))


SMOOTH: Final = [call for i, call in enumerate(CALLS) if all([x.dtype.kind in "fc" for x in call[1]]) and i % 3 == 0]


@pytest.mark.parametrize(("name", "args", "options"), SMOOTH, ids=[f"{i}-{call[0]}" for i, call in enumerate(SMOOTH)])
def test_derivatives(name: str, args: tuple[Host, ...], options: dict[str, Any]) -> None:
    f = _function(name, options)
    x, *others = [fx.asarray(arg) for arg in args]
    along = fx.asarray(np.random.default_rng(1).normal(size=x.shape)).astype(x.dtype)

    def number(x: fx.Array) -> fx.Array:
        return _number(f(x, *others))

    step = 1e-5
    difference = (number(x + step * along) - number(x - step * along)) / (2 * step)
    forwards = jvp(number, (x,), (along,))[1]
    backwards = jit(lambda x: fx.real(fx.sum(grad(number)(x) * along)))(x)
    np.testing.assert_allclose([float(forwards), float(backwards)], float(difference), rtol=1e-6, atol=1e-7)


def test_a_window_has_a_derivative() -> None:
    def power(w: fx.Array) -> fx.Array:
        return _number(signal.welch(X, window=w)[1]) + _number(signal.istft(signal.stft(X, window=w)[2], window=w)[1])

    w = fx.asarray(np.hanning(14)[1:-1])
    along = fx.sin(fx.arange(12.0))
    difference = (power(w + 1e-6 * along) - power(w - 1e-6 * along)) / 2e-6
    np.testing.assert_allclose(float(fx.sum(grad(power)(w) * along)), float(difference), rtol=1e-6, atol=1e-7)


PARAMETERS: Final[dict[str, tuple[Any, ...]]] = {
    "general_cosine": ([0.3, 0.4, 0.3],),
    "general_hamming": (0.6,),
    "kaiser": (4.0,),
    "gaussian": (3.0,),
    "general_gaussian": (1.5, 3.0),
    "tukey": (0.3,),
    "exponential": (None, 2.5),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str) -> None:
    window = (name, *PARAMETERS[name]) if name in PARAMETERS else name
    for n in (0, 1, 2, 7, 12):
        for periodic in (True, False):
            expected = scipy.signal.get_window(window, n, periodic) if n else np.zeros(0)
            np.testing.assert_allclose(signal.get_window(window, n, periodic), expected, rtol=1e-13, atol=1e-15)


def test_more_windows() -> None:
    for window in (2.5, "tukey", ("tukey", 0.0), ("tukey", 1.5), "exponential", ("exponential", 2.0, 1.5)):
        symmetric = not (isinstance(window, tuple) and window[0] == "exponential" and window[1])
        np.testing.assert_allclose(signal.get_window(window, 9), _window(window, 9, symmetric), atol=1e-15)


def _window(window: Any, n: int, symmetric: bool) -> Any:
    if symmetric:
        return scipy.signal.get_window(window, n)
    return np.exp(-abs(np.arange(n) - window[1]) / window[2])


REFUSED: Final[list[tuple[str, Callable[[], object]]]] = [
    ("convolve: in1 and in2 must have the same rank", lambda: signal.convolve(X, X[0])),
    ("correlate: in1 and in2 must not be empty", lambda: signal.correlate(X[0], X[0, :0])),
    ("convolve: one must lie within the other", lambda: signal.convolve(IMAGE, IMAGE[:3].T, "valid")),
    ("convolve: in1 and in2 must be of numbers", lambda: signal.convolve(X[0] > 0, X[0] > 0)),
    ("welch: nperseg must be at most the 50 points", lambda: signal.welch(X, nperseg=51)),
    ("welch: x must have points along axis, got float64", lambda: signal.welch(fx.zeros(0))),
    ("stft: noverlap must be less than nperseg, 8, got 8", lambda: signal.stft(X, nperseg=8, noverlap=8)),
    ("csd: nfft must be at least nperseg, 8, got 7", lambda: signal.csd(X, X, nperseg=8, nfft=7)),
    ("csd: x and y must have as many points", lambda: signal.csd(X, X[:, 1:])),
    ("welch: window must be a vector of nperseg", lambda: signal.welch(X, window=np.ones(3), nperseg=4)),
    ("welch: window must be of real numbers, got complex", lambda: signal.welch(X, window=1j * np.ones(4))),
    ("istft: freq_axis -2 is out of bounds", lambda: signal.istft(Z[0])),
    ("csd: y must have an axis of points, got float64", lambda: signal.csd(X, 1.0)),
    ("istft: time_axis and freq_axis must differ", lambda: signal.istft(Z, time_axis=0, freq_axis=0)),
    ("detrend: bp must be positions from 0 to 50", lambda: signal.detrend(X, bp=51)),
    (
        "; write asarray(scipy.signal.get_window(window, n)) for another",
        lambda: signal.get_window(("chebwin", 80.0), 3),
    ),
    ("get_window: a kaiser window has 1 parameter, got", lambda: signal.get_window("kaiser", 3)),
]


def test_names_of_windows_that_scipy_has_say_the_one_here() -> None:
    parameters = {"gaussian": (2.0,), "kaiser": (3.0,)}
    others = {other: name for other, name in names_of("keywords")["choices"].items() if name in WINDOWS}
    assert len(others) > 30
    for other, name in others.items():
        with pytest.raises(fx.EffaxError, match=f"got .*; write '{name}'"):
            signal.get_window((other, *parameters.get(name, ())), 9)
        if other != "hanning":  # which was SciPy's
            expected = scipy.signal.get_window((other, *parameters.get(name, ())), 9)
            np.testing.assert_allclose(signal.get_window((name, *parameters.get(name, ())), 9), expected, atol=1e-14)


@pytest.mark.parametrize(("words", "bad"), REFUSED, ids=[words for words, _ in REFUSED])
def test_refused(words: str, bad: Callable[[], object]) -> None:
    refusal(fx.EffaxError, words, of=bad)
