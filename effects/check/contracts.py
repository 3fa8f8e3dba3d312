"""Contracts: the shapes that annotations declare for calls, and the decorator that holds calls against them."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property, wraps
from typing import Any, Final, Self, cast

from effects.arguments import check_callable
from effects.check.annotations import Place as Names, meaning_of, names_of, with_own_parameters
from effects.check.dims import Bound, NotSaid
from effects.check.meanings import Maker, Meaning, NoMeaning, Value
from effects.errors import ArgumentError
from effects.runtime.cpython.source import Location

_MOST_ANSWERS: Final = 1000


class Run:
    """A function that is being checked, and what makes values for it."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.misgiven: types.CodeType | None = None
        """The function whose result is not what it declares."""
        self.answers: dict[Location, set[bool]] = {}
        """To `if` on values that are not known, by where they were asked."""
        self._unanswered: list[object] = []
        self._of: dict[int, bool] = {}

    def answer(self, x: object, place: Location) -> bool | None:
        """Truth of x: False, or by choice True where it is first asked there. None: too much has been asked."""
        yes = self._of.setdefault(id(x), self.maker.sizes.choice % 2 == 1 and place not in self.answers)
        self._unanswered.append(x)  # so that no other has its id
        self.answers.setdefault(place, set()).add(yes)
        return yes if len(self._unanswered) < _MOST_ANSWERS else None


running: Final[ContextVar[Run | None]] = ContextVar("running", default=None)


class Contract:
    """The shapes that the annotations of a function declare, read when they are first asked for."""

    def __init__(self, function: types.FunctionType, has_body: bool = True) -> None:
        self.function, self.code, self.has_body = function, function.__code__, has_body
        self.run: Callable[..., object] = function
        self.line = self.code.co_firstlineno
        self.name = function.__qualname__.rpartition("<locals>.")[2]
        self.nested = "<locals>" in function.__qualname__
        self.signature = inspect.signature(function)

    @cached_property
    def _read(self) -> dict[str, Meaning]:
        names = names_of(self.function)
        owner: Any = None  # the class of a method
        for part in self.function.__qualname__.split(".")[:-1]:
            owner = names.get(part) if owner is None else getattr(owner, part, None)
        stands: dict[object, tuple[object, Names | None]] = {}
        written = {**inspect.get_annotations(self.function)}
        if isinstance(owner, type):
            names = names_of(owner) | names
            stands[Self] = (with_own_parameters(owner), None)
            kind = vars(owner).get(self.function.__name__)
            if not isinstance(kind, staticmethod):
                first = type[Self] if isinstance(kind, classmethod) else Self
                written.setdefault(next(iter(self.signature.parameters), "return"), first)
        place = Names(names, stands, scope=self)
        return {
            name: meaning_of(written[name], place) if name in written else NoMeaning("no annotation")
            for name in (*self.signature.parameters, "return")
        }

    @property
    def parameters(self) -> Mapping[str, Meaning]:
        return {name: self._read[name] for name in self.signature.parameters}

    @property
    def result(self) -> Meaning:
        return self._read["return"]

    @property
    def shapes(self) -> bool:
        """True if arrays, with or without shapes, are declared."""
        return any([one.arrays for one in self._read.values()])

    def arguments(self, maker: Maker) -> tuple[list[object], dict[str, object]]:
        """Arguments as they are declared; those with defaults are left out. Raises NotSaid where too little is said."""
        args: list[object] = []
        kwargs: dict[str, object] = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            declared = self.parameters[name]
            chosen = isinstance(declared, Value) and declared.chosen
            left_out = parameter.default is None or not (declared.arrays or chosen)
            if parameter.kind is parameter.VAR_KEYWORD or (parameter.default is not parameter.empty and left_out):
                by_name = True
                continue
            times = maker.length if parameter.kind is parameter.VAR_POSITIONAL else 1
            try:
                values = [self.parameters[name].make(maker) for _ in range(times)]
            except NotSaid as reason:
                if parameter.default is parameter.empty:
                    raise NotSaid(f"argument {name}: {reason}") from None
                by_name = True
                continue
            if parameter.kind is parameter.KEYWORD_ONLY or (by_name and parameter.kind is not parameter.VAR_POSITIONAL):
                kwargs[name] = values[0]
            else:
                args += values
        return args, kwargs

    def takes(self, args: Sequence[object], kwargs: Mapping[str, object], bound: Bound) -> None:
        """Raises ShapeError, DTypeError or TreeError for arguments of other shapes; binds names."""
        try:
            arguments = self.signature.bind(*args, **kwargs)
        except TypeError:
            return  # Python says so when the function is called
        self._fits(arguments.arguments, bound)
        if bound.waiting:
            self._fits(arguments.arguments, bound)

    def _fits(self, arguments: Mapping[str, Any], bound: Bound) -> None:
        template = f"argument {{}} of {self.name}"
        for name, value in arguments.items():
            one, annotation = self.signature.parameters[name], self._read[name]
            if one.kind is one.VAR_POSITIONAL:
                for i, each in enumerate(value):
                    annotation.fit(each, bound, template, f"{name}[{i}]")
            elif one.kind is not one.VAR_KEYWORD and value is not one.default:
                annotation.fit(value, bound, template, name)

    def gives(self, result: object, bound: Bound) -> None:
        """Raises ShapeError, DTypeError or TreeError for a result of other shapes."""
        self.result.fit(result, bound, f"the {{}} of {self.name}", "result")

    def called(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        """The result of a call, held against what is declared; what is declared itself, while another is checked."""
        run = running.get()
        bound = Bound() if run is None or not self.nested else run.maker.bound.copy()
        self.takes(args, kwargs, bound)
        if run is not None and not self.nested and self.result.arrays:
            try:
                return self.result.make(run.maker.of_callee(bound))
            except NotSaid:  # by the arguments alone
                if not self.has_body:
                    raise
        result = self.run(*args, **kwargs)
        try:
            self.gives(result, bound)
        except Exception:
            if run is not None:
                run.misgiven = self.code
            raise
        return result


def shaped[F: Callable[..., Any]](f: F) -> F:
    """A function whose calls are held against the shapes in its annotations, when they run and under every handler.

    Dimensions with the same name are the same size in one call. Values without annotations are not checked.

    Raises ShapeError, DTypeError or TreeError for arguments and results that are not as declared, ArgumentError for an
    `f` that is no Python function.

    >>> import effects as fx
    >>> @fx.shaped
    ... def attend[T, S, D](q: fx.F32[T, D], k: fx.F32[S, D]) -> fx.F32[T, S]:
    ...     return q @ k.T
    >>> q, k = fx.ones((3, 2), dtype=fx.f32), fx.ones((5, 4), dtype=fx.f32)
    >>> attend(q, q).shape
    (3, 3)
    >>> attend(q, k)
    Traceback (most recent call last):
        ...
    effects.errors.ShapeError: argument k of attend has shape [5, 4], and [S, D=2] is declared
      at ...
    """
    check_callable("shaped", f)
    function = inspect.unwrap(f)
    if not isinstance(function, types.FunctionType):
        raise ArgumentError(f"shaped: f must be a function that is written in Python, got {f!r}")
    contract = Contract(function)

    @wraps(function)
    def wrapper(*args: object, **kwargs: object) -> object:
        return contract.called(args, kwargs)

    return cast(F, wrapper)
