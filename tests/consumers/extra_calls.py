"""Functions of array-api-extra, einops and xarray, each of one array."""

from __future__ import annotations

from typing import Any, Final

import array_api_extra as xpx
import einops
import numpy as np
import xarray as xr

from tests.consumers.scipy_calls import Calls, like

X: Final = np.random.default_rng(3).normal(size=(3, 4))
SHIFTED: Final = np.random.default_rng(4).normal(size=(3, 4))


def _added(x: Any) -> Any:
    copy = xpx.at(x)[0].add(2.0, copy=True)
    return copy, xpx.at(copy)[:, 1].multiply(3.0), xpx.at(copy)[1].set(0.0)


EXTRA: Final[Calls] = {
    f"array_api_extra.{name}": (function, X)
    for name, function in {
        "apply_where": lambda x: xpx.apply_where(x > 0, x, lambda x: x**0.5, lambda x: -x),
        "apply_where with a value": lambda x: xpx.apply_where(x > 0, x, lambda x: x * 2.0, fill_value=1.0),
        "argpartition": lambda x: xpx.partition(x, 2, axis=-1).sum(),
        "at": _added,
        "at, minimum and maximum": lambda x: xpx.at(x)[0].min(0.0, copy=True) + xpx.at(x)[1].max(0.0, copy=True),
        "at, power and division": lambda x: xpx.at(x)[0].power(2.0, copy=True) / xpx.at(x)[1].divide(2.0, copy=True),
        "at of a mask": lambda x: xpx.at(x)[x > 0].set(0.5, copy=True),
        "atleast_nd": lambda x: xpx.atleast_nd(x, ndim=4),
        "broadcast_shapes": lambda x: x * xpx.broadcast_shapes(x.shape, (3, 1))[1],
        "cov": lambda x: xpx.cov(x),
        "create_diagonal": lambda x: xpx.create_diagonal(x[0]),
        "default_dtype": lambda x: x.astype(xpx.default_dtype(x.__array_namespace__())) if hasattr(x, "now") else x,
        "expand_dims": lambda x: xpx.expand_dims(x, axis=(0, 2)),
        "isclose": lambda x: xpx.isclose(x, x + 1e-9),
        "isin": lambda x: xpx.isin(x, x[0]),
        "kron": lambda x: xpx.kron(x, x),
        "lazy_apply": lambda x: xpx.lazy_apply(np.sort, x, as_numpy=True),
        "nan_to_num": lambda x: xpx.nan_to_num(x / (x > 0)),
        "nunique": lambda x: x * xpx.nunique(x),
        "one_hot": lambda x: xpx.one_hot(like(x, [0, 2, 1]), 3) * x[0, 0],
        "pad": lambda x: xpx.pad(x, 2),
        "partition": lambda x: xpx.partition(x[0], 1)[1],
        "searchsorted": lambda x: xpx.searchsorted(like(x, [-1.0, 0.0, 1.0]), x[0]),
        "setdiff1d": lambda x: xpx.setdiff1d(x[0], x[0, :2]),
        "sinc": lambda x: xpx.sinc(x),
        "union1d": lambda x: xpx.union1d(x[0], x[1]),
    }.items()
    if hasattr(xpx, name.split(",")[0].split()[0].replace("argpartition", "partition"))
}

EINOPS: Final[Calls] = {
    "einops.rearrange": (lambda x: einops.rearrange(x, "a b -> b a"), X),
    "einops.reduce": (lambda x: einops.reduce(x, "a (b c) -> a b", "mean", c=2), X),
    "einops.repeat": (lambda x: einops.repeat(x, "a b -> a b 3"), X),
    "einops.einsum": (lambda x: einops.einsum(x, x, "a b, c b -> a c"), X),
    "einops.pack": (lambda x: einops.pack([x, x[:, 0]], "a *")[0], X),
    "einops.unpack": (lambda x: einops.unpack(x, [(1,), (3,)], "a *"), X),
}


def _array(x: Any) -> xr.DataArray:
    return xr.DataArray(x, dims=("row", "column"), coords={"column": [10, 20, 30, 40]}, name="table")


XARRAY: Final[Calls] = {
    f"xarray.{name}": (lambda x, f=function: f(_array(x)).data, X)
    for name, function in {
        "arithmetic": lambda a: 2.0 * a + a**2 - a / 3.0,
        "comparison": lambda a: (a > 0.0) & (a < 1.0),
        "abs": abs,
        "sum": lambda a: a.sum("row"),
        "mean": lambda a: a.mean("row"),
        "mean, NaN not skipped": lambda a: a.mean("row", skipna=False),
        "std": lambda a: a.std("row"),
        "var": lambda a: a.var(),
        "min": lambda a: a.min("column"),
        "max": lambda a: a.max("column"),
        "prod": lambda a: a.prod("column"),
        "median": lambda a: a.median("row"),
        "any": lambda a: (a > 0.0).any("row"),
        "all": lambda a: (a > 0.0).all("row"),
        "count": lambda a: a.count("row"),
        "argmax": lambda a: a.argmax("row"),
        "cumsum": lambda a: a.cumsum("row"),
        "cumprod": lambda a: a.cumprod("row"),
        "isel": lambda a: a.isel(row=1),
        "isel of positions": lambda a: a.isel(row=[0, 2]),
        "sel": lambda a: a.sel(column=20),
        "sel of a range": lambda a: a.sel(column=slice(10, 30)),
        "transpose": lambda a: a.transpose("column", "row"),
        "expand_dims": lambda a: a.expand_dims("time"),
        "squeeze": lambda a: a.expand_dims("time").squeeze("time"),
        "stack": lambda a: a.stack(all=("row", "column")),
        "rename": lambda a: a.rename(row="r"),
        "astype": lambda a: a.astype("float32"),
        "where": lambda a: a.where(a > 0.0, 0.0),
        "where, NaN elsewhere": lambda a: a.where(a > 0.0),
        "fillna": lambda a: a.where(a > 0.0).fillna(1.0),
        "isnull": lambda a: a.isnull(),
        "notnull": lambda a: a.notnull(),
        "clip": lambda a: a.clip(-0.5, 0.5),
        "round": lambda a: a.round(1),
        "dot": lambda a: a.dot(a, dim="column"),
        "concat": lambda a: xr.concat([a, a], "row"),
        "shift": lambda a: a.shift(row=1),
        "roll": lambda a: a.roll(row=1),
        "pad": lambda a: a.pad(row=1, constant_values=0.0),
        "broadcast": lambda a: a + a.isel(row=0),
        "apply_ufunc": lambda a: xr.apply_ufunc(lambda x: x * 2.0, a),
        "groupby": lambda a: a.groupby("column").sum(),
        "diff": lambda a: a.diff("row"),
    }.items()
}
