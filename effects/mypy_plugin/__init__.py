"""The mypy plugin, `plugins = effects.mypy_plugin`: finds wrong axes while mypy runs.

`modules` has the functions of a file without importing it, so that they are checked as the command does; `calls` runs
single expressions on the shapes that mypy knows of their parts, which `shapes` reads, so that their types have shapes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, cast

from mypy.checker import TypeChecker
from mypy.errorcodes import DEPRECATED, ErrorCode
from mypy.nodes import (
    ComparisonExpr,
    Context,
    Expression,
    LambdaExpr,
    OperatorAssignmentStmt,
    OpExpr,
    TypeAlias,
    TypeInfo,
)
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    AttributeContext,
    FunctionContext,
    MethodContext,
    Plugin,
    ReportConfigContext,
)
from mypy.subtypes import is_subtype
from mypy.typeanal import TypeAnalyser
from mypy.types import AnyType, LiteralType, RawExpressionType, Type, TypeOfAny

from effects.check.reports import RULES
from effects.check.staging import answer_unknown
from effects.mypy_plugin.calls import Answer, Call
from effects.mypy_plugin.files import users_file
from effects.mypy_plugin.modules import Module, Modules
from effects.mypy_plugin.shapes import Reader, is_open, opened, with_shapes
from effects.runtime.caches import PROGRAMS, Cache
from effects.runtime.cpython.source import OWN
from effects.runtime.names import PACKAGES

type Hooked = FunctionContext | MethodContext | AttributeContext


class _Rule(ErrorCode):
    """A rule of the checker, as a code of errors.

    mypy tries overloads one after another, and drops what is wrong with those that do not fit. A wrong axis says
    nothing of which one fits, no more than that a function is deprecated does: it is treated as that.
    """

    def __eq__(self, other: object) -> bool:
        return other is DEPRECATED or super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()


_CODES: Final = {rule: _Rule(rule, text, "effax") for rule, text in RULES.items()}
_answers: Final[Cache[str, Answer]] = Cache(PROGRAMS)


class Shapes(Plugin):
    """Checks functions where mypy reads their annotations, and gives shapes to the types of expressions."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._all = Modules()
        self._reading = False
        answer_unknown()

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Hook for the name of a type."""
        if self._reading or not self._is_read(fullname):
            return None
        return self._of_array if fullname.startswith(_ARRAYS) else self._of_annotation

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Hook for calls of a function."""
        return self._of_call if fullname.startswith(_PREFIXES) else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Hook for calls of a method, and for operators."""
        return self._of_call if fullname.startswith(_PREFIXES) and not fullname.endswith(".__get__") else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Hook for reading an attribute of arrays: `x.T`."""
        return self._of_attribute if fullname.startswith(f"{_ARRAYS}.Array.") else None

    def report_config_data(self, ctx: ReportConfigContext) -> object:
        """Data whose change makes mypy check a file again: another effax, and other files that it imports."""
        file = users_file(ctx.path)
        return None if file is None else [_version(), self._all.files.digest(file)]

    def _is_read(self, fullname: str) -> bool:
        """Return True for the name of an array's type, or of a type in the files that are checked."""
        module, _, name = fullname.rpartition(".")
        tree = None if self._modules is None else self._modules.get(module)
        known = None if tree is None else tree.names.get(name)
        if tree is None or known is None or not isinstance(known.node, TypeInfo | TypeAlias):
            return False
        return module == _ARRAYS or users_file(tree.path) is not None

    def _of_annotation(self, ctx: AnalyzeTypeContext) -> Type:
        api = cast(TypeAnalyser, ctx.api)
        try:
            file = users_file(api.cur_mod_node.path)
            problem = None if file is None else self._all.at(file).problem(ctx.context.line)
            if problem is not None:
                place = Context(problem.line, problem.column - 1)
                api.fail(problem.text, place, code=_CODES[problem.rule])
        except Exception:  # a plugin that fails ends mypy
            pass
        self._reading = True
        try:
            return api.analyze_type(ctx.type)
        finally:
            self._reading = False

    def _of_array(self, ctx: AnalyzeTypeContext) -> Type:
        """The type of an annotation, in which numbers and texts stand for themselves: `F32[N, 3, "2 * N"]`."""
        args: list[Type] = []
        for arg in ctx.type.args:
            if isinstance(arg, RawExpressionType) and isinstance(arg.literal_value, int | str):
                arg = LiteralType(arg.literal_value, ctx.api.named_type(arg.base_type_name, []))  # noqa: PLW2901
            args.append(arg)
        return self._of_annotation(ctx._replace(type=ctx.type.copy_modified(args=args)))

    def _of_call(self, ctx: FunctionContext | MethodContext) -> Type:
        default = ctx.default_return_type
        if isinstance(ctx.context, ComparisonExpr):  # of which the shape of the left operand is one guess
            default = opened(default)
        return self._checked_call(ctx, default)

    def _of_attribute(self, ctx: AttributeContext) -> Type:
        return self._checked_call(ctx, ctx.default_attr_type)

    def _checked_call(self, ctx: Hooked, default: Type) -> Type:
        file = users_file(ctx.api.path) if is_open(default) else None
        try:
            module = None if file is None else self._all.at(file)
            return default if module is None else _Place(ctx, cast(TypeChecker, ctx.api), module).check_body(default)
        except Exception:  # a plugin that fails ends mypy
            return default


