"""Arguments as other libraries' functions take them: the note of an error that ends the program says what to write."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest

from effects.errors import ArgumentError, UnknownAttribute
from effects.runtime.keywords import advice, install
from effects.runtime.spellings import names_of
from tests.errors.untyped import fx, handlers, jit, lowering, vmap

X = fx.ones(3)
KEY = fx.random.key(0)


def own(x: Any) -> Any:
    return x


TRIPLES: Any = [(1, 2, 3)]
LOADER: Any = lowering.Loader(X, 1)


def another_beside_a_loader() -> None:
    loader = LOADER
    assert len(loader) == 3
    for x, y in TRIPLES:
        own((x, y))


ADVICE: dict[str, tuple[Callable[[], object], str]] = {
    "dim": (lambda: fx.sum(X, dim=0), "effax: sum has no dim=; write axis="),
    "keepdim": (lambda: X.sum(axis=0, keepdim=True), "effax: sum has no keepdim=; write keepdims="),
    "dim of a namespace": (lambda: fx.nn.softmax(X, dim=-1), "effax: softmax has no dim=; write axis="),
    "requires_grad": (lambda: fx.ones(3, requires_grad=True), "effax: ones has no requires_grad=; any argument can be"),
    "argnames": (lambda: handlers.grad(own, argnames="x"), "effax: grad has no argnames=; write argnums="),
    "in_dims": (lambda: vmap(own, in_dims=0), "effax: vmap has no in_dims=; write in_axes="),
    "device": (lambda: jit(own, device="cpu"), "effax: jit has no device=; a program runs where its arguments are"),
    "size": (lambda: fx.random.normal(KEY, size=(3,)), "effax: normal has no size=; write shape="),
    "out": (lambda: fx.sin(X, out=X), "effax: sin has no out=; arrays are immutable; use the result"),
    "misspelt": (lambda: fx.sum(X, axsi=0), "effax: the keywords of sum are axis, dtype, keepdims, initial, where"),
    "a batch as its data": (lambda: [x for x, y in lowering.Loader(X, 1)], "effax: a batch is (data, examples, positi"),
    "the next of a loader": (lambda: next(LOADER), "effax: write batches = loader.batches(), then next(batches)"),
    "a batch by its number": (lambda: LOADER[0], "effax: write for batch in loader"),
    "another sequence": (lambda: [x for x, y in TRIPLES], ""),
    "another sequence beside a loader": (another_beside_a_loader, ""),
    "an update without parameters": (
        lambda: fx.optim.sgd(0.1).update(X, ()),
        "effax: update takes gradients, state, params by position",
    ),
    "the user's own": (lambda: own(X, dim=0), ""),  # type: ignore[call-arg]  # which is the mistake
    "Python's": (lambda: sorted([1], dim=0), ""),  # type: ignore[call-overload]  # which is the mistake
    "another error": (lambda: fx.sin("a" + 1), ""),  # type: ignore[operator]  # which is the mistake
    "of an optimiser alone": (
        lambda: fx.optim.rmsprop(0.1, momentum=0.9),
        "effax: rmsprop has no momentum=; write rmsp",
    ),
    "of the other optimisers": (
        lambda: fx.optim.sgd(0.1, momentum=0.9),
        "effax: sgd has no momentum=; momentum(learni",
    ),
    "a position by name": (
        lambda: fx.nn.dropout(X, rate=0.5, key=KEY),
        "effax: dropout takes key, x, rate by position",
    ),
    "of options": (lambda: fx.signal.welch(X, sym=True), "effax: the keywords of welch are fs, window, nperseg, nove"),
    "by position and by name": (
        lambda: fx.nn.batch_norm(X, X, X, training=True),
        "effax: batch_norm takes x, statistics, training, decay",
    ),
    "without a key": (lambda: fx.nn.dropout(X, 0.5), "effax: dropout takes key, x, rate by position"),
    "an initialiser without a key": (lambda: fx.nn.initializers.zeros((3,)), "effax: zeros takes key, shape, dtype by"),
    "of an array without a name": (lambda: fx.ones((2, 3)).std(dim=0), "effax: std has no dim=; write axis="),
    "by position": (
        lambda: fx.nn.max_pool(X, 2, 2),
        "effax: max_pool takes x, window by position, and by keyword strid",
    ),
    "a shape": (lambda: fx.ones((2, 3)).view(3, 2), "effax: view takes a dtype; for another shape write x.reshape"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_note_says_what_to_write(name: str) -> None:
    use, note = ADVICE[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        use()
    assert isinstance(caught.value, TypeError | ValueError)
    said = advice(caught.value, caught.value.__traceback__)
    assert said.startswith(note) and bool(said) == bool(note)


def test_what_is_to_be_written_is_there() -> None:
    inner = (fx.image, fx.integrate, fx.linalg, fx.nn, fx.nn.initializers, fx.optim, fx.optimize, fx.random, fx.signal)
    public = [(name, getattr(m, name)) for m in (fx, handlers, lowering, *inner) for name in m.__all__]
    taking = [(name, f) for name, f in public if isinstance(f, FunctionType) or f is lowering.Loader]
    functions, parameters = dict(taking), {p for _, f in taking for p in inspect.signature(f).parameters}
    for owner, table in names_of("keywords").items():
        assert owner in ("arguments", "choices") or not table.keys() & inspect.signature(functions[owner]).parameters
        for words in [] if owner == "choices" else table.values():
            *names, sentence = words.split(" | ")
            assert parameters.issuperset([*names, *[sentence] * (" " not in sentence)]), words
            called = set(re.findall(r"(?<![\w.])(\w+)\(", sentence)) - {"f", "sol"}
            assert {*functions, "SizedArray"} >= called, words


def test_fields_of_results_as_scipy_names_them() -> None:
    def square(x: Any) -> Any:
        return fx.sum(x * x)

    results = [
        fx.optimize.minimize(square, X),
        fx.optimize.root(own, X),
        fx.optimize.least_squares(own, X),
        fx.optimize.line_search(square, X, -X),
        fx.integrate.solve_ivp(lambda t, y: -y, [0.0, 1.0], X),
    ]
    for result in results:
        for name, words in names_of("scipy")[type(result).__name__].items():
            with pytest.raises(UnknownAttribute, match=rf"has no `.{name}`: {re.escape(words)}"):
                getattr(result, name)
            assert {*result._fields, "converged", "sol"}.issuperset(re.findall(r"result\.(\w+)", words))
            with pytest.raises(ArgumentError, match=rf"has attributes, and no keys: {re.escape(words)}"):
                result[name]
        for place, name in enumerate(result._fields):
            with pytest.raises(ArgumentError, match=rf"no keys: write result\.{name}\b"):
                result[name]
            assert result[place] is getattr(result, name) and result[place:][0] is result[place]
        with pytest.raises(ArgumentError, match="no keys: 'y0' is not among them"):
            result["y0"]


@pytest.mark.parametrize(("f", "written"), [(fx.optimize.minimize, "l-bfgs"), (fx.integrate.odeint, "dopri5")])
def test_a_method_as_scipy_spells_it(f: Callable[..., object], written: str) -> None:
    with pytest.raises(ArgumentError, match=rf"of type str; write '{written}'"):
        f(own, X, X, method={"l-bfgs": "L-BFGS-B", "dopri5": "RK45"}[written])


def test_an_error_that_ends_the_program_has_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, traceback: ended.append(error))
    install()
    with pytest.raises(TypeError) as caught:
        fx.sum(X, dim=0)
    sys.excepthook(type(caught.value), caught.value, caught.value.__traceback__)
    assert ended == [caught.value] and caught.value.__notes__ == ["effax: sum has no dim=; write axis="]


class Shell:
    """IPython's shell, as far as it has to do with errors: it shows them without suggestions, and calls no hook."""

    def __init__(self, custom: tuple[type[BaseException], ...] = ()) -> None:
        self.custom_exceptions = custom

    def set_custom_exc(self, kinds: tuple[type[BaseException], ...], handler: Callable[..., object]) -> None:
        self.custom_exceptions, self.handler = kinds, handler

    def showtraceback(self, caught: tuple[Any, BaseException, Any], tb_offset: int | None) -> None:
        print(f"{caught[1]}, from {tb_offset}", file=sys.stderr)

    def run(self, cell: Callable[[], object]) -> None:
        try:
            cell()
        except self.custom_exceptions as error:
            self.handler(self, type(error), error, error.__traceback__, tb_offset=1)


