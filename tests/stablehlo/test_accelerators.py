"""Programs for an accelerator that is not here: StableHLO in its plain form, or an error that says what to do.

Where the plug-in for CUDA is installed, XLA's compiler takes them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import pytest

import effects as fx
from effects.arrays.array import Array
from effects.errors import ArgumentError, DeviceError
from effects.operations import factoring, matrices, solving
from effects.operations.convolution import Convolution
from effects.operations.movement import Constrain, Place
from effects.operations.sharding import ShardMap
from effects.program.jaxpr import Jaxpr
from effects.types.dtypes import Integer
from handlers import debug_print, grad, make_jaxpr, vmap
from lowering import Mesh, device_put, trace
from lowering.compilation import check_platform
from lowering.pjrt.options import described_options
from lowering.stablehlo import emit
from lowering.stablehlo.portable import targets
from tests.cases import CASES, Case
from tests.grid.families import check_each, families
from tests.grid.variants import Variant, plain, pushed
from tests.stablehlo import for_cuda
from tests.stablehlo.test_for_all_platforms import EXACT, ROUNDED

LAPACK: Final = {factoring.__name__, matrices.__name__, solving.__name__}
"""Modules of the operations that call it."""


def refusal(program: Jaxpr) -> str | None:
    """None for a program that runs on CUDA's devices, after a look at how it is written; else why it does not."""
    module = emit(program, "f", platform="cuda")
    try:
        check_platform(module, "cuda")
    except DeviceError as error:
        return error.message
    assert module.verify() is None
    assert targets(module.ir) == set(), "CUDA has other functions"
    assert module.text() == emit(program, "f").text(), "it is as for any platform"
    if for_cuda.HERE:
        for_cuda.compile_for_cuda(module)
    return None


@pytest.mark.parametrize("variant", [plain, pushed])
@pytest.mark.parametrize("cases", families(CASES))
def test_operations_have_their_plain_form(cases: list[Case], variant: Variant) -> None:
    def check(case: Case) -> None:
        f, args = variant(case)
        reason = refusal(make_jaxpr(f)(*args))
        if reason is not None:
            integers = isinstance(case.op, Convolution) and issubclass(case.op.x.aval.dtype, Integer)
            lapack = type(case.op).__module__ in LAPACK
            assert lapack or integers or isinstance(case.op, Constrain | Place | ShardMap), reason
            words = "calls lapack_" if lapack else "calls a convolution of " if integers else "device_put to cpu:0"
            assert words in reason

    check_each(cases, check)


@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
def test_no_form_of_the_cpu_is_chosen(name: str) -> None:
    f, shape = {**EXACT, **ROUNDED}[name]
    traced = trace(f, fx.ShapedArray(shape, fx.float32))
    assert refusal(traced.jaxpr) is None
    here, there = traced.lower().as_text(), traced.lower("cuda").as_text()
    assert here == traced.lower("cpu").as_text()
    assert (here == there) == (name in ("maxima", "sums", "logarithms")), "the others are tuned as they are written"


def test_options_of_the_cpu_stay_there() -> None:
    place: Any = SimpleNamespace(platform="cuda", devices=[])
    assert "xla_cpu" not in described_options(place, (), 0)
    place.platform = "cpu"
    assert "xla_cpu" in described_options(place, (), 0)


def test_what_only_the_cpu_does_is_refused() -> None:
    def prints(x: Array) -> Array:
        debug_print("{}", x)
        return 2 * x

    x = fx.ones((3, 3))
    calls: dict[str, Callable[[Array], object]] = {
        "calls Python, which": prints,
        "calls lapack_dgesdd_ffi, which": fx.linalg.svdvals,
        "calls lapack_dpotrf_ffi, lapack_dtrsm_ffi, which": vmap(
            grad(lambda x: fx.linalg.cholesky(fx.outer(x, x) + fx.eye(3))[1, 1])
        ),
        "device_put to cpu:0": lambda x: device_put(x, "cpu:0"),
    }
    for words, f in calls.items():
        trace(f, x).lower("cpu").as_text()
        with pytest.raises(DeviceError, match=words):
            trace(f, x).lower("cuda")


def test_a_mesh_and_donation_are_written_for_it() -> None:
    x = device_put(fx.ones((4, 4)), Mesh({"data": 1}).sharding("data"))
    assert "stablehlo.dot_general" in trace(fx.matmul, x, x).lower("cuda").as_text()


def test_what_is_lowered_to_be_looked_at_is_not_compiled() -> None:
    lowered = trace(fx.sin, fx.ones(3)).lower("tpu")
    assert "sine" in lowered.as_text("hlo")
    with pytest.raises(DeviceError, match="compile: sin was lowered for tpu to be looked at; leave the platform out"):
        lowered.compile()


@pytest.mark.parametrize("platform", ["cuda:0", "CUDA", "", 3])
def test_a_platform_is_a_name(platform: Any) -> None:
    with pytest.raises(ArgumentError, match="lower: platform must be the name of a platform such as 'cuda', got"):
        trace(fx.sin, fx.ones(3)).lower(platform)
