"""Source locations in the user's program.

The user's line is that of the innermost frame outside of the library's packages, and of NumPy and the standard library,
which call it. A location is stored as a code object and an instruction offset, which costs nothing; the line number is
computed only when it is read.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple, final

import numpy as np
import returns

from effects.runtime.caches import SMALL, Cache
from effects.runtime.cpython.switches import OFF

_ROOT: Final = Path(__file__).parents[3]
_CHAIN: Final = str(_ROOT / "effects" / "program" / "chain.py")
_AGAIN: Final = ("eval_jaxpr", "backward")  # functions that run the equations of a program, forwards and backwards
_RULES: Final = f"{_ROOT / 'effects' / 'types' / 'shapes'}/"
_DEFERRED: Final = tuple([f"{_ROOT / package}/" for package in ("handlers", "lowering")])
OWN: Final = (*[f"{_ROOT / package}/" for package in ("effects", "handlers", "lowering")], "<effax ")
"""Path prefix of the library's own files."""
_PACKAGES: Final = (*OWN, *[f"{Path(file).parent}/" for file in (np.__file__, returns.__file__) if file], "<frozen ")
_STANDARD: Final = f"{Path(functools.__file__).parent}/"
_OFF: Final = "source" in OFF
_internals: Final[Cache[str, bool]] = Cache(SMALL)
_is_internal: Final = _internals.recent


type Location = tuple[CodeType, int] | tuple[CodeType, int, str] | tuple[CodeType, int, str, bool]
"""A code object and the offset of the running instruction: a `Source` as a plain tuple, because there is one for every
equation. A suffix marks an operation that a derivative rule performs.
"""


@final
class Source(NamedTuple):
    """A line of the user's program, for messages."""

    code: CodeType
    offset: int
    differentiated: str = ""
    """The operation whose derivative rule performed the one at this location; "" if none did."""
    backward: bool = False
    """True if the rule runs in the backward pass."""

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def line(self) -> int:
        for _, end, line in self.code.co_lines():
            if end > self.offset and line is not None:
                return line
        return self.code.co_firstlineno

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.code.co_name})"


def written_at(f: object) -> Source | None:
    """Location of the definition of a Python function; None for other callables."""
    code = getattr(inspect.unwrap(f) if callable(f) else f, "__code__", None)
    return Source(code, 0) if isinstance(code, CodeType) else None


def _internal(filename: str) -> bool:
    standard = filename.startswith(_STANDARD) and "-packages/" not in filename[len(_STANDARD) :]
    return _internals.keep(filename, standard or filename.startswith(_PACKAGES))


def callers() -> Iterator[FrameType]:
    """The frames of the callers, from the innermost outward."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def user_location(depth: int = 1) -> Location | None:
    """The innermost location in the user's program among the callers, from `depth` frames up; None if there is none."""
    if _OFF:
        return None
    frame = sys._getframe(depth)
    while True:
        filename = frame.f_code.co_filename
        internal = _is_internal.get(filename)
        if internal is None:
            internal = _internal(filename)
        if not internal:
            rule = rule_of.get()
            return (frame.f_code, frame.f_lasti, *rule) if rule else (frame.f_code, frame.f_lasti)
        if frame.f_back is None:
            return None
        frame = frame.f_back


def _instructions(code: CodeType, offset: int) -> tuple[list[dis.Instruction], int]:
    """The instructions of a code object, and the position of the running one; offsets may be within its cache."""
    instructions = list(dis.get_instructions(code))
    return instructions, sum([instruction.offset <= offset for instruction in instructions]) - 1


def names_on(code: CodeType, line: int) -> list[str]:
    """The names of variables and attributes on a line of code; none if this is switched off."""
    instructions = [] if _OFF else dis.get_instructions(code)
    operands = [i.argval for i in instructions if i.positions and i.positions.lineno == line]
    return [operand for operand in operands if isinstance(operand, str)]


def running(frame: FrameType) -> str:
    """Name of the instruction that runs in a frame, as `dis` shows it; "" if this is switched off."""
    if _OFF:
        return ""
    instructions, at = _instructions(frame.f_code, frame.f_lasti)
    return "BINARY_SUBSCR" if instructions[at].argrepr == "[]" else instructions[at].opname  # since Python 3.14


def augmented() -> str:
    """Operator, such as `+=`, of the user's running assignment `x[key] += y`; "" elsewhere."""
    if (location := user_location()) is None:
        return ""
    instructions, at = _instructions(location[0], location[1])
    around = {"COPY": instructions[at:], "SWAP": instructions[at::-1]}.get(instructions[at - 1].opname, [])
    return next((i.argrepr for i in around if i.opname == "BINARY_OP" and i.argrepr.endswith("=")), "")