class _Place:
    """An expression that mypy is checking."""

    def __init__(self, ctx: Hooked, api: TypeChecker, module: Module) -> None:
        self.ctx, self.api, self.module = ctx, api, module

    def check_body(self, default: Type) -> Type:
        """The type of the expression. Reports what is wrong with it where no function is checked as a whole."""
        expression = _expression(self.ctx.context)
        if expression is None:
            return default
        reader = Reader(self.module.class_of)
        call = Call(expression, reader, self.api.lookup_type_or_none, self.module)
        answer = _answers.find(call.key) or _answers.keep(call.key, call.answer())
        problem = answer.outcome.problem
        if problem is not None and not self.is_checked() and self.module.assigned_once(call.local, expression.line):
            self.api.fail(problem.text, expression, code=_CODES[problem.rule])
        return self.typed(default, answer.shapes, reader.names)

    def typed(self, default: Type, shapes: object, names: dict[str, Type]) -> Type:
        """A type with shapes, where it may be one: no variable is of another type, no items of a list would differ."""
        e = self.ctx.context
        if (e.line, e.column, e.end_line, e.end_column) in self.module.imprecise:
            return default
        integer = self.api.named_generic_type("builtins.int", [])
        tuples = self.api.named_generic_type("builtins.tuple", [AnyType(TypeOfAny.special_form)])
        t = with_shapes(default, shapes, names, integer, tuples)
        expected = self.api.type_context[-1] if self.api.type_context else None
        return t if expected is None or is_subtype(t, expected) else default

    def is_checked(self) -> bool:
        """True if the function around is checked for good; False where mypy may be trying types for arguments of a
        lambda.
        """
        function = self.api.scope.top_level_function()
        outcome = None if function is None else self.module.outcome(function.line)
        return (outcome is not None and outcome.reached) or isinstance(self.api.scope.current_function(), LambdaExpr)


def _expression(context: Context) -> Expression | None:
    """The expression of a context."""
    if isinstance(context, OperatorAssignmentStmt):
        return OpExpr(context.op, context.lvalue, context.rvalue)
    return context if isinstance(context, Expression) else None


_ARRAYS: Final = "effects.arrays.array"
_PREFIXES: Final = tuple([f"{package}." for package in PACKAGES])


@cache
def _version() -> str:
    """A digest of effax."""
    digest = hashlib.blake2b()
    for folder in OWN:
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def plugin(version: str) -> type[Plugin]:
    """mypy's entry point."""
    return Shapes
