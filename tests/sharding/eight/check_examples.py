"""The programs over several devices of examples/: their numbers are those of one device."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from examples import embedding, halo, parallel_training, pipeline, restart
from examples.transformer import Model, logits
from handlers import shard_map
from lowering import Mesh, checkpoint_steps, collectives, devices
from tests.errors.untyped import device_put, grad, jit, lowering, vmap

lower = lowering.lower
RNG: Final = np.random.default_rng(0)
SIZES: Final = (1, 2, 8)


def mesh(**axes: int) -> Mesh:
    return Mesh(axes, devices()[: int(np.prod(list(axes.values())))])


def plain_loss(model: Model, batch: Any) -> Any:
    scores = fx.nn.log_softmax(vmap(lambda tokens: logits(model, tokens[:-1]))(batch))
    return -fx.mean(fx.take_along_axis(scores, batch[:, 1:, None], axis=-1))


def test_training_gives_the_numbers_of_one_device() -> None:
    """Against the transformer itself, which knows nothing of devices."""
    over = mesh(data=4, model=2)
    actual, losses = parallel_training.trained(over, 4)
    model: Any = parallel_training.initial(fx.random.key(0))
    batch = (fx.arange(8)[:, None] + fx.arange(12)) % 16
    step: Any = jit(
        lambda m: (fx.tree_map(lambda w, g: w - 0.3 * g, m, grad(plain_loss)(m, batch)), plain_loss(m, batch))
    )
    wanted = []
    for _ in range(4):
        model, surprise = step(model)
        wanted.append(surprise.item())
    assert np.allclose(losses, wanted, rtol=1e-12)
    for one, other in zip(fx.tree_leaves(actual), fx.tree_leaves(model), strict=True):
        assert np.allclose(np.asarray(one), np.asarray(other), rtol=1e-9, atol=1e-12)
    assert actual.blocks[0].up.shards[0].block.shape == (16, 32)


def test_training_tells_what_it_must() -> None:
    over = mesh(data=4, model=2)
    model = parallel_training.initial(fx.random.key(0), layers=1)
    cuts = parallel_training.cuts(over, model)
    forward = shard_map(parallel_training.loss, over, in_specs=(cuts, "data"), out_specs=None)
    table = collectives(lower(forward, model, np.zeros((8, 12), int)))
    assert [(row.kind, row.axes) for row in table] == [("all-reduce", ("model",))] * 2 + [("all-reduce", ("data",))]


def test_training_goes_on_after_a_process_was_killed(tmp_path: Path) -> None:
    pytest.importorskip("tensorstore")
    last = restart.disturbed(tmp_path / "disturbed")
    assert last in (10, 15) and checkpoint_steps(tmp_path / "disturbed")[-1] == last
    actual = restart.trained(mesh(data=4, model=2), tmp_path / "disturbed")
    wanted = restart.trained(mesh(data=1, model=1), tmp_path / "undisturbed")
    assert actual.step == wanted.step == restart.STEPS and 0 < float(wanted.loss) < 0.1
    for name in ("weights", "speed", "loss"):
        one, other = np.asarray(getattr(actual, name)), np.asarray(getattr(wanted, name))
        assert np.allclose(one, other, rtol=1e-11, atol=1e-13) and one.any()


@pytest.mark.parametrize("n", [2, 8])
def test_pipeline(n: int) -> None:
    weights, batches = fx.asarray(RNG.normal(size=(n, 6, 6)) / 3), fx.asarray(RNG.normal(size=(5, 3, 6)))
    run = pipeline.pipelined(mesh(stage=n), pipeline.layer)
    total: Any = lambda f: lambda w, x: fx.sum(f(w, x) ** 2)
    actual = jit(lambda w, x: (run(w, x), grad(total(run), argnums=(0, 1))(w, x)))(weights, batches)
    plain = pipeline.one_after_the_other
    wanted = (plain(weights, batches), grad(total(plain), argnums=(0, 1))(weights, batches))
    for one, other in zip(fx.tree_leaves(actual), fx.tree_leaves(wanted), strict=True):
        assert np.allclose(np.asarray(one), np.asarray(other), atol=1e-10)


@pytest.mark.parametrize("n", SIZES)
def test_embedding(n: int) -> None:
    host, tokens = RNG.normal(size=(16, 3)), np.array([3, 0, 15, 3, 7])
    table = device_put(host, mesh(rows=n).sharding("rows"))
    find: Any = shard_map(embedding.look_up, mesh(rows=n), in_specs=("rows", None), out_specs=None)
    assert np.array_equal(find(table, tokens), host[tokens])
    slope = jit(grad(lambda table: fx.sum(fx.sin(find(table, tokens)))))(table)
    wanted = np.zeros_like(host)
    np.add.at(wanted, tokens, np.cos(host[tokens]))
    assert np.allclose(slope, wanted) and slope.sharding == table.sharding


@pytest.mark.parametrize("n", SIZES)
def test_halo(n: int) -> None:
    plate = RNG.normal(size=(16, 6))
    wanted = plate
    for _ in range(5):
        padded = np.pad(wanted, 1)
        wanted = wanted + 0.1 * (
            padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * wanted
        )
    warm = jit(halo.heated(mesh(strips=n), 5))(plate)
    assert np.allclose(warm, wanted)
    if n > 1:
        assert [row.kind for row in collectives(lower(halo.heated(mesh(strips=n), 5), plate))] == [
            "collective-permute"
        ] * 2


def test_they_run(capsys: pytest.CaptureFixture[str]) -> None:
    for module, words in ((pipeline, "8 stages: "), (embedding, "16 rows each"), (halo, "8 strips: ")):
        module.main()
        assert words in capsys.readouterr().out
