"""Arrays of different devices, devices that do not exist, and a jaxlib of another series, each in its own process."""

from __future__ import annotations

from effects.errors import DeviceError
from tests.errors.expect import refusal
from tests.errors.untyped import device_put, devices, fx
from tests.processes import printed

TWO_DEVICES = """
import effects as fx
from effects.errors import DeviceError
from handlers import grad, vmap
from lowering import device_put, devices, jit
a, b = (device_put(fx.asarray([1.0, 2.0, 3.0]), d) for d in devices())
add = jit(lambda x, y: x + y)
held = jit(lambda x: x + b)
assert add(b, b).device == "cpu:1" and (b + 1).device == "cpu:1" and fx.sum(b).device == "cpu:1" and float(b[1]) == 2.0
assert (b + fx.ones(3)).device == "cpu:1"
cases = {
    "operand 0 is on cpu:0 and operand 1 is on cpu:1": [
        lambda: a + b, lambda: a @ b, lambda: fx.concat([a, b]),
        lambda: vmap(lambda x, y: x + y)(a, b), lambda: grad(lambda x: fx.sum(x * b))(a),
    ],
    "<lambda>: argument x is on cpu:0 and argument y is on cpu:1": [lambda: add(a, b)],
    "closed-over array 0 is on cpu:1 and argument x is on cpu:0": [lambda: held(a)],
    "argument p['w'] is on cpu:1": [lambda: jit(lambda p, y: p["w"] + y)({"w": b}, a)],
}
for words, calls in cases.items():
    for call in calls:
        try:
            call()
        except DeviceError as error:
            assert words in str(error) and "device_put" in str(error), error
            assert error.source.line == call.__code__.co_firstlineno, error
        else:
            raise AssertionError(words)
assert add(a, device_put(b, devices()[0])).tolist() == [2.0, 4.0, 6.0]
print("done")
"""

OTHER_VERSION = """
import jaxlib
jaxlib.__version__ = "0.99.1"
import effects as fx
try:
    import lowering
except ImportError as error:
    print(type(error).__name__, error)
"""


def test_arrays_of_different_devices() -> None:
    assert printed(TWO_DEVICES, EFFAX_CPU_DEVICES="2") == "done\n"


def test_devices_that_do_not_exist() -> None:
    refusal(DeviceError, "there is no platform 'abacus' here (found: cpu", of=lambda: devices("abacus"))
    told = "its name such as 'cpu:0', or a sharding, or a tree of them, got 'cpu'"
    refusal(DeviceError, told, of=lambda: device_put(fx.ones(3), "cpu"))
    unknown = lambda: device_put(fx.ones(3), "cpu:99")
    refusal(DeviceError, "its name such as 'cpu:0', or a sharding, or a tree of them, got 'cpu:99'", of=unknown)
    refusal(DeviceError, "there is no platform 'abacus' here", of=lambda: device_put(fx.ones(3), "abacus:0"))
    refusal(
        DeviceError,
        "device_put: device must be one of devices(), its name such as",
        of=lambda: device_put(fx.ones(3), 3),
    )


def test_a_device_by_its_name() -> None:
    x = fx.ones(3)
    assert device_put(x, x.device).device == x.device == devices()[0].name


def test_importing_with_another_jaxlib() -> None:
    said = printed(OTHER_VERSION)
    assert said.startswith("UnsupportedVersion") and "0.99.1" in said and "0.12" in said
