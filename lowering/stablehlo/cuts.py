"""Meshes and cuts, as Shardy says them: attributes."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

from lowering.stablehlo.context import CURRENT, Attribute, interned

type Dimensions = range | tuple[int, ...]


@interned
def mesh_attribute(axes: tuple[tuple[str, int], ...] | None, order: tuple[int, ...] = ()) -> Attribute:
    """The axes of a mesh, as Shardy says them, and the numbers of its devices; None for the first device alone."""
    if axes is None:
        return ir.Attribute.parse("#sdy.mesh<[], device_ids=[0]>", context=CURRENT.context)
    sizes = ", ".join([f"{_quoted(name)}={size}" for name, size in axes])
    numbers = f", device_ids={list(order)}" if order else ""
    return ir.Attribute.parse(f"#sdy.mesh<[{sizes}]{numbers}>", context=CURRENT.context)


@interned
def sharding_attribute(mesh: str, names: tuple[tuple[str, ...], ...], free: Dimensions = ()) -> Attribute:
    """Sharding of a value: the axes of each dimension. The `free` dimensions may be cut in any further way."""
    return ir.Attribute.parse(f"#sdy.sharding{_cut(mesh, names, free)}", context=CURRENT.context)


@interned
def per_value(mesh: str, values: tuple[tuple[tuple[str, ...], ...], ...], *, free: bool = False) -> Attribute:
    """Shardings of several values; `free` ones may be cut in any further way."""
    cuts = ", ".join([_cut(mesh, names, range(len(names)) if free else ()) for names in values])
    return ir.Attribute.parse(f"#sdy.sharding_per_value<[{cuts}]>", context=CURRENT.context)


@interned
def manual_axes(names: tuple[str, ...]) -> Attribute:
    """The axes over which a manual computation is one of blocks."""
    return ir.Attribute.parse(f"#sdy<manual_axes{{{', '.join(map(_quoted, names))}}}>", context=CURRENT.context)


def _cut(mesh: str, names: tuple[tuple[str, ...], ...], free: Dimensions) -> str:
    dims = [[*map(_quoted, of), *["?"] * (dim in free)] for dim, of in enumerate(names)]
    return f"<@{mesh}, [{', '.join(['{' + ', '.join(of) + '}' for of in dims])}]>"


def _quoted(name: str) -> str:
    """The name of an axis, without what has a meaning in the text that XLA makes of it."""
    spelled = re.sub(r"[^\w -]", lambda of: f"%{ord(of[0]):x};", name, flags=re.ASCII)
    return f'"{spelled}"'
