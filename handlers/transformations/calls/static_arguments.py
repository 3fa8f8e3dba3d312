"""Static arguments of a traced function: Python values that are part of its program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from effects.arguments import describe, function_name, shown
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.runtime.caches import exact_key
from handlers.transformations.calls.arguments import argument_names


class StaticArguments(NamedTuple):
    """Static arguments by position and by name; their `key` distinguishes 1 from 1.0."""

    by_position: tuple[tuple[int, Hashable], ...]
    by_name: tuple[tuple[str, Hashable], ...]
    key: Hashable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArguments) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def dynamic_positions(self, n_dynamic: int) -> list[int]:
        """Positions of the dynamic positional arguments in a call."""
        static_positions = {position for position, _ in self.by_position}
        return [i for i in range(n_dynamic + len(static_positions)) if i not in static_positions]


NO_STATIC: Final = StaticArguments((), (), ())


class SplitArguments(NamedTuple):
    """The arguments of a call, split into the dynamic and the static ones, by position and by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static: StaticArguments


class Signature(NamedTuple):
    """A function and its static arguments; `transformation` is named in messages."""

    transformation: str
    f: Callable[..., Any]
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]

    @classmethod
    def of(
        cls,
        transformation: str,
        f: Callable[..., object],
        static_argnums: int | Sequence[int] | None,
        static_argnames: str | Sequence[str] | None,
    ) -> Self:
        """Check the positions and names against the function."""
        return cls(
            transformation, f, *positions_and_names(transformation, f, "static", static_argnums, static_argnames)
        )

    def split(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, hashed: bool = True) -> SplitArguments:
        """Split the arguments of a call; ArgumentError for a static one that is an array or, if `hashed`, not hashable.

        Callers that trace at every call need no hash.
        """
        if not self.has_static:
            return SplitArguments(args, dict(kwargs), NO_STATIC)
        is_static = self.is_static(len(args))
        by_position = tuple([(i, arg) for i, arg in enumerate(args) if is_static[i]])
        by_name: tuple[tuple[str, Any], ...] = ()
        dynamic_kwargs = dict(kwargs)
        if kwargs:
            by_name = tuple([(key, dynamic_kwargs.pop(key)) for key in sorted(kwargs) if key in self.static_argnames])
        static_arguments = StaticArguments(by_position, by_name, exact_key((*by_position, *by_name)) if hashed else ())
        try:
            hash((by_position, by_name))
        except TypeError:
            self.refuse_unhashable(args, kwargs, hashed)
            if hashed:
                raise
        return SplitArguments(
            tuple([arg for arg, static in zip(args, is_static, strict=True) if not static]),
            dynamic_kwargs,
            static_arguments,
        )

    @property
    def has_static(self) -> bool:
        """True if any argument can be static."""
        return bool(self.static_argnums or self.static_argnames)

    def dynamic_names(self) -> list[str]:
        """The names of the dynamic parameters with positions, in order; () if they are unknown."""
        parameters = _parameters(self.f)
        return [] if parameters is None else [p for p in _positional(parameters) if p not in self.static_argnames]

    def is_static(self, n: int) -> tuple[bool, ...]:
        """For each of `n` positional arguments, True if it is static."""
        positions = {i % n for i in self.static_argnums if -n <= i < n}
        return tuple([i in positions for i in range(n)])

    def refuse_unhashable(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], hashed: bool = True) -> None:
        """Raise ArgumentError naming a static argument that is an array or, if `hashed`, not hashable."""
        values: dict[object, Any] = {n: args[n] for n in self.static_argnums if -len(args) <= n < len(args)}
        values.update({key: kwargs[key] for key in self.static_argnames if key in kwargs})
        for identifier, value in values.items():
            subject = f"{self.transformation}: static argument {identifier!r} of {function_name(self.f)}"
            if isinstance(value, Array):
                raise ArgumentError(
                    f"{subject} is an array, {value.aval}; static arguments are Python values: pass arrays as ordinary "
                    "arguments, or a number with .item()"
                )
            try:
                if hashed:
                    hash(value)
            except TypeError:
                raise ArgumentError(
                    f"{subject} must be hashable, got {describe(value)}; use a tuple in place of a list"
                ) from None

    def partial(self, static: StaticArguments) -> Callable[..., Any]:
        """The function of the dynamic arguments."""
        f = self.f
        by_position, by_name, _ = static
        if not by_position and not by_name:
            return f

        def dynamic(*args: Any, **kwargs: Any) -> Any:
            full: list[Any] = [None] * (len(args) + len(by_position))
            for position, value in by_position:
                full[position] = value
            for position, value in zip(static.dynamic_positions(len(args)), args, strict=True):
                full[position] = value
            return f(*full, **kwargs, **dict(by_name))

        dynamic.__name__ = function_name(f)
        return dynamic

    def names(self, static: StaticArguments, args: Sequence[object], kwargs: Mapping[str, object]) -> list[str]:
        """Names of the leaves of the dynamic arguments in messages."""
        return argument_names(self.f, args, kwargs, static.dynamic_positions(len(args)))


def positions_and_names(
    transformation: str, f: Callable[..., object], kind: str, argnums: object, argnames: object
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions and names of arguments, with both for each one that has both.

    `kind` is the prefix of the keywords in messages. Raises ArgumentError for what is no position or no name, and for
    those that `f` does not have.
    """
    nums = positions_of(transformation, f, f"{kind}_argnums", argnums)
    names = _names(transformation, f"{kind}_argnames", argnames)
    parameters = _parameters(f) if nums or names else None
    if parameters is None:
        return nums, names
    parameter_names = {p.name for p in parameters}
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        for name in names:
            if name not in parameter_names:
                raise ArgumentError(
                    f"{transformation}: {kind}_argnames names {name!r}, but {function_name(f)} takes "
                    f"{', '.join(sorted(parameter_names))}"
                )
    positional = _positional(parameters)
    names = tuple(dict.fromkeys([*names, *[positional[n] for n in nums if 0 <= n < len(positional)]]))
    nums = tuple(dict.fromkeys([*nums, *[positional.index(n) for n in names if n in positional]]))
    return nums, names


def positions_of(transformation: str, f: Callable[..., object], parameter: str, value: object) -> tuple[int, ...]:
    """Positions of arguments, counted from the front if their number is known.

    Raises ArgumentError for what is no position, or that of an argument which `f` does not have; `parameter` names
    them.
    """
    if value is None:
        return ()
    numbers = (value,) if isinstance(value, int | Array) or not isinstance(value, Iterable) else tuple(value)
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool):
            raise ArgumentError(
                f"{transformation}: {parameter} must be a position or a sequence of positions, got {shown(value)}"
            )
    parameters = _parameters(f) if numbers else None
    if parameters is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return numbers
    total = len(_positional(parameters))
    for number in numbers:
        if not -total <= number < total:
            raise ArgumentError(
                f"{transformation}: {parameter} names argument {number}, but {function_name(f)} has {total} "
                "positional ones"
            )
    return tuple([number % total for number in numbers])


def _positional(parameters: Sequence[inspect.Parameter]) -> list[str]:
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _names(transformation: str, parameter: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    names = (value,) if isinstance(value, str | Array) or not isinstance(value, Iterable) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(
                f"{transformation}: {parameter} must be a name or a sequence of names, got {shown(value)}"
            )
    return names


def _parameters(f: Callable[..., object]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None
