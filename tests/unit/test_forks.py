"""Forks of a process: what NumPy computes goes on there, and what needs XLA's threads is refused at once."""

from __future__ import annotations

from tests.processes import printed

_PROGRAM = """
import multiprocessing, os, sys, warnings
import numpy as np
import effects as fx
from handlers import grad
from lowering import device_put, jit

def eager(x):
    return float(grad(lambda x: fx.sum(fx.sin(x) * x))(fx.asarray([x, 1.0]))[0])

def ended(child):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        child()
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
        os._exit(1)
    os._exit(0)

want = np.sin(2.0) + 2 * np.cos(2.0)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert np.allclose(pool.map(eager, [2.0] * 4), want)
    assert not told, told
    assert ended(lambda: jit(fx.sin)(1.0)) == 0  # whose first use of XLA it is

    f = jit(lambda x: fx.sort(x[:, None] * x[None], axis=0))
    x, small = fx.ones(3000), jit(fx.exp)(fx.zeros(3))
    small.tolist()
    f(fx.ones(2))

    def child():
        assert (small + fx.ones(3)).tolist() == [2.0] * 3 and np.isclose(eager(2.0), want)
        for refused in (
            lambda: f(fx.ones(2)), lambda: jit(lambda x: fx.cos(x) * 3)(x), lambda: device_put(np.ones(3), "cpu:0"),
            lambda: unready[0, 0],
        ):
            try:
                refused()
            except fx.DeviceError as error:
                assert "was forked" in str(error) and "get_context('spawn')" in str(error)
                assert error.source.file == "<string>", error
            else:
                raise AssertionError("not refused")

    unready = f(x)
    assert ended(child) == 0
    assert ended(os.abort) and unready[0, 0] == 1
    assert jit(lambda x: fx.cos(x) * 5)(0.0) == 5

(warning,) = [w for w in told if "XLA" in str(w.message)]
assert warning.category is RuntimeWarning and warning.filename == "<string>"
"""


def test_a_fork_computes_by_numpy_and_is_refused_what_needs_threads() -> None:
    printed(_PROGRAM)
