"""The private functions of a module: one for each distinct program that is called in it.

They are emitted from a list of what is still to do, never by recursion. Who calls whom is kept, because XLA does
recurse: the depth of the calls says how much stack compiling needs, and a cycle would crash it.
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
from effects.operations.sharding import Blocks
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
        self._symbols: dict[tuple[Jaxpr, Blocks | None], str] = {}
        self._names: dict[str, int] = {MAIN: 0}
        self._waiting: list[tuple[Jaxpr, str]] = []
        self._staged: dict[Hashable, tuple[Jaxpr, list[Array]]] = {}
        self._callees: dict[str, dict[str, None]] = {MAIN: {}}
        self._level: dict[str, int] = {MAIN: 0}  # how many users' operations a function was staged within
        self._manual: dict[str, Blocks | None] = {}
        self._current = MAIN
        self.manual: Blocks | None = None
        """Blocks of the program over blocks that the present function is part of, if it is."""
        self.devices: set[str] = set()  # where values are placed
        self.on_cpu: set[str] = set()  # what it calls that only the CPU has
        self.layout: Final = where if isinstance(where, Layout) else None
        first = where.mesh.devices[0] if isinstance(where, Layout) else "" if where is None else where.name
        self.platform: Final = platform or first.partition(":")[0]  # nothing for any
        self.tuned: Final = self.platform == "cpu"
        """True if operations are emitted as `lowering.stablehlo.cpu` has them."""
        self.open_sizes: Final = open_sizes
        """True if numbers may be sizes, so that others may be in their places."""
        self.meshes: Final[dict[Mesh | None, str]] = {}

    @property
    def parted(self) -> bool:
        """True if the partitioner may give an operation of the present function to several devices."""
        return self.layout is not None and (self.manual is None or self.manual.partly)

    def mesh(self, mesh: Mesh | None) -> str:
        """The name of a mesh, None being the first device alone; asking for it has it declared."""
        return self.meshes.setdefault(mesh, f"mesh_{len(self.meshes)}" if self.meshes else "mesh")

    def order(self, mesh: Mesh | None) -> tuple[int, ...]:
        """Positions of a mesh's devices in the program's order, if that is another one."""
        if mesh is None or self.layout is None or mesh.devices == self.layout.mesh.devices:
            return ()
        return tuple([self.layout.mesh.devices.index(name) for name in mesh.devices])

    def symbol(self, body: Jaxpr, label: str, *, staged: bool = False, manual: Blocks | None = None) -> str:
        """The name of the function that computes `body`; asking for it has the function emitted.

        `staged` says that it comes from a user's operation. MissingRule when these never end. `manual` says over what
        it is a program over blocks; what such a program calls is one, too.
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
        """The name of a function that comes from elsewhere: `adopt()`, done once for each `key`, makes it a function
        of the module, and says by `calls` what it calls.
        """
        if key not in self._adopted:
            self._adopted[key] = adopt()
        self._callees[self._current][self._adopted[key]] = None
        return self._adopted[key]

    def calls(self, name: str, callees: Iterable[str]) -> None:
        """Say of a function that comes from elsewhere which others it calls."""
        self._callees[name] = dict.fromkeys(callees)

    def unique(self, name: str) -> str:
        """`name`, or one like it that no function of the module has."""
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
        """The functions that are still to be emitted, those included that are asked for meanwhile."""
        done = 0
        while done < len(self._waiting):
            self._current = self._waiting[done][1]
            self.manual = self._manual[self._current]
            yield self._waiting[done]
            done += 1

    def depth(self) -> int:
        """The length of the longest chain of calls; MissingRule when a function comes to call itself."""
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
