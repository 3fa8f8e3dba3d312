"""Importing modules that are checked: their annotated functions are held against their annotations."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
import types
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Final

import handlers
from effects.check.contracts import Contract, running
from effects.runtime.cpython.source import OWN

_MARK: Final = "__@checked"
_IGNORED: Final = re.compile(r"#\s*type:\s*ignore(?:\[([\w\s,-]*)\])?")


class Loaded:
    """A module that is checked: the contracts of its functions, the numbers in it, and the rules ignored by line."""

    def __init__(self, text: str, path: str) -> None:
        self.tree = ast.parse(text, path)
        self.contracts: list[Contract] = []
        self.lines: dict[int, int] = {}
        self.assigning: set[int] = set()
        """The lines of functions whose arguments can be assigned to, since they are decorated or annotated so."""
        constants = [n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant)]
        self.literals = frozenset([n for n in constants if type(n) is int])
        ifs = [n for n in self.tree.body if isinstance(n, ast.If) and is_for_types(n.test)]
        self.for_types = [statement for one in ifs for statement in one.body]
        self.ignored: dict[int, set[str] | None] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if (comment := _IGNORED.search(line)) is not None:
                rules = comment[1]
                self.ignored[number] = None if rules is None else {rule.strip() for rule in rules.split(",")}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and _is_checked(node):
                mark = ast.Name("@checked" if _has_body(node) else "@declared", ast.Load())
                ast.copy_location(mark, node).end_lineno = node.lineno
                decorators = [ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list]
                node.decorator_list.append(mark)
                first = node.decorator_list[0].lineno
                self.lines[first] = node.lineno
                if "writable" in decorators or _takes_writable(node):
                    self.assigning.add(first)

    def checked(self, function: object) -> object:
        """A function whose calls are held against what it declares while a function is checked."""
        if not isinstance(function, types.FunctionType) or inspect.isgeneratorfunction(function):
            return function
        contract = Contract(function)
        if not contract.nested:
            first = function.__code__.co_firstlineno  # of its decorators
            contract.line = self.lines.get(first, first)
            if first in self.assigning:
                contract.run = handlers.writable(function)
            self.contracts.append(contract)
        return _while_checked(contract)

    def declared(self, function: object) -> object:
        """The same of a function without a body, of which there is nothing to check."""
        return _while_checked(Contract(function, False)) if isinstance(function, types.FunctionType) else function


def _while_checked(contract: Contract) -> Callable[..., object]:
    function = contract.function

    @wraps(function)
    def called(*args: object, **kwargs: object) -> object:
        return function(*args, **kwargs) if running.get() is None else contract.called(args, kwargs)

    return called


def is_for_types(test: ast.expr) -> bool:
    """Return True if a condition is `TYPE_CHECKING`."""
    return ast.unparse(test).endswith("TYPE_CHECKING")


def _is_checked(node: ast.FunctionDef) -> bool:
    """Return True if a function has annotations, is no generator, and not an overload or `shaped` already."""
    arguments = node.args
    annotated = [a.annotation for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if node.returns is None and not any(annotated):
        return False
    return not any([ast.unparse(d).rpartition(".")[2] == "overload" for d in node.decorator_list])


def _takes_writable(node: ast.FunctionDef) -> bool:
    """Return True if an argument is declared to be an array that can be assigned to."""
    annotations = [a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg) and a.annotation is not None]
    return any(["WritableArray" in ast.unparse(annotation) for annotation in annotations])


def _has_body(node: ast.FunctionDef) -> bool:
    """Return True if there is more than a docstring, `...`, `pass` and `raise NotImplementedError`."""

    def empty(statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Raise):
            return statement.exc is not None and "NotImplementedError" in ast.unparse(statement.exc)
        constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        return constant or isinstance(statement, ast.Pass)

    return not all(map(empty, node.body))


def _itself[T](value: T, /) -> T:
    """`reveal_type` where it is not imported, as type checkers know it."""
    return value


class _Loader(SourceFileLoader):
    """Compiles a module with its functions held."""

    def __init__(self, name: str, path: str, loaded: dict[str, Loaded]) -> None:
        super().__init__(name, path)
        self.loaded = loaded

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        text = importlib.util.decode_source(self.get_data(path))
        self.loaded[path] = Loaded(text, path)
        return compile(self.loaded[path].tree, path, "exec", dont_inherit=True)

    def exec_module(self, module: types.ModuleType) -> None:
        loaded_code = self.get_code(module.__name__)
        loaded = self.loaded[self.path]
        module.__dict__.update({"@checked": loaded.checked, "@declared": loaded.declared, "reveal_type": _itself})
        exec(loaded_code, module.__dict__)
        only_for_types: dict[str, object] = {}
        for statement in loaded.for_types:
            with suppress(Exception):  # what is not there is not said
                exec(compile(ast.Module([statement], []), self.path, "exec"), module.__dict__, only_for_types)
        module.__dict__.update({name: t for name, t in only_for_types.items() if name not in module.__dict__})


class Finder(MetaPathFinder):
    """Finds modules below some folders, which are held while they are checked."""

    def __init__(self, roots: Collection[Path]) -> None:
        self.folders = sorted(map(str, roots))
        self.loaded: dict[str, Loaded] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        origin = spec.origin if spec is not None else None
        if spec is None or origin is None or not self.holds(origin):
            return None
        spec.loader = _Loader(fullname, origin, self.loaded)
        return spec

    def holds(self, origin: str) -> bool:
        """Return True if the functions of a file are checked: no library's."""
        if not origin.endswith(".py") or "-packages/" in origin or origin.startswith(OWN):
            return False
        return any([origin.startswith(f"{folder}/") for folder in self.folders])


def root_of(path: Path) -> Path:
    """The folder from which a file is imported: the one above its packages."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def load(path: Path, finder: Finder) -> Loaded:
    """A module, imported by its name in its package. Raises whatever importing it raises."""
    root = root_of(path)
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    if len(parts) == 1 and (name in sys.modules or name in sys.stdlib_module_names):
        name = f"checked_{name}_{len(sys.modules)}"  # another file is called so
    if len(parts) > 1:
        importlib.import_module(name)
    elif str(path) not in finder.loaded:
        spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path), finder.loaded))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return finder.loaded[str(path)]
