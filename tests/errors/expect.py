"""What every test of this folder asks of an error: its class, its words, and that it points at the user's line."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from types import CodeType

from effects.errors import EffaxError
from effects.program.chain import ROOT, chain

HERE = "# here"


def refusal(kind: type[BaseException], *words: str, of: Callable[[], object]) -> EffaxError:
    """The error of calling `of`: a `kind` of the library's own with these words, and with the right line.

    The line is the one that ends in the comment `# here`, or the only line of the function. The chain is as before.
    """
    before = chain()
    try:
        result = of()
    except EffaxError as error:
        assert isinstance(error, kind), f"expected {kind.__name__}, got {type(error).__name__}: {error}"
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        assert error.source is not None, f"no line: {error}"
        assert (error.source.file, error.source.line) == marked_line(of), str(error)
        assert chain() == before
        assert chain() == (ROOT,) or before != (ROOT,)
        return error
    raise AssertionError(f"expected {kind.__name__}, got {result!r}")


def marked_line(f: Callable[..., object]) -> tuple[str, int]:
    """The file and number of the marked line of a function."""
    code = f.__code__
    lines = set(_lines(code))
    marked = {n for n in lines if HERE in linecache.getline(code.co_filename, n)} or lines
    assert len(marked) == 1, f"mark the line that is to blame with {HERE!r}"
    return code.co_filename, marked.pop()


def _lines(code: CodeType) -> Iterator[int]:
    for _, _, line in code.co_lines():
        if line is not None:
            yield line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)
