"""Advice for arguments as in other libraries: the error says what to write here.

It is added when an error ends the program, so that calls cost nothing, and Python's errors stay unchanged.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from traceback import TracebackException, walk_tb
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, Final

from effects.runtime.cpython.source import OWN, names_on
from effects.runtime.spellings import names_of

_POSITIONS: Final[dict[str, str]] = {"view": "view takes a dtype; for another shape write x.reshape(shape)"}
"""Advice, by function, for too many positional arguments."""
_LOADERS: Final[dict[str, str]] = {
    r"(too many|not enough) values to unpack": "a batch is (data, examples, position): write for batch in loader, "
    "and x, y = batch.data",
    "'Loader' object is not an iterator": "write batches = loader.batches(), then next(batches)",
    "'Loader' object is not subscriptable": "write for batch in loader; the examples are those of the source",
}
"""Advice, by the beginning of the error, for lines with a loader or a batch."""
_OWNERS: Final = {
    "Array.": ("effects", "Array"),
    "GradientTransformation.": ("effects.optim", "GradientTransformation"),
}
"""The module and the name of classes whose methods are called on values without a name."""
_UNEXPECTED: Final = re.compile(r"((?:\w+\.)*?)(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")
_ANOTHER_NUMBER: Final = re.compile(
    r"((?:\w+\.)*?)(\w+)(?:\.__init__)?\(\) (?:takes .*positional arguments? but \d+ (?:was|were) given|missing \d"
    r"|got some positional-only|got multiple values)"
)


def advice(error: TypeError | ValueError, traceback: TracebackType | None) -> str:
    """Advice for arguments that a function of the library does not have; "" for other errors."""
    if words := _of_loaders(error, traceback):
        return words
    match = _UNEXPECTED.match(str(error)) or _ANOTHER_NUMBER.match(str(error))
    frames = [frame for frame, _ in walk_tb(traceback)]
    outside = [frame for frame in frames if not frame.f_code.co_filename.startswith(OWN)]
    if match is None or not outside:
        return ""
    owner, name = str(match[1]), str(match[2])
    keyword = str(match[3]) if match.re is _UNEXPECTED else None
    function = _called(name, outside[-1])
    if function is None and (
        owner in _OWNERS or frames[-1] is not outside[-1]
    ):  # a method of a value without a name there
        place, kind = _OWNERS.get(owner, _OWNERS["Array."])
        function = getattr(getattr(sys.modules[place], kind), name, None)
    if not isinstance(function, FunctionType):
        return ""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return _of_position(name, parameters) if keyword is None else _of_keyword(name, keyword, parameters)


def _of_loaders(error: TypeError | ValueError, traceback: TracebackType | None) -> str:
    """Advice for batches and loaders used as in torch, by the line that raised the error; "" for other errors."""
    advised = [words for pattern, words in _LOADERS.items() if re.match(pattern, str(error))]
    places = [*walk_tb(traceback)]
    if not advised or not places:
        return ""
    frame, line = places[-1]
    names = names_on(frame.f_code, line)
    variables = {**frame.f_globals, **frame.f_locals}
    used = [variables[name] for name in names if name in variables]
    used += [_attribute(owner, name) for owner in used for name in names]  # `lowering.Loader`
    ours = any([getattr(value, "__module__", "").startswith("lowering.loader") for value in used])
    return f"effax: {advised[0]}" if ours else ""


def _of_keyword(name: str, keyword: str, parameters: list[inspect.Parameter]) -> str:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    keywords = [p.name for p in parameters if p.kind in named]
    table = names_of("keywords")
    words = table.get(name, {}).get(keyword) or table["arguments"].get(keyword, "")
    hints = words.split(" | ")  # names of keywords here, or advice
    if instead := [each for each in hints if each in keywords]:
        return f"effax: {name} has no {keyword}=; write {instead[0]}="
    if sentences := [each for each in hints if " " in each]:
        return f"effax: {name} has no {keyword}=; {sentences[0]}"
    return f"effax: the keywords of {name} are {', '.join(keywords)}" if keywords else f"effax: {name} has no keywords"


def _of_position(name: str, parameters: list[inspect.Parameter]) -> str:
    if name in _POSITIONS:
        return f"effax: {_POSITIONS[name]}"
    first = ", ".join([p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY])
    rest = ", ".join([f"{p.name}=" for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY])
    return f"effax: {name} takes {first or 'nothing'} by position" + (f", and by keyword {rest}" if rest else "")


def _called(name: str, frame: FrameType) -> FunctionType | None:
    """The library's function with this name that the code of a frame can reach by a variable, a module, or an array."""
    if name not in frame.f_code.co_names and name not in frame.f_code.co_varnames:
        return None
    variables = {**frame.f_globals, **frame.f_locals}
    owners = [value for key, value in variables.items() if key in (*frame.f_code.co_names, *frame.f_locals)]
    modules = [_attribute(owner, inner) for owner in owners for inner in frame.f_code.co_names]  # `fx.linalg`
    within = [_attribute(owner, inner) for owner in modules for inner in frame.f_code.co_names]  # `fx.nn.initializers`
    for value in [variables.get(name), *[_attribute(owner, name) for owner in (*within, *modules, *owners)]]:
        function = vars(value).get("__init__") if isinstance(value, type) else getattr(value, "__func__", value)
        if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(OWN):
            return function
    return None


def _attribute(owner: object, name: str) -> object:
    if isinstance(owner, ModuleType):
        return vars(owner).get(name)
    return getattr(owner, name, None) if type(owner).__module__.startswith("effects.") else None


def install() -> None:
    """Add the advice to errors that end the program; the previous `sys.excepthook` is still called.

    IPython calls no such hook, and has one handler of errors of its own, which is left if it is another's.
    """
    before: Callable[..., object] = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        with suppress(Exception):  # users' objects may raise on any access
            if isinstance(error, TypeError | ValueError) and (text := advice(error, traceback)):
                error.add_note(text)
        before(kind, error, traceback)

    sys.excepthook = hook
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((TypeError, ValueError, AttributeError, ImportError), _in_notebook)


def _in_notebook(
    shell: Any,  # IPython's, whose types are not installed
    kind: type[BaseException],
    error: BaseException,
    traceback: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """IPython's display of an error; below it the advice, or the similar name that Python's own display has."""
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
    with suppress(Exception):
        if (
            text := advice(error, traceback)
            if isinstance(error, TypeError | ValueError)
            else _similar(error, traceback)
        ):
            print(text, file=sys.stderr)


def _similar(error: BaseException, traceback: TracebackType | None) -> str:
    """Python's question after a name that the library lacks, as "Did you mean: 'sin'?"; "" where it has none."""
    places = [frame.f_code.co_filename for frame, _ in walk_tb(traceback)]
    own = isinstance(error, ImportError) and f"{error.name}.".startswith(("effects.", "handlers.", "lowering."))
    if not own and not places[-1].startswith(OWN):
        return ""
    question = str(TracebackException(type(error), error, None)).removeprefix(str(error)).removeprefix(". ")
    return f"effax: {question}" if question else ""
