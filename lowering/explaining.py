"""Why a program was compiled: what of a call differs from the nearest one that a program was there for.

Each program of a jitted function is remembered by what decided it, as text, so that nothing of the user's stays alive.
Functions of one place in the source share that memory: a function that is made anew for every call is seen.
"""

from __future__ import annotations

import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Final, NamedTuple, Self, cast, final, overload

from effects.arguments import counted, function_name, refusal, shown
from effects.arrays.array import Array
from effects.runtime.caches import Cache
from effects.runtime.source import Source, user_place
from effects.types.dtypes import current_default_float
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.static_arguments import Signature, StaticArguments
from lowering.compilation import Origin
from lowering.emission import Layout
from lowering.pjrt import Device

_log: Final = logging.getLogger("effax")
_REMEMBERED: Final = 32
_OFTEN: Final = 16
_SECONDS: Final = 1.0
_PLAIN: Final = (int, float, complex, str, bytes, bool, type(None))


class Kind(NamedTuple):
    """What decides the program of a call, as text by name: the types of its arguments, and all else."""

    arguments: Mapping[str, str]
    static: Mapping[str, str]
    closure: Mapping[str, str]
    default_float: str
    place: str

    @classmethod
    def of(
        cls,
        signature: Signature,
        names: Sequence[str],
        arrays: Sequence[Array],
        static: StaticArguments,
        where: Device | Layout,
    ) -> Self:
        """The kind of a call: the names of its dynamic arguments' leaves, these, and the static arguments."""
        positions = [position for position, _ in static.by_position]
        values = [*static.by_position, *static.by_name]
        named = [*argument_names(signature.f, positions, {}, positions), *[name for name, _ in static.by_name]]
        return cls(
            {name: str(array.aval) for name, array in zip(names, arrays)},
            {name: shown(value) for name, (_, value) in zip(named, values)},
            _closure_of(signature.f),
            str(current_default_float()),
            where.name if isinstance(where, Device) else f"{where.mesh} (inputs {where.inputs})",
        )


@final
@dataclass(frozen=True, slots=True)
class Compilation:
    """A program of a jitted function, and why it was made."""

    function: str
    number: int
    """Which of the programs of functions at this place in the source it is, from 1 on."""
    reasons: tuple[str, ...]
    """What differs from the nearest of the earlier ones."""
    nearest: int | None
    """The number of that one; None for the first."""
    origin: Origin
    tracing: float
    """Seconds that tracing took."""
    compiling: float
    """Seconds that lowering and compiling took, or loading."""
    equations: int
    """The size of the program."""
    source: Source | None
    """The user's line that called the function."""

    def __str__(self) -> str:
        why = "the first" if self.nearest is None else f"{'; '.join(self.reasons)} (program {self.nearest})"
        seconds = f"{self.tracing:.3f} s traced, {self.compiling:.3f} s {self.origin.value}"
        at = "" if self.source is None else f"\n     at {self.source}"
        return f"{self.number:3}. {why}\n     {seconds}, {counted(self.equations, 'equation')}{at}"


@final
class Explanation(Sequence[Compilation]):
    """The programs of a jitted function, in the order in which they were made; as text, a list of them."""

    __slots__ = ("_programs", "function")

    def __init__(self, function: str, programs: Sequence[Compilation]) -> None:
        self.function: Final = function
        self._programs: Final = tuple(programs)

    @overload
    def __getitem__(self, index: int) -> Compilation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Compilation, ...]: ...
    def __getitem__(self, index: int | slice) -> Compilation | tuple[Compilation, ...]:
        return self._programs[index]

    def __len__(self) -> int:
        return len(self._programs)

    def __iter__(self) -> Iterator[Compilation]:
        return iter(self._programs)

    def __repr__(self) -> str:
        head = f"jit({self.function}): {counted(len(self), 'program')}"
        return "\n".join([head, *map(str, self._programs)])


class _Remembered(NamedTuple):
    number: int
    kind: Kind
    owner: object


@final
class _Site:
    """What was compiled of functions at one place in the source."""

    def __init__(self) -> None:
        self.recent: Final[deque[_Remembered]] = deque(maxlen=_REMEMBERED)
        self.count = 0
        self.seconds = 0.0
        self.warned = False


type _Place = tuple[str, int, str]
_sites: Final[Cache[_Place, _Site]] = Cache()


