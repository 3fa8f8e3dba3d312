"""Sources of examples: trees of arrays, data sets that are indexed, and what can only be gone through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from effects.arguments import refusal
from effects.arrays.promotion import as_array
from effects.errors import EffaxError, ShapeError
from effects.trees.pytree import TreeDef, check_like, tree_flatten, tree_leaves_with_path, tree_structure
from lowering.placement.device_put import array_from_callback, device_put

if TYPE_CHECKING:
    from effects.arrays.concrete import Host
    from effects.arrays.mesh import Region, Sharding

type Positions = npt.NDArray[np.int64]


@runtime_checkable
class DataSet(Protocol):
    """Examples by their positions, as torch's data sets have them."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> object: ...


class Rows(NamedTuple):
    """Examples of one batch that are yet to be read: their structure, the shapes of each, and how some are read."""

    treedef: TreeDef
    shapes: Sequence[tuple[int, ...]]
    read: Callable[[slice], Sequence[Host]]


class Indexed(NamedTuple):
    """A source whose examples are read in any order."""

    examples: int
    at: Callable[[Positions], Rows]


def source_of(source: object) -> Indexed | Iterable[object]:
    """A tree of arrays or a data set as what is read in any order; an iterable as it is."""
    if isinstance(source, Iterator):  # which is no leaf of trees
        return source
    named = tree_leaves_with_path(source)
    if len(named) == 1 and named[0][1] is source and not hasattr(source, "shape"):
        if not isinstance(source, str | bytes | type):
            if isinstance(source, DataSet):
                with suppress(NotImplementedError):  # of torch's iterables, which may have a length
                    return _of_data_set(source)
            if isinstance(source, Iterable):
                return source
        raise refusal("Loader", "source", "a tree of arrays, a data set or an iterable", source)
    return _of_arrays(source)


def _of_arrays(source: object) -> Indexed:
    treedef, leaves = tree_structure(source), _leaves_of("source", source)
    shapes = [leaf.shape[1:] for leaf in leaves]
    return Indexed(
        len(leaves[0]), lambda at: Rows(treedef, shapes, lambda part: [np.asarray(leaf[at[part]]) for leaf in leaves])
    )


def _of_data_set(source: DataSet) -> Indexed:
    if not len(source):
        return Indexed(0, lambda at: rows_of([]))
    like = rows_of([source[0]])

    def at(positions: Positions) -> Rows:
        return like._replace(read=lambda part: _stacked([source[int(i)] for i in positions[part]]))

    return Indexed(len(source), at)


def rows_of(examples: Sequence[object]) -> Rows:
    """Examples that were read already."""
    named = [(path, _host(f"example{path}", leaf)) for path, leaf in tree_leaves_with_path(examples[0])]
    if not named:
        raise refusal("Loader", "source", "a source of examples with arrays", examples[0])
    return Rows(tree_structure(examples[0]), [leaf.shape for _, leaf in named], lambda part: _stacked(examples[part]))


def rows_of_batch(batch: object) -> tuple[int, Rows]:
    """A batch that the source made: the number of its examples, and these."""
    leaves = _leaves_of("a batch of source", batch)
    rows = Rows(
        tree_structure(batch), [leaf.shape[1:] for leaf in leaves], lambda part: [leaf[part] for leaf in leaves]
    )
    return len(leaves[0]), rows


def _leaves_of(subject: str, tree: object) -> list[Host]:
    """The arrays of a tree on the host, whose first axis is the same."""
    named = [(f"{subject}{path}", _host(f"{subject}{path}", leaf)) for path, leaf in tree_leaves_with_path(tree)]
    if not named:
        raise refusal("Loader", subject, "a tree with arrays", tree)
    for name, leaf in named:
        if not leaf.ndim:
            raise refusal("Loader", name, "an array of examples along its first axis", leaf.item())
        if len(leaf) != len(named[0][1]):
            raise ShapeError(f"Loader: {name} has {len(leaf)} examples, and {named[0][0]} {len(named[0][1])}")
    return [leaf for _, leaf in named]


def _host(name: str, leaf: Any) -> Host:
    """An array of whatever library on the host, of a dtype that arrays can have."""
    try:
        host = leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf)
    except EffaxError:
        raise
    except Exception as error:
        raise refusal("Loader", name, "an array", leaf, str(error)) from None
    as_array(host[:0] if host.ndim else host, "Loader", name)
    return host


def _stacked(examples: Sequence[object]) -> list[Host]:
    """The leaves of examples along a new first axis."""
    columns = []
    for example in examples:
        check_like("Loader: an example", example, "another one", examples[0])
        columns.append([np.asarray(leaf) for leaf in tree_flatten(example)[0]])
    for example in columns:
        for one, first in zip(example, columns[0], strict=True):
            if one.shape != first.shape:
                raise ShapeError(
                    f"Loader: examples have the shapes {list(first.shape)} and {list(one.shape)}; pad them"
                )
    return [np.stack(column) for column in zip(*columns, strict=True)]


def placed(rows: Rows, size: int, sharding: Sharding | None) -> Any:
    """The batch of some examples, in the tree that they are in; of one that is cut each process reads its own."""
    if sharding is None:
        return device_put(rows.treedef.unflatten(rows.read(slice(0, size))))
    read = cache(lambda start, stop: rows.read(slice(start, stop)))

    def part(leaf: int, at: Region) -> Host:
        elements: Host = read(at[0].start, at[0].stop)[leaf][:, *at[1:]]
        return elements

    return rows.treedef.unflatten(
        [array_from_callback((size, *shape), sharding, partial(part, i)) for i, shape in enumerate(rows.shapes)]
    )