def transposed_location(location: Location | None, operation: str) -> Location | None:
    """Location of the transposition of `operation`, an equation of this location."""
    return (
        None if location is None else (location[0], location[1], location[2] if len(location) > 2 else operation, True)
    )


type Rule = tuple[()] | tuple[str] | tuple[str, bool]
"""Suffix of a location: the function whose derivative rule runs, and True in the backward pass; () for the program."""


current_location: Final[ContextVar[Location | None]] = ContextVar("current_location", default=None)
"""The user's location to which the operations performed now belong; None if it has to be searched.

It is set by handlers that perform several operations in place of one, and by programs that are run again.
"""

rule_of: Final[ContextVar[Rule]] = ContextVar("rule_of", default=())
"""Rule suffix for frames of a user's function that is a derivative rule."""


def rule_around() -> Rule:
    """The derivative rule that performs the current operations, as the suffix of locations."""
    location = current_location.get()
    return rule_of.get() if location is None else location[2:]


def on_own_lines[R](f: Callable[[], R], elsewhere: tuple[CodeType, int] | None = None, rule: Rule | None = None) -> R:
    """`f()`, a user's function whose operations belong to its own lines, or to `elsewhere` if lines are not needed.

    They belong to the derivative `rule`; for None to the current one, if any.
    """
    before, rule_before = current_location.get(), rule_of.get()
    rule = rule_around() if rule is None else rule
    current_location.set(elsewhere and (*elsewhere, *rule))
    rule_of.set(rule)
    try:
        result = f()
        current_location.set(before)
        rule_of.set(rule_before)
    except BaseException:  # here and not finally: an interrupt can strike where it would begin
        current_location.set(before)
        rule_of.set(rule_before)
        raise
    return result


@functools.cache
def _homes() -> frozenset[tuple[str, str]]:
    """All public functions, by module and name in it."""
    names: Any = import_module("effects.runtime.names")  # that module's errors use this one
    return frozenset([home for package in names.PACKAGES for home in names.listed(package).values()])


def _called(frame: FrameType) -> str:
    """Public name of the function or method of the library that runs in a frame; "" for others."""
    code, module = frame.f_code, str(frame.f_globals.get("__name__"))
    name, home = code.co_name, code.co_qualname
    if home in ("Spelled.__getitem__", "WritableArray.__getitem__"):
        return "x[key]"
    if name.startswith(("_", "<")):
        return ""
    if (module, home) in _homes() or home.startswith("Spelled."):  # the methods of arrays
        return name
    package = module.rpartition(".")[0]
    if package.startswith("effects.functions"):
        names = _functions()
    elif ("effects", package.removeprefix("effects.")) in _homes():  # `effects.linalg`
        within = frame.f_globals.get("__all__", ())  # of `nn.initializers`
        names = frozenset([*sys.modules[package].__dict__["__all__"], *within])
    else:
        return ""
    return name if name in names or ("." in home and "<" not in home) else ""


@functools.cache
def _functions() -> frozenset[str]:
    names: Any = import_module("effects.runtime.names")
    return frozenset(names.listed("effects"))


def blame() -> tuple[Source | None, str, set[str]]:
    """For a new error: the user's location, the public function called there ("" for none), and the names of the
    functions inside of it.

    Operations of a program that is run again belong to the lines of its equations.
    """
    if _OFF:
        return None, "", set()
    function, transformed = "", ""
    inner = {"getitem", "jit"}  # the second one traces for others: `export`, `lower`
    rerun, begun = False, None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not _is_internal.get(code.co_filename, False) and not _internal(code.co_filename):
            break
        if code.co_name == "perform" and code.co_filename == _CHAIN:
            inner.add(getattr(frame.f_locals["op"], "name", ""))  # it may be no operation
        elif code.co_filename.startswith(_RULES):
            inner.add(code.co_name)
        elif code.co_name in _AGAIN:
            rerun = True
        elif called := _called(frame):
            function, begun = called, code
            inner |= {called, code.co_qualname}  # the second one is the original name of a function with several
        elif code.co_filename.startswith(_DEFERRED):
            if function and getattr(frame.f_locals.get("f"), "__code__", None) is begun:
                transformed = function  # the user passed it to the transformation
            function = transformed  # a transformed function was called, whose work is also a public function
        frame = frame.f_back
    if rerun and (location := current_location.get()) is not None:
        return Source(*location), "", inner
    return None if frame is None else Source(frame.f_code, frame.f_lasti), function, inner
