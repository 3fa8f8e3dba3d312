"""The arguments of a function's first call, observed by a profile function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FrameType, FunctionType, MethodType
from typing import Literal

from effects.runtime.cpython.switches import OFF

type CallArguments = tuple[tuple[object, ...], dict[str, object]]
"""Arguments by position, and by name."""
type _Event = Literal["call", "return", "c_call", "c_return", "c_exception"]


def on_first_call[R](f: Callable[..., object], observe: Callable[[CallArguments], None], run: Callable[[], R]) -> R:
    """The result of `run`; the arguments of the first call of `f` meanwhile go to `observe`, if `f` is in Python."""
    watched = None if "calls" in OFF else _in_python(f)
    if watched is None:
        return run()
    before, pending = sys.getprofile(), True

    def watch(frame: FrameType, event: _Event, value: object) -> None:
        nonlocal pending
        if callable(before):
            before(frame, event, value)
        if event == "call" and pending and _is_call_of(watched, frame):
            pending = False
            observe(_bound(frame, isinstance(watched, MethodType)))

    sys.setprofile(watch)
    try:
        return run()
    finally:
        sys.setprofile(before)


def _in_python(f: Callable[..., object]) -> FunctionType | MethodType | None:
    """The function or the bound method that a call of `f` runs; None if it is not written in Python."""
    called = f if isinstance(f, FunctionType | MethodType) else getattr(f, "__call__", None)  # noqa: B004  # of objects
    of_python = isinstance(called, FunctionType) or isinstance(getattr(called, "__func__", None), FunctionType)
    return called if of_python else None


def _is_call_of(f: FunctionType | MethodType, frame: FrameType) -> bool:
    """Return True if a frame is a call of this function, not of another one with the same code."""
    code, values = frame.f_code, frame.f_locals
    if code is not f.__code__:
        return False
    if isinstance(f, MethodType) and values.get(code.co_varnames[0]) is not f.__self__:
        return False
    cells = zip(code.co_freevars, f.__closure__ or (), strict=True)
    return all([values.get(name) is cell.cell_contents for name, cell in cells if name in values])


def _bound(frame: FrameType, of_method: bool) -> CallArguments:
    """The arguments of a frame, without the object of a method."""
    code, values = frame.f_code, frame.f_locals
    plain, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = iter(code.co_varnames[named:])
    args = [values[name] for name in code.co_varnames[int(of_method) : plain]]
    kwargs = {name: values[name] for name in code.co_varnames[plain:named]}
    if code.co_flags & CO_VARARGS:
        args += values[next(names)]
    if code.co_flags & CO_VARKEYWORDS:
        kwargs |= values[next(names)]
    return tuple(args), kwargs
