"""Pages of the reference, made from the public names: a page for each group, its names in the order of the alphabet."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

import arguments

import effects

WIDTH: Final = 66
"""Characters of a signature that fit on a line of a page."""
STARS: Final = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
BARE: Final = re.compile(r"(?<![\[`\w])`(\w+)`(?!\])")
ERROR: Final = re.compile(r"\b[A-Z]\w+\b")


class Group(NamedTuple):
    """A page: how its names are written, the package that has them, its title, its guide, where they are defined.

    A home is a package, a module or a function.
    """

    prefix: str
    package: str
    title: str
    guide: str
    homes: tuple[str, ...]


class Callable(NamedTuple):
    """A public function, class or method: its name as programs write it, and the title of its page."""

    written: str
    title: str
    value: object


DOCS: Final = Path(__file__).parents[2] / "docs"


def namespaces(package: ModuleType = effects) -> list[tuple[str, str]]:
    """The modules of `fx` that have names of their own, and theirs, each with a guide: its own or that of networks."""
    modules: list[tuple[str, str]] = []
    for name in sorted(package.__all__):
        module = getattr(package, name)
        if isinstance(module, ModuleType) and module.__name__ == f"{package.__name__}.{name}":
            path = module.__name__.removeprefix("effects.")
            modules += [(path, path if (DOCS / f"{path}.md").exists() else "nn"), *namespaces(module)]
    return modules


_F: Final = "effects.functions."
_FX: Final = partial(Group, "fx.", "effects")
GROUPS: Final = (
    _FX("Creation", "numpy", (_F + "creation", _F + "windows.window_functions", _F + "elementwise.closeness.copy")),
    _FX("Convolutions and windows", "convolution", (_F + "windows",)),
    _FX(
        "Elementwise functions",
        "numpy",
        (_F + "elementwise", "effects.special", _F + "statistics.histograms.interp"),
    ),
    _FX("Reductions", "numpy", (_F + "reductions", _F + "statistics")),
    _FX("Manipulation", "numpy", (_F + "manipulation", _F + "functional")),
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


@cache
def groups() -> dict[Group, dict[str, object]]:
    """The public names of each group, and what they are."""
    entries: dict[Group, dict[str, object]] = {group: {} for group in GROUPS}
    for package in dict.fromkeys(group.package for group in GROUPS):
        module = import_module(package)
        for name in sorted(module.__all__, key=str.lower):
            value = getattr(module, name)
            if not isinstance(value, ModuleType) and not name.startswith("__"):
                entries[_group(module, value)][name] = value
    return entries


def _group(package: ModuleType, value: object) -> Group:
    """The group of a name, or of the one that it is another name of."""
    text = inspect.getdoc(value) if callable(value) else None
    if home := arguments.docstring(text or "").home:
        value = getattr(package, home, value)
    place = f"{getattr(value, '__module__', None) or ''}.{getattr(value, '__name__', '')}"
    return next(group for group in GROUPS if group.package == package.__name__ and place.startswith(group.homes))


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


@cache
def callables() -> Mapping[int, Callable]:
    """The public functions, classes and methods by identity, each by the first name that it has."""
    entries: dict[int, Callable] = {}
    for group, values in groups().items():
        for name, value in values.items():
            for written, function in [(f"{group.prefix}{name}", value), *_members(f"{group.prefix}{name}", value)]:
                if callable(function):
                    entries.setdefault(id(function), Callable(written, group.title, function))
    return entries


def page(group: Group, values: Mapping[str, object]) -> str:
    """The Markdown of a page."""
    title = (DOCS / f"{group.guide}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    guide = f"The guide: [{title}](../{group.guide}.md). [Arguments and types of many functions](../arguments.md).\n\n"
    return f"# {group.title}\n\n{guide}" + "\n".join(
        part for name, value in values.items() for part in _entry(group, name, value)
    )


def _entry(group: Group, name: str, value: object) -> Iterator[str]:
    written = f"{group.prefix}{name}"
    yield f"## `{written}` {{ #{written} }}\n"
    if (call := _signature(value)) is not None:
        yield f"```python\n{name}{call}\n```\n"
    yield _documented(group, value)
    for member, function in _members(written, value):
        bare = member.rpartition(".")[2]
        yield f"### `{bare}` {{ #{member} }}\n"
        yield f"```python\n{bare}{_signature(function)}\n```\n\n{_documented(group, function)}"
    for member, attribute in vars(value).items() if inspect.isclass(value) else ():
        if isinstance(attribute, property) and attribute.__doc__ and not member.startswith("_"):
            yield f"### `{member}` {{ #{written}.{member} }}\n"
            yield _linked(group, attribute, inspect.cleandoc(attribute.__doc__)) + "\n"


def _members(written: str, value: object) -> Iterator[tuple[str, object]]:
    """The methods of a class that have a signature and a docstring."""
    for member, function in vars(value).items() if inspect.isclass(value) else ():
        text = getattr(function, "__doc__", None)
        if not member.startswith("_") and inspect.isroutine(function) and text and _signature(function):
            yield f"{written}.{member}", function


def _documented(group: Group, value: object) -> str:
    text = inspect.getdoc(value) if callable(value) else None
    if not text or (inspect.isclass(value) and text == value.__name__):
        return f"`{value!r}`\n" if not callable(value) else ""
    parts = arguments.docstring(text)
    labelled = {
        "Raises": ERROR.sub(_error, parts.raises),
        "Special cases:": parts.special_cases,
        "Source:": parts.sources,
    }
    labels = [f"**{label}** {words}" for label, words in labelled.items() if words]
    table = _table(value) if parts.home is None else ""
    examples = _with_import(group, parts.examples)
    return "\n\n".join(filter(None, [_linked(group, value, parts.contract), table, *labels, examples])) + "\n"


def _with_import(group: Group, examples: str) -> str:
    """Examples that begin with an import of the public names of `handlers` or `lowering` that they use unimported."""
    if group.package not in ("handlers", "lowering") or ">>>" not in examples:
        return examples
    imported = set(re.findall(r"\w+", " ".join(re.findall(r"^ *>>> (?:from|import) .*$", examples, re.MULTILINE))))
    written = re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", examples, re.MULTILINE)
    used = set(re.findall(r"(?<![.\w])[A-Za-z_]\w*", re.sub(r"\"[^\"]*\"", "", "\n".join(written))))
    known = {name for own, values in groups().items() if own.package == group.package for name in values}
    lines = (
        [f">>> from {group.package} import {', '.join(names)}"] if (names := sorted((used & known) - imported)) else []
    )
    if "Array" in used - imported:
        lines.insert(0, ">>> from effects import Array")
    return examples.replace(">>>", "\n".join([*lines, ">>>"]), 1)


def _table(value: object) -> str:
    """The arguments of a function: their types, their defaults, and what they mean."""
    written, title, _ = callables()[id(value)]
    lines = []
    for parameter in arguments.parameters(value):
        _, rows = arguments.rows_of(parameter.name, written, title)
        name = f"`{STARS.get(parameter.kind, '')}{parameter.name}`"
        annotation = "" if parameter.annotation is parameter.empty else f"`{_text(parameter.annotation)}`"
        default = "" if parameter.default is parameter.empty else f"`{_text(repr(parameter.default))}`"
        lines.append(f"| {name} | {annotation} | {default} | {rows[0].meaning if rows else ''} |")
    head = "| argument | type | default | meaning |\n| --- | --- | --- | --- |\n"
    return head + "\n".join(lines) if lines else ""


def _error(match: re.Match[str]) -> str:
    """A link, if the word is an error of the library."""
    place = _beside("effects").get(match[0], "")
    return f"[`{match[0]}`]({place})" if place.startswith("errors.md") else match[0]


def _linked(group: Group, value: object, text: str) -> str:
    """Text in which the names of the functions beside this one are links."""
    own = {parameter.name for parameter in arguments.parameters(value)}

    def link(match: re.Match[str]) -> str:
        place = None if match[1] in own else _beside(group.package).get(match[1])
        return match[0] if place is None else f"[{match[0]}]({place})"

    lines = text.split("\n")
    return "\n".join(line if line.startswith("    ") else BARE.sub(link, line) for line in lines)


@cache
def _beside(package: str) -> Mapping[str, str]:
    """The places of the names of a package, as pages of the reference link to them."""
    places: dict[str, str] = {}
    for group, values in groups().items():
        if group.package == package:
            file = file_name(group).removeprefix("reference/")
            places |= {name: f"{file}#{group.prefix}{name}" for name in values}
    return places


def _signature(value: object) -> str | None:
    """The call of a function, with types; a parameter a line where it does not fit on one."""
    signature = arguments.signature(value)
    if signature is None:
        return None
    written = signature.parameters.values()
    parameters = [parameter.replace(annotation=_bare(parameter.annotation)) for parameter in written]
    signature = signature.replace(parameters=parameters, return_annotation=_bare(signature.return_annotation))
    text = _text(signature)
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


class _Bare(str):
    """Text that signatures show without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _bare(annotation: object) -> object:
    return annotation if annotation is inspect.Parameter.empty else _Bare(_text(annotation))


def _text(part: object) -> str:
    """The text of a signature or a part of it, without what Python writes around names of types and functions."""
    around = r"ForwardRef\('([^']*)'\)|<(?:class|function) '?(?:\w+\.)*(\w+)'?(?: at 0x\w+)?>|<(\w+\.\w+): \w+>"
    return re.sub(around, r"\1\2\3", str(part)).replace("Ellipsis", "...")
