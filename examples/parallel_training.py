"""A transformer trained over a mesh: the batch is split over "data", heads and hidden units over "model".

Each device holds its part of the weights and of the batch, and computes with these alone. Devices communicate two sums
over "model" for each block and one mean over "data". The numbers are the same as on one device.
"""

from collections.abc import Callable

from tqdm import tqdm

import effects as fx
from effects import Array
from examples.transformer import Block, Model, normalise
from handlers import pmean, psum, shard_map, value_and_grad, vmap
from lowering import Mesh, Sharding, device_put, devices, jit


def logits(model: Model, tokens: Array) -> Array:
    """Logits of `examples.transformer`, from this device's heads and hidden units, summed over "model": [T, V]."""
    x = model.embedding[tokens] + model.places[: tokens.shape[0]]
    for block in model.blocks:
        q, k, v = fx.unstack(fx.einsum("td,dchk->cthk", normalise(x, block.norm), block.qkv))
        mixed = fx.nn.dot_product_attention(q, k, v, is_causal=True)
        x = x + psum(fx.einsum("thk,hkd->td", mixed, block.out), "model")
        x = x + psum(fx.nn.gelu(normalise(x, block.norm_mlp) @ block.up) @ block.down, "model")
    return normalise(x, model.norm) @ model.embedding.T


def loss(model: Model, batch: Array) -> Array:
    """Mean surprise of each next token of the batch [B, T]."""
    scores = fx.nn.log_softmax(vmap(lambda tokens: logits(model, tokens[:-1]))(batch))
    log_likelihood = fx.take_along_axis(scores, batch[:, 1:, None], axis=-1)
    return pmean(-fx.mean(log_likelihood), "data")


def cuts(mesh: Mesh, model: Model) -> Model:
    """Shardings of the weights over the mesh: a tree of them."""
    whole: Sharding = mesh.sharding()
    heads, columns, rows = mesh.sharding(None, None, "model"), mesh.sharding(None, "model"), mesh.sharding("model")
    block: tuple[Sharding, ...] = (whole, heads, rows, whole, columns, rows)
    return fx.tree_unflatten(fx.tree_structure(model), [whole, whole, *block * len(model.blocks), whole])


def trainer(mesh: Mesh, model: Model, rate: float) -> Callable[[Model, Array], tuple[Model, Array]]:
    """A step of training: the weights after it and the loss before it."""
    over_blocks = shard_map(loss, mesh, in_specs=(cuts(mesh, model), "data"), out_specs=None)

    @jit
    def step(model: Model, batch: Array) -> tuple[Model, Array]:
        surprise, slope = value_and_grad(over_blocks)(model, batch)
        return fx.tree_map(lambda w, g: w - rate * g, model, slope), surprise

    return step


def initial(
    key: fx.random.Key, vocabulary: int = 16, places: int = 12, d: int = 16, heads: int = 4, layers: int = 2
) -> Model:
    keys = iter(fx.random.split(key, 2 + 4 * layers))

    def drawn(*shape: int) -> Array:
        values: Array = fx.random.normal(next(keys), shape)
        return values / fx.sqrt(shape[0])

    one = fx.ones(d)
    blocks = [
        Block(one, drawn(d, 3, heads, d // heads), drawn(heads, d // heads, d), one, drawn(d, 4 * d), drawn(4 * d, d))
        for _ in range(layers)
    ]
    return Model(drawn(vocabulary, d), drawn(places, d), tuple(blocks), one)


def trained(mesh: Mesh, steps: int) -> tuple[Model, list[float]]:
    """The weights, and the losses during training: rows that count up, from different starts."""
    model = initial(fx.random.key(0))
    step, losses = trainer(mesh, model, 0.3), []
    batch = device_put((fx.arange(8)[:, None] + fx.arange(12)) % 16, mesh.sharding("data"))
    model = fx.tree_map(device_put, model, cuts(mesh, model))
    for _ in tqdm(range(steps), desc="training", unit="step", disable=None):
        model, surprise = step(model, batch)
        losses.append(float(surprise))
    return model, losses


def main() -> None:
    n = len(devices())
    across = 2 if n % 2 == 0 else 1
    mesh = Mesh({"data": n // across, "model": across})
    _, losses = trained(mesh, 40)
    print(f"{mesh}: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
