"""The private functions of a module: one for each distinct program that is called in it.

They are emitted from a list of pending functions, never by recursion. Calls are recorded because XLA does recurse:
their depth decides how much stack compiling needs, and a cycle would crash it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, final

from effects.arrays.array import Array
from effects.arrays.concrete import Device
from effects.arrays.mesh import Mesh
from effects.errors import MissingRule
from effects.operations.callbacks import HostFunction
from effects.operations.sharding import ManualAxes
from effects.program.jaxpr import Jaxpr
from lowering.emission import Layout

MAIN: Final = "main"
_MOST_STAGED_WITHIN: Final = 1000


@final
class Functions:
    """The functions of one module, by the programs they compute."""

    def __init__(
        self, where: Device | Layout | None = None, platform: str | None = None, *, open_sizes: bool = False
    ) -> None:
        self._adopted: dict[Hashable, str] = {}
        self._callbacks: dict[HostFunction, int] = {}
        self._symbols: dict[tuple[Jaxpr, ManualAxes | None], str] = {}
        self._names: dict[str, int] = {MAIN: 0}
        self._waiting: list[tuple[Jaxpr, str]] = []
        self._staged: dict[Hashable, tuple[Jaxpr, list[Array]]] = {}
        self._callees: dict[str, dict[str, None]] = {MAIN: {}}
        self._level: dict[str, int] = {MAIN: 0}  # number of users' operations within which a function was staged
        self._manual: dict[str, ManualAxes | None] = {}
        self._current = MAIN
        self.manual: ManualAxes | None = None
        """Manual axes of the program over blocks to which the current function belongs, if any."""
        self.devices: set[str] = set()  # devices of placed values
        self.on_cpu: set[str] = set()  # library functions that only the CPU has
        self.layout: Final = where if isinstance(where, Layout) else None
        first = where.mesh.devices[0] if isinstance(where, Layout) else "" if where is None else where.name
        self.platform: Final = platform or first.partition(":")[0]  # none: for any platform
        self.tuned: Final = self.platform == "cpu"
        """True if operations are emitted as `lowering.stablehlo.cpu` has them."""
        self.open_sizes: Final = open_sizes
        """True if numbers may be open sizes, with other values later."""
        self.meshes: Final[dict[Mesh | None, str]] = {}

    @property
    def parted(self) -> bool:
        """True if the partitioner may split an operation of the current function over devices."""
        return self.layout is not None and (self.manual is None or self.manual.has_auto)

    def mesh(self, mesh: Mesh | None) -> str:
        """The name of a mesh (None: the first device alone), which is then declared in the module."""
        return self.meshes.setdefault(mesh, f"mesh_{len(self.meshes)}" if self.meshes else "mesh")

    def order(self, mesh: Mesh | None) -> tuple[int, ...]:
        """Positions of a mesh's devices in the order of the program's mesh, if that differs."""
        if mesh is None or self.layout is None or mesh.devices == self.layout.mesh.devices:
            return ()
        return tuple([self.layout.mesh.devices.index(name) for name in mesh.devices])

    def symbol(self, body: Jaxpr, label: str, *, staged: bool = False, manual: ManualAxes | None = None) -> str:
        """The name of the function that computes `body`, which is then emitted.

        `staged` is True if it comes from a user's operation; MissingRule if these nest without end. `manual` are the
        blocks of a program over blocks, to which its calls belong, too.
        """
        manual = manual or self.manual
        name = self._symbols.get((body, manual))
        if name is None:
            level = self._level[self._current] + staged
            if level > _MOST_STAGED_WITHIN:
                raise MissingRule(_endless(label))
            name = self._symbols[body, manual] = self.unique(identifier(label))
            self._manual[name] = manual
            self._waiting.append((body, name))
            self._callees[name] = {}
            self._level[name] = level
        self._callees[self._current][name] = None
        return name

    def callback(self, function: HostFunction) -> int:
        """The number of a Python function among those that the module calls."""
        return self._callbacks.setdefault(function, len(self._callbacks))

    @property
    def callbacks(self) -> tuple[HostFunction, ...]:
        """The Python functions that the module calls, by their numbers."""
        return tuple([function.meaning for function in self._callbacks])

    def adopted(self, key: Hashable, adopt: Callable[[], str]) -> str:
        """The name of a function from another module: `adopt()`, called once for each `key`, moves it into this module,
        and reports what it calls by `calls`.
        """
        if key not in self._adopted:
            self._adopted[key] = adopt()
        self._callees[self._current][self._adopted[key]] = None
        return self._adopted[key]

    def calls(self, name: str, callees: Iterable[str]) -> None:
        """Record the calls of a function from another module."""
        self._callees[name] = dict.fromkeys(callees)

    def unique(self, name: str) -> str:
        """`name`, with a suffix if a function of the module has it."""
        unique = name
        while unique in self._names:
            self._names[name] = count = self._names.get(name, 0) + 1
            unique = f"{name}_{count}"
        self._names[unique] = 0
        return unique

    def staged(self, key: Hashable, stage: Callable[[], tuple[Jaxpr, list[Array]]]) -> tuple[Jaxpr, list[Array]]:
        """`stage()`, done once for each `key` in this module."""
        if key not in self._staged:
            self._staged[key] = stage()
        return self._staged[key]

    def pending(self) -> Iterator[tuple[Jaxpr, str]]:
        """The functions still to be emitted, also those that are requested meanwhile."""
        done = 0
        while done < len(self._waiting):
            self._current = self._waiting[done][1]
            self.manual = self._manual[self._current]
            yield self._waiting[done]
            done += 1

    def depth(self) -> int:
        """The length of the longest chain of calls; MissingRule if a function calls itself, perhaps through others."""
        callers = dict.fromkeys(self._callees, 0)
        for callees in self._callees.values():
            for callee in callees:
                callers[callee] += 1
        depth = dict.fromkeys(self._callees, 0)
        ready = [MAIN]
        while ready:
            caller = ready.pop()
            del callers[caller]
            for callee in self._callees[caller]:
                depth[callee] = max(depth[callee], depth[caller] + 1)
                callers[callee] -= 1
                if callers[callee] == 0:
                    ready.append(callee)
        if callers:
            raise MissingRule(_endless(next(iter(callers))))
        return max(depth.values())


def _endless(name: str) -> str:
    return f"{name} has no lowering to StableHLO: its evaluate(self) performs {name} again, without an end"


def identifier(name: str) -> str:
    """`name` as a symbol that StableHLO text can show without quotes.

    >>> identifier("<lambda>"), identifier("3d step")
    ('lambda', '_3d_step')
    """
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "f"
    return f"_{plain}" if plain[0].isdigit() else plain
