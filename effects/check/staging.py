"""Checking a function: it is staged at sizes that stand for the names of its dimensions."""

from __future__ import annotations

import dis
import re
import sys
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import count, islice
from math import lcm
from typing import Final, NamedTuple, Protocol

import handlers
from effects.arrays.array import Array
from effects.arrays.value import Value
from effects.check.contracts import Contract, Run, running
from effects.check.dims import Bound, NotSaid, renamed
from effects.check.meanings import Maker, Meaning, Sizes
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, ShapeError, TreeError
from effects.runtime.cpython.source import Location, user_location
from effects.types.avals import ShapedArray
from effects.types.dtypes import f32

_MOST: Final = 8  # times that a function is staged, for values of which one is chosen
_TOOL: Final = 4  # of sys.monitoring, of those without a name
_UNDECLARED: Final = re.compile(r"(?<!\w)\?(?!\w)")  # a size without a name


class Problem(NamedTuple):
    """A mistake: what it is, and where."""

    line: int
    column: int
    text: str
    rule: str


class Checkable(Protocol):
    """A function with values for it, made at some sizes, and something that looks at its result."""

    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def code(self) -> types.CodeType: ...
    @property
    def run(self) -> Callable[..., object]: ...
    @property
    def parameters(self) -> Mapping[str, Meaning]: ...
    def arguments(self, maker: Maker) -> tuple[list[object], dict[str, object]]: ...
    def gives(self, result: object, bound: Bound) -> None: ...


class Outcome(NamedTuple):
    """Outcome of checking a function: a problem, or the reason why it was not checked, or not to its end; "" where it
    was.
    """

    function: str
    line: int
    reached: bool
    reason: str
    problem: Problem | None


class Attempt(NamedTuple):
    """Outcome of staging once."""

    error: BaseException | None
    run: Run
    place: tuple[int, int] | None
    """The line and the column in the function; None where its arguments could not be made."""


def outcome(contract: Contract, literals: frozenset[int]) -> Outcome | None:
    """Outcome of a function; None of one without arrays in its annotations."""
    try:
        if not contract.shapes:
            return None
        checked, unread = check(contract, literals), contract.result.unread
        if unread and checked.reached and checked.problem is None:
            return checked._replace(reached=False, reason=f"the result: {unread}")
        return checked
    except Exception as error:  # of annotations that nobody has thought of: no reason to leave out the other functions
        return Outcome(contract.name, contract.line, False, f"{type(error).__name__}: {error}", None)


def check(contract: Checkable, literals: frozenset[int]) -> Outcome:
    """Stages a function at primes, twice; where it fails also at multiples of 48, by which much can be divided.

    `literals` are numbers that its module has, which no name is to stand for.
    """
    line = contract.line
    if not any([one.arrays for one in contract.parameters.values()]):
        return Outcome(contract.name, line, False, "no argument has a shape", None)
    primes = _primes(literals)
    reached, reason, n, times = True, "", 0, 2
    answers: dict[Location, set[bool]] = {}
    while n < min(times, _MOST):
        numbers = primes[:7:-1] if n % 2 else primes  # what is the larger in one is the smaller in the other
        sizes = Sizes(numbers, 2 - n % 2, 2 + n % 2, n)
        try:
            attempt = _staged(contract, sizes)
        except NotSaid as error:
            position = _raised(error, set(codes_in(contract.code)))
            return Outcome(contract.name, position[0] if position else line, False, str(error), None)
        n, times = n + 1, max(times, attempt.run.maker.choices)
        for place, values in attempt.run.answers.items():
            answers.setdefault(place, set()).update(values)
        if attempt.error is None:
            continue
        if attempt.run.answers and not _rule(attempt.error) and not _unknown(attempt.error):
            continue  # `if` on values guards what is raised
        if _unknown(attempt.error):
            reached, reason, line = False, "needs values", attempt.place[0] if attempt.place else line
            continue
        if (mistake := _mistake(contract, sizes, attempt, literals)) is not None:
            return mistake
    if undecided := [place for place, values in answers.items() if len(values) == 1]:
        reached, reason, line = False, "needs values", _position(*undecided[0][:2])[0]
    return Outcome(contract.name, line, reached, reason, None)


def _mistake(contract: Checkable, sizes: Sizes, attempt: Attempt, literals: frozenset[int]) -> Outcome | None:
    """The outcome of an attempt at primes that failed; None where another one succeeds."""
    line, even = contract.line, _divisible(literals)
    lengths = [sizes.length, 1, 2, 3, 4] if attempt.run.maker.lists else [sizes.length]
    used = sum(map(len, attempt.run.maker.bound.sizes.values()))
    orders = (even, [*reversed(even[:used]), *even[used:]])
    attempts = [_staged(contract, sizes._replace(numbers=k, length=m)) for m in lengths for k in orders]
    errors = [one.error for one in attempts if one.error is not None]
    if len(errors) < len(attempts) or (attempt.run.maker.keys and _takes_several_keys(contract, sizes, used)):
        return None
    unclear = next((error for error in errors if not _rule(error)), None)
    if unclear is not None:
        return Outcome(contract.name, line, False, "needs values" if _unknown(unclear) else _short(unclear), None)
    numbers: Sequence[int] = _primes(literals)
    if attempts[0].place not in (attempt.place, None):  # behind what had to be divided
        attempt, numbers = attempts[0], even
    assert attempt.error is not None
    text, other = _short(attempt.error), _staged(contract, sizes._replace(numbers=numbers[11:]))
    also = text if other.error is None else _short(other.error)
    text = renamed(text, also, attempt.run.maker.bound, other.run.maker.bound)
    run = attempt.run
    if run.maker.undeclared and run.misgiven is None and _UNDECLARED.search(text):  # which may be what it has to be
        line = attempt.place[0] if attempt.place else line
        return Outcome(contract.name, line, False, f"a size that is not said: {text}", None)
    if attempt.place is None:
        return Outcome(contract.name, line, False, f"its arguments cannot be made: {text}", None)
    return Outcome(contract.name, line, True, "", Problem(*attempt.place, text, _rule(attempt.error)))


