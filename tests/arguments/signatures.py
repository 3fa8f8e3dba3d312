"""Calls of every public function, made of its signature: a valid value for each argument, and what else it may be.

What an argument is, its annotation says. `KINDS` has a valid value for each annotation, and the values of `nonsense`
that a function may take there; all others it has to refuse. Arguments whose annotation is not here may be anything
(operands, trees): of them it is only asked that no error is somebody else's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import effects as fx
import handlers
import lowering

X: Final = fx.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V: Final = fx.asarray([1.0, 2.0, 3.0])
WHOLE: Final = fx.asarray([1, 2, 3])


def double(x: Any, *rest: Any, **options: Any) -> Any:
    return fx.tree_map(lambda leaf: fx.multiply(leaf, 2.0), x)


def total(x: Any, *rest: Any) -> Any:
    return fx.sum(fx.square(x))


def step(carry: Any, x: Any) -> Any:
    return carry, x


def keep(i: Any, carry: Any) -> Any:
    return carry


PROGRAM: Final = handlers.make_jaxpr(double)(V)

_INT: Final = {"-1", "NumPy's 1"}
_SEVERAL: Final = {"()", "[]", "[0, 0]", "NumPy vector", *_INT}
_ARRAYS: Final = {
    "-1",
    "2.5",
    "nan",
    "inf",
    "True",
    "1j",
    "NumPy's 1",
    "NumPy's True",
    "vector",
    "NumPy vector",
    "traced",
    "2**100",  # which a float can hold
    "-10**30",
}
_DTYPES: Final = {"int", "'int8'"}
_REAL: Final = {"-1", "2.5", "nan", "inf", "NumPy's 1", "2**100", "-10**30"}

KINDS: Final[dict[str, tuple[Any, set[str]]]] = {
    "ArrayLike": (X, _ARRAYS),
    "ArrayLike | None": (X, {*_ARRAYS, "None"}),
    "Like[DT]": (X, _ARRAYS),
    "bool": (False, {"True", "NumPy's True"}),
    "bool | None": (None, {"None", "True", "NumPy's True"}),
    "int": (0, _INT),
    "int | None": (0, {*_INT, "None"}),
    "Axes": (0, {*_SEVERAL, "None"}),
    "int | tuple[int, ...]": (0, _SEVERAL),
    "int | tuple[int, ...] | None": (0, {*_SEVERAL, "None"}),
    "tuple[int, ...]": ((1, 0), _SEVERAL),
    "Sizes": ((2, 3), _SEVERAL),
    "DTypeLike": ("float32", _DTYPES),
    "DTypeLike | None": (None, {*_DTYPES, "None"}),
    "float": (1.0, _REAL),
    "float | None": (2.0, {*_REAL, "None"}),
    "int | bool": (1, {*_INT, "True"}),
    "int | bool | None": (1, {*_INT, "True", "None"}),
    "str": ("a", {"'a'", "'int8'", "''"}),
}

_N: Final = {"NumPy's 1"}
SIZED: Final = (
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("intersect1d", "setdiff1d", "setxor1d", "union1d"),
)
_IMAGE: Final = fx.ones((1, 1, 3))
BINNED: Final = ("histogram", "histogram2d", "histogramdd", "histogram_bin_edges")
QUANTILES: Final = ("quantile", "percentile", "nanquantile", "nanpercentile")
WINDOWS: Final = ("window_sum", "window_max", "window_min", "reduce_window")
SEGMENTS: Final = ("segment_sum", "segment_prod", "segment_max", "segment_min")
OVERRIDES: Final[dict[str, tuple[Any, set[str] | None]]] = {
    **{f"{name}.indices_or_sections": (1, None) for name in ("array_split", "dsplit", "hsplit", "vsplit")},
    **{f"{name}.arrays": ([X, X], None) for name in ("block", "column_stack", "dstack", "hstack", "vstack")},
    **{f"{name}.x1": (V, None) for name in ("dot", "inner", "vdot", "vecmat")},
    **{f"{name}.x2": (V, None) for name in ("dot", "inner", "matvec", "vdot")},
    "bitwise_count.x": (WHOLE, None),
    "delete.obj": (1, None),
    "diag_indices_from.x": (fx.ones((2, 2)), None),
    "dsplit.x": (fx.ones((1, 2, 3)), None),
    "insert.obj": (1, None),
    "insert.values": (1.0, None),
    "ix_.sequences_": (WHOLE, None),
    "ldexp.i": (WHOLE, None),
    "mask_indices.mask_func": (fx.triu, None),
    "piecewise.condlist": ([V > 1], None),
    "piecewise.funclist": ([double], None),
    "piecewise.x": (V, None),
    "ravel_multi_index.dims": ((4, 4), None),
    "ravel_multi_index.mode": ("wrap", None),
    "ravel_multi_index.multi_index": ((WHOLE, WHOLE), None),
    "ravel_multi_index.order": ("C", set()),
    "select.choicelist": ([V], None),
    "select.condlist": ([V > 1], None),
    "unravel_index.indices": (WHOLE, None),
    "unravel_index.order": ("C", set()),
    "unravel_index.shape": ((4, 4), None),
    "vander.x": (V, None),
    "vecmat.x2": (fx.ones((3, 3)), None),
    "abs.self": (V, None),
    "arange.start": (1, {"-10**30", "-1", "2.5", "NumPy's 1"}),
    "argpartition.kth": (0, _SEVERAL),
    "asarray.obj": ([1.0, 2.0], None),
    "associative_scan.elems": (V, None),
    "associative_scan.fn": (fx.add, {"object()"}),
    "average.weights": (None, None),
    "bits": (WHOLE, _ARRAYS),
    "block_until_ready.tree": (V, None),
    "broadcast_arrays.arrays": (V, _ARRAYS),
    "can_cast.from_": ("float32", None),
    "check_jaxpr.jaxpr": (PROGRAM, set()),
    "checkpoint.f": (double, {"None"}),
    "checkpoint.policy": (handlers.checkpoint_policies.nothing_saveable, None),
    "checkpoint_name.name": ("a", None),
    "choose.indices": (WHOLE % 2, None),
    "choose.choices": ([V, V], None),
    "choose.mode": (None, {"None"}),
    "compress.condition": ([True, False], None),
    "complex.real": (V, _ARRAYS - {"1j"}),
    "complex.imag": (V, _ARRAYS - {"1j"}),
    "concat.arrays": ([X, X], None),
    "cond.pred": (True, {"True", "NumPy's True", "-1", "NumPy's 1", "2.5", "nan", "inf", "traced"}),
    "cond.true_fun": (double, None),
    "cond.false_fun": (double, None),
    "cond.operands": (V, None),
    "conv.x": (_IMAGE, _ARRAYS),
    "conv.kernel": (_IMAGE, _ARRAYS),
    **{f"conv{t}.{name}": (1, _N) for t in ("", "_transpose") for name in ("strides", "kernel_dilation")},
    **{f"conv{t}.padding": ("valid", {"-1", *_N}) for t in ("", "_transpose")},
    **{f"conv{t}.dimension_numbers": (None, {"None"}) for t in ("", "_transpose")},
    **{f"conv{t}.precision": ("default", set()) for t in ("", "_transpose")},
    **{f"conv{t}.feature_groups": (1, _N) for t in ("", "_transpose")},
    "conv.x_dilation": (1, _N),
    "conv.batch_groups": (1, _N),
    "conv_transpose.x": (_IMAGE, _ARRAYS),
    "conv_transpose.kernel": (_IMAGE, _ARRAYS),
    "conv_transpose.output_padding": (0, _N),
    "cumulative_prod.x": (V, None),
    "cumulative_sum.x": (V, None),
    "cov.aweights": (None, None),
    "cov.fweights": (None, None),
    "cov.y": (None, None),
    "corrcoef.y": (None, None),
    "custom_vjp.bwd": (lambda residuals, ct: ct, {"None"}),
    "debug_print.fmt": ("{}", None),
    "device_put.device": (None, {"None"}),
    "diff.append": (None, None),
    "diff.n": (1, {*_N, "2**100"}),
    "diff.prepend": (None, None),
    "devices.platform": ("cpu", {"None"}),
    "diagonal.offset": (0, {*_INT, "2**100", "-10**30"}),
    "dot_general.contracting": (((0,), (0,)), {"[0, 0]"}),
    "dot_general.batch": (((), ()), None),
    "dynamic_index_in_dim.index": (0, None),
    "dynamic_slice.starts": ((0, 0), None),
    "dynamic_slice.sizes": ((1, 1), {"[0, 0]", "NumPy vector"}),
    "dynamic_slice_in_dim.start": (0, None),
    "dynamic_slice_in_dim.size": (1, _N),
    "dynamic_update_index_in_dim.update": (X[0], None),
    "dynamic_update_index_in_dim.index": (0, None),
    "dynamic_update_slice.update": (X, None),
    "dynamic_update_slice.starts": ((0, 0), None),
    "dynamic_update_slice_in_dim.update": (X, None),
    "dynamic_update_slice_in_dim.start": (0, None),
    "einsum.spec": ("ij->i", set()),
    "einsum.operands": (X, None),
    "convolve.x1": (V, _ARRAYS),
    "convolve.x2": (V, _ARRAYS),
    "convolve.mode": ("full", set()),
    "correlate.x1": (V, _ARRAYS),
    "correlate.x2": (V, _ARRAYS),
    "correlate.mode": ("full", set()),
    "dot_general.precision": ("default", set()),
    "einsum.optimize": (True, {"True", "[]", "()"}),
    **{f"{name}.{x}": (V, _ARRAYS) for name in ("polyadd", "polymul", "polysub") for x in ("x1", "x2")},
    **{f"{name}.p": (V, _ARRAYS) for name in ("polyder", "polyint", "polyval")},
    **{f"{name}.m": (1, _N) for name in ("polyder", "polyint")},
    "polyint.k": (None, None),
    "poly.roots": (V, _ARRAYS),
    "eval_jaxpr.jaxpr": (PROGRAM, set()),
    "eval_jaxpr.args": ([V], None),
    "eye.n_rows": (3, _N),
    "eye.n_cols": (3, {"None", *_N}),
    "eye.k": (0, None),
    "tril.k": (0, None),
    "triu.k": (0, None),
    "finfo.dtype": ("float32", None),
    "flip.axis": (0, {*_SEVERAL, "None"}),
    "fori_loop.lower": (0, None),
    "fori_loop.upper": (3, None),
    "fori_loop.body_fun": (keep, {"object()", "lambda"}),
    "fori_loop.init_val": (0.0, None),
    "fori_loop.unroll": (1, {"None", "True", "NumPy's True", *_N}),
    "from_dlpack.x": (V, {"vector", "NumPy vector", "traced"}),
    "full.shape": ((2, 3), _SEVERAL - {"-1"}),
    "argwhere.size": (2, {"None", *_N}),
    "argwhere.fill_value": (0, {"-1", "NumPy's 1"}),
    "digitize.bins": (V, None),
    "flatnonzero.size": (2, {"None", *_N}),
    "flatnonzero.fill_value": (0, {"-1", "NumPy's 1"}),
    "nonzero.size": (2, {"None", *_N}),
    "nonzero.fill_value": (0, {"-1", "NumPy's 1"}),
    "searchsorted.side": ("left", set()),
    "searchsorted.sorter": (None, {"None"}),
    "searchsorted.x1": (V, None),
    **{f"{name}.size": (2, {"None", *_N}) for name in SIZED},
    **{f"{name}.fill_value": (0, None) for name in SIZED},
    "bincount.length": (9, {"None", *_N}),
    "bincount.minlength": (0, _N),
    "bincount.weights": (None, None),
    "bincount.x": (fx.arange(3), None),
    **{f"{name}.bins": (3, None) for name in BINNED},
    **{f"{name}.range": (None, None) for name in BINNED},
    **{f"{name}.weights": (None, None) for name in BINNED},
    **{f"{name}.q": (0.5, None) for name in QUANTILES},
    **{f"{name}.method": ("linear", set()) for name in QUANTILES},
    **{f"{name}.data": (V, None) for name in SEGMENTS},
    **{f"{name}.segment_ids": (fx.arange(3), None) for name in SEGMENTS},
    **{f"{name}.num_segments": (3, {"None", *_N}) for name in SEGMENTS},
    "histogramdd.sample": (X, None),
    "histogram2d.x": (V, None),
    "histogram2d.y": (V, None),
    "interp.fp": (V, None),
    "interp.left": (None, None),
    "interp.right": (None, None),
    "interp.xp": (V, None),
    **{f"{name}.x": (V, None) for name in WINDOWS},
    **{f"{name}.window": (2, None) for name in WINDOWS},
    **{f"{name}.strides": (1, None) for name in WINDOWS},
    **{f"{name}.padding": ("VALID", None) for name in WINDOWS},
    **{f"{name}.dilation": (1, None) for name in WINDOWS},
    "reduce.fn": (fx.add, {"object()"}),
    "reduce.init": (0.0, None),
    "reduce_window.fn": (fx.add, {"object()"}),
    "reduce_window.init": (0.0, None),
    "gradient.edge_order": (1, _N),
    "gradient.f": (V, None),
    "gradient.spacing": (1.0, None),
    "hvp.f": (total, None),
    "hvp.primals": ((V,), None),
    "hvp.tangents": ((V,), None),
    "iinfo.dtype": ("int32", None),
    "iota.dtype": ("int32", {"int", "'int8'"}),
    "isdtype.kind": ("integral", None),
    "jet.primals": ((V,), None),
    "jet.series": (([V],), None),
    "jvp.primals": ((V,), None),
    "jvp.tangents": ((V,), None),
    "lexsort.keys": ([X, X], None),
    "linspace.num": (3, _N),
    "map.xs": (V, None),
    "map.batch_size": (2, {"None", *_N}),
    "matmul.x1": (V, _ARRAYS),
    "matmul.x2": (V, _ARRAYS),
    "meshgrid.arrays": (V, None),
    "meshgrid.indexing": ("xy", set()),
    "outer.x1": (V, _ARRAYS),
    "path_str.path": ((), None),
    "pad.pad_width": (1, {"[]", "()", "{}", "[0, 0]", "NumPy's 1", "NumPy vector"}),
    "pad.mode": ("constant", set()),
    "pad.constant_values": (0, None),
    "partition.kth": (0, _SEVERAL),
    "partial_eval_jaxpr.jaxpr": (PROGRAM, set()),
    "partial_eval_jaxpr.unknown_in": ([True], None),
    "perform.op": (fx.operations.Unary(fx.operations.UnaryKind.SIN, V), set())
    if hasattr(fx, "operations")
    else (None, None),
    "permute_dims.axes": ((1, 0), _SEVERAL),
    "ppermute.perm": ([(0, 1)], None),
    "put_along_axis.indices": (fx.zeros((2, 3), dtype="int64"), None),
    "put_along_axis.values": (V, None),
    "put_along_axis.mode": (None, {"None"}),
    "pure_callback.result_types": (V, None),
    "io_callback.result_types": (V, None),
    "pure_callback.vmap_method": ("sequential", set()),
    "repeat.repeats": (2, _N),
    "reshape.shape": ((3, 2), {*_SEVERAL}),
    "result_type.arrays_and_dtypes": ("float32", None),
    "round.decimals": (0, {*_INT, "2**100"}),  # whole numbers have no decimals
    "roll.shift": (1, None),
    "scan.f": (step, {"object()"}),
    "scan.init": (0.0, None),
    "scan.unroll": (1, {"True", "NumPy's True", "2**100", *_N}),
    "trace.offset": (0, {*_INT, "2**100", "-10**30"}),
    "scan.xs": (V, None),
    "scan.length": (3, {"None", *_N}),
    "sort_together.xs": ([X, X], None),
    "sort_together.num_keys": (1, _N),
    "split.indices_or_sections": (1, None),
    "squeeze.x": (fx.ones((1, 3)), None),
    "stack.arrays": ([V, V], None),
    "stop_gradient.tree": (V, None),
    "switch.index": (0, None),
    "switch.branches": ([double, double], None),
    "switch.operands": (V, None),
    "take.indices": ([0, 1], None),
    "take.mode": ("fill", {"None"}),
    "take.fill_value": (None, None),
    "take_along_axis.indices": (fx.zeros((2, 3), dtype="int64"), None),
    "take_along_axis.mode": ("fill", {"None"}),
    "take_along_axis.fill_value": (None, None),
    "tensordot.x1": (V, _ARRAYS),
    "tensordot.x2": (V, _ARRAYS),
    "tensordot.axes": (1, {"[0, 0]", "-1", *_N, "NumPy vector"}),
    "tile.repetitions": (2, _SEVERAL),
    "top_k.k": (1, _N),
    "trapezoid.x": (None, None),
    "tree_broadcast.prefix": (1, None),
    "tree_transpose.outer": (fx.tree_structure((1, 2)), set()),
    "tree_transpose.inner": (fx.tree_structure([1, 2]), {"None"}),
    "tree_transpose.tree": (([1, 2], [3, 4]), None),
    "tree_unflatten.treedef": (fx.tree_structure((1, 2)), set()),
    "tree_unflatten.leaves": ([1, 2], None),
    "vmap.in_axes": (0, None),
    "vmap.out_axes": (0, None),
    "vmap.axis_name": (None, None),
    "vmap.axis_size": (3, {"None"}),
    "vecdot.x1": (V, _ARRAYS),
    "vecdot.x2": (V, _ARRAYS),
    "while_loop.cond_fun": (lambda x: fx.less(x, -fx.inf), None),
    "while_loop.body_fun": (double, None),
    "while_loop.init_val": (1.0, None),
    "where.condition": (True, _ARRAYS),
    "zeros.shape": ((2, 3), _SEVERAL),
    "ShapedArray.shape": ((2, 3), _SEVERAL),
}

INTEGERS: Final = (
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
)
COLLECTIVES: Final = (
    *(
        "all_gather",
        "all_to_all",
        "axis_index",
        "axis_size",
        "pmax",
        "pmean",
        "pmin",
        "ppermute",
        "psum",
        "psum_scatter",
    ),
)
DEFERRED: Final[dict[str, Callable[[Any], object]]] = {
    **{name: lambda f: f(V) for name in ("checkpoint", "jacfwd", "jacrev", "jit", "make_jaxpr", "remat", "vmap")},
    **{name: lambda f: f(2.0) for name in ("grad", "hessian", "value_and_grad")},
    "linear_transpose": lambda f: f(V),
}
"""What is done with a result that is a function: some arguments are looked at only then."""

LEFT_OUT: Final = {
    "clear_caches",  # these take nothing
    "axes_in_scope",
    "chain",
    "keep_programs",  # this changes what the tests after it keep
    "partwise",  # these are given classes and operations, and have tests of their own
    "operation",
    "perform",
    "register",
    "register_node",
    "default_float",
    "result_type",
    # Of these some wrong arguments raise NumPy's or Python's own errors still.
    *(
        "array_split",
        "block",
        "broadcast_shapes",
        "delete",
        "diag",
        "diagonal",
        "each_result",
        "insert",
        "mask_indices",
    ),
    *(
        "mask_indices",
        "permute_dims",
        "ravel_multi_index",
        "resize",
        "rot90",
        "trace",
        "tri",
        "tril_indices",
        "tril_indices_from",
    ),
    *("triu_indices", "triu_indices_from", "unravel_index"),
}


@dataclass(frozen=True)
class Argument:
    """One argument of a function: how it is passed, a valid value, the values of `nonsense` that are none here."""

    name: str
    kind: Any
    valid: Any
    accepted: set[str] | None


@dataclass(frozen=True)
class Call:
    """A function with a valid value for each of its arguments."""

    name: str
    f: Callable[..., Any]
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def takes_more(self) -> bool:
        """Whether it takes any number of arguments by position, so that none of these can be given by name."""
        return any(a.kind is inspect.Parameter.VAR_POSITIONAL for a in self.arguments)

    def __call__(self, given: dict[str, Any], by_keyword: bool = False) -> object:
        """The function of these arguments, where valid ones are not replaced."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for a in self.arguments:
            value = given.get(a.name, a.valid)
            if a.kind is inspect.Parameter.VAR_POSITIONAL:
                args.append(value)
            elif a.kind is inspect.Parameter.KEYWORD_ONLY or (
                by_keyword and a.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            ):
                kwargs[a.name] = value
            else:
                args.append(value)
        out = self.f(*args, **kwargs)
        deferred = DEFERRED.get(self.name)
        return out if deferred is None else deferred(out)


