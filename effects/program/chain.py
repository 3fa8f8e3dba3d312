"""Handlers and the chain they form: how an operation finds its meaning.

`perform(op)` asks the innermost handler of the current chain. A handler that owns none of the operands passes the
operation outward unchanged. Otherwise it interprets it, with the *outer* chain installed, by performing operations of
its own. The root of every chain computes on concrete arrays. The chain lives in a ContextVar: threads and tasks have
their own.
"""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar, Token
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn, Protocol, Self, cast, final, overload

from effects.arguments import check_callable
from effects.errors import ArgumentError, LeakedValueError, MissingRule, UnhashableError
from effects.program.operation import Label, Operation
from effects.program.refusing import not_lifted, refuse_fields
from effects.runtime.cpython.extent import Extent, restore, setting
from effects.runtime.cpython.recursion import levels
from effects.runtime.pictures import Pictured

if TYPE_CHECKING:
    from effects.arrays.array import Array

type Performed = Array | tuple[Array, ...]
"""Result of performing an operation: an array, or a tuple of arrays where it has several results."""


class Link(Protocol):
    """One link of a chain, whatever its carrier: what `perform` needs of a handler."""

    @property
    def handle(self) -> Callable[[Operation[Array]], Performed]: ...
    @property
    def recorded(self) -> bool:
        """True if operations performed here are recorded in a program."""

    @property
    def lines(self) -> bool:
        """True if the user's lines are needed here: for a program, or for a handler that reports them."""

    @property
    def axes(self) -> Mapping[Hashable, int]:
        """The named axes that are known here, innermost first, and their sizes."""

    @property
    def eager(self) -> bool:
        """True if jitted functions and control flow run as plain Python."""

    @property
    def answered(self) -> frozenset[Label]:
        """The effects that have a handler here or further out."""

    @property
    def depth(self) -> int:
        """Number of handlers from here outward."""


@final
class Root:
    """The terminal link. Its meaning, evaluation, is in an outer layer and imported by name on first use."""

    __slots__ = ("handle",)
    handle: Callable[[Operation[Array]], Performed]
    recorded: Final = False
    lines: Final = False
    axes: Final[Mapping[Hashable, int]] = MappingProxyType({})
    eager: Final = False
    answered: Final[frozenset[Label]] = frozenset()
    depth: Final = 0

    def __init__(self) -> None:
        self.handle = self._load

    def _load(self, op: Operation[Array]) -> Performed:
        self.handle = importlib.import_module("handlers.evaluate").evaluate
        return self.handle(op)


ROOT = Root()
SHALLOW: Final = 16
"""Number of nested handlers for which Python's own stack is deep enough; each further one raises the limit."""
INNERMOST: Final[ContextVar[Link]] = ContextVar("chain", default=ROOT)
"""The innermost link; set by `installed`, and by handlers directly where a `with` block would cost too much."""
current = INNERMOST.get
"""`current()` is the innermost link of the chain here."""


class Request[V, R](Protocol):
    """An operation on operands `V` whose performance returns `R`: an array for a `Single`, a tuple for a `Multiple`."""

    def _asks(self) -> tuple[V, R]: ...


def perform[R](op: Request[Array, R], /) -> R:
    """Perform `op` in the current chain: the result (or the tuple of results) of the operation.

    Raises the errors of the operation's type rule and of handlers' rules; the chain is restored afterwards.

    >>> import effects as fx
    >>> fx.perform(fx.operations.Unary(fx.operations.UnaryKind.SIN, fx.asarray(0.0)))
    Array(0., float64)
    """
    link = INNERMOST.get()
    try:
        return link.handle(op)  # type: ignore[arg-type,return-value]  # requests are operations, which say R
    except BaseException as error:
        INNERMOST.set(link)  # handlers do not restore it after errors: an interrupt might prevent that
        if isinstance(error, AttributeError | KeyError | UnhashableError):
            refuse_fields(op, error)
        raise


@overload
def each_result[R: Array](f: Callable[[Array], R], first: Performed, /) -> R | tuple[R, ...]: ...
@overload
def each_result[R: Array](
    f: Callable[[Array, Array], R], first: Performed, second: Performed, /
) -> R | tuple[R, ...]: ...
@overload
def each_result[R: Array](
    f: Callable[..., R], first: Performed, second: Performed, third: Performed, /, *more: Performed
) -> R | tuple[R, ...]: ...
def each_result[R: Array](f: Callable[..., R], /, *performed: Performed) -> R | tuple[R, ...]:
    """`f` of the results of operations, one by one: of arrays, or of each array of tuples of one length.

    With it, `interpret` makes carriers whether the operation has one result or several.

    >>> import effects as fx
    >>> each_result(lambda x, y: x + y, fx.ones(2), fx.ones(2))
    Array([2., 2.], float64)
    >>> each_result(lambda x: -x, (fx.ones(2), fx.zeros(1)))
    (Array([-1., -1.], float64), Array([-0.], float64))
    """
    check_callable("each_result", f, "f")
    counts = {len(results) if isinstance(results, tuple) else None for results in performed}
    if counts == {None}:
        return f(*performed)
    if len(counts) != 1:
        raise ArgumentError("each_result: performed must be arrays, or tuples of as many arrays each")
    return tuple([f(*row) for row in zip(*performed, strict=True)])


def installed(link: Link) -> setting[Link]:
    """`with installed(link):` makes `link` the innermost of the chain; the chain is restored however the block ends."""
    return setting(INNERMOST, link)


