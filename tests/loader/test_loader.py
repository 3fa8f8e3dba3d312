"""Batches against a loop in NumPy: of every kind of source, in the order of a key, cut, padded, gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects.errors import (
    ArgumentError,
    ConcretizationError,
    DTypeError,
    EffaxError,
    OutOfMemoryError,
    ShapeError,
    TreeError,
)
from handlers import vmap
from lowering import Batch, Loader, Mesh, Position, jit, load_checkpoint, save_checkpoint

KEY: Final = fx.random.key(7)
MESH: Final = Mesh({"data": 1}, ["cpu:0"])


class Example(NamedTuple):
    image: Any
    label: Any


IMAGES: Final = np.random.default_rng(0).normal(size=(11, 2, 3)).astype(np.float32)
LABELS: Final = np.arange(11)


class Tensor:
    """An array of another library."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values


class DataSet:
    """A data set of torch's, in any order."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __len__(self) -> int:
        return 11

    def __getitem__(self, position: int) -> Example:
        self.read.append(position)
        return Example(Tensor(IMAGES[position]), int(LABELS[position]))


class Stream:
    """Examples that can only be gone through, as often as one likes."""

    def __iter__(self) -> Iterator[Example]:
        return (Example(*row) for row in zip(IMAGES, LABELS, strict=True))


class Iterating(Stream):
    """A data set of torch's that can only be gone through, but has a length."""

    def __len__(self) -> int:
        return 11

    def __getitem__(self, position: int) -> Example:
        raise NotImplementedError


class Ending:
    """A data set whose later examples are not there."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, position: int) -> Example:
        if position > 1:
            raise StopIteration
        return Example(IMAGES[position], LABELS[position])


def ending() -> Iterator[object]:
    """Examples by a generator, one of which is not there."""
    yield IMAGES[0]
    yield next(iter([]))


class NoStart:
    """An iterable whose beginning is not there."""

    def __iter__(self) -> Iterator[object]:
        return next(iter([]))


class Batched:
    """A loader of batches of torch's."""

    batch_size = 4

    def __iter__(self) -> Iterator[Example]:
        return (Example(Tensor(IMAGES[i : i + 4]), Tensor(LABELS[i : i + 4])) for i in range(0, 11, 4))


def in_file(folder: Path) -> Example:
    IMAGES.tofile(folder / "images")
    return Example(np.memmap(folder / "images", np.float32, "r", shape=IMAGES.shape), LABELS)


SOURCES: Final[dict[str, Callable[[Path], Any]]] = {
    "arrays of NumPy": lambda folder: Example(IMAGES, LABELS),
    "arrays": lambda folder: Example(fx.asarray(IMAGES), fx.asarray(LABELS)),
    "a file": in_file,
    "a data set": lambda folder: DataSet(),
    "a stream": lambda folder: Stream(),
    "a stream with a length": lambda folder: Iterating(),
}


def expected(order: np.ndarray, size: int, last: str | None, epoch: int) -> Iterator[tuple[Any, Any, int]]:
    for begin in range(0, len(order), size):
        at = list(order[begin : begin + size])
        examples = len(at)
        if examples < size and last == "drop":
            return
        while len(at) < size:
            at.append(at[-1])
        yield IMAGES[at], LABELS[at], examples


def same(batch: Batch[Example], images: Any, labels: Any, examples: int) -> None:
    assert isinstance(batch.data.image, fx.Array) and batch.data.image.dtype is fx.float32
    np.testing.assert_array_equal(batch.data.image, images)
    np.testing.assert_array_equal(batch.data.label, labels)
    assert batch.examples == examples


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(("size", "last"), [(11, None), (4, "drop"), (4, "pad"), (13, "pad"), (1, None)])
@pytest.mark.parametrize(("cut", "prefetch"), [(False, 2), (True, 2), (False, 0)])
@pytest.mark.parametrize("key", [None, KEY])
def test_is_the_loop(
    kind: str, size: int, last: Any, cut: bool, prefetch: int, key: fx.random.Key | None, tmp_path: Path
) -> None:
    source = SOURCES[kind](tmp_path)
    if key is not None and kind.startswith("a stream"):
        with pytest.raises(ArgumentError, match="has its own order"):
            Loader(source, size, key=key)
        return
    sharding = MESH.sharding("data") if cut else None
    loader = Loader[Example](source, size, key=key, last=last, sharding=sharding, prefetch=prefetch)
    batches = loader.batches(3)
    for epoch in range(3):
        order = np.arange(11)
        if key is not None:
            order = np.asarray(fx.random.permutation(fx.random.fold_in(key, epoch), 11))
        rows = list(expected(order, size, last, epoch))
        assert loader.length in (None, len(rows))
        for row in rows:
            batch = next(batches)
            same(batch, *row)
    assert next(batches, None) is None


def test_a_source_that_makes_batches() -> None:
    loader = Loader[Example](Batched(), None)
    for _ in range(2):
        for batch, begin in zip(loader.batches(), range(0, 11, 4), strict=True):
            same(batch, IMAGES[begin : begin + 4], LABELS[begin : begin + 4], min(4, 11 - begin))


