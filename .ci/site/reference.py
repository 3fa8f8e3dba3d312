"""Pages of the reference, made from the public names: a page for each group, its names in the order of the alphabet."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

import effects

WIDTH: Final = 66
"""Characters of a signature that fit on a line of a page."""


class Group(NamedTuple):
    """A page: how its names are written, the package that has them, its title, its guide, where they are defined."""

    prefix: str
    package: str
    title: str
    guide: str
    homes: tuple[str, ...]


DOCS: Final = Path(__file__).parents[2] / "docs"


def namespaces() -> list[tuple[str, str]]:
    """The modules of `fx` that have names of their own, each with its guide; images are in that of networks."""
    modules = [name for name in sorted(effects.__all__) if isinstance(getattr(effects, name), ModuleType)]
    own = [name for name in modules if getattr(effects, name).__name__ == f"effects.{name}"]
    return [(name, name if (DOCS / f"{name}.md").exists() else "nn") for name in own]


_F: Final = "effects.functions."
_FX: Final = partial(Group, "fx.", "effects")
GROUPS: Final = (
    _FX("Creation", "numpy", (_F + "creation", _F + "windows")),
    _FX("Elementwise functions", "numpy", (_F + "elementwise", "effects.special")),
    _FX("Reductions", "numpy", (_F + "reductions", _F + "statistics")),
    _FX("Manipulation", "numpy", (_F + "manipulation", _F + "functional", _F + "aliases")),
    _FX("Indexing, sorting, sets", "indexing", (_F + "indexing", _F + "ordering")),
    _FX("Products and polynomials", "linalg", (_F + "products", _F + "polynomials")),
    _FX("Errors", "errors", ("effects.errors",)),
    _FX(
        "Operations and effects",
        "operations",
        tuple([f"effects.{x}" for x in ("program", "requests", "check", "runtime")]),
    ),
    _FX("Arrays, dtypes, trees, files", "interop", ("",)),
    *[Group(f"fx.{name}.", f"effects.{name}", f"fx.{name}", guide, ("",)) for name, guide in namespaces()],
    Group("", "handlers", "Transformations", "derivatives", ("handlers.transformations",)),
    Group("", "handlers", "Handlers", "handlers", ("",)),
    Group("", "lowering", "Compilation and devices", "compiling", ("",)),
)
"""The groups. A name is on the first page of its package that takes the module where it is defined."""


def file_name(group: Group) -> str:
    """Path of the page of a group in the site."""
    return f"reference/{re.sub('[^a-z]+', '-', group.title.lower())}.md"


def groups() -> dict[Group, dict[str, object]]:
    """The public names of each group, and what they are."""
    entries: dict[Group, dict[str, object]] = {group: {} for group in GROUPS}
    for package in dict.fromkeys(group.package for group in GROUPS):
        module = import_module(package)
        for name in sorted(module.__all__, key=str.lower):
            value = getattr(module, name)
            if not isinstance(value, ModuleType) and not name.startswith("__"):
                entries[_group(package, value)][name] = value
    return entries


def _group(package: str, value: object) -> Group:
    home = getattr(value, "__module__", None) or ""
    return next(group for group in GROUPS if group.package == package and home.startswith(group.homes))


def anchors(entries: Mapping[Group, Mapping[str, object]]) -> dict[str, str]:
    """The place of each name as it is written in programs: `fx.sum`, `fx.linalg.solve`, `linalg.solve`, `vmap`."""
    places: dict[str, str] = {}
    for group, values in entries.items():
        for name in values:
            written = f"{group.prefix}{name}"
            short = written.removeprefix("fx.")
            for spelling in (written, f"fx.{short}", *([short] if "." in short else [])):
                places.setdefault(spelling, f"{file_name(group)}#{written}")
    return places


def page(group: Group, values: Mapping[str, object]) -> str:
    """The Markdown of a page."""
    title = (DOCS / f"{group.guide}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    guide = f"The guide: [{title}](../{group.guide}.md).\n\n"
    return f"# {group.title}\n\n{guide}" + "\n".join(
        part for name, value in values.items() for part in _entry(group, name, value)
    )


def _entry(group: Group, name: str, value: object) -> Iterator[str]:
    written = f"{group.prefix}{name}"
    yield f"## `{written}` {{ #{written} }}\n"
    if (call := _signature(value)) is not None:
        yield f"```python\n{name}{call}\n```\n"
    yield _documented(value)
    if inspect.isclass(value):
        for member, function in vars(value).items():
            text = getattr(function, "__doc__", None)
            if not member.startswith("_") and inspect.isroutine(function) and text and _signature(function):
                yield f"### `{member}` {{ #{written}.{member} }}\n"
                yield f"```python\n{member}{_signature(function)}\n```\n\n{_documented(function)}"


def _documented(value: object) -> str:
    text = inspect.getdoc(value) if callable(value) else None
    if not text or (inspect.isclass(value) and text == value.__name__):
        return f"`{value!r}`\n" if not callable(value) else ""
    return f"{text}\n"


def _signature(value: object) -> str | None:
    """The call of a function, with types; a parameter a line where it does not fit on one."""
    if not callable(value):
        return None
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parameters = [parameter for name, parameter in signature.parameters.items() if name != "self"]
    text = _text(signature.replace(parameters=parameters))
    if len(text) <= WIDTH or not parameters:
        return text
    lines, after_star = [_text(parameter) for parameter in parameters], False
    for i, (parameter, following) in enumerate(zip_longest(parameters, parameters[1:])):
        if parameter.kind is parameter.POSITIONAL_ONLY and (following is None or following.kind is not parameter.kind):
            lines[i] += ", /"
        if parameter.kind is parameter.KEYWORD_ONLY and not after_star:
            lines[i] = f"*, {lines[i]}"
        after_star = after_star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
    returns = _text(signature.replace(parameters=[])).removeprefix("()")
    return "(\n" + "".join(f"    {line},\n" for line in lines) + f"){returns}"


def _text(part: object) -> str:
    """The text of a signature or a parameter, without the quotation marks of annotations."""
    return str(part).replace("'", "")
