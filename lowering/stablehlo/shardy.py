"""Meshes and shardings as Shardy's attributes."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

from lowering.stablehlo.context import CURRENT, Attribute, interned

type Dimensions = range | tuple[int, ...]


@interned
def mesh_attribute(axes: tuple[tuple[str, int], ...] | None, order: tuple[int, ...] = ()) -> Attribute:
    """The axes of a mesh, and the numbers of its devices; for None the first device alone."""
    if axes is None:
        return ir.Attribute.parse("#sdy.mesh<[], device_ids=[0]>", context=CURRENT.context)
    sizes = ", ".join([f"{_quoted(name)}={size}" for name, size in axes])
    numbers = f", device_ids={list(order)}" if order else ""
    return ir.Attribute.parse(f"#sdy.mesh<[{sizes}]{numbers}>", context=CURRENT.context)


@interned
def sharding_attribute(mesh: str, names: tuple[tuple[str, ...], ...], free: Dimensions = ()) -> Attribute:
    """Sharding of a value: the axes of each dimension. The partitioner may further split the `free` dimensions."""
    return ir.Attribute.parse(f"#sdy.sharding{_sharding_text(mesh, names, free)}", context=CURRENT.context)


@interned
def per_value(mesh: str, values: tuple[tuple[tuple[str, ...], ...], ...], *, free: bool = False) -> Attribute:
    """Shardings of several values; the partitioner may further split the `free` ones."""
    cuts = ", ".join([_sharding_text(mesh, names, range(len(names)) if free else ()) for names in values])
    return ir.Attribute.parse(f"#sdy.sharding_per_value<[{cuts}]>", context=CURRENT.context)


@interned
def manual_axes(names: tuple[str, ...]) -> Attribute:
    """The axes over which a manual computation has blocks."""
    return ir.Attribute.parse(f"#sdy<manual_axes{{{', '.join(map(_quoted, names))}}}>", context=CURRENT.context)


def _sharding_text(mesh: str, names: tuple[tuple[str, ...], ...], free: Dimensions) -> str:
    dims = [[*map(_quoted, of), *["?"] * (dim in free)] for dim, of in enumerate(names)]
    return f"<@{mesh}, [{', '.join(['{' + ', '.join(of) + '}' for of in dims])}]>"


def _quoted(name: str) -> str:
    """The name of an axis, without characters that have a meaning in XLA's text."""
    spelled = re.sub(r"[^\w -]", lambda of: f"%{ord(of[0]):x};", name, flags=re.ASCII)
    return f'"{spelled}"'
