"""Public names, listed once, in the stub of a package, which both type checkers and this module read.

A line of a stub is `from module import name as public`. The names are imported on first use.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Final, cast

from effects.errors import UnknownAttribute, UnknownImport
from effects.runtime.cpython.importing import is_importing
from effects.runtime.spellings import spellings

PACKAGES: Final = ("effects", "handlers", "lowering")

NAMESPACES: Final = ("nn", "linalg", "special", "random", "fft", "signal", "stats", "integrate", "optimize", "optim")
"""Of equal names in these, the first one is advised."""

_IMPORT: Final = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_NAME: Final = re.compile(r"(\w+) as (\w+)")

type Listed = dict[str, tuple[str, str]]
"""Public names, each with the module that has it and its name there."""


_HOME: Final = Path(__file__).parents[2]
"""The folder that the packages are in."""


def folder(package: str) -> Path:
    """The folder of a package. Raises ImportError if a user's module of the same name is found before it."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    place = Path(spec.origin)
    if place.parent != _HOME.joinpath(*package.split(".")):
        raise ImportError(
            f"effax: {place} is imported as {package!r}, which is a package of effax; rename it", name=package
        )
    return place.parent


@cache
def listed(package: str) -> Listed:
    """The public names of a package, as its stub lists them."""
    text = (folder(package) / "__init__.pyi").read_text(encoding="utf-8")
    return {
        public: (module, name)
        for module, several, one in _IMPORT.findall(text)
        for name, public in _NAME.findall(several or one)
    }


def homes(name: str) -> Iterator[str]:
    """The namespaces that list a name, `effects` before those in it."""
    return (home for home in ("effects", *[f"effects.{each}" for each in NAMESPACES]) if name in listed(home))


def _plain(name: str) -> str:
    """The part of a name that libraries share: `LeakyReLU`, `leaky_relu` and `leaky_relu_` are equal."""
    return name.replace("_", "").lower()


def _spelled(package: str, name: str) -> str | None:
    """Advice for another spelling of a name here: as a class of layers, or with its number of dimensions."""
    own = {_plain(each): f"write {each}" for each in vars(sys.modules[package]).get("__all__", ())}
    known = own | {_plain(each): advice for each, advice in spellings(package).items()}
    plain = _plain(name)
    return None if name.startswith("_") else known.get(plain) or known.get(re.sub(r"[123]d$", "", plain))


def unknown(package: str, name: str, module: str = "") -> AttributeError | ImportError:
    """The error of a name that a package lacks, with advice if there is some.

    `__getattr__` raises it. `module` is the module that the user wrote, if it is another one.
    """
    module = module or package
    advice = spellings(package).get(name)
    if advice is None and package not in PACKAGES:
        advice = _spelled(package, name)
    if advice is None:
        each = [(p, own) for own in (name, name.lower()) for p in PACKAGES if p != package and own in listed(p)]
        advice = next((f"write from {p} import {own}" for p, own in each), None)
    if advice is None:
        place = "" if package == "effects" else ", of effects"
        advice = next((f"write {home.removeprefix('effects.')}.{name}{place}" for home in homes(name)), None)
    if advice is not None:
        kind = UnknownImport if is_importing(2) else UnknownAttribute
        return kind(f"module {module!r} has no `{name}`: {advice}")
    return AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules.get(module))


def of_all_packages(module: str) -> tuple[Callable[[str], object], list[str]]:
    """`__getattr__` and `__all__` of a module with the public names of all packages; the first package comes first."""
    homes = {name: package for package in reversed(PACKAGES) for name in listed(package)}
    namespace = sys.modules[module].__dict__

    def __getattr__(name: str) -> object:
        if name not in homes:
            raise unknown("effects", name, module.rpartition(".")[2])
        value: object = getattr(import_module(homes[name]), name)
        namespace[name] = value
        return value

    return __getattr__, sorted(homes)


def _write_annotations(named_tuple: type[tuple[object, ...]]) -> None:
    """Have annotations of a named tuple be texts, as those of functions, in place of references."""
    annotations: dict[str, object] = vars(named_tuple).get("__annotations__", {})  # which the constructor has, too
    annotations.update({name: getattr(each, "__forward_arg__", each) for name, each in annotations.items()})


def public(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    names = listed(package)
    namespace = sys.modules[package].__dict__

    def __getattr__(name: str) -> object:
        if name not in names:
            raise unknown(package, name)
        path, inside = names[name]
        value: object
        if path != package and hasattr(module := import_module(path), inside):
            value = getattr(module, inside)
            if isinstance(value, type) and issubclass(value, tuple):
                _write_annotations(value)
        else:  # it is a module
            value = import_module(f"{path}.{inside}")
        namespace[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*(name for name in namespace if name.startswith("__")), *names})

    # Python sets a submodule as an attribute when it is first imported, so a function of its name comes after that.
    for name in names.keys() & {path.stem for path in folder(package).iterdir()}:
        if names[name][0] != package:
            import_module(f"{package}.{name}")
            __getattr__(name)
    return __getattr__, __dir__, sorted(names)


def named[F](function: F, name: str) -> F:
    """A copy of a function under another name, which errors and `help` show."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is no function")
    copy = FunctionType(
        function.__code__.replace(co_name=name), function.__globals__, name, function.__defaults__, function.__closure__
    )
    update_wrapper(copy, function, assigned=("__annotations__", "__kwdefaults__", "__type_params__"))
    copy.__module__, copy.__qualname__ = sys._getframe(1).f_globals["__name__"], name
    text = (function.__doc__ or "").partition(">>>")[0].rstrip()  # whose examples use the original name
    copy.__doc__ = f"{text}\n\n    Another name of `{function.__name__}`.\n    "
    del copy.__wrapped__  # type: ignore[attr-defined]  # which signatures would be taken from
    return cast(F, copy)


for each in PACKAGES:
    folder(each)
