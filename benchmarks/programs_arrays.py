"""Programs that read and write at positions, order, fold along an axis and convolve, for `measure_arrays`."""

from collections.abc import Callable
from typing import NamedTuple

import numpy

from benchmarks.namespace import Arrays, Function, Namespace, Value

INDEX_OPERATIONS = 10


class Program(NamedTuple):
    """A function of arrays, and what it is called with: NumPy arrays."""

    f: Function
    arguments: tuple[Value, ...]


def small(np: Namespace) -> dict[str, Callable[[], Value]]:
    """One eager call each, on small arrays."""
    random = numpy.random.default_rng(0)
    x = np.asarray(random.normal(size=16).astype(numpy.float32))
    table = np.asarray(random.normal(size=(8, 8)).astype(numpy.float32))
    at = np.asarray(numpy.array([3, 1, 2]))
    return {
        "x[2]": lambda: x[2],
        "x[1:5]": lambda: x[1:5],
        "x[indices]": lambda: x[at],
        "table[indices, indices]": lambda: table[at, at],
        "x.at[2].set": lambda: x.at[2].set(1.0),
        "x.at[indices].add": lambda: x.at[at].add(1.0),
        "sort": lambda: np.sort(x),
        "argsort": lambda: np.argsort(x),
        "cumulative_sum": lambda: np.cumulative_sum(x),
        "concat": lambda: np.concat([x, x]),
    }


def beside_numpy(count: int) -> dict[str, tuple[Value, ...]]:
    """Functions that count, order and choose, each with the NumPy arrays that it is called with."""
    random = numpy.random.default_rng(0)
    x, (whole, others) = random.normal(size=count), random.integers(0, count // 10, (2, count))
    return {
        "bincount": (whole,),
        "isin": (others, whole),
        "nanmedian": (numpy.where(x > 1, numpy.nan, x),),
        "setxor1d": (others, whole),
        "unique_counts": (whole,),
        "where": (x > 0, x, -x),
    }


def large(np: Namespace, arrays: Arrays) -> dict[str, Program]:
    """Programs of one operation each, on arrays of a quarter of a million elements."""
    random = numpy.random.default_rng(0)
    x = random.normal(size=(512, 512)).astype(numpy.float32)
    updates = random.normal(size=(300, 512)).astype(numpy.float32)
    images = random.normal(size=(8, 16, 32, 32)).astype(numpy.float32)
    kernel = random.normal(size=(32, 16, 3, 3)).astype(numpy.float32)
    rows, columns = random.integers(0, 512, (2, 300))
    return {
        "gather of rows": Program(lambda x, i: x[i], (x, rows)),
        "gather of elements": Program(lambda x, i, j: x[i, j], (x, rows, columns)),
        "one row": Program(lambda x, i: x[i[0]], (x, rows)),
        "scatter-add of rows": Program(lambda x, i, u: x.at[i].add(u), (x, rows, updates)),
        "sort": Program(lambda x: np.sort(x, axis=1), (x,)),
        "cumulative_sum": Program(lambda x: np.cumulative_sum(x, axis=1), (x,)),
        "top_k": Program(lambda x: arrays.top_k(x, 8)[0], (x,)),
        "top_k, 32 of 512": Program(lambda x: arrays.top_k(x, 32)[0], (x,)),
        "conv": Program(arrays.conv, (images, kernel)),
    }


def indexing(np: Namespace, operations: int, salt: float) -> Callable[[Value, Value], Value]:
    """A scalar-valued program of (x [8, 8], i [3]) with about `operations` reads and updates, and sums between them."""

    def program(x: Value, i: Value) -> Value:
        for _ in range(max(1, operations // INDEX_OPERATIONS)):
            x = x.at[1].set(x[2] * salt)
            x = x.at[i, 1:4].add(x[i, 2:5])
            x = x.at[:, 3].multiply(x[0, 0])
            x = x + x[:, None, 2] + x[i[0]] + x[::-1]
        return np.sum(x)

    return program


def indexing_arguments() -> tuple[Value, ...]:
    """Operands of `indexing` as NumPy arrays."""
    return numpy.random.default_rng(0).normal(size=(8, 8)).astype(numpy.float32), numpy.array([3, 1, 2])
