"""Sources of examples: trees of arrays, data sets with an index, and iterables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from functools import cache, partial
from itertools import chain, islice
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from effects.arguments import refusal
from effects.arrays.array import Array
from effects.arrays.concrete import Host
from effects.arrays.mesh import Region, Sharding
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, ShapeError
from effects.functions.data_types import result_type
from effects.runtime.memory_errors import memory_errors
from effects.trees.pytree import TreeDef, check_like, tree_flatten, tree_leaves_with_path, tree_structure
from effects.types.dtypes import WEAK_OF, DType, as_dtype, default_of
from effects.types.promotion import promote_weak
from lowering.placement.device_put import array_from_callback, device_put

_NO_EXAMPLE: Final = object()

type Positions = npt.NDArray[np.int64]


@runtime_checkable
class DataSet(Protocol):
    """Examples by their positions, as torch's data sets have them."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> object: ...


class BatchReader(NamedTuple):
    """The examples of a batch before they are read: their structure, their shapes, and a function that reads some."""

    treedef: TreeDef
    shapes: Sequence[tuple[int, ...]]
    read: Callable[[slice], Sequence[Host]]


class Indexed(NamedTuple):
    """A source whose examples are read in any order."""

    examples: int
    at: Callable[[Positions], BatchReader]


def source_of(source: object) -> Indexed | Iterable[object]:
    """A tree of arrays or a data set as an `Indexed`; an iterable as it is."""
    if isinstance(source, Iterator):  # it is no leaf of a tree
        return source
    named = tree_leaves_with_path(source)
    if len(named) == 1 and named[0][1] is source and not hasattr(source, "shape"):
        if not isinstance(source, str | bytes | type):
            if isinstance(source, DataSet):
                with suppress(NotImplementedError):  # torch's iterables may have a length
                    return _data_set(source)
            if isinstance(source, Iterable):
                return source
        raise refusal("Loader", "source", "a tree of arrays, a data set or an iterable", source)
    return _arrays(source)


def _arrays(source: object) -> Indexed:
    treedef, leaves = tree_structure(source), _leaves_of("source", source)
    shapes = [leaf.shape[1:] for leaf in leaves]
    return Indexed(
        _number_of_examples(leaves[0]),
        lambda at: BatchReader(treedef, shapes, lambda part: [np.asarray(leaf[at[part]]) for leaf in leaves]),
    )


def _data_set(source: DataSet) -> Indexed:
    count = _number_of_examples(source)

    def example(position: int) -> object:
        try:
            return source[position]
        except StopIteration as error:  # which would end the loop over the batches
            raise ArgumentError(f"Loader: source[{position}] raised StopIteration in place of an example") from error

    form = Form.of(example(0))

    def at(positions: Positions) -> BatchReader:
        def read(part: slice) -> Sequence[Host]:
            chosen = positions[part]
            return form.stacked((example(int(i)) for i in chosen), len(chosen))[1]

        return BatchReader(form.treedef, form.shapes, read)

    return Indexed(count, at)


def _number_of_examples(examples: Sized) -> int:
    if not len(examples):
        raise ArgumentError("Loader: source has no examples")
    return len(examples)


class Form(NamedTuple):
    """The form of examples, that of the first: their structure, and the shapes and dtypes of their arrays."""

    first: object
    treedef: TreeDef
    names: list[str]
    shapes: list[tuple[int, ...]]
    dtypes: list[np.dtype[Any]]
    numbers: list[frozenset[type]]
    """For each leaf, the types of Python numbers that it may have."""

    @classmethod
    def of(cls, first: object) -> Form:
        named = [(f"example{path}", leaf) for path, leaf in tree_leaves_with_path(first)]
        if not named:
            raise refusal("Loader", "source", "a source of examples with arrays", first)
        leaves = [_host(name, leaf) for name, leaf in named]
        numbers = [_numbers_in(as_dtype(leaf.dtype)) if not leaf.ndim else frozenset[type]() for leaf in leaves]
        shapes, dtypes = [leaf.shape for leaf in leaves], [leaf.dtype for leaf in leaves]
        return cls(first, tree_structure(first), [name for name, _ in named], shapes, dtypes, numbers)

    def stacked(self, examples: Iterable[object], size: int) -> tuple[int, list[Host]]:
        """The number of some examples, and their leaves stacked, with the last one repeated up to `size`.

        Each is copied before the next one is read, since a source may reuse its memory.
        """
        with memory_errors:
            columns = [np.empty((size, *shape), dtype) for shape, dtype in zip(self.shapes, self.dtypes, strict=True)]
        count = 0
        for count, example in enumerate(examples, 1):
            leaves, treedef = tree_flatten(example)
            if treedef != self.treedef:
                check_like("Loader: an example", example, "the first one", self.first)
            for name, leaf, numbers, column in zip(self.names, leaves, self.numbers, columns, strict=True):
                try:
                    column[count - 1] = leaf if type(leaf) in numbers else _fitting(name, leaf, column)
                except OverflowError:
                    raise _dtype_error(f"{name} is {leaf}", column.dtype) from None
        for column in columns:
            column[count:] = column[count - 1 : count]
        return count, columns


