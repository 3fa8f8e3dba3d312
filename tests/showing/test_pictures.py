"""Pictures: the structure of pages, lines and stages side by side, programs within programs, and what is escaped."""

from __future__ import annotations

import linecache
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

import effects as fx
from effects.errors import ArgumentError, ConcretizationError
from handlers import (
    checkpoint,
    cond,
    custom_jvp,
    grad,
    make_jaxpr,
    psum,
    saved_residuals,
    scan,
    shard_map,
    vmap,
    while_loop,
)
from lowering import Mesh, collectives, jit, lower, show, trace
from lowering.showing.lines import parts

VOID: Final = {"meta", "br"}
x = fx.ones((5, 3))


class Page(HTMLParser):
    """A page that is well-formed: every element is closed in its turn, no name of a place comes twice."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open and len(set(self.names)) == len(self.names)
        assert {link[1:] for link in self.links} <= set(self.names), "links lead to places of the page"
        assert "://" not in text and "src=" not in text, "it needs no network"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        values = dict(attrs)
        if name := values.get("id"):
            self.names.append(name)
        if link := values.get("href"):
            self.links.append(link)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def layer(x: fx.Array) -> fx.Array:
    scaled = x * 3.0
    return fx.tanh(scaled)


def loss(x: fx.Array) -> fx.Array:
    return fx.sum(layer(x))


def operations(f: Callable[..., object], *arguments: object) -> dict[int, list[list[str]]]:
    """For each line, from the one where `layer` begins, the operations of each column."""
    (part, *_) = parts(show(f, *arguments).columns)
    return {
        row.number - layer.__code__.co_firstlineno: [
            [e.operation.partition("[")[0] for e in c.equations] for c in row.cells
        ]
        for row in part.rows
    }


def test_each_transformation_beside_the_lines() -> None:
    picture = show(vmap(grad(loss)), x)
    assert [column.name for column in picture.columns] == ["loss", "grad(loss)", "vmap(grad(loss))"]
    assert [column.program.inputs[0].type for column in picture.columns] == ["float64[3]", "float64[3]", "float64[5,3]"]
    lines = operations(vmap(grad(loss)), x)
    assert lines[1] == [["mul"], ["mul", "mul"], ["mul", "mul"]]
    assert lines[2][0] == ["tanh"] and lines[2][1] == ["tanh", "mul", "sub", "mul"]
    assert lines[6] == [["reduce_sum"], ["reduce_sum", "broadcast"], ["reduce_sum", "broadcast"]]
    rules = {(e.operation, e.rule) for e in picture.columns[1].program.walk()}
    assert {("sub", "derivative of tanh"), ("mul", "backward of tanh"), ("tanh", "")} <= rules


def test_stages_are_there_whatever_was_traced_before() -> None:
    f = jit(vmap(jit(grad(jit(loss)))))
    f(x)
    for _ in range(2):
        names = [column.name for column in show(f, x).columns]
        assert names == ["loss", "jit(grad(loss))", "jit(vmap(jit(grad(loss))))"]
    twice = show(vmap(vmap(loss, in_axes=1), in_axes=0), fx.ones((5, 3, 2)))
    assert [c.program.inputs[0].type for c in twice.columns] == ["float64[3]", "float64[3,2]", "float64[5,3,2]"]


class Net:
    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, x: fx.Array, *, twice: bool = False) -> fx.Array:
        return fx.sum(x * self.weight)

    def loss(self, x: fx.Array, *more: fx.Array) -> fx.Array:
        return Net(3.0)(x) + self(x)


def test_methods_and_callable_objects_are_stages() -> None:
    for f, name in ((Net(2.0).loss, "loss"), (Net(2.0), "Net")):
        columns = show(vmap(grad(f)), x).columns
        assert [column.name for column in columns] == [name, f"grad({name})", f"vmap(grad({name}))"]
        assert columns[0].program.inputs[0].type == "float64[3]"
        assert "2.0" in {v.name for e in columns[0].program.walk() for v in e.operands}, (
            "of this object, not of another"
        )


def test_partial_applications_are_stages_and_profilers_see_their_calls() -> None:
    def scaled(w: Any, x: Any, scale: float = 1.0) -> Any:
        return scale * fx.sum(w * x)

    calls = list[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        picture = show(vmap(grad(partial(partial(scaled, fx.ones(3)), scale=2.0))), fx.ones((2, 3)))
    finally:
        sys.setprofile(before)
    assert [column.name for column in picture.columns] == ["scaled", "grad(scaled)", "vmap(grad(scaled))"]
    assert calls.count("scaled") == 3  # in each stage once


def test_a_stage_that_cannot_be_alone_says_so() -> None:
    picture = show(vmap(lambda x: psum(x, "i"), axis_name="i"), x)
    assert [column.name for column in picture.columns] == ["vmap(<lambda>)"]
    (note,) = picture.notes
    assert note.startswith("<lambda> has no program by itself: ") and "'i'" in note


def test_static_arguments_are_values() -> None:
    f = jit(lambda x, n: x[:n], static_argnums=1)
    assert show(f, x, 2).columns[0].program.outputs[0].type == "float64[2,3]"


@custom_jvp
def doubled(x: fx.Array) -> fx.Array:
    return x + x


@doubled.defjvp
def _(primals: tuple[fx.Array], tangents: tuple[fx.Array]) -> tuple[fx.Array, fx.Array]:
    return doubled(*primals), 2.0 * tangents[0]


HIGHER: dict[str, Callable[[fx.Array], object]] = {
    "call layer": jit(layer),
    "cond: branch 0": lambda x: cond(x[0, 0] > 0, fx.sin, layer, x),
    "scan × 5": lambda x: scan(lambda c, v: (c + 1.0, layer(v)), 0.0, x),
    "while: step": lambda x: while_loop(lambda x: x[0, 0] < 1, layer, x),
    "while: condition": lambda x: while_loop(lambda x: layer(x)[0, 0] < 1, lambda x: x + 1, x),
    "checkpoint layer": checkpoint(layer),
    "shard_map layer": shard_map(layer, Mesh({"a": 1}, ["cpu:0"]), ("a",), "a"),
}


@pytest.mark.parametrize("role", HIGHER)
def test_programs_within_programs(role: str) -> None:
    outer = lambda x: HIGHER[role](x)  # so that a jitted one is called
    picture = show(outer, x)
    (body,) = [body for e in picture.columns[0].program.walk() for name, body in e.bodies if name == role]
    first = layer.__code__.co_firstlineno
    assert {(e.operation, e.line.number - first) for e in body.walk()} >= {("mul", 1), ("tanh", 2)}
    page = Page(picture.html())
    assert page.tags.count("details") >= 2 and any([role in text for text in page.text])
    assert f'label="{role}"' in picture.dot()


def test_rules_of_users_are_looked_into() -> None:
    (column,) = show(lambda x: doubled(x), x).columns
    ((role, body),) = column.program.equations[0].bodies
    assert "doubled" in role and [e.operation for e in body.equations] == ["add"]


def test_everything_of_users_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, object] = {"fx": fx, "__name__": "user"}
    source = 'def f(x):\n    return fx.sin(x)  # <script>alert("&")</script>\n'
    entry = (len(source), None, source.splitlines(keepends=True), "<b>.py")
    monkeypatch.setitem(linecache.cache, "<b>.py", entry)
    exec(compile(source, "<b>.py", "exec"), space)
    f = space["f"]
    f.__name__ = f.__qualname__ = '<i>"&'  # type: ignore[attr-defined]
    picture = show(jit(f), x)  # type: ignore[arg-type]
    page = Page(picture.html())
    assert page.tags.count("script") == 1 and "b" not in page.tags[: page.tags.index("section")]
    assert 'return fx.sin(x)  # <script>alert("&")</script>' in "".join(page.text)
    assert "<b>.py" in page.text and any(['<i>"&' in text for text in page.text])
    assert 'digraph "jit(<i>\\"&)"' in picture.dot()


def long(x: fx.Array) -> fx.Array:
    for _ in range(100_000):
        x = fx.sin(x)
    return x


def test_long_programs_are_shortened_in_linear_time() -> None:
    program, began = make_jaxpr(long)(fx.asarray(1.0)), time.perf_counter()
    picture = show(program)
    html, text, dot = picture.html(), picture.text(), picture.dot()
    assert time.perf_counter() - began < 20
    assert len(html) < 2_000_000 and len(text) < 5000 and "… 99000 more equations" in dot
    assert "100000 eqns" in text and "… 99996 more equations" in text
    assert "… 99988 more equations" in "".join(Page(html).text)


def test_programs_and_their_figures() -> None:
    lowered = lower(loss, x)
    for stage in (make_jaxpr(loss)(x), trace(loss, x), lowered, lowered.compile()):
        picture = show(stage)
        assert [e.operation.partition("[")[0] for e in picture.columns[0].program.equations] == [
            "mul",
            "tanh",
            "reduce_sum",
        ]
        assert stage._repr_html_() == picture._repr_html_()
        Page(picture.html())
    assert (
        f"bytes accessed {lowered.compile().cost_analysis()['bytes accessed']:,.0f}" in show(lowered.compile()).notes[1]
    )


def test_text_has_colours_where_they_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    picture = show(vmap(grad(loss)), x)
    coloured = repr(picture)
    assert "\x1b[34m" in coloured and re.sub(r"\x1b\[\d+m", "", coloured) == picture.text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert repr(picture) == picture.text()


def test_what_notebooks_show_of_values() -> None:
    values = [fx.ones((2, 3)), Mesh({"a": 1}, ["cpu:0"]).sharding("a"), saved_residuals(loss, x)]
    pages = [Page(value._repr_html_()) for value in values]
    assert "float64[2,3]" in pages[0].text and "cpu:0" in pages[1].text and pages[2].tags.count("tr") >= 1
    Page(collectives(lower(loss, x))._repr_html_())
    seen: list[str] = []

    def f(x: fx.Array) -> fx.Array:
        assert x.owner is not None
        seen.append(x.owner._repr_html_())
        seen.append(x._repr_html_())
        return loss(x)

    vmap(grad(f), axis_name="lanes")(x)
    chain = "".join(Page(seen[0]).text)
    assert chain.index("Vmap") < chain.index("lanes=5") < chain.index("PartialEval") < chain.index("Jvp")
    assert "float64[3]" in Page(seen[1]).text


def test_a_page_is_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    picture = show(loss, x)
    picture.save(path)
    assert path.read_text() == picture.html() and picture.html().startswith("<!doctype html>")


def test_what_is_no_program_is_refused() -> None:
    with pytest.raises(ArgumentError, match="show: f must be a function or a program"):
        show(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="show: args must be nothing beside a program"):
        show(make_jaxpr(loss)(x), x)
    with pytest.raises(ConcretizationError, match="argument n of <lambda>"):
        show(vmap(lambda m, n: fx.zeros(n) + m, in_axes=(0, None)), x, 3)
    with pytest.raises(ArgumentError, match="path"):
        show(loss, x).save(3)  # type: ignore[arg-type]