def _takes_several_keys(contract: Checkable, sizes: Sizes, used: int) -> bool:
    """Return True if the function can be staged with arrays of keys, as many as one of its names says."""
    attempts = (_staged(contract, sizes._replace(lanes=(n,))) for n in sizes.numbers[:used])
    return any(attempt.error is None for attempt in attempts)


@cache
def _primes(avoided: frozenset[int]) -> list[int]:
    """Primes that divide none of some numbers."""
    primes: list[int] = []
    for n in count(11, 2):
        if all([n % d for d in range(3, int(n**0.5) + 1, 2)]) and all([m % n or m < 2 for m in avoided]):
            primes.append(n)
            if len(primes) == 40:
                break
    return primes


@cache
def _divisible(literals: frozenset[int]) -> list[int]:
    """Numbers that can be divided by 48 and by those of a module, as far as that is possible, and that are larger."""
    base = 48
    for n in sorted([n for n in literals if 1 < n <= 512]):
        base = both if (both := lcm(base, n)) <= 10_000 else base
    least = max([n for n in literals if n <= 5_000], default=0)
    return [base * p for p in (2, 3, *_primes(frozenset())) if base * p > least]


def _staged(contract: Checkable, sizes: Sizes) -> Attempt:
    """The error of staging a function at some sizes, with what names were bound to."""
    own = set(codes_in(contract.code))
    runs: list[Run] = []

    def body(*seeds: Array) -> tuple[()]:
        maker = Maker(seeds, sizes, Bound(), iter(sizes.numbers))
        run = Run(maker)
        runs.append(run)
        args, kwargs = contract.arguments(maker)
        token = running.set(run)
        try:
            result = contract.run(*args, **kwargs)
        finally:
            running.reset(token)
        run.misgiven = contract.code
        contract.gives(result, maker.bound)
        return ()

    returned: dict[types.CodeType, int] = {}
    _watch(own, returned)
    try:
        handlers.eval_shape(body, ShapedArray((), f32), 0.0, 0, 0j)
    except NotSaid:
        raise
    except (Exception, SystemExit) as error:
        place = _raised(error, own)
        if (misgiven := runs[-1].misgiven) in returned and misgiven is not None:
            place = _position(misgiven, returned[misgiven])
        return Attempt(error, runs[-1], place)
    return Attempt(None, runs[-1], None)


@cache
def answer_unknown() -> None:
    """Lets `if` on values that are not known go on while functions are checked in this process, as their runs say."""
    as_ever = Value.__bool__

    def answered(x: Value) -> bool:
        run = running.get()
        is_unknown = run is not None and x.aval.size == 1 and x.known() is None
        place = user_location(2) if is_unknown else None
        answer = None if run is None or place is None else run.answer(x, place)
        return as_ever(x) if answer is None else answer

    Value.__bool__ = answered  # type: ignore[method-assign, assignment]  # of a class that is not ours alone, in a process that is


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from codes_in(inner)


def _watch(codes: Collection[types.CodeType], returned: dict[types.CodeType, int]) -> None:
    """Notes where functions return."""
    monitoring = sys.monitoring
    if monitoring.get_tool(_TOOL) is None:
        monitoring.use_tool_id(_TOOL, "effects.check")
    event = monitoring.events.PY_RETURN
    monitoring.register_callback(_TOOL, event, lambda code, offset, _: returned.__setitem__(code, offset))
    for code in codes:
        monitoring.set_local_events(_TOOL, code, event)


def _raised(error: BaseException, own: Collection[types.CodeType]) -> tuple[int, int] | None:
    """The innermost place in a function, or in one in it, where an error came out."""
    place = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code in own:
            place = _position(step.tb_frame.f_code, step.tb_lasti)
        step = step.tb_next
    return place


def _position(code: types.CodeType, offset: int) -> tuple[int, int]:
    """The line and the column of an instruction, from 1."""
    line, _, column, _ = next(islice(code.co_positions(), offset // 2, None))
    return line or code.co_firstlineno, (column or 0) + 1


def _unknown(error: BaseException) -> bool:
    return isinstance(error, ConcretizationError)


_SHAPE: Final = re.compile(r"\w\[([\d,]*)\]")


def _rule(error: BaseException) -> str:
    """The rule that an error breaks; "" for one that is not of shapes."""
    if isinstance(error, DTypeError):
        return "shape" if len({*_SHAPE.findall(error.message)}) > 1 else "dtype"
    if isinstance(error, ShapeError):
        return "shape"
    if isinstance(error, TreeError):
        return "tree"
    if isinstance(error, ArgumentError) and not isinstance(error, ConcretizationError):
        return "argument"
    return "shape" if isinstance(error, ValueError | IndexError) and not _is_raised(error) else ""


def _is_raised(error: Exception) -> bool:
    """Return True if an error is of a `raise`, and not of Python itself, as for `a, b = x.shape`."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return False
    code, at = step.tb_frame.f_code, step.tb_lasti
    return code.co_code[at] == dis.opmap["RAISE_VARARGS"] or code.co_filename.startswith("<frozen")


def _short(error: BaseException) -> str:
    """The first line of what an error says."""
    text = error.message if isinstance(error, EffaxError) else f"{type(error).__name__}: {error}"
    return text.partition("\n")[0].removeprefix("eval_shape: ")
