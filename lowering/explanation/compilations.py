"""Reasons of compilations: the differences of a call from the nearest one whose program was cached.

Each program of a jitted function is remembered by its facts, as text, so that no object of the user's stays alive.
Functions from one line share these, so that a function which is created again for every call is noticed. Programs of
other functions are compared also by what these hold; those of the same one only by the call, since jit does not look at
the rest again.
"""

from __future__ import annotations

import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import RLock
from types import MethodType
from typing import Final, NamedTuple, cast, final, overload
from weakref import WeakMethod, ref

from effects.arguments import counted, function_name, refusal
from effects.runtime.caches import Cache
from effects.runtime.cpython.source import Source, user_location
from lowering.compilation import Origin
from lowering.explanation.closures import SourceIdentity, source_of
from lowering.explanation.facts import CallFacts, Fact
from lowering.explanation.short_text import differing_ends, excerpt

_log: Final = logging.getLogger("effax")
_REMEMBERED: Final = 32
_MOST_FACTS: Final = 2**16
"""Largest number of facts that are remembered for a line."""
_MOST_REASONS: Final = 3
_MANY: Final = 16
_LONG: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Compilation:
    """A program of a jitted function, and the reasons of its compilation."""

    function: str
    number: int
    """Number of this program among those of functions at this place in the source, from 1 on."""
    reasons: tuple[str, ...]
    """Differences from the nearest earlier program: the first three, and the number of the others."""
    nearest: int | None
    """The number of that program; None for the first."""
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
        reason = "the first" if self.nearest is None else f"{'; '.join(self.reasons)} (program {self.nearest})"
        seconds = f"{self.tracing:.3f} s traced, {self.compiling:.3f} s {self.origin.value}"
        at = "" if self.source is None else f"\n     at {self.source}"
        return f"{self.number:3}. {reason}\n     {seconds}, {counted(self.equations, 'equation')}{at}"


@final
class Explanation(Sequence[Compilation]):
    """The programs of a jitted function, in the order in which they were made; as text, a list of them."""

    __slots__ = ("_programs", "function", "total")

    def __init__(self, function: str, programs: Sequence[Compilation], total: int) -> None:
        self.function: Final = function
        self.total: Final = total
        """Number of compilations, of which these are the latest."""
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
        latest = f"the latest {len(self)} of " if len(self) < self.total else ""
        head = f"jit({self.function}): {latest}{counted(self.total, 'program')}"
        return "\n".join([head, *map(str, self._programs)])


class _CachedProgram(NamedTuple):
    number: int
    facts: CallFacts
    owner: History


@final
class _Site:
    """Compilations of functions from one line of the source."""

    def __init__(self) -> None:
        self.recent: Final[deque[_CachedProgram]] = deque(maxlen=_REMEMBERED)
        self.count = 0
        self.seconds = 0.0
        self.warned = False

    def remember(self, facts: CallFacts, owner: History, seconds: float) -> None:
        """Add a program, and remove the oldest ones beyond the bound."""
        self.count += 1
        self.seconds += seconds
        self.recent.append(_CachedProgram(self.count, facts, owner))
        while len(self.recent) > 1 and sum([it.facts.size for it in self.recent]) > _MOST_FACTS:
            self.recent.popleft()

    def is_often(self) -> bool:
        """Return True, once, if there were many compilations."""
        if self.warned or self.count < _MANY or self.seconds < _LONG:
            return False
        self.warned = True
        return True


_lock: Final = RLock()
_sites: Final[Cache[SourceIdentity, _Site]] = Cache()


