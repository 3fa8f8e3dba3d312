"""LAPACK's functions as jaxlib has them for compiled programs on the CPU."""

from __future__ import annotations

from functools import cache

from jaxlib import xla_client


@cache
def register_lapack() -> None:
    """Register the targets `lapack_*_ffi` with XLA; takes a few ms, once."""
    from jaxlib import lapack  # noqa: PLC0415  # it takes SciPy's, which few programs need

    for name, function, version in lapack.registrations()["cpu"]:
        xla_client.register_custom_call_target(name, function, platform="cpu", api_version=version)
    lapack.prepare_lapack_call("potrf", "float64")  # type: ignore[no-untyped-call]  # it loads the library


@cache
def lapack_targets() -> frozenset[str]:
    """The targets that `register_lapack` registers."""
    from jaxlib import lapack  # noqa: PLC0415  # as above

    return frozenset([name for name, _, _ in lapack.registrations()["cpu"]])
