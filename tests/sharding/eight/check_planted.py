"""Mistakes planted in what `shard_map` means: the law sees each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.operations.sharding import ManualAxes
from handlers import pmean, ppermute, psum, shard_map
from handlers.sharding import rules
from handlers.transformations.axes import sharded
from lowering import Mesh, clear_caches
from lowering.stablehlo import collectives
from tests.errors.untyped import cond, grad, handlers, vmap
from tests.sharding.eight.lanes import by_vmap

MESH: Final = Mesh({"a": 4, "b": 2})
BOTH, ROWS, WHOLE = MESH.sharding("a", "b"), MESH.sharding("a"), MESH.sharding()
X: Final = fx.asarray(np.random.default_rng(0).normal(size=(8, 4)))
W: Final = fx.asarray(np.random.default_rng(1).normal(size=(4, 3)))


def layer(x: Any, w: Any) -> Any:
    y = ppermute(fx.sin(x) @ w[:2], "a", [(0, 1), (1, 2), (2, 3)])
    return pmean(fx.tanh(psum(y, "b")), "a") * 2


def chosen(x: Any) -> Any:
    return cond(handlers.axis_index("a") > 1, lambda x: psum(fx.sin(x), "a"), lambda x: 2 * x, x)


def _agrees(f: Callable[..., Any], cuts: tuple[Any, ...], out: Any, args: tuple[Any, ...]) -> bool:
    wanted, actual = by_vmap(f, cuts, out), shard_map(f, MESH, cuts, out)
    total = lambda g: grad(lambda *xs: fx.sum(fx.sin(g(*xs))), argnums=tuple(range(len(args))))
    named = lambda g: lambda *xs: [vmap(g, axis_name="a")(*[fx.stack([x, -x]) for x in xs])]
    return all(
        [
            np.allclose(np.asarray(one), np.asarray(other))
            for through in (total, named)
            for one, other in zip(through(wanted)(*args), through(actual)(*args), strict=True)
        ]
    )


def holds() -> bool:
    """Whether the law holds; a mistake may be so plain that a program is refused."""
    clear_caches()
    try:
        return _agrees(layer, (BOTH, WHOLE), WHOLE, (X, W)) and _agrees(chosen, (BOTH,), BOTH, (X,))
    except (fx.errors.EffaxError, AssertionError):
        return False
    finally:
        clear_caches()


MISTAKES: Final[dict[str, tuple[Any, str, Any]]] = {
    "cotangents are not shared out": (rules, "_share", lambda ct, names, manual: ct),
    "cotangents of copies are not summed": (rules, "_summed", lambda ct, names: ct),
    "residuals are taken to be the same": (rules, "_in_mesh_order", lambda manual, axes: ()),
    "parts are cut along the axis of a batch": (rules, "_part_sharding", lambda part, value, sharding: sharding),
    "a vmap takes the collectives of the mesh": (rules, "_unnamed", lambda handler, manual: handler),
    "sums are taken to be idle": (ManualAxes, "unsplit", lambda manual, sharding: manual.axes),
    "axes are counted backwards": (
        collectives,
        "groups_of",
        lambda mesh, names: tuple(map(tuple, np.arange(8).reshape(-1, mesh.parts(names)).tolist())),
    ),
    "devices go apart": (sharded, "may_diverge", lambda body: False),
}


def test_the_law_holds() -> None:
    assert holds()


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MISTAKES[name])
    assert not holds()


def test_what_is_uncut() -> None:
    manual = ManualAxes(MESH, ("a", "b"))
    assert manual.unsplit(BOTH) == () and manual.unsplit(ROWS) == ("b",) and manual.unsplit(WHOLE) == ("a", "b")
    assert ManualAxes(MESH, ("a",)).unsplit(BOTH) == () and ManualAxes(MESH, ("a",)).unsplit(WHOLE) == ("a",)