def argument(function: str, parameter: inspect.Parameter) -> Argument:
    """An argument of a function: a valid value for it, and what else it may be."""
    default = parameter.default
    valid, accepted = OVERRIDES.get(f"{function}.{parameter.name}", (None, None))
    if f"{function}.{parameter.name}" not in OVERRIDES:
        valid, accepted = KINDS.get(str(parameter.annotation), (None, None))
        if function in INTEGERS and accepted is _ARRAYS:
            valid = WHOLE
        elif parameter.name == "axis_name" and function in COLLECTIVES:
            valid = "i"
        elif parameter.name in ("x", "args", "primals", "example_args", "tree") and accepted is None:
            valid = V
        elif parameter.name in ("f", "body_fun"):
            valid = total if function in ("grad", "value_and_grad", "hessian", "linearize") else double
        elif default is not parameter.empty:
            valid = default
    return Argument(parameter.name, parameter.kind, valid, accepted)


def _calls() -> Iterator[Call]:
    for module in (fx, handlers, lowering):
        for name in sorted(module.__all__):
            f = getattr(module, name)
            if not inspect.isfunction(f) or name in LEFT_OUT or f.__name__ != name:  # which is so for other names
                continue
            parameters = [p for p in inspect.signature(f).parameters.values() if p.kind is not p.VAR_KEYWORD]
            if name in COLLECTIVES:
                f = _mapped(f)
            yield Call(name, f, tuple([argument(name, p) for p in parameters]))


def _mapped(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` where the axis "i" has a name; its size is 3, as that of the vectors here."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return handlers.vmap(lambda _: f(*args, **kwargs), axis_name="i")(V)

    return called


CALLS: Final = tuple(_calls())
