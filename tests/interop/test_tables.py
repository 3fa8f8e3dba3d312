"""`asarray` of buffers, of arrays of other libraries and of columns of tables, of which none may be missing."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import effects as fx

HOST: Final = np.arange(6, dtype=np.int32).reshape(2, 3)


class Interface:
    def __init__(self, host: NDArray[Any]) -> None:
        self.host, self.__array_interface__ = host, host.__array_interface__


class Struct:
    def __init__(self, host: NDArray[Any]) -> None:
        self.host, self.__array_struct__ = host, host.__array_struct__


class Memory:
    def __init__(self, host: NDArray[Any]) -> None:
        self.host = host

    def __buffer__(self, flags: int, /) -> memoryview:
        return memoryview(self.host)


class Giving:
    """An array of another library."""

    def __init__(self, host: NDArray[Any]) -> None:
        self.host = host

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.host


MEMORY: Final[dict[str, Any]] = {
    "memoryview": memoryview(HOST),
    "strided memoryview": memoryview(HOST.T[::-1]),
    "bytes behind a memoryview": memoryview(b"\0\1\2"),
    "bytearray": bytearray(b"\0\1\2"),
    "array": array.array("d", [1.5, 2.5]),
    "short array": array.array("h", [1, -2]),
    "ctypes": (ctypes.c_float * 3)(1, 2, 3),
    "matrix of ctypes": (ctypes.c_int * 2 * 3)(),
    "buffer": Memory(HOST),
    "interface": Interface(HOST),
    "struct": Struct(HOST),
    "__array__": Giving(HOST),
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory_is_copied(name: str) -> None:
    expected = np.array(MEMORY[name])
    for x in (fx.asarray(MEMORY[name]), fx.asarray([MEMORY[name]])[0], fx.asarray((MEMORY[name], MEMORY[name]))[1]):
        assert x.dtype == expected.dtype and x.tolist() == expected.tolist()
    assert fx.asarray(MEMORY[name], dtype=fx.float32).dtype is fx.float32


def test_memory_may_be_written_to_afterwards() -> None:
    memory = array.array("d", [1.0, 2.0])
    x = fx.asarray(memory)
    memory[0] = 7.0
    assert x.tolist() == [1.0, 2.0]


class Unwilling:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise RuntimeError("first detach")


NO_NUMBERS: Final[dict[str, tuple[Any, str]]] = {
    "bytes": (b"ab", r"asarray: obj is bytes, not numbers; memoryview\(obj\) is an array of uint8"),
    "bytes inside": ([b"ab"], r"an element of obj is bytes, not numbers"),
    "unwilling": (Unwilling(), "asarray: obj of type Unwilling does not export its elements: first detach"),
    "unwilling inside": ([[Unwilling()]], "an element of obj of type Unwilling does not export its elements: first"),
    "words": (
        Giving(np.array(["a"])),
        "obj of type Giving has elements of NumPy's dtype <U1, which arrays cannot have",
    ),
    "objects": (Giving(np.array([None])), "obj of type Giving has elements of NumPy's dtype object"),
    "dates": (Giving(np.array("2020-01-01", "M8[D]")), r"has elements of NumPy's dtype datetime64\[D\]"),
    "records": (memoryview(np.zeros(2, "i4,f4")), "has elements of NumPy's dtype"),
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_holds_no_numbers(name: str) -> None:
    given, message = NO_NUMBERS[name]
    with pytest.raises(fx.ArgumentError, match=message):
        fx.asarray(given)


@pytest.mark.parametrize("name", MEMORY)
def test_functions_say_what_to_do_with_it(name: str) -> None:
    if name in ("interface", "struct"):
        pytest.skip("of its class nothing says that it is an array")
    with pytest.raises(fx.ArgumentError, match=r"square: x must be an array or a number, .*convert it with asarray"):
        fx.square(MEMORY[name])


class Column:
    """What a nullable column of pandas' says of itself."""

    class NAType:
        pass

    class dtype:
        na_value: Any

    dtype.na_value = NAType()

    def __init__(self, *missing: bool) -> None:
        self.missing = np.array(missing)

    def isna(self) -> NDArray[Any]:
        return self.missing

    def fillna(self, value: float) -> NDArray[Any]:
        return np.where(self.missing, value, 1.0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.fillna(np.nan)


class Arrow(Giving):
    """What one of pyarrow's does."""

    null_count = 1


class Polars(Giving):
    """What one of polars' does."""

    def null_count(self) -> int:
        return 1


def test_nulls_are_no_numbers() -> None:
    assert fx.asarray(Column(False, False)).tolist() == [1.0, 1.0]
    with pytest.raises(
        fx.ArgumentError, match=r"obj of type Column has nulls, which arrays cannot have; .* fillna\(value\)"
    ):
        fx.asarray(Column(False, True))
    for column in (Arrow(HOST), Polars(HOST)):
        for given in (column, [column]):
            with pytest.raises(
                fx.ArgumentError, match=r"has nulls, which arrays cannot have; fill them by fill_null\(value\)"
            ):
                fx.asarray(given)


def _pandas() -> dict[str, Callable[[Any], Any]]:
    return {
        "series": lambda pd: pd.Series([1.5, 2.5]),
        "with NaN, which is a number": lambda pd: pd.Series([1.5, float("nan")]),
        "whole": lambda pd: pd.Series([1, 2]),
        "nullable without nulls": lambda pd: pd.Series([1, 2], dtype="Int64"),
        "truth": lambda pd: pd.Series([True, False], dtype="boolean"),
        "index": lambda pd: pd.RangeIndex(3),
        "frame": lambda pd: pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}),
    }


@pytest.mark.parametrize("name", _pandas())
def test_pandas(name: str) -> None:
    given = _pandas()[name](pytest.importorskip("pandas"))
    x, expected = fx.asarray(given), given.to_numpy()
    assert x.dtype == expected.dtype and np.array_equal(x, expected, equal_nan=expected.dtype.kind == "f")


def test_what_pandas_has_and_arrays_have_not() -> None:
    pd: Any = pytest.importorskip("pandas")
    for given in (
        pd.Series([1, None], dtype="Int64"),
        pd.Series([2**53 + 1, None], dtype="Int64"),
        pd.Series([1.0, None], dtype="Float64"),
        pd.Series([True, None], dtype="boolean"),
        pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="Int64")}),
    ):
        with pytest.raises(fx.ArgumentError, match=r"has nulls, .* fillna\(value\)"):
            fx.asarray(given)
    for given in (pd.Series(["a"]), pd.Series(pd.to_datetime(["2020-01-01"])), pd.DataFrame({"a": ["x"], "b": [1]})):
        with pytest.raises(fx.ArgumentError, match="to NumPy, which arrays cannot have"):
            fx.asarray(given)


def test_pyarrow() -> None:
    pa: Any = pytest.importorskip("pyarrow")
    columns = [pa.array([1, 2]), pa.array([0.5, 1.5]), pa.array([True, False]), pa.chunked_array([[1, 2], [3]])]
    for given in columns:
        assert fx.asarray(given).tolist() == given.to_pylist()
    for given in (
        pa.array([1, None]),
        pa.array([1.0, None]),
        pa.array([True, None]),
        pa.chunked_array([[1], [None]]),
        pa.table({"a": [1, 2], "b": [1, None]}),
    ):
        with pytest.raises(fx.ArgumentError, match=r"has nulls, .* fill_null\(value\)"):
            fx.asarray(given)
    with pytest.raises(fx.ArgumentError, match="which arrays cannot have"):
        fx.asarray(pa.array(["a"]))
