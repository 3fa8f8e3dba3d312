"""Dimensions in annotations, the sizes they are bound to, and their names in messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from effects.types.dtypes import DType

type Ints = tuple[int, ...]


class NotSaid(Exception):
    """Annotations do not say enough; the text is why."""


@dataclass(frozen=True, slots=True)
class Name:
    """A named dimension."""

    key: Hashable
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Pack:
    """Any number of dimensions; a key of None is not a name."""

    key: Hashable
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Formula:
    """A dimension that is computed of others: `2*N`, `N + M`, `N // 2`."""

    text: str
    operands: tuple[tuple[str, Dim], ...]

    def value(self, bound: Bound) -> int | None:
        """Its size where all of its operands are bound."""
        known = {name: size(dim, bound) for name, dim in self.operands}
        if None in known.values():
            return None
        return int(eval(self.text, {"__builtins__": {}}, known))  # `formula` has looked at it


type Dim = int | Name | Formula | None
"""None: a size that is not said."""


class Bound:
    """Values of names: `sizes` of dimensions, a tuple of one for each that is no pack, and `dtypes`."""

    def __init__(self) -> None:
        self.sizes: dict[Name | Pack, Ints] = {}
        self.dtypes: dict[object, type[DType]] = {}
        self.waiting = False
        """True if a formula was met before the names in it were bound."""

    def copy(self) -> Bound:
        new = Bound()
        new.sizes, new.dtypes = dict(self.sizes), dict(self.dtypes)
        return new


def formula(text: str, named: Callable[[str], Dim]) -> Dim:
    """The dimension that a text says. Raises NotSaid for what is no arithmetic of names and integers."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise NotSaid(f"{text!r} is no dimension") from None
    if isinstance(tree, ast.Name):
        return named(tree.id)
    allowed = (ast.BinOp, ast.Name, ast.Constant, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
    for node in ast.walk(tree):
        if not isinstance(node, allowed) or (isinstance(node, ast.Constant) and type(node.value) is not int):
            raise NotSaid(f"{text!r} is no dimension: it may have names, integers, +, -, * and //")
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    return Formula(ast.unparse(tree), tuple([(name, named(name)) for name in names]))


def size(dim: Dim, bound: Bound) -> int | None:
    """The size of a dimension, where it is bound."""
    if isinstance(dim, Name):
        return bound.sizes[dim][0] if dim in bound.sizes else None
    return dim.value(bound) if isinstance(dim, Formula) else dim


def sizes(dims: Sequence[Dim | Pack], bound: Bound) -> Ints | None:
    """The shape that dimensions say, where all of them are bound."""
    shape: list[int] = []
    for dim in dims:
        if isinstance(dim, Pack):
            if dim not in bound.sizes:
                return None
            shape += bound.sizes[dim]
        elif (n := size(dim, bound)) is None:
            return None
        else:
            shape.append(n)
    return tuple(shape)


def unify(dims: Sequence[Dim | Pack], shape: Ints, bound: Bound) -> bool:
    """Match a shape against dimensions, and bind the names that are not yet bound; True if it fits."""
    at = next((i for i, dim in enumerate(dims) if isinstance(dim, Pack)), None)
    if at is None:
        return len(dims) == len(shape) and all([_agree(d, n, bound) for d, n in zip(dims, shape)])
    after = len(dims) - at - 1
    pack = dims[at]
    assert isinstance(pack, Pack)
    if len(shape) < at + after or not unify(dims[:at], shape[:at], bound):
        return False
    end = len(shape) - after
    fits = pack.key is None or bound.sizes.setdefault(pack, shape[at:end]) == shape[at:end]
    return fits and unify(dims[at + 1 :], shape[end:], bound)


def _agree(dim: Dim | Pack, n: int, bound: Bound) -> bool:
    if isinstance(dim, Name):
        return bound.sizes.setdefault(dim, (n,)) == (n,)
    assert not isinstance(dim, Pack)
    known = size(dim, bound)
    bound.waiting |= known is None and dim is not None
    return known is None or known == n


def shown(dims: Sequence[Dim | Pack], bound: Bound) -> str:
    """Dimensions as messages have them, with what names are bound to: `[N=3, 4]`."""

    def one(dim: Dim | Pack) -> str:
        if isinstance(dim, Pack):
            return f"*{dim.text}"
        if dim is None or isinstance(dim, int):
            return "?" if dim is None else str(dim)
        known = size(dim, bound)
        return dim.text if known is None else f"{dim.text}={known}"

    return f"[{', '.join(map(one, dims))}]"


_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")


def renamed(text: str, other: str, bound: Bound, other_bound: Bound) -> str:
    """A message with the names of its numbers: `other` is the same message where they stand for other numbers."""
    first, second = [dict(_named(b)) for b in (bound, other_bound)]
    pairs = {name: (n, second[name]) for name, n in first.items() if name in second}
    numbers = [int(n) for n in _NUMBER.findall(other)]
    if len(numbers) != len(_NUMBER.findall(text)):
        numbers, pairs = [int(n) for n in _NUMBER.findall(text)], {name: (n, n) for name, n in first.items()}
    following = iter(numbers)
    named = _NUMBER.sub(lambda match: _expression(int(match[0]), next(following), pairs), text)
    named = re.sub(r"((?:[\w()*]+ (?:[-+*]|//) )+[\w()*]+)=[^,\]]+", r"\1", named)  # what formulas amount to
    return re.sub(r"\b(\w+)=\1\b(?! [-+*/]|\*)", r"\1", named)


def _named(bound: Bound) -> Iterator[tuple[str, int]]:
    for dim, shape in bound.sizes.items():
        for i, n in enumerate(shape):
            yield (f"{dim.text}[{i}]" if isinstance(dim, Pack) else dim.text), n


def _expression(n: int, m: int, names: Mapping[str, tuple[int, int]]) -> str:
    """Expression in the names for a number that is `n` and, where names stand for other numbers, `m`."""
    for name, pair in names.items():
        if pair == (n, m):
            return name
    if n == m and (not names or any([p != q for p, q in names.values()])):
        return str(n)
    parts, a, b = [], n, m
    for name, (p, q) in sorted(names.items()):
        while a and a % p == 0 and b % q == 0 and p > 1:
            a, b = a // p, b // q
            parts.append(name)
    if parts and a == b:
        return "*".join([str(a)] * (a > 1) + parts)
    for name, (p, q) in sorted(names.items(), key=lambda item: abs(n - item[1][0])):
        if n - p == m - q and abs(n - p) < 10:
            return f"{name} {'+' if n > p else '-'} {abs(n - p)}"
        for k in (2, 3, 4, 8):
            if (n, m) == (p // k, q // k):
                return f"{name} // {k}"
        for (also, (r, s)), k in product(names.items(), (1, 2, 3)):
            if (n, m) == (p + k * r, q + k * s):
                return f"{name} + {also}" if k == 1 else f"{name} + {k}*{also}"
    return "?"
