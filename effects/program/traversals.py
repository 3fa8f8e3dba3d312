"""The traversals of operations, as straight-line code, because every operation of every traced program uses them.

They are compiled when a class first needs one: compiling those of all classes would take a tenth of the import.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Container, Hashable
from typing import Final, final

from effects.program.operands import is_operand, is_tuple_of_operands, variables
from effects.runtime.caches import SMALL, Cache, exact_key

_NAMES: Final = ("map", "lifted", "written", "owned_by", "structure", "operands", "params", "shown_params")

_MAY_BE_NUMBERS: Final = re.compile(r"\b(float|complex|object|Any|Hashable)\b")


def _written(
    cls: type, judge: object, judged_once: bool, refuse_unhashable: Callable[..., None] | None
) -> dict[str, object]:
    """A class with the compiled traversals of `cls`."""
    names = variables(cls)
    rebuilt, lifted, written, listed, typed, owned, params, told_apart, named = [list[str]() for _ in range(9)]
    for field in dataclasses.fields(cls):
        name = field.name
        if is_operand(field.type, names):
            rebuilt.append(f"f(self.{name})")
            lifted.append(f"v if (v := self.{name}).owner is handler else constant(v)")
            written.append(f"v.atom if (v := self.{name}).owner is recorder else recorder.capture(v)")
            listed.append(f"self.{name}")
            typed.append(f"self.{name}.aval")
            owned.append(f"self.{name}.owner is handler")
            named.append(f"names[self.{name}]")
        elif is_tuple_of_operands(field.type, names):
            rebuilt.append(f"tuple([f(v) for v in self.{name}])")
            lifted.append(f"tuple([v if v.owner is handler else constant(v) for v in self.{name}])")
            written.append(f"tuple([v.atom if v.owner is recorder else recorder.capture(v) for v in self.{name}])")
            listed.append(f"*self.{name}")
            typed.append(f"tuple([v.aval for v in self.{name}])")
            owned.append(f"any([v.owner is handler for v in self.{name}])")
            named.append(f"tuple([names[v] for v in self.{name}])")
        else:
            rebuilt.append(f"self.{name}")
            lifted.append(f"self.{name}")
            written.append(f"self.{name}")
            params.append(name)
            exact = refuse_unhashable is not None or _MAY_BE_NUMBERS.search(str(field.type))
            expression = f"exact_key(self.{name})" if exact else f"self.{name}"
            told_apart.append(expression)
            named.append(expression)
    known = " and ".join(owned)
    unchanged = f"    if {known}:\n        return self\n" if owned and "any(" not in known else ""
    refused = "" if refuse_unhashable is None else "    refuse_unhashable(self)\n"
    source = (
        f"def map(self, f, /):\n    return new({', '.join(rebuilt)})\n"
        f"def lifted(self, handler, constant, /):\n{unchanged}    return new({', '.join(lifted)})\n"
        f"def written(self, recorder, /):\n{refused}    return new({', '.join(written)})\n"
        f"def operands(self):\n    return ({''.join(v + ', ' for v in listed)})\n"
        f"def owned_by(self, handler, /):\n    return {' or '.join(owned) or 'False'}\n"
        f"def types(self):\n    key = ({''.join(v + ', ' for v in [*told_apart, *typed])})\n"
        "    try:\n        return judged[key]\n"
        "    except KeyError:\n        pass\n    return keep(key, judge(self))\n"
        f"def structure(self, names, /):\n    return (new, {', '.join(named)})\n"
        f"def params(self):\n    return ({''.join(f'self.{v}, ' for v in params)})\n"
    )
    judged: Cache[Hashable, object] = Cache(SMALL)
    namespace: dict[str, object] = {
        "new": cls,
        "judged": judged.recent,
        "keep": judged.keep,
        "exact_key": exact_key,
        "refuse_unhashable": refuse_unhashable,
        "judge": judge,
    }
    exec(compile(source, f"<effax {cls.__name__}>", "exec"), namespace)
    return ({"types": namespace["types"]} if judged_once else {}) | {
        "map": namespace["map"],
        "lifted": namespace["lifted"],
        "written": namespace["written"],
        "owned_by": namespace["owned_by"],
        "structure": namespace["structure"],
        "operands": property(namespace["operands"]),  # type: ignore[arg-type]  # exec's namespace is untyped
        "params": property(namespace["params"]),  # type: ignore[arg-type]  # as above
        "shown_params": {
            field.name: field.default
            for field in dataclasses.fields(cls)
            if field.name in params and field.name != "kind" and "Jaxpr" not in str(field.type)  # printed below it
        },
    }


@final
class _Unwritten:
    """Placeholder of a traversal of a class, which replaces all of them by compiled ones on first use."""

    __slots__ = ("name", "write")

    def __init__(self, name: str, write: Callable[[], type]) -> None:
        self.name = name
        self.write = write

    def __get__(self, op: object, cls: type) -> object:
        written = self.write()
        return getattr(written if op is None else op, self.name)


def give_traversals(
    cls: type, own: Container[str], judged_once: bool, refuse_unhashable: Callable[..., None] | None
) -> None:
    """Give an operation its traversals, except its `own`.

    With `judged_once` result types are cached; `refuse_unhashable` is called before an operation is recorded, for
    users' operations, whose parameters may be anything.
    """
    judge = getattr(cls, "types")  # noqa: B009  # cls is an operation

    def write() -> type:
        for name, value in _written(cls, judge, judged_once, refuse_unhashable).items():
            if name not in own:
                setattr(cls, name, value)
        return cls

    for name in (*_NAMES, *(("types",) if judged_once else ())):
        if name not in own:
            setattr(cls, name, _Unwritten(name, write))
