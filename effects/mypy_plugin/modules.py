"""Modules of users as the plugin has them: their definitions, made without importing the files.

mypy runs no programs, and its plugin does not either. Functions, classes and aliases of a file are defined; of what
else it does only constants are, and functions that transformations give: `HEADS = 4`, `step = vmap(f)`. Its imports are
files beside it, in the same way, or a library that touches nothing. Everything else is unknown, and a function that
uses it is checked up to there.
"""

from __future__ import annotations
import __future__

import ast
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, Final

from mypy.nodes import TypeInfo

import handlers
from effects.check.dims import NotSaid
from effects.check.loading import Loaded, is_for_types
from effects.check.staging import Outcome, Problem, codes_in, outcome
from effects.mypy_plugin.files import FRESH, Files, imported
from effects.mypy_plugin.libraries import FORMS, Library, Unknown, builtins_with, library
from effects.trees.pytree import tree_leaves
from effects.types.avals import ShapedArray

_COMPUTE: Final = frozenset(["effects", "numpy"])
_MOST_ELEMENTS: Final = 1_000_000  # of a constant
_MOST_JUMPS: Final = 100_000  # in the code of users, for a function
_MOST_CALLS: Final = 1_000  # one in another
_TOOL: Final = 3  # of sys.monitoring, of those without a name

type Span = tuple[int | None, int | None, int | None, int | None]


class Modules:
    """The modules of files. Those whose files, or files they import, have changed are read again."""

    def __init__(self) -> None:
        self.files = Files()
        self._modules: dict[Path, tuple[str, float, Module]] = {}

    def at(self, path: Path) -> Module:
        """The module of a file."""
        digest, checked_at, module = self._modules.get(path, ("", 0.0, None))
        if module is not None and monotonic() - checked_at < FRESH:
            return module
        now = self.files.digest(path)
        if module is None or digest != now:
            module = Module(path, self.files.text(path), now, self)
            self._modules[path] = now, monotonic(), module  # before it is defined: files may import each other
            module.define()
        self._modules[path] = now, monotonic(), module
        return module