@final
class History:
    """The programs of one jitted function."""

    __slots__ = ("_function", "_identity", "_name", "_programs", "_site", "_total")

    def __init__(self, f: Callable[..., object]) -> None:
        self._name: Final = function_name(f)
        self._identity: Final = source_of(f)
        self._site: Final = _Site()  # the function has no source
        self._function: Final = _reference(f)
        self._programs: Final[deque[Compilation]] = deque(maxlen=_REMEMBERED)
        self._total = 0

    @property
    def explanation(self) -> Explanation:
        """The latest programs."""
        return Explanation(self._name, self._programs, self._total)

    def is_of_same_function(self, other: History) -> bool:
        """Return True if both are of the same function, which is still alive."""
        one, another = self._function(), other._function()
        return one is not None and (one is another or (isinstance(one, MethodType) and one == another))

    def add(self, facts: CallFacts, origin: Origin, tracing: float, compiling: float, equations: int) -> None:
        """Remember a program, log the reasons of its compilation, and warn if there are many compilations."""
        site = self._site if self._identity is None else _sites.find(self._identity)
        if site is None:
            site = _sites.keep(cast(SourceIdentity, self._identity), _Site())
        location = user_location()
        source = None if location is None else Source(*location)
        with _lock:
            if origin is Origin.SHARED and any(
                [it.owner is self and it.facts.call == facts.call for it in site.recent]
            ):
                return  # arrays on other devices, with the same program
            nearest, reasons = _nearest(facts, self, site.recent)
            site.remember(facts, self, tracing + compiling)
            program = Compilation(
                self._name, site.count, reasons, nearest, origin, tracing, compiling, equations, source
            )
            self._programs.append(program)
            self._total += 1
            often = site.is_often()
        _log.info("%s: %s", self._name, program)
        if often:
            _warn(site, program)


def explain(jitted: Callable[..., object]) -> Explanation:
    """Reasons of each compilation of a function that `jit` gave: the differences of the call from the nearest earlier
    one.

    Calls of the function add to it, up to the last 32 programs. The logger `effax` of the standard library's `logging`
    reports the same at level INFO as it happens.

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


def _reference(f: Callable[..., object]) -> Callable[[], object]:
    """A weak reference to a function; one to nothing, if it allows none."""
    try:
        return WeakMethod(f) if isinstance(f, MethodType) else ref(f)
    except TypeError:
        return lambda: None


def _nearest(facts: CallFacts, owner: History, earlier: Sequence[_CachedProgram]) -> tuple[int | None, tuple[str, ...]]:
    """The number of the earlier program that differs least, of this function if possible, and the differences."""
    if not earlier:
        return None, ()
    other, *others = sorted(earlier, key=lambda it: (it.owner is not owner, -it.number))
    subjects = _differing(facts, owner, other)
    for one in others:
        if not subjects:
            break
        if len(differing := _differing(facts, owner, one)) < len(subjects):
            other, subjects = one, differing
    if subjects:
        now, before = {**facts.function, **facts.call}, {**other.facts.function, **other.facts.call}
        reasons = [_difference(subject, now.get(subject), before.get(subject)) for subject in subjects[:_MOST_REASONS]]
        more = [f"and {len(subjects) - _MOST_REASONS} more"] if len(subjects) > _MOST_REASONS else []
        return other.number, (*reasons, *more)
    if other.owner is owner:
        return other.number, ("that one was forgotten",)
    if owner.is_of_same_function(other.owner):
        return other.number, ("jit was called again, with the same function: call it once, and keep what it gives",)
    return other.number, ("jit was called again, with a function that is made anew: call it once, outside",)


def _differing(facts: CallFacts, owner: History, other: _CachedProgram) -> list[str]:
    """The names of the facts that differ; those of the function's values only count for another function."""
    pairs = [(facts.call, other.facts.call)]
    if other.owner is not owner:
        pairs.append((facts.function, other.facts.function))
    return [
        subject
        for now, before in pairs
        for subject in (*now, *[subject for subject in before if subject not in now])
        if now.get(subject) != before.get(subject)
    ]


def _difference(subject: str, now: Fact | None, before: Fact | None) -> str:
    if now is None:
        return f"{subject} is gone"
    if before is None:
        return f"{subject} is new, {excerpt(now.text)}"
    if now.text != before.text:
        return "{} is {}, was {}".format(subject, *differing_ends(now.text, before.text))
    differing = [(one, other) for one, other in zip(now.details, before.details) if one != other]
    if differing:
        return f"{subject}, {excerpt(now.text)}, " + " and ".join(
            [f"is {one}, was {other}" for one, other in differing]
        )
    return f"{subject}, {excerpt(now.text)}, is another one"


def _warn(site: _Site, program: Compilation) -> None:
    message = (
        f"{site.count} programs of {program.function} were made in {site.seconds:.1f} s, the last because "
        f"{'; '.join(program.reasons)}; see lowering.explain({program.function})"
    )
    source = program.source
    if source is None:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    else:
        warnings.warn_explicit(message, RuntimeWarning, source.file, source.line)