@final
class History:
    """The programs of one jitted function."""

    __slots__ = ("_name", "_owner", "_place", "_programs", "_site")

    def __init__(self, f: Callable[..., object]) -> None:
        self._name: Final = function_name(f)
        self._place: Final = _place_of(f)
        self._site: Final = _Site()  # of a function that is at no place
        self._owner: Final = object()
        self._programs: Final[deque[Compilation]] = deque(maxlen=_REMEMBERED)

    @property
    def explanation(self) -> Explanation:
        """The latest programs."""
        return Explanation(self._name, self._programs)

    def add(self, kind: Kind, origin: Origin, tracing: float, compiling: float, equations: int) -> None:
        """Remember a program, log why it was made, and warn where that happens again and again."""
        site = self._site if self._place is None else _sites.find(self._place)
        if site is None:
            site = _sites.keep(cast(_Place, self._place), _Site())
        if origin is Origin.SHARED and any([it.owner is self._owner and it.kind == kind for it in site.recent]):
            return  # arrays that lie elsewhere, for which the program is the same
        nearest, reasons = _nearest(kind, self._owner, site.recent)
        site.count += 1
        place = user_place()
        source = None if place is None else Source(*place)
        program = Compilation(self._name, site.count, reasons, nearest, origin, tracing, compiling, equations, source)
        self._programs.append(program)
        site.recent.append(_Remembered(site.count, kind, self._owner))
        _log.info("%s: %s", self._name, program)
        site.seconds += tracing + compiling
        if site.count >= _OFTEN and site.seconds >= _SECONDS and not site.warned:
            site.warned = True
            _warn(site, program)


def explain(jitted: Callable[..., object]) -> Explanation:
    """Why each program of a function that `jit` gave was compiled: what of the call was new, against the nearest one.

    Calls of the function add to it, up to the last 32 programs. The same is written to the logger `effax` of the
    standard library's `logging` at level INFO, when it happens.

    Raises ArgumentError for what is no result of `jit`.

    >>> import effects as fx
    >>> from lowering import jit
    >>> f = jit(lambda x, n: x * n, static_argnames="n")
    >>> for x, n in [(fx.ones(3), 2), (fx.ones(3), 3), (fx.ones(4), 3)]:
    ...     _ = f(x, n=n)
    >>> [program.reasons for program in explain(f)]
    [(), ('static argument n is 3, was 2',), ('argument x is float64[4], was float64[3]',)]
    """
    history = getattr(jitted, "history", None)
    if not isinstance(history, History):
        raise refusal("explain", "jitted", "what jit gave", jitted)
    return history.explanation


def _closure_of(f: Callable[..., object]) -> dict[str, str]:
    """What a function closes over and has as defaults, as far as it decides a program."""
    if not isinstance(f, FunctionType):
        return {}
    values: dict[str, object] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        with suppress(ValueError):  # of a variable without a value
            values[name] = cell.cell_contents
    positional = f.__code__.co_varnames[: f.__code__.co_argcount]
    values.update(zip(reversed(positional), reversed(f.__defaults__ or ())))
    values.update(f.__kwdefaults__ or {})
    return {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    """A value, where its text says it; else what kind of a thing it is."""
    if isinstance(value, Array):
        return str(value.aval)
    if isinstance(value, _PLAIN):
        return shown(value)
    if isinstance(value, FunctionType):
        return f"{value.__name__} of line {value.__code__.co_firstlineno}"
    return f"a {type(value).__name__}"


def _place_of(f: Callable[..., object]) -> _Place | None:
    code = getattr(f, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _nearest(kind: Kind, owner: object, earlier: Sequence[_Remembered]) -> tuple[int | None, tuple[str, ...]]:
    """The number of the earlier program that differs least, the latest of these, and in what."""
    if not earlier:
        return None, ()
    by_differences = [(_differences(kind, other.kind), other) for other in reversed(earlier)]
    differences, other = min(by_differences, key=lambda pair: len(pair[0]))
    if not differences and other.owner is not owner:
        differences = ["jit was called again, with a function that is made anew: call it once, outside"]
    return other.number, tuple(differences or ["that one was forgotten"])


def _differences(kind: Kind, other: Kind) -> list[str]:
    differences = [
        *_changes("argument", kind.arguments, other.arguments),
        *_changes("static argument", kind.static, other.static),
        *_changes("closed-over", kind.closure, other.closure),
    ]
    if kind.default_float != other.default_float:
        differences.append(f"the default float is {kind.default_float}, was {other.default_float}")
    if kind.place != other.place:
        differences.append(f"it runs on {kind.place}, ran on {other.place}")
    return differences


def _changes(what: str, now: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    for name, text in now.items():
        if name not in before:
            yield f"{what} {name} is new, {text}"
        elif before[name] != text:
            yield f"{what} {name} is {text}, was {before[name]}"
    yield from [f"{what} {name} is gone" for name in before if name not in now]


def _warn(site: _Site, program: Compilation) -> None:
    message = (
        f"{site.count} programs of {program.function} were compiled in {site.seconds:.1f} s, the last because "
        f"{'; '.join(program.reasons)}; see lowering.explain({program.function})"
    )
    source = program.source
    if source is None:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    else:
        warnings.warn_explicit(message, RuntimeWarning, source.file, source.line)