@pytest.mark.parametrize("kind", [*SOURCES, "batches"])
@pytest.mark.parametrize("last", ["drop", "pad"])
def test_goes_on_from_every_position(kind: str, last: Any, tmp_path: Path) -> None:
    of_batches = kind == "batches"
    source = Batched() if of_batches else SOURCES[kind](tmp_path)
    key = None if of_batches or kind.startswith("a stream") else KEY
    loader = Loader[Example](source, None if of_batches else 4, key=key, last=None if of_batches else last)
    batches = list(loader.batches(3))
    for i, batch in enumerate(batches):
        save_checkpoint(tmp_path / "saved", i, {"step": i, "position": batch.position})
        position = load_checkpoint(tmp_path / "saved", like={"step": 0, "position": Position()})["position"]
        assert position == batch.position
        rest = list(loader.batches(3, position))
        assert len(rest) == len(batches) - i - 1
        for actual, wanted in zip(rest, batches[i + 1 :], strict=True):
            same(actual, wanted.data.image, wanted.data.label, wanted.examples)
            assert actual.position == wanted.position
    assert list(loader.batches(3, fx.tree_map(fx.asarray, batches[-1].position))) == []


def test_a_loader_is_iterated_over_as_its_first_epoch() -> None:
    loader = Loader(np.arange(6), 2, key=fx.random.key(3))
    assert [b.data.tolist() for b in loader] == [b.data.tolist() for b in loader.batches(1)]


def test_the_batch_size_may_change_on_the_way() -> None:
    first = next(Loader[Any](LABELS[:8], 4, key=KEY).batches())
    rest = list(Loader[Any](LABELS[:8], 2, key=KEY).batches(1, first.position))
    seen = np.concatenate([first.data, *[batch.data for batch in rest]])
    np.testing.assert_array_equal(seen, fx.random.permutation(fx.random.fold_in(KEY, 0), 8))


def test_batches_go_through_programs() -> None:
    """A compiled step sees padding by a mask, and is compiled once."""
    traced = []

    @jit
    def total(batch: Batch[Any]) -> fx.Array:
        traced.append(batch)
        return fx.sum(batch.data, where=fx.arange(4) < batch.examples)

    assert sum([int(total(batch)) for batch in Loader[Any](LABELS, 4, key=KEY, last="pad").batches(2)]) == 110
    assert len(traced) == 1
    alone = Loader[Any](LABELS, 11, key=KEY, prefetch=0)
    np.testing.assert_array_equal(
        vmap(lambda x: x + next(alone.batches()).data)(fx.zeros(2))[0], next(alone.batches()).data
    )


def test_a_data_set_is_read_once_and_in_order() -> None:
    source = DataSet()
    loader = Loader[Example](source, 4, key=KEY, last="drop", sharding=MESH.sharding("data"))
    source.read.clear()
    list(loader.batches())
    np.testing.assert_array_equal(source.read, fx.random.permutation(fx.random.fold_in(KEY, 0), 11)[:8])


class Rows:
    """A data set of these examples."""

    def __init__(self, *examples: object) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, position: int) -> object:
        return self.examples[position]


class Reused(Rows):
    """A data set, and an iterable, that reads every example into the same memory."""

    memory = np.zeros(2)

    def __getitem__(self, position: int) -> object:
        self.memory[:] = position
        return self.memory


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_source_may_use_its_memory_again(size: int) -> None:
    source = Reused(*range(4))
    for loader in (Loader[Any](source, size), Loader[Any](map(source.__getitem__, range(4)), size)):
        np.testing.assert_array_equal(np.concatenate([b.data for b in loader.batches()])[:, 0], np.arange(4))


@pytest.mark.parametrize("prefetch", [0, 2])
def test_numbers_are_as_everywhere(prefetch: int) -> None:
    """A float is of the default dtype, and numbers of one kind meet in the dtype of the first example."""
    with fx.default_float("float32"):
        batches = Loader[Any](iter([0.5, 1, True]), 3, prefetch=prefetch).batches()
    with fx.default_float("float32" if prefetch == 0 else "float64"):
        data = next(batches).data
    assert data.dtype is fx.float32 and data.tolist() == [0.5, 1.0, 1.0]


