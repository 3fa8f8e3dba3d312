"""Which arguments of a jitted function are static and which are donated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from effects.array import Array
from effects.errors import ArgumentError
from effects.operation import exactly
from effects.pytree import tree_leaves
from handlers.transformations.arguments import function_name


class StaticArguments(NamedTuple):
    """Static arguments by position and by name; their `key` is that of the same values only: 1 is not 1.0."""

    by_position: tuple[tuple[int, Hashable], ...]
    by_name: tuple[tuple[str, Hashable], ...]
    key: Hashable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArguments) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


NO_STATIC: Final = StaticArguments((), (), ())


class SplitArguments(NamedTuple):
    """A call's arguments in two: the dynamic ones, and the static ones, by position and by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static: StaticArguments


class Signature(NamedTuple):
    """Static and donated arguments of one function."""

    function: str
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    donate_argnums: tuple[int, ...]

    @classmethod
    def of(
        cls,
        f: Callable[..., object],
        static_argnums: int | Sequence[int],
        static_argnames: str | Sequence[str],
        donate_argnums: int | Sequence[int],
    ) -> Self:
        """Check the positions and names against the function; a static argument is so under both its names."""
        name = function_name(f)
        nums = _positions("static_argnums", static_argnums)
        donated = _positions("donate_argnums", donate_argnums)
        names = _names(static_argnames)
        parameters = _parameters(f)
        if parameters is not None:
            positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
            for what, given in (("static_argnums", nums), ("donate_argnums", donated)):
                for n in given:
                    if not variadic and not -len(positional) <= n < len(positional):
                        raise ArgumentError(
                            f"jit: {what} names argument {n}, but {name} has {len(positional)} positional ones"
                        )
            known = {p.name for p in parameters}
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                for given_name in names:
                    if given_name not in known:
                        raise ArgumentError(
                            f"jit: static_argnames names {given_name!r}, but {name} takes {', '.join(sorted(known))}"
                        )
            nums = tuple([n % len(positional) if n < 0 and not variadic else n for n in nums])
            donated = tuple([n % len(positional) if n < 0 and not variadic else n for n in donated])
            names = tuple(dict.fromkeys([*names, *[positional[n] for n in nums if 0 <= n < len(positional)]]))
            nums = tuple(dict.fromkeys([*nums, *[positional.index(n) for n in names if n in positional]]))
        if both := set(nums) & set(donated):
            raise ArgumentError(f"jit: argument {min(both)} of {name} cannot be both static and donated")
        return cls(name, nums, names, donated)

    def split(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> SplitArguments:
        """Take the static arguments out of a call; ArgumentError for one that is not hashable."""
        if not self.static_argnums and not self.static_argnames:
            return SplitArguments(args, dict(kwargs), NO_STATIC)
        static, dynamic = _positions_of(self.static_argnums, len(args))
        by_position = tuple([(i, args[i]) for i in static])
        by_name: tuple[tuple[str, Any], ...] = ()
        rest = dict(kwargs)
        if kwargs:
            by_name = tuple([(key, rest.pop(key)) for key in sorted(kwargs) if key in self.static_argnames])
        given = StaticArguments(by_position, by_name, exactly((*by_position, *by_name)))
        try:
            hash(given)
        except TypeError:
            self.refuse_unhashable(args, kwargs)
            raise
        return SplitArguments(tuple([args[i] for i in dynamic]), rest, given)

    @staticmethod
    def dynamic_positions(static: StaticArguments, n_dynamic: int) -> list[int]:
        """Where the dynamic positional arguments stand in a call."""
        taken = {position for position, _ in static.by_position}
        return [i for i in range(n_dynamic + len(taken)) if i not in taken]

    def refuse_unhashable(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Raise ArgumentError naming a static argument that is an array or not hashable."""
        given: dict[object, Any] = {n: args[n] for n in self.static_argnums if -len(args) <= n < len(args)}
        given.update({key: kwargs[key] for key in self.static_argnames if key in kwargs})
        for which, value in given.items():
            if isinstance(value, Array):
                raise ArgumentError(
                    f"jit: static argument {which!r} of {self.function} is an array, {value.aval}; static arguments "
                    "are Python values: pass arrays as ordinary arguments, or a number with .item()"
                )
            try:
                hash(value)
            except TypeError:
                raise ArgumentError(
                    f"jit: static argument {which!r} of {self.function} must be hashable, got {value!r} of type "
                    f"{type(value).__name__}; use a tuple in place of a list"
                ) from None

    def partial(self, f: Callable[..., Any], static: StaticArguments) -> Callable[..., Any]:
        """`f` as a function of its dynamic arguments."""
        by_position, by_name, _ = static
        if not by_position and not by_name:
            return f

        def dynamic(*args: Any, **kwargs: Any) -> Any:
            full: list[Any] = [None] * (len(args) + len(by_position))
            for position, value in by_position:
                full[position] = value
            for position, value in zip(self.dynamic_positions(static, len(args)), args, strict=True):
                full[position] = value
            return f(*full, **kwargs, **dict(by_name))

        dynamic.__name__ = self.function
        return dynamic

    def donated(self, static: StaticArguments, args: Sequence[object]) -> tuple[bool, ...]:
        """For each leaf of the dynamic positional arguments whether it is donated; nothing when none is."""
        if not self.donate_argnums:
            return ()
        total = len(args) + len(static.by_position)
        donated = {n % total for n in self.donate_argnums if -total <= n < total}
        mask: list[bool] = []
        for position, arg in zip(self.dynamic_positions(static, len(args)), args, strict=True):
            mask += [position in donated] * len(tree_leaves(arg))
        return tuple(mask)


@functools.lru_cache(maxsize=1024)
def _positions_of(static: tuple[int, ...], n: int) -> tuple[list[int], list[int]]:
    """Where the static ones of `n` positional arguments stand, and the others."""
    positions = {i % n for i in static if -n <= i < n}
    return sorted(positions), [i for i in range(n) if i not in positions]


def _positions(what: str, given: object) -> tuple[int, ...]:
    positions = (given,) if isinstance(given, int) or not isinstance(given, Iterable) else tuple(given)
    for position in positions:
        if not isinstance(position, int) or isinstance(position, bool):
            raise ArgumentError(f"jit: {what} must be a position or a sequence of positions, got {given!r}")
    return positions


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"jit: static_argnames must be a name or a sequence of names, got {given!r}")
    return names


def _parameters(f: Callable[..., object]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None
