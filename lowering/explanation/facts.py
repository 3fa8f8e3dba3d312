"""Comparable descriptions of calls: the facts that decide the program, as text that keeps no object alive."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self, cast

from effects.arrays.array import Array
from effects.runtime.caches import memoised
from effects.trees.keys import key_str
from effects.trees.pytree import REGISTRY, TreeDef, tree_unflatten
from effects.trees.registration import static_fields
from effects.types.avals import ShapedArray
from effects.types.dtypes import current_default_float
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.static_arguments import NO_STATIC, Signature, StaticArguments
from lowering.calls.donation import Donated
from lowering.emission import Layout
from lowering.explanation.closures import closed_over, source_of
from lowering.explanation.short_text import text, with_article
from lowering.pjrt import Device


class Fact(NamedTuple):
    """One fact of a call.

    The `details` are shown where two facts have the same text. `identity` is a hash of what the text does not show.
    """

    text: str
    details: tuple[str, ...] = ()
    identity: int = 0


type Facts = Mapping[str, Fact]


class CallFacts(NamedTuple):
    """The facts that decide a program: those of the call, and what the function holds when it is traced."""

    call: Facts
    function: Facts

    @property
    def size(self) -> int:
        """Number of facts."""
        return len(self.call) + len(self.function)

    @classmethod
    def of(
        cls,
        signature: Signature,
        in_tree: TreeDef,
        static: StaticArguments,
        arrays: Sequence[Array],
        donated: Donated,
        where: Device | Layout,
    ) -> Self:
        """The kind of a call: of arrays in a structure, some of them `donated`, and static arguments."""
        f = signature.f
        call = [
            *_dynamic(f, in_tree, static, arrays, donated),
            *_static(f, static),
            ("the default float", Fact(str(current_default_float()))),
            ("the device", Fact(where.name if isinstance(where, Device) else _layout_text(where))),
        ]
        variables = closed_over(f) if source_of(f) else ()  # a function without source is compared with no other
        return cls(
            _numbered(call), _numbered([(name, Fact(words, (), identity)) for name, words, identity in variables])
        )


def _numbered(facts: Iterable[tuple[str, Fact]]) -> Facts:
    """Facts with unique names, by numbers: keys of users may have the same text."""
    named: dict[str, Fact] = {}
    counts: Counter[str] = Counter()
    for name, fact in facts:
        counts[name] += 1
        named[name if counts[name] == 1 else f"{name} ({counts[name]})"] = fact
    return named


def _layout_text(layout: Layout) -> str:
    return f"{layout.mesh} (inputs {layout.inputs}, outputs {layout.outputs})"


_BY_POSITION: Final = "given by position"
_BY_NAME: Final = "given by name"


def _dynamic(
    f: Callable[..., object], in_tree: TreeDef, static: StaticArguments, arrays: Sequence[Array], donated: Donated
) -> Iterator[tuple[str, Fact]]:
    args, kwargs = tree_unflatten(in_tree, [0] * in_tree.num_leaves)
    names = argument_names(f, [0] * len(args), {}, static.dynamic_positions(len(args)))
    arguments = [(name, arg, _BY_POSITION) for name, arg in zip(names, args, strict=True)]
    arguments += [(name, kwargs[name], _BY_NAME) for name in sorted(kwargs)]
    donated_leaves = donated.leaves(static, args, kwargs)
    leaves = zip([array.aval for array in arrays], donated_leaves or [False] * len(arrays), strict=True)
    for name, arg, how in arguments:
        details: tuple[str, ...] = (how,)
        waiting: list[tuple[str, object]] = [(f"argument {name}", arg)]
        while waiting:
            subject, node = waiting.pop()
            level = REGISTRY.flatten_one_level_with_keys(node)
            if level is None:
                if leaf := next(leaves, None):  # there are none for a class with a larger tree
                    yield subject, _leaf(*leaf, details)
            else:
                children, data = level
                yield from _node(subject, type(node), data, details)
                waiting += [(subject + key_str(key), child) for key, child in reversed(list(children))]
            details = ()


@memoised
def _leaf(aval: ShapedArray, donated: bool, details: tuple[str, ...]) -> Fact:
    weak = "weak, as Python's numbers are" if aval.weak_type else "not weak"
    return Fact(str(aval), (weak, "donated" if donated else "not donated", *details))


_CONTAINERS: Final = frozenset({tuple, list, dict, type(None)})


def _node(subject: str, cls: type, data: Hashable, details: tuple[str, ...]) -> Iterator[tuple[str, Fact]]:
    """The fact of a container and its static data."""
    if cls in _CONTAINERS:
        yield subject, Fact("None" if cls is type(None) else with_article(cls), details)
        return
    yield subject, Fact(with_article(cls), details, hash(cls))
    parts = cast("tuple[Hashable, ...]", data)
    if fields := static_fields(cls):
        yield from [(f"{subject}.{name}", _value(part)) for name, part in zip(fields, parts)]
    elif cls is defaultdict:
        yield f"the default of {subject}", _value(parts[0])
    elif cls is OrderedDict:
        yield f"the order of {subject}", _value(parts[1])
    elif data is not None and data is not cls:
        yield f"the static data of {subject}", _value(data)


def _static(f: Callable[..., object], static: StaticArguments) -> Iterator[tuple[str, Fact]]:
    """The facts of the static arguments, with the hashes of the cache key."""
    if static is NO_STATIC:
        return
    positions = [position for position, _ in static.by_position]
    names = argument_names(f, positions, {}, positions)
    arguments = [(name, value, _BY_POSITION) for name, (_, value) in zip(names, static.by_position, strict=True)]
    arguments += [(name, value, _BY_NAME) for name, value in static.by_name]
    for (name, value, how), key in zip(arguments, cast("tuple[Hashable, ...]", static.key), strict=True):
        yield f"static argument {name}", Fact(text(value), (how,), hash(key))


def _value(value: Hashable) -> Fact:
    try:
        identity = hash(value)
    except Exception:  # of a user's class; unhashable ones are refused elsewhere
        identity = 0
    return Fact(text(value), (), identity)
