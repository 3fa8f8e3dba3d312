"""Programs from files give to the bit what the functions give, in processes that have neither these nor effax."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import vjp
from lowering import Program, export, jit, load_program
from lowering.programs.artifact import Role
from tests.processes import printed
from tests.programs.cases import CASES, DIFFERENTIABLE, Case, bits, fresh

RUN: Final = """
    import sys, pathlib
    import effects as fx
    from handlers import vjp
    from lowering import load_program

    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.program")):
        args, kwargs, cotangent = fx.load(path.with_suffix(".arguments.npz"))
        program = load_program(path)
        if program.derivatives:
            result, pullback = vjp(program, *args)
            fx.save(path.with_suffix(".result.npz"), (result, pullback(cotangent)))
        else:
            fx.save(path.with_suffix(".result.npz"), program(*args, **kwargs))
    assert "tests" not in sys.modules
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of every case, and of the derivatives, from one other process."""
    folder = tmp_path_factory.mktemp("programs")
    for name, case in CASES.items():
        save(folder / name, export(case.f, *case.args, **case.kwargs), case, None)
    for name in DIFFERENTIABLE:
        case = CASES[name]
        program = export(case.f, *case.args, derivatives=1)
        save(folder / f"vjp of {name}", program, case, cotangent(program(*case.args)))
    printed(RUN, folder)
    return folder


def save(path: Path, program: Program, case: Case, cotangent: Any) -> None:
    program.save(f"{path}.program")
    fx.save(f"{path}.arguments.npz", (case.args[case.static :], dict(case.kwargs), cotangent))


def cotangent(result: Any) -> Any:
    """Some cotangent of a result."""
    return fx.tree_map(lambda y: fx.cos(fx.arange(y.size, dtype=y.dtype)).reshape(y.shape), result)


@pytest.mark.parametrize("name", CASES)
def test_a_program_elsewhere_gives_what_the_function_gives(elsewhere: Path, name: str) -> None:
    case = CASES[name]
    function = case.f if hasattr(case.f, "lower") else jit(case.f)
    expected = function(*fresh(case.args), **case.kwargs)
    actual = fx.load(elsewhere / f"{name}.result.npz")
    assert bits(actual) == bits(expected)
    assert fx.tree_structure(actual) == fx.tree_structure(expected)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_its_derivative_elsewhere_is_that_of_the_function(elsewhere: Path, name: str) -> None:
    case = CASES[name]
    program = export(case.f, *case.args, derivatives=1)
    results, pullback = vjp(program, *case.args)
    actual = fx.load(elsewhere / f"vjp of {name}.result.npz")
    assert bits(actual) == bits((results, pullback(cotangent(results))))
    values, of_function = vjp(case.f, *case.args)
    expected = (values, of_function(cotangent(values)))
    for here, there in zip(fx.tree_leaves(actual), fx.tree_leaves(expected), strict=True):
        assert here.aval == there.aval
        np.testing.assert_allclose(np.asarray(here), np.asarray(there), rtol=2e-6, atol=1e-6)


READ: Final = """
    import json, sys, numpy as np
    from jaxlib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import stablehlo

    with open(sys.argv[1], "rb") as stream:
        assert stream.readline() == b"effax program 1\\n"
        stream.readline()
        head = json.loads(stream.readline())
        parts = {name: stream.read(size) for name, size, _ in head["parts"]}

    class Kind:
        def __init__(self, value):
            self.shape, self.dtype, self.weak_type = value.shape, value.dtype, False

    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    stablehlo.register_dialect(context)
    module = stablehlo.deserialize_portable_artifact(context, parts["value.any"])
    client = xla_client.make_cpu_client()
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    program = client.compile_and_load(module, devices, xla_client.CompileOptions(), [])
    captured = [
        np.frombuffer(parts[f"captured.{i}"], dtype).reshape(shape)
        for i, (dtype, shape, weak) in enumerate(head["head"]["captured"])
    ]
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
    alone = xla_client.SingleDeviceSharding(client.local_devices()[0])
    buffers = [
        xla_client.batched_device_put(Kind(value), alone, [value], client.local_devices()[:1], enable_x64=True)
        for value in (*captured, x)
    ]
    ((result,),) = program.execute_sharded(buffers).disassemble_into_single_device_arrays()
    print(result._to_np_array_did_copy()[0].tobytes().hex(), "effects" in sys.modules)
"""


def test_a_program_that_reads_stablehlo_runs_a_file_without_effax(tmp_path: Path) -> None:
    w = fx.sin(fx.arange(6.0, dtype=fx.float32)).reshape(3, 2)

    @jit
    def f(x: Any) -> Any:
        return fx.tanh(x @ w) + 1

    export(f, fx.ShapedArray((4, 3), fx.float32)).save(tmp_path / "f.program")
    x = fx.linspace(0, 1, 12, dtype=fx.float32).reshape(4, 3)
    assert printed(READ, tmp_path / "f.program").split() == [np.asarray(f(x)).tobytes().hex(), "False"]


def test_files_of_one_program_are_equal(tmp_path: Path) -> None:
    """They have neither the time nor the user's lines."""

    def files() -> Iterator[bytes]:
        for _ in range(2):
            export(lambda x: fx.sin(x) * 2, fx.ones(3)).save(tmp_path / "f.program")
            yield (tmp_path / "f.program").read_bytes()

    first, second = files()
    assert first == second and Path(__file__).stem.encode() not in first


def test_what_a_program_says_of_itself(tmp_path: Path) -> None:
    w = fx.ones((3, 2))

    def predict(params: Any, x: Any) -> Any:
        return {"y": x @ w * params["scale"]}

    export(jit(predict), {"scale": fx.ShapedArray((), fx.float64)}, fx.ones((4, 3)), derivatives=1).save(
        tmp_path / "predict.program"
    )
    program = load_program(tmp_path / "predict.program")
    assert program.name == "predict" and program.derivatives == 1 and program.platform == "any"
    assert program.types == {"params['scale']": fx.ShapedArray((), fx.float64), "x": fx.ShapedArray((4, 3), fx.float64)}
    assert program.results == {"result['y']": fx.ShapedArray((4, 2), fx.float64)}
    assert repr(program) == (
        "<Program predict(params['scale']: float64[], x: float64[4,3]) -> (result['y']: float64[4,2]), 1 derivative, "
        "1 array closed over>"
    )
    assert set(program.versions) == {"stablehlo", "effax", "jaxlib"}
    roles: list[Role] = ["value", "forward", "backward"]
    for role in roles:
        assert program.portable_artifact(role).startswith(b"ML\xefR")