def imported() -> None:
    from effects import sine  # type: ignore[attr-defined]  # noqa: F401, PLC0415  # the mistake


NOTEBOOK: dict[str, tuple[Callable[[], object], str]] = {
    "an argument": (lambda: fx.sum(X, dim=0), "effax: sum has no dim=; write axis=\n"),
    "a name": (lambda: fx.sine(1.0), "effax: Did you mean: 'sin'?\n"),
    "a name of a namespace": (lambda: fx.linalg.egh, "effax: Did you mean: 'eigh'?\n"),
    "a method": (lambda: X.reshap(3), "effax: Did you mean: 'reshape'?\n"),
    "an import": (imported, "effax: Did you mean: 'sin'?\n"),
    "a name like no other": (lambda: fx.qqqqqqqq, ""),
    "the user's own": (lambda: [].appendd, ""),  # type: ignore[attr-defined]  # the mistake
    "a value": (lambda: int("a"), ""),
}


@pytest.mark.parametrize(("cell", "words"), NOTEBOOK.values(), ids=NOTEBOOK.keys())
def test_notebooks_show_what_python_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cell: Callable[[], object], words: str
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    shell, taken = Shell(), Shell((KeyError,))
    for each in (shell, taken):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda each=each: each))
        install()
    assert taken.custom_exceptions == (KeyError,)
    shell.run(cell)
    shown, below = capsys.readouterr().err.split(", from 1\n")
    assert shown and below == words
