"""The intermediate language: typed, first-order, closed programs in A-normal form.

A `Jaxpr` is a list of equations between variables, with nothing free: what a traced function closed over is an explicit
input. Python numbers are literals. Programs of the same structure are equal. Values derived from a program are cached
on it; equal programs that users' functions were traced to on the same lines share it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count, repeat
from typing import TYPE_CHECKING, Final, final
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from effects.arguments import entries
from effects.program.chain import INNERMOST, current
from effects.program.operation import Effects, HigherOrder, Label, Operation
from effects.program.refusing import refuse_arguments
from effects.runtime.attributes import advising
from effects.runtime.caches import RECENT, Cache, Personal, StructuralKey, without_user_objects
from effects.runtime.cpython.source import Location, Source, current_location
from effects.runtime.pictures import Pictured
from effects.types.avals import ShapedArray

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.arrays.concrete import Concrete
    from effects.operations.custom_rules import Definition


@final
class Var:
    """A variable: a type and an identity."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval


@final
class Literal:
    """A Python number, written in place."""

    __slots__ = ("aval", "value")

    def __init__(self, value: Concrete) -> None:
        self.value = value
        self.aval = value.aval

    @property
    def key(self) -> Hashable:
        return (self.aval, self.value.host.tobytes())


type Atom = Var | Literal


@advising
@final
class Eqn:
    """An equation `outs = op`, with the user's line that it comes from.

    `multiple` is True if the operation returns a tuple, perhaps of one result.
    """

    __slots__ = ("multiple", "op", "outs", "place")

    def __init__(self, op: Operation[Atom], outs: tuple[Var, ...], place: Location | None, multiple: bool) -> None:
        self.op = op
        self.outs = outs
        self.place = place
        self.multiple = multiple

    @property
    def source(self) -> Source | None:
        return None if self.place is None else Source(*self.place)


@advising
@final
class Jaxpr(Personal, Pictured):
    """A closed program: `inputs`, equations, `outputs`.

    Its repr is the documented form: `{ lambda a:float64[3] . let b:float64[3] = sin a in ( b ) }`.
    """

    __slots__ = (
        "__weakref__",
        "_derived",
        "_effects",
        "_key",
        "_last_uses",
        "_locations",
        "_meaning",
        "_shares",
        "eqns",
        "in_avals",
        "inputs",
        "out_avals",
        "outputs",
    )

    def __init__(self, inputs: tuple[Var, ...], eqns: tuple[Eqn, ...], outputs: tuple[Atom, ...]) -> None:
        self.inputs = inputs
        self.eqns = eqns
        self.outputs = outputs
        self.in_avals = tuple([v.aval for v in inputs])
        self.out_avals = tuple([v.aval for v in outputs])
        self._derived: Cache[Hashable, object] | None = None
        self._effects: Effects | None = None
        self._key: StructuralKey | None = None
        self._meaning: StructuralKey | None = None
        self._last_uses: list[tuple[Var, ...]] | None = None
        self._locations = 0
        self._shares = False

    @property
    def key(self) -> StructuralKey:
        """Structural key of the program, independent of the names of its variables and of where it was written."""
        if self._key is None:
            _find_keys(self)
        assert self._key is not None, "it has been found"
        return self._key

    @property
    def written(self) -> Hashable:
        """Key of the program together with the lines of its equations, also in bodies, for derived programs."""
        return self.key, self._locations

    @property
    def meaning(self) -> Hashable:
        """The program itself if it holds no objects of users, else a key without them."""
        if self._meaning is None:
            _find_meanings(self)
        return self if self._meaning is self._key else self._meaning

    def interned(self) -> Jaxpr:
        """The one program of this structure that stands for all equal ones."""
        known = _programs.get(self.key)
        program = None if known is None else known()
        if program is None:
            _programs[self.key] = ref(self)
            return self
        self._key = program.key
        self._meaning = None
        return program

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Jaxpr) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def shared(self) -> Jaxpr:
        """Mark this program as one that may be traced again, and return it.

        Equal marked programs of the same lines share one cache of derived programs. The hash for this is computed when
        the first one is derived.
        """
        self._shares = True
        return self

    def cached[T](self, key: Hashable, derive: Callable[[], T]) -> T:
        """`derive()`, which is not None, computed once for `key` and cached as long as the program."""
        cached = self.recall(key)
        if cached is None:
            if self._derived is None:
                self._derived = Cache()
            cached = self._derived.keep(key, derive())
        return cached  # type: ignore[return-value]  # each key belongs to one derivation

    def recall(self, key: Hashable) -> object:
        """The value derived from this program for `key`, or None."""
        if self._shares:
            self._shares = False
            program = (_shared.get(self.key) or _shared.setdefault(self.key, WeakValueDictionary())).setdefault(
                self._locations, self
            )
            if program._derived is None:
                program._derived = Cache()
            self._derived = program._derived
            if not current().recorded:  # else it becomes part of a program, which keeps it alive
                keeper = _recent if program.meaning is program else _keeper(program)
                if keeper is not None:
                    keeper.keep(program.written, program)
        return None if self._derived is None else self._derived.find(key)

    @property
    def last_uses(self) -> list[tuple[Var, ...]]:
        """For each equation the variables that nothing after it reads."""
        if self._last_uses is None:
            self._last_uses = _find_last_uses(self)
        return self._last_uses

    @property
    def effects(self) -> Effects:
        """Side effects of running the program."""
        return _find_effects(self) if self._effects is None else self._effects

    @property
    def performs(self) -> frozenset[Label]:
        """The effects that handlers further out have to answer."""
        return frozenset([effect for effect in self.effects if isinstance(effect, Label)])

    def __repr__(self) -> str:
        return printing.format_jaxpr(self)