class Handler[V: Array](Extent, Pictured):
    """Gives operations a meaning over the carrier `V`.

    A subclass defines `constant` (the carrier of a foreign value) and `interpret` (the meaning of an operation on
    carriers). `with MyHandler() as handler:` makes it the innermost handler of the chain in the block, and every
    operation on one of its carriers goes through `interpret`. A handler is used once. Carriers that outlive the block
    have leaked, and using one raises LeakedValueError.
    """

    sees_all: ClassVar[bool] = False
    """True if operations without a carrier of this handler are interpreted too (staging does, for instance)."""

    outer: Link
    """The rest of the chain, seen from here; set when the handler is entered."""

    recorded: bool = False
    """True if operations performed here are recorded in a program: by a staging handler here or further out."""

    lines: bool = False  # as of a `Link`

    axes: Mapping[Hashable, int] = ROOT.axes
    """The named axes in scope, those of the handler itself first; set when the handler is entered."""

    eager: bool = False
    """True if jitted functions and control flow run as plain Python (`disable_jit`)."""

    answered: frozenset[Label] = ROOT.answered
    """The effects that have a handler here or further out; set when the handler is entered."""

    alive: bool = False
    """True while the extent of the handler is running."""

    depth: int = 0  # as of a `Link`

    _entered: bool = False
    _token: Token[Link] | None = None

    @abstractmethod
    def constant(self, value: Array, /) -> V:
        """The carrier of a value that does not come from this handler."""

    @abstractmethod
    def interpret(self, op: Operation[V], /) -> Performed:
        """The meaning of `op`, by performing operations on the parts of its carriers; runs under the outer chain."""

    def lift(self, value: Array, /) -> V:
        """`value` itself if it is a carrier of this handler, else its constant."""
        try:
            if value.assigned:
                value = value.now()
            return cast(V, value) if value.owner is self else self.constant(value)
        except AttributeError as error:
            raise not_lifted(type(self).__name__, value, error) from None

    def handle(self, op: Operation[Array], /) -> Performed:
        """Interpret `op` if it involves this handler, or pass it outward."""
        if not op.owned_by(self) and not self.sees_all:
            return self.outer.handle(op)
        if not self.alive:
            return self.handle_after_extent(op)
        token = INNERMOST.set(self.outer)
        results = self.interpret(op.lifted(self, self.constant))
        INNERMOST.reset(token)  # after an error `perform` does it
        return self.refuse_none(op) if results is None else results  # type: ignore[redundant-expr]  # no return

    def refuse_none(self, op: Operation[Array], /) -> NoReturn:
        """Raise MissingRule: `interpret` fell through without a meaning for `op`."""
        raise MissingRule(
            f"{type(self).__name__}.interpret returned None for {op.name}; return its meaning, or perform(op) on the "
            "parts of the carriers if the handler adds nothing"
        )

    def handle_after_extent(self, op: Operation[Array], /) -> Performed:
        """Handle an operation after the extent has ended, as happens in a task that was created inside the extent.

        Raises LeakedValueError for its carriers; other operations pass outward.
        """
        for value in op.operands:
            if value.owner is self:
                raise value.leaked(op.name)
        return self.outer.handle(op)

    def __enter__(self) -> Self:
        if self._entered:
            now = "is already installed" if self.alive else "was installed before, and its block is over"
            raise LeakedValueError(f"{type(self).__name__} {now}; make a new one for every `with` block")
        self.stand_inside(INNERMOST.get())
        self.depth = self.outer.depth + 1
        if self.depth > SHALLOW:
            levels.enter(self)
        self._entered = self.alive = True
        self._token = INNERMOST.set(self)
        return self

    def stand_inside(self, outer: Link) -> None:
        """Set `outer`, and take over its knowledge of the chain."""
        self.outer = outer
        self.recorded = self.recorded or outer.recorded
        self.lines = self.lines or outer.lines
        self.eager = self.eager or outer.eager
        if outer.axes:
            self.axes = {**self.axes, **{n: size for n, size in outer.axes.items() if n not in self.axes}}
        self.answered = outer.answered

    def leave(self) -> None:
        """End the `with` block: restore the chain that was there before."""
        self.alive = False
        if not self._entered:
            return
        link, token = INNERMOST.get(), self._token
        if link is not self and (inner := _entered_in(link, self)) is not None:
            inner.outer = self.outer
        elif token is None or token.old_value is self.outer:
            restore(INNERMOST, self.outer, token)
        elif link is self:  # the link outside was left before
            INNERMOST.set(self.outer)
        if self.depth > SHALLOW:
            levels.leave(self)  # last, since it removes stack frames

    def __repr__(self) -> str:
        return type(self).__name__


class WithoutCarriers(Handler["Array"]):
    """A handler without carriers: operations pass, unless it says otherwise."""

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)


def _entered_in(link: Link, handler: Link) -> Handler[Array] | None:
    """The handler entered next inside `handler` and not left yet, perhaps by a suspended generator."""
    while isinstance(link, Handler):
        if link.outer is handler:
            return link
        link = link.outer
    return None


def chain() -> tuple[Link, ...]:
    """The links of the current chain, innermost first.

    >>> import effects as fx
    >>> len(fx.chain())
    1
    """
    links: list[Link] = [INNERMOST.get()]
    while isinstance(links[-1], Handler):
        links.append(links[-1].outer)
    return tuple(links)