@cache
def _numbers_in(dtype: type[DType]) -> frozenset[type]:
    """The types of Python's numbers that a dtype holds."""
    return frozenset([kind for kind, weak in WEAK_OF.items() if promote_weak(dtype, weak) is dtype])


def _fitting(name: str, leaf: Any, column: Host) -> Host:
    """An array of an example, checked against the shape and the dtype of its column."""
    dtype, shape = column.dtype, column.shape[1:]
    if type(leaf) is np.ndarray and leaf.dtype == dtype and leaf.shape == shape:
        return leaf
    host = _host(name, leaf)
    if host.shape != shape:
        subject = f"Loader: {name} is {host.dtype}{list(host.shape)}"
        raise ShapeError(f"{subject}, but the first one is {dtype}{list(shape)}; pad them")
    if host.dtype != dtype and result_type(dtype, host.dtype) is not as_dtype(dtype):
        raise _dtype_error(f"{name} is {host.dtype}{list(shape)}", dtype)
    return host


def _dtype_error(subject: str, dtype: np.dtype[Any]) -> DTypeError:
    return DTypeError(f"Loader: {subject}, but the first one is {dtype}, which cannot hold it; convert them")


def next_examples(examples: Iterator[object], size: int) -> tuple[int, BatchReader] | None:
    """The next examples, at most `size`, and their number; None if there are none."""
    if (first := next(examples, _NO_EXAMPLE)) is _NO_EXAMPLE:
        return None
    form = Form.of(first)
    count, columns = form.stacked(chain([first], islice(examples, size - 1)), size)
    return count, BatchReader(form.treedef, form.shapes, lambda part: [column[part] for column in columns])


def examples_of_batch(batch: object) -> tuple[int, BatchReader]:
    """The number of examples of a source's own batch, and these."""
    leaves = _leaves_of("a batch of source", batch)
    reader = BatchReader(
        tree_structure(batch), [leaf.shape[1:] for leaf in leaves], lambda part: [leaf[part] for leaf in leaves]
    )
    return len(leaves[0]), reader


def _leaves_of(subject: str, tree: object) -> list[Host]:
    """The arrays of a tree on the host, whose first axes have one size."""
    named = [(f"{subject}{path}", _host(f"{subject}{path}", leaf)) for path, leaf in tree_leaves_with_path(tree)]
    if not named:
        raise refusal("Loader", subject, "a tree with arrays", tree)
    for name, leaf in named:
        if not leaf.ndim:
            raise refusal("Loader", name, "an array of examples along its first axis", leaf.item(), _list_advice(tree))
        if len(leaf) != len(named[0][1]):
            subject = f"Loader: {name} has {len(leaf)} examples, and {named[0][0]} {len(named[0][1])}"
            raise ShapeError("; ".join(filter(None, [subject, _list_advice(tree)])))
    return [leaf for _, leaf in named]


def _list_advice(tree: object) -> str:
    """Advice for a list, which may be a list of examples."""
    is_list = isinstance(tree, list) and len(tree) > 1
    return (
        "a list is a tree of arrays; one of examples is a data set as collections.UserList(examples)" if is_list else ""
    )


def _host(name: str, leaf: Any) -> Host:
    """An array of any library as an array on the host, of a dtype that arrays can have."""
    if isinstance(leaf, Array) and leaf.known() is None:
        raise ConcretizationError(f"Loader: {name} must be known to be read; it is {leaf.unknown_reason()}")
    try:
        dtype = default_of(type(leaf)).dtype if type(leaf) in (float, complex) else None
        host = leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf, dtype)
    except EffaxError:
        raise
    except Exception as error:
        raise refusal("Loader", name, "an array", leaf, str(error)) from None
    as_array(host[:0] if host.ndim else host, "Loader", name)
    return host


def check_sharding(reader: BatchReader, size: int, sharding: Sharding) -> None:
    """Raise ShapeError for a batch of `size` examples that cannot be sharded like this."""
    for shape in reader.shapes:
        sharding.block((size, *shape), "Loader", "a batch")


def as_arrays(reader: BatchReader, size: int, sharding: Sharding | None) -> Any:
    """A batch of examples as a tree of arrays; of a sharded batch each process reads its own parts."""
    if sharding is None:
        return device_put(reader.treedef.unflatten(reader.read(slice(0, size))))
    check_sharding(reader, size, sharding)
    read = cache(lambda start, stop: reader.read(slice(start, stop)))

    def part(leaf: int, at: Region) -> Host:
        elements: Host = read(at[0].start, at[0].stop)[leaf][:, *at[1:]]
        return elements

    return reader.treedef.unflatten(
        [array_from_callback((size, *shape), sharding, partial(part, i)) for i, shape in enumerate(reader.shapes)]
    )