class _Names(dict[Atom, Hashable]):
    """The variables of a program by number; a literal is named by its value."""

    def __missing__(self, literal: Literal) -> Hashable:
        return literal.key


def _structure(jaxpr: Jaxpr) -> tuple[Hashable, ...]:
    names = _Names(zip(jaxpr.inputs, count()))
    parts: list[Hashable] = [jaxpr.in_avals]
    for eqn in jaxpr.eqns:
        parts.append(eqn.op.structure(names))
        for out in eqn.outs:
            names[out] = len(names)
    parts.append(tuple([names[atom] for atom in jaxpr.outputs]))
    return tuple(parts)


def _bodies(jaxpr: Jaxpr) -> list[Jaxpr]:
    return [body for eqn in jaxpr.eqns if isinstance(eqn.op, HigherOrder) for body in eqn.op.bodies]


def _innermost_first(jaxpr: Jaxpr, known: Callable[[Jaxpr], bool]) -> Iterator[Jaxpr]:
    """A program and its bodies that are not `known`, each after its own bodies; the caller makes each one known.

    It uses a list, since they may be nested deeply.
    """
    waiting = [jaxpr]
    while waiting:
        program = waiting[-1]
        if unknown := [body for body in _bodies(program) if not known(body)]:
            waiting += unknown
            continue
        if not known(program):
            yield program
        waiting.pop()


def _find_keys(jaxpr: Jaxpr) -> None:
    """Compute the keys of a program and of its bodies, which share the keys of equal programs.

    So comparing programs compares no bodies.
    """
    for program in _innermost_first(jaxpr, lambda body: body._key is not None):
        program._key = StructuralKey(_structure(program))
        locations = [(id(eqn.place[0]), *eqn.place[1:]) for eqn in program.eqns if eqn.place is not None]
        program._locations = hash((*locations, *[body._locations for body in _bodies(program)]))
        if program is not jaxpr:
            program.interned()


def _find_meanings(jaxpr: Jaxpr) -> None:
    for program in _innermost_first(jaxpr, lambda body: body._meaning is not None):
        structure = program.key.structure
        meaning = without_user_objects(structure)
        program._meaning = program.key if meaning is structure else StructuralKey(meaning)


def _keeper(jaxpr: Jaxpr) -> Cache[Hashable, Jaxpr] | None:
    """Cache of one of the users' objects that a program holds, in which the program is kept; None if there is none."""
    waiting = [jaxpr]
    while waiting:
        program = waiting.pop()
        for eqn in program.eqns:
            definition: Definition | None = getattr(eqn.op, "definition", None)
            if definition is not None and definition.keeper is not None:
                return definition.keeper
        waiting += _bodies(program)
    return None


# Keys are weak as well, since users' objects in them may keep the programs alive.
_programs: Final[WeakKeyDictionary[StructuralKey, ref[Jaxpr]]] = WeakKeyDictionary()
_shared: Final[WeakKeyDictionary[StructuralKey, WeakValueDictionary[int, Jaxpr]]] = WeakKeyDictionary()
_recent: Final[Cache[Hashable, Jaxpr]] = Cache(RECENT)
"""Programs kept alive for a while, so that the next eager loop finds what was derived from an equal one."""


def eval_jaxpr(jaxpr: Jaxpr, args: Sequence[Array]) -> list[Array]:
    """Perform the operations of `jaxpr` on `args` under the current chain; the values of its outputs.

    A computed value is dropped after its last use, so memory is limited to what the program needs. Raises ArgumentError
    for arguments of another number or type than the program's.

    >>> import effects as fx
    >>> from handlers import make_jaxpr
    >>> fx.eval_jaxpr(make_jaxpr(fx.sin)(0.0), [fx.asarray(0.0)])
    [Array(0., float64)]
    """
    avals = getattr(jaxpr, "in_avals", None)
    if tuple([getattr(value, "aval", None) for value in entries(args)]) != avals:
        refuse_arguments(jaxpr, avals, args)
    env: dict[Var, Array] = dict(zip(jaxpr.inputs, args, strict=True))

    def read(atom: Atom) -> Array:
        return env[atom] if type(atom) is Var else atom.value

    last_uses = repeat(()) if current().recorded else jaxpr.last_uses
    link, before = current(), current_location.get()
    handle = link.handle
    try:
        for eqn, dead in zip(jaxpr.eqns, last_uses):
            current_location.set(eqn.place or before)
            result = handle(eqn.op.map(read))
            if eqn.multiple:
                env.update(zip(eqn.outs, result, strict=True))
            else:
                env[eqn.outs[0]] = result  # type: ignore[assignment]  # one result: an array
            for var in dead:
                del env[var]
        current_location.set(before)
    except BaseException:  # here and not finally: an interrupt can strike where it would begin
        INNERMOST.set(link)  # as `perform` does
        current_location.set(before)
        raise
    return [read(atom) for atom in jaxpr.outputs]


def _find_last_uses(jaxpr: Jaxpr) -> list[tuple[Var, ...]]:
    needed: set[Var] = {atom for atom in jaxpr.outputs if type(atom) is Var}
    dead: list[tuple[Var, ...]] = []
    for eqn in reversed(jaxpr.eqns):
        last_used = {atom for atom in eqn.op.operands if type(atom) is Var}.union(eqn.outs) - needed
        needed |= last_used
        dead.append(tuple(last_used))
    return dead[::-1]


def _find_effects(jaxpr: Jaxpr) -> Effects:
    for program in _innermost_first(jaxpr, lambda body: body._effects is not None):
        program._effects = frozenset().union(*[eqn.op.effects for eqn in program.eqns])
    assert jaxpr._effects is not None, "it is the last one"
    return jaxpr._effects


from effects.program import printing  # noqa: E402  # a program prints itself, and the printer knows programs
