"""`Loader`: the batches of a source, epoch after epoch, from any of them on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, final

import numpy as np
from typing_extensions import TypeVar

from effects import random
from effects.arguments import choice, describe, natural, refusal
from effects.arrays.mesh import Sharding
from effects.errors import ArgumentError, ConcretizationError, ShapeError
from effects.random.keys import Key, one_key
from effects.runtime.memory_errors import memory_errors
from lowering.loader.prefetching import Batches
from lowering.loader.sources import (
    BatchReader,
    Indexed,
    as_arrays,
    check_sharding,
    examples_of_batch,
    next_examples,
    source_of,
)

D = TypeVar("D", default=Any)
"""The type of trees of examples."""

type Last = Literal["drop", "pad"]
type _Chunk = tuple[BatchReader, int, int, int]
"""Examples of a batch, its size, the number that are no padding, and the number in the epoch so far: 0 at its end."""


class Position(NamedTuple):
    """Place between two batches: the number of complete epochs, and of examples used in the present one.

    It is a tree of two integers, which checkpoints save. For a source that makes batches it counts batches.
    """

    epoch: int = 0
    example: int = 0


class Batch(NamedTuple, Generic[D]):
    """Examples along the first axes of a tree of arrays.

    The first `examples` are the source's, the others padding; the next batch begins at `position`.
    """

    data: D
    examples: int
    position: Position


@final
class Loader(Generic[D]):
    """Batches of `size` examples of a source.

    A source is a tree of arrays with the examples along their first axes (NumPy's, also from `numpy.memmap`, effax's,
    torch's); a data set, which has `len(source)` and examples `source[i]`, trees of arrays and numbers; or any other
    iterable over examples. With `size` None the source is an iterable over batches, like torch's DataLoader.

    With a key, epoch i has the order `random.permutation(random.fold_in(key, i), n)`; without one, and for iterables,
    that of the source. The examples of a data set, and those of a batch of an iterable, must have the structure, shapes
    and dtypes of the first. A `last` batch that is not full is dropped, or padded with its last example; by default
    sizes that do not divide are refused. `sharding` shards the batches, and each process reads its own parts of arrays
    and data sets; by default they are on the default device. A thread makes `prefetch` batches ahead, or none.

    Raises ShapeError where sizes do not fit, ArgumentError for other arguments and sources without examples; and of
    examples that differ TreeError, ShapeError or DTypeError, where their batch is asked for.

    >>> import effects as fx
    >>> from lowering import Loader
    >>> loader = Loader({"x": fx.arange(5.0), "y": fx.arange(5)}, 2, key=fx.random.key(0), last="pad")
    >>> for batch in loader.batches():
    ...     print(batch.data["y"].tolist(), batch.examples, batch.position)
    [0, 2] 2 Position(epoch=0, example=2)
    [4, 1] 2 Position(epoch=0, example=4)
    [3, 3] 1 Position(epoch=1, example=0)

    An epoch of a source that has a length has `len(loader)` batches.

    From a checkpoint on, in which `position` is saved beside the parameters:

    >>> next(loader.batches(10, start=batch.position)).position
    Position(epoch=1, example=2)
    """

    __slots__ = ("_key", "_last", "_prefetch", "_sharding", "_size", "_source")

    def __init__(
        self,
        source: object,
        size: int | None,
        *,
        key: Key | None = None,
        last: Last | None = None,
        sharding: Sharding | None = None,
        prefetch: int = 2,
    ) -> None:
        if sharding is not None and not isinstance(sharding, Sharding):
            raise refusal("Loader", "sharding", "a Sharding, which mesh.sharding(…) makes", sharding)
        self._key, self._sharding = None if key is None else one_key("Loader", key), sharding
        if key is not None and key.data.known() is None:
            raise ConcretizationError(f"Loader: key must be known to order batches; it is {key.data.unknown_reason()}")
        self._size = None if size is None else natural("Loader", "size", size)
        self._last = None if last is None else choice("Loader", "last", last, Last)
        self._prefetch = natural("Loader", "prefetch", prefetch)
        if self._size == 0:
            raise refusal("Loader", "size", "positive", size)
        self._source = source_of(source)
        if isinstance(self._source, Indexed):
            self._check_indexed(self._source)
        elif key is not None:
            raise ArgumentError(f"Loader: source, {describe(source)}, has its own order, which no key can shuffle")
        elif size is not None and isinstance(getattr(source, "batch_size", None), int):
            raise ArgumentError(f"Loader: source, {describe(source)}, makes batches itself; write Loader(source, None)")
        elif size is None and last is not None:
            raise ArgumentError(f"Loader: source makes the batches, so last must be None, got {last!r}")

    def _check_indexed(self, source: Indexed) -> None:
        if self._size is None:
            raise ArgumentError("Loader: size must be an int; None is for iterables over batches")
        if self._last != "pad" and source.examples < self._size:
            raise ShapeError(
                f"Loader: source has {source.examples} examples, fewer than one batch of {self._size}; last='pad' pads "
                "them"
            )
        if self._last is None and source.examples % self._size:
            raise ShapeError(
                f"Loader: {source.examples} examples are not a multiple of size, {self._size}; last='drop' leaves out "
                "the rest, last='pad' pads them"
            )
        if self._sharding is not None:
            check_sharding(source.at(np.arange(0)), self._size, self._sharding)

    @property
    def length(self) -> int | None:
        """Number of batches in an epoch; None of an iterable."""
        if not isinstance(self._source, Indexed) or self._size is None:
            return None
        return (self._source.examples + (self._size - 1 if self._last == "pad" else 0)) // self._size

    def __len__(self) -> int:
        """Number of batches in an epoch. Raises ArgumentError for an iterable."""
        if (length := self.length) is None:
            raise ArgumentError("Loader: an iterable does not tell the number of its batches")
        return length

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Batches[Batch[D]]:
        """The batches of one epoch, the first one."""
        return self.batches()

    def batches(self, epochs: int | None = 1, start: Position = Position()) -> Batches[Batch[D]]:  # noqa: B008  # a value
        """The batches of the first `epochs` epochs, or of all without end, from a position on.

        An iterable is gone through anew in each epoch, and up to the position. Raises ArgumentError for what is no
        position of the source, ShapeError when an iterable gives no batch in an epoch.
        """
        many = None if epochs is None else natural("batches", "epochs", epochs)
        if not isinstance(start, Position):
            raise refusal("batches", "start", "a Position", start)
        epoch, example = [natural("batches", f"start.{name}", value) for name, value in start._asdict().items()]
        if isinstance(self._source, Indexed) and example and example >= self._source.examples:
            raise ArgumentError(f"batches: start is at example {example}, but source has {self._source.examples}")
        return Batches(self._from(many, epoch, example), self._prefetch)

    def _from(self, epochs: int | None, epoch: int, example: int) -> Iterator[Batch[D]]:
        while epochs is None or epoch < epochs:
            source, empty = self._source, not example
            chunks = (
                self._indexed(source, epoch, example)
                if isinstance(source, Indexed)
                else self._iterated(source, example)
            )
            try:
                for reader, size, count, after in chunks:
                    empty = False
                    position = Position(epoch, after) if after else Position(epoch + 1)
                    yield Batch(as_arrays(reader, size, self._sharding), count, position)
            except RuntimeError as error:
                if isinstance(source, Indexed) or not isinstance(error.__cause__, StopIteration):
                    raise
                raise ArgumentError(  # Python makes a RuntimeError of one that leaves a generator
                    f"Loader: the code of source, {describe(source)}, raised StopIteration in epoch {epoch}; end it by "
                    "return, and write next(iterator, None)"
                ) from error
            if empty:
                once = "; what is gone through once, as a generator, has one epoch"
                once = once if epoch or isinstance(self._source, Iterator) else ""
                raise ShapeError(f"Loader: source gave no batch in epoch {epoch}{once}")
            epoch, example = epoch + 1, 0

    def _indexed(self, source: Indexed, epoch: int, start: int) -> Iterator[_Chunk]:
        size = self._size or 0
        order = np.arange(source.examples)
        if self._key is not None:
            order = np.asarray(random.permutation(random.fold_in(self._key, epoch), source.examples))
        for begin in range(start, source.examples, size):
            count = min(size, source.examples - begin)
            if not self._keeps(count):
                return
            with memory_errors:
                at = order[np.minimum(np.arange(begin, begin + size), source.examples - 1)]
            left = source.examples - begin - count
            over = left < size if self._last == "drop" else not left
            yield source.at(at), size, count, 0 if over else begin + count

    def _iterated(self, source: Iterable[object], start: int) -> Iterator[_Chunk]:
        """The batches of an iterable, whose length is not known."""
        items, after = iter(source), start
        if (passed := sum([1 for _ in islice(items, start)])) < start:
            raise ArgumentError(f"batches: start is at example {start}, but source gave {passed}")
        if self._size is None:
            for batch in items:
                after += 1
                count, reader = examples_of_batch(batch)
                yield reader, count, count, after
            return
        while (chunk := next_examples(items, self._size)) is not None:
            count, reader = chunk
            if not self._keeps(count):
                return
            after += count
            yield reader, self._size, count, after

    def _keeps(self, count: int) -> bool:
        """Return False for a last batch that is dropped."""
        if count != self._size and self._last is None:
            raise ShapeError(
                f"Loader: the last batch has {count} examples, not {self._size}; last='drop' leaves them out, "
                "last='pad' pads them"
            )
        return count == self._size or self._last == "pad"