TWO: Final = {"x": IMAGES, "y": LABELS[:3]}
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "sizes": (ShapeError, lambda: Loader(IMAGES, 4), "11 examples are not a multiple of size, 4; last='drop'"),
    "sizes of a stream": (ShapeError, lambda: list(Loader(Stream(), 4).batches()), "the last batch has 3 examples"),
    "no batch": (ShapeError, lambda: Loader(IMAGES, 12, last="drop"), "11 examples, fewer than one batch of 12"),
    "less than a batch": (ShapeError, lambda: Loader(IMAGES, 12), "fewer than one batch of 12; last='pad' pads them"),
    "no batch of a stream": (ShapeError, lambda: list(Loader(Stream(), 12, last="drop").batches()), "gave no batch"),
    "empty": (ArgumentError, lambda: Loader(IMAGES[:0], 4), "source has no examples"),
    "an empty stream": (
        ShapeError,
        lambda: list(Loader(iter(()), 4).batches()),
        r"in epoch 0; what.*\n  at .*test_loader",
    ),
    "a generator": (ShapeError, lambda: list(Loader(iter(Stream()), 11).batches(2)), "epoch 1; what is gone through"),
    "no tree": (ArgumentError, lambda: Loader({}, 4), "source must be a tree with arrays"),
    "axes": (ShapeError, lambda: Loader(TWO, 4), r"source\['y'\] has 3 examples, and source\['x'\] 11"),
    "a number": (ArgumentError, lambda: Loader([IMAGES, 3], 4), r"source\[1\] must be an array of examples along"),
    "words": (ArgumentError, lambda: Loader(np.array(["a"]), 1), "a NumPy array of dtype <U1"),
    "words of a stream": (ArgumentError, lambda: list(Loader(iter("ab"), 2).batches()), "a NumPy array of dtype <U1"),
    "a text": (ArgumentError, lambda: Loader("ab", 2), "source must be a tree of arrays, a data set or an iterable"),
    "trees": (TreeError, lambda: list(Loader(iter([(1,), (1, 2)]), 2).batches()), "an example, which must be a tree"),
    "shapes": (
        ShapeError,
        lambda: list(Loader(map(np.ones, (2, 3)), 2).batches()),
        r"example is float64\[3\], but the first one is float64\[2\]; pad them",
    ),
    "trees of a data set": (TreeError, lambda: list(Loader(Rows({"a": 1}, {"b": 1}), 1).batches()), "like the first"),
    "shapes of a data set": (
        ShapeError,
        lambda: list(Loader(Rows(np.ones(2), np.ones(3)), 1, sharding=MESH.sharding("data")).batches()),
        r"example is float64\[3\], but the first one is float64\[2\]",
    ),
    "dtypes": (DTypeError, lambda: list(Loader(iter([1, 1.5]), 2).batches()), "first one is int64, which cannot hold"),
    "a great number": (DTypeError, lambda: list(Loader(iter([np.int8(1), 300]), 2).batches()), "example is 300, but"),
    "later words": (ArgumentError, lambda: list(Loader(iter([1, "a"]), 2).batches()), "Loader: example is .* <U1"),
    "beyond a stream": (
        ArgumentError,
        lambda: list(Loader(iter(range(4)), 2).batches(1, Position(0, 5))),
        "start is at example 5, but source gave 4",
    ),
    "an unknown key": (
        ConcretizationError,
        lambda: jit(lambda key: next(Loader(LABELS, 11, key=key).batches()).data)(KEY),
        "key must be known",
    ),
    "an unknown source": (
        ConcretizationError,
        lambda: jit(lambda x: next(Loader(x, 1).batches()).data)(LABELS),
        "source must be known",
    ),
    "memory": (OutOfMemoryError, lambda: next(Loader(LABELS, 2**55, last="pad").batches()), "not enough memory"),
    "an end": (ArgumentError, lambda: list(Loader(Ending(), 2)), r"Loader: source\[2\] raised StopIteration"),
    **{
        f"an end of {type(source).__name__}": (
            ArgumentError,
            lambda source=source, prefetch=prefetch: list(Loader(source, 1, prefetch=prefetch)),  # type: ignore[misc]
            r"the code of source, <.*(ending|NoStart).*, raised StopIteration in epoch 0; end it by return",
        )
        for source, prefetch in ((ending(), 0), (NoStart(), 2))
    },
    "no size": (ArgumentError, lambda: Loader(IMAGES, None), "size must be an int; None is for iterables"),
    "size 0": (ArgumentError, lambda: Loader(IMAGES, 0), "size must be positive"),
    "batches of batches": (
        ArgumentError,
        lambda: Loader(Batched(), 4),
        r"makes batches itself; write Loader\(source, N",
    ),
    "padded batches": (ArgumentError, lambda: Loader(Batched(), None, last="pad"), "last must be None"),
    "keys": (ShapeError, lambda: Loader(IMAGES, 11, key=fx.random.split(KEY)), "key must be one key"),
    "beyond": (ArgumentError, lambda: Loader(IMAGES, 11).batches(1, Position(0, 11)), "start is at example 11"),
    "a pair": (ArgumentError, lambda: Loader(IMAGES, 11).batches(1, (0, 1)), "start must be a Position"),  # type: ignore[arg-type]  # the mistake
    "a cut": (ShapeError, lambda: Loader(LABELS, 11, sharding=MESH.sharding(None, "data")), "needs rank 2 at least"),
    "a cut of an iterable": (
        ShapeError,
        lambda: list(Loader(iter(LABELS), 11, sharding=MESH.sharding(None, "data"))),
        r"Loader: a batch has shape \[11\], but .* needs rank 2 at least",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()