class Module:
    """The definitions of a file, and what came of its functions."""

    def __init__(self, path: Path, text: str, digest: str, others: Modules) -> None:
        self.path, self.digest, self.others = path, digest, others
        self.loaded = Loaded(text, str(path))
        imports = [node.module for node in self.loaded.tree.body if isinstance(node, ast.ImportFrom)]
        self._flags = __future__.annotations.compiler_flag if "__future__" in imports else 0
        self.module = types.ModuleType(f"<checked {path}>")
        self.names = vars(self.module)
        self.names |= {"__builtins__": builtins_with(self._import), "__file__": str(path)}
        self.names |= {"@checked": self.loaded.checked, "@declared": self.loaded.declared}
        self._outcomes: dict[int, Outcome | None] = {}

    def define(self) -> None:
        """Defines what is in the file."""
        sys.modules[self.module.__name__] = self.module  # where the names in annotations of its classes are looked up
        with bounded():
            for statement in self.loaded.tree.body:
                self._define(statement)

    def outcome(self, line: int) -> Outcome | None:
        """Outcome of checking the function whose `def` is on a line; None where there is nothing to check."""
        if line not in self._outcomes:
            contract = next((one for one in self.loaded.contracts if one.line == line), None)
            with bounded():
                self._outcomes[line] = None if contract is None else outcome(contract, self.loaded.literals)
        return self._outcomes[line]

    def problem(self, line: int) -> Problem | None:
        """The mistake in the function that has annotations on a line."""
        checked = self.outcome(self._annotated[line]) if line in self._annotated else None
        return checked and checked.problem

    def class_of(self, info: TypeInfo) -> object:
        """The class of a type; None where it is not looked into."""
        value = self.names.get(info.name)
        if info.fullname.startswith("effects."):
            value = getattr(library(info.module_name), info.name, None)
        return value if isinstance(value, type) and value.__qualname__ == info.name else None

    def origin(self, name: str) -> str | None:
        """Source of a name's value: a library, or this file as it is. None for one that is not known."""
        if name not in self.names or type(self.names[name]) is Unknown:
            return None
        value = self.names[name]
        if isinstance(value, Library):
            return value.__name__
        module, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        known = isinstance(module, str) and getattr(library(module), qualname, None) is value
        return f"{module}.{qualname}" if known else f"{self.digest}.{name}"

    def assigned_once(self, names: Sequence[str], line: int) -> bool:
        """Return True if none of some names stands for one value after another, by what is written around a line."""
        return all([self._assigned(line)[name] < 2 for name in names])

    @cached_property
    def imprecise(self) -> set[Span]:
        """The places of expressions whose types are better not precise, since they are to fit others.

        mypy joins the types of items of lists and of branches of conditional expressions, and takes that of the first
        value for the type of a variable.
        """
        places = {place for node in ast.walk(self.loaded.tree) for place in _joined(node)}
        for node in ast.walk(self.loaded.tree):
            if isinstance(node, ast.Assign):
                names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
                if not self.assigned_once(names, node.lineno):
                    places.update(_joined(ast.List([node.value])))
        return places

    def _assigned(self, line: int) -> Counter[str]:
        """Number of assignments to names, in the function around a line or outside of functions."""
        return next((names for first, last, names in self._scopes if first <= line <= last), self._scopes[-1][2])

    @cached_property
    def _scopes(self) -> list[tuple[int, int, Counter[str]]]:
        """The first and the last line of each outermost function, then of the module, with the names assigned there."""
        scopes: list[tuple[int, int, Counter[str]]] = []
        for function in ast.walk(self.loaded.tree):
            inside = [True for first, last, _ in scopes if first <= getattr(function, "lineno", 0) <= last]
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not inside:
                scopes.append((function.lineno, function.end_lineno or 0, _stored(ast.walk(function))))
        outside = _stored(ast.walk(self.loaded.tree))
        for _, _, names in scopes:
            outside.subtract(names)
        return [*scopes, (0, -1, outside)]

    @cached_property
    def _annotated(self) -> dict[int, int]:
        """The lines with annotations of functions, each with that of the `def`."""
        lines: dict[int, int] = {}
        for node in ast.walk(self.loaded.tree):
            if isinstance(node, ast.FunctionDef):
                args = [inner.annotation for inner in ast.walk(node.args) if isinstance(inner, ast.arg)]
                for annotation in [node.returns, *args]:
                    if annotation is not None:
                        end = annotation.end_lineno or annotation.lineno
                        lines |= dict.fromkeys(range(annotation.lineno, end + 1), node.lineno)
        return lines

    def _define(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Try(body=body):
                for one in body:
                    self._define(one)
            case ast.If(test=test, body=body) if is_for_types(test):
                for one in body:
                    self._define(one)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) if self._is_constant(value):
                self._run(statement)
            case ast.FunctionDef() | ast.ClassDef() | ast.TypeAlias() | ast.Import() | ast.ImportFrom():
                if not self._run(statement):
                    self.names.update({name: Unknown(name) for name in _names(statement) if name not in self.names})
            case _:  # what a program does
                pass

    def _run(self, statement: ast.stmt) -> bool:
        """Run a statement; True if that could be done."""
        try:
            code = compile(ast.Module([statement], []), str(self.path), "exec", self._flags, dont_inherit=True)
            for inner in codes_in(code):
                sys.monitoring.set_local_events(_TOOL, inner, sys.monitoring.events.JUMP)
            exec(code, self.names)
        except Exception:  # of whatever a decorator or a base does
            return False
        return True

    def _is_constant(self, value: ast.expr) -> bool:
        """Return True if calls in an expression compute nothing, as those of `NewType` and `vmap`, or small arrays."""
        calls = {self._root(node) for node in ast.walk(value) if isinstance(node, ast.Call)}
        if calls <= FORMS:
            return True
        if not calls <= FORMS | _COMPUTE:
            return False
        try:
            leaves = tree_leaves(handlers.eval_shape(lambda: self._value(value)))
        except Exception:
            return False
        return sum([leaf.size for leaf in leaves if isinstance(leaf, ShapedArray)]) <= _MOST_ELEMENTS

    def _root(self, call: ast.Call) -> str:
        """The library of what is called; "" where that is not known."""
        try:
            called = self._value(call.func)
        except Exception:
            return ""
        return str(getattr(called, "__module__", "")).partition(".")[0]

    def _value(self, expression: ast.expr) -> object:
        return eval(compile(ast.Expression(expression), str(self.path), "eval"), self.names)

    def _import(
        self, name: str, names: object = None, scope: object = None, items: Sequence[str] | None = (), level: int = 0
    ) -> object:
        """Python's `__import__`, of what is looked into."""
        file = imported(name, level, self.path)
        if file is None:
            return library(name if items else name.partition(".")[0])
        module = self.others.at(file)
        for item in items or ():
            inner = imported(f"{name}.{item}".strip("."), level, self.path)
            if inner is not None and item not in module.names:
                module.names[item] = self.others.at(inner).module
        if items:
            return module.module
        value: object = module.module
        for part in reversed(name.split(".")[1:]):  # `import a.b` binds a
            value = types.SimpleNamespace(**{part: value})
        return value


@contextmanager
def bounded() -> Iterator[None]:
    """Within it, code of users that goes on and on raises NotSaid, and nothing is warned of."""
    jumps = 0

    def jumped(code: types.CodeType, offset: int, to: int) -> None:
        nonlocal jumps
        jumps += 1
        if jumps > _MOST_JUMPS:
            raise NotSaid("runs for too long")

    monitoring = sys.monitoring
    if monitoring.get_tool(_TOOL) is None:
        monitoring.use_tool_id(_TOOL, "effects.mypy_plugin")
    outer = monitoring.register_callback(_TOOL, monitoring.events.JUMP, jumped)
    depth = 0
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    limit = sys.getrecursionlimit()  # mypy has a large one
    try:
        sys.setrecursionlimit(min(limit, depth + _MOST_CALLS))
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        sys.setrecursionlimit(limit)
        monitoring.register_callback(_TOOL, monitoring.events.JUMP, outer)


def _stored(nodes: Iterator[ast.AST]) -> Counter[str]:
    names = Counter[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] += 1
        elif isinstance(node, ast.arg):
            names[node.arg] += 1
    return names


def _joined(node: ast.AST) -> Iterator[Span]:
    """The places of the expressions in one whose types mypy joins."""
    items: list[ast.expr] = []
    match node:
        case ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(values=items) | ast.BoolOp(values=items):
            pass
        case ast.IfExp(body=one, orelse=other):
            items = [one, other]
        case ast.ListComp(elt=one) | ast.DictComp(value=one):
            items = [one]
        case _:
            pass
    for item in items:
        if isinstance(item, ast.Tuple):
            yield from _joined(ast.List(item.elts))
        else:
            yield item.lineno, item.col_offset, item.end_lineno, item.end_col_offset


def _names(statement: Any) -> list[str]:
    """The names of what a statement defines or imports."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return [statement.name.id if isinstance(statement, ast.TypeAlias) else statement.name]
