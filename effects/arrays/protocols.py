"""NumPy's own functions called with arrays of effax: by NumPy's protocols they become the functions of the same names.

`numpy.sum(x, axis=0)` is `effects.sum(x, axis=0)`, so a function written for NumPy runs under every handler as it
stands. Functions without a counterpart here run in NumPy if the values are known, and are refused otherwise. Functions
that write to their arguments are always refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any, Final, NamedTuple

import numpy as np

import handlers
from effects.arguments import shown
from effects.arrays.subscripts import writing
from effects.arrays.value import Value
from effects.errors import ArgumentError, ConcretizationError
from effects.runtime.libraries import in_library
from effects.runtime.spellings import spellings

type Function = Callable[..., Any]

FOLDS: Final = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}
"""Counterparts of `ufunc.reduce`."""

BY_ELEMENTS: Final = ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "hypot", "logaddexp", "logaddexp2")
"""NumPy's functions whose `reduce` is `effects.reduce` with the function of this name."""

AT: Final = {
    **{name: name for name in ("add", "divide", "multiply", "power", "subtract")},
    **{"maximum": "max", "minimum": "min", "true_divide": "divide"},
}
"""Methods of `x.at[indices]` for NumPy's `function.at(x, indices, values)`."""

RUNNING: Final = {"add": "cumsum", "maximum": "cummax", "minimum": "cummin", "multiply": "cumprod"}
"""Counterparts of `ufunc.accumulate`."""

IN_PLACE: Final = {
    "copyto": "x = where(mask, new, x)",
    "fill_diagonal": "x = effects.fill_diagonal(x, value)",
    "place": "x = x.at[mask].set(values), of a mask that is known",
    "put": "x = effects.reshape(effects.ravel(x).at[indices].set(values), x.shape)",
    "put_along_axis": "x = effects.put_along_axis(x, indices, values, axis)",
    "putmask": "x = where(mask, effects.resize(values, x.shape), x)",
}
"""Functions of NumPy that write to their argument, and what to write instead."""

ANOTHER: Final = ("save",)
"""Functions that differ from NumPy's of the same name: `save` writes trees."""

RENAMED: Final = {"a_min": "min", "a_max": "max"}
"""NumPy's keywords that have another name here."""

ALLOWANCES: Final = ("assume_unique", "overwrite_input")
"""NumPy's keywords that permit something, which is not used here."""

INSTEAD: Final = {
    "casting": "convert with astype before",
    "dtype": "convert with astype, the arguments before or the result",
    "where": "write where(mask, the result, what is elsewhere)",
}
"""Advice for arguments that all of NumPy's ufuncs have."""

_BY_CALLBACK: Final = "pure_callback, of handlers, calls NumPy's when the program runs"
_NOT_GIVEN: Final = signature(np.sum).parameters["keepdims"].default
_parameters: Final = cache(lambda function: signature(function).parameters)


def ufunc(function: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> object:
    """A function of NumPy's that acts on elements, or a method of one: `reduce`, `accumulate`, `outer`."""
    name = f"{'scipy.special' if _is_special(function) else 'numpy'}.{function.__name__}"
    if any([out is not None for out in options.get("out", ())]):
        raise ArgumentError(_no_place(name, options["out"], "a = a + x, not a += x, without out="))
    if function.types[0].endswith("O") and all([kinds.endswith("O") for kinds in function.types]):
        raise ArgumentError(f"{name} gives an array of Python objects; write vectorize(f), from handlers")
    own = elementwise(function)
    if own is None:
        return _by_numpy(name, getattr(function, method), inputs, options)
    if method == "__call__":
        return own(*inputs, **_passed_options(name, own, options))
    if method == "outer":
        x, y = map(_public("asarray"), inputs)
        return own(x.reshape(x.shape + (1,) * y.ndim), y)
    table = {"reduce": FOLDS, "accumulate": RUNNING}.get(method, {})
    if method == "reduce" and function.__name__ in BY_ELEMENTS:
        fold: Function = partial(_folded, function, own)
    elif function.__name__ in table:
        fold = _public(table[function.__name__])
    else:
        advice = "write scan or associative_scan, of handlers"
        if method == "at":
            own_method = f"{AT[function.__name__]}(values)" if function.__name__ in AT else "apply(f)"
            advice = writing(f"x = x.at[indices].{own_method}")
        raise ArgumentError(f"{name}.{method} is not supported with arrays of effax; {advice}")
    axis = inputs[1] if len(inputs) > 1 else options.pop("axis", 0)
    return fold(inputs[0], axis, **_passed_options(f"{name}.{method}", fold, options))


def _no_place(name: str, out: object, instead: str) -> str:
    """The message for an `out` array, to which results cannot be written."""
    outs = out if isinstance(out, tuple) else (out,)
    if any([isinstance(part, np.ndarray) for part in outs]):
        instead += ", with numpy.asarray(x) where NumPy goes on with the values"
        return f"{name} cannot write arrays of effax into one of NumPy's; {writing(instead)}"
    return f"{name} cannot write into out=, since arrays are immutable; {writing(instead)}"


def _folded(function: np.ufunc, own: Function, x: Any, axis: Any, keepdims: bool = False) -> object:
    """x folded by a function of two elements, which begins with NumPy's identity of it."""
    array = _public("asarray")(x)
    unit = np.asarray(function.identity).astype(array.dtype)
    return _public("reduce")(array, unit, own, axis=axis, keepdims=keepdims)


def function(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """Any other function of NumPy's."""
    name = f"{function.__module__}.{function.__name__}"
    if kwargs.get("out") is not None:
        raise ArgumentError(_no_place(name, kwargs["out"], "out = f(x), without out="))
    if function.__name__ in IN_PLACE:
        if args and isinstance(args[0], np.ndarray):
            raise ArgumentError(_no_place(name, args[0], IN_PLACE[function.__name__]))
        raise ArgumentError(
            f"{name} writes to an array, and arrays are immutable; {writing(IN_PLACE[function.__name__])}"
        )
    if function is np.broadcast_arrays and any([arg is None for arg in args]):  # NumPy makes it an array of objects
        return _by_numpy(name, function, args, kwargs)
    own = counterpart(function)
    return _by_numpy(name, function, args, kwargs) if own is None else _called(name, function, own, args, kwargs)


def _public(name: str) -> Function:
    function: Function = getattr(sys.modules["effects"], name)
    return function


def _public_or_none(name: str) -> Function | None:
    return _public(name) if name in sys.modules["effects"].__all__ and name not in ANOTHER else None


@cache
def elementwise(function: np.ufunc) -> Function | None:
    """The function here for a ufunc of NumPy's or scipy.special's."""
    name = function.__name__
    if getattr(np, name, None) is function:
        return _public_or_none(name)
    return getattr(_public("special"), name, None) if _is_special(function) else None


def _is_special(function: np.ufunc) -> bool:
    return getattr(sys.modules.get("scipy.special"), function.__name__, None) is function


@cache
def counterpart(function: Function) -> Function | None:
    """The function here for any other function of NumPy's, of its linear algebra's or its Fourier transforms'."""
    name = function.__name__
    if function is np.apply_along_axis:
        return handlers.apply_along_axis
    if getattr(np, name, None) is function:
        return _public_or_none(name)
    for theirs, ours in ((np.linalg, "linalg"), (np.fft, "fft")):
        if getattr(theirs, name, None) is function:
            attribute: Function | None = getattr(_public(ours), name, None)
            return attribute
    return None


def _is_default(value: object, default: object) -> bool:
    """Test a value for being a parameter's default; arrays never are."""
    if value is None and type(default) is bool:  # NumPy's default for "not given"
        return True
    if value is default or value is _NOT_GIVEN or (isinstance(value, str) and value == "raise"):
        return True
    return type(value) is type(default) and isinstance(value, bool | int | float | str | tuple) and value == default


def _passed_options(name: str, own: Function, options: dict[str, Any]) -> dict[str, Any]:
    """The options that differ from defaults; `own` must accept them."""
    passed = {k: v for k, v in options.items() if v is not None and v is not True and v is not _NOT_GIVEN}
    for option, value in passed.items():
        _check_taken(name, option, value, own)
    return passed


def _check_taken(name: str, option: str, value: object, own: Function) -> None:
    if option not in _parameters(own):
        takes = f"effects.{own.__name__} takes {', '.join(_parameters(own))}"
        raise ArgumentError(
            f"{name}: {option} = {shown(value)} is not supported with arrays of effax; {INSTEAD.get(option, takes)}"
        )


class _Plan(NamedTuple):
    """Mapping of a call in NumPy's signature to a call of the function here."""

    theirs: Signature
    leading: int
    """Number of arguments that are passed by position alone."""
    defaults: dict[str, Any]
    """NumPy's default values, where those here differ."""


@cache
def _plan(theirs: Function, own: Function) -> _Plan:
    own_parameters = _parameters(own)
    try:
        their_parameters = _parameters(theirs)
    except ValueError:  # before NumPy 2.4 functions in C have no signature
        their_parameters = own_parameters
    leading = sum([p.kind is Parameter.POSITIONAL_ONLY for p in own_parameters.values()])
    defaults = {}
    for key, parameter in list(their_parameters.items())[leading:]:
        option = RENAMED.get(key, key)
        default = parameter.default
        if (
            option in own_parameters
            and default not in (None, Parameter.empty)
            and not _is_default(default, own_parameters[option].default)
        ):
            defaults[option] = default
    return _Plan(Signature(list(their_parameters.values())), leading, defaults)


def _called(name: str, theirs: Function, own: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """`own` called with the arguments for `theirs`, others than the first by name, unless they are defaults."""
    own_parameters, plan = _parameters(own), _plan(theirs, own)
    arguments = plan.theirs.bind(*args, **kwargs).arguments
    positions: list[Any] = []
    options = dict(plan.defaults)
    for i, (key, parameter) in enumerate(plan.theirs.parameters.items()):
        option = RENAMED.get(key, key)
        if key not in arguments:
            if i < plan.leading and parameter.default is not Parameter.empty:
                positions.append(parameter.default)
            continue
        value = arguments[key]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            positions.extend(value)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            options.update(value)
        elif i < plan.leading:
            positions.append(value)
        elif option in own_parameters:
            options.pop(option, None)
            passed = value is not None or parameter.default is not None  # NumPy's default None means "not given"
            if passed and not _is_default(value, own_parameters[option].default):
                options[option] = value
        elif option not in ALLOWANCES and not _is_default(value, parameter.default):
            _check_taken(name, option, value, own)
    return own(*positions, **options)


def _by_numpy(name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """NumPy's own result, for known values."""

    def host(value: Any) -> Any:
        if isinstance(value, Value):
            return _bare(name, value)
        return type(value)([host(entry) for entry in value]) if type(value) in (list, tuple) else value

    return function(*map(host, args), **{key: host(value) for key, value in kwargs.items()})


def _bare(name: str, value: Value) -> object:
    if value.known() is value:
        return np.asarray(value)
    package, *_, last = name.split(".")[1:] * 2
    advice = in_library() or spellings("effects").get(last) or spellings("effects").get(package) or _BY_CALLBACK
    if value.known() is None:
        reason = f"whose value is not known here: it is {value.unknown_reason()}"
    else:
        reason = f"of which it would lose what {value.owner!r} knows (its derivative, for instance)"
    raise ConcretizationError(f"{name} has no counterpart here for {value.aval}, {reason}; {advice}")
