"""A program as a graph in the language of Graphviz: equations are nodes, values are edges, bodies are boxes."""

from __future__ import annotations

from collections.abc import Iterator

from effects.arguments import counted
from lowering.showing.equations import Program, Value


def dot(title: str, program: Program) -> str:
    """The graph of a program; equations that are left out are one node, with their number."""
    lines = [f"digraph {_quoted(title)} {{", "  rankdir=TB; node [shape=box, style=rounded, fontname=monospace];"]
    return "\n".join([*lines, *_body(program, "p", {}), "}"])


def _body(program: Program, prefix: str, nodes: dict[str, str]) -> Iterator[str]:
    """The lines of a program; `nodes` has the node that each value comes from, by its name."""
    for value in program.inputs:
        nodes[value.name] = f"{prefix}_{value.name}"
        yield f"  {nodes[value.name]} [label={_quoted(f'{value.name}: {value.type}')}, shape=ellipse];"
    for equation in program.equations:
        node = f"{prefix}_{equation.number}"
        label = f"{equation.operation}\n{', '.join([out.type for out in equation.outs])}"
        yield f"  {node} [label={_quoted(label)}];"
        yield from _edges(equation.operands, node, nodes)
        for number, (role, body) in enumerate(equation.bodies):
            yield f"  subgraph cluster_{node}_{number} {{ label={_quoted(role)}; style=dashed;"
            yield from _body(body, f"{node}_{number}", nodes)
            yield "  }"
        for out in equation.outs:
            nodes[out.name] = node
    if program.left_out:
        yield f"  {prefix}_more [label={_quoted('… ' + counted(program.left_out, 'more equation'))}, shape=plain];"
    yield f"  {prefix}_out [label=out, shape=ellipse];"
    yield from _edges(program.outputs, f"{prefix}_out", nodes)


def _edges(values: tuple[Value, ...], node: str, nodes: dict[str, str]) -> Iterator[str]:
    for value in values:
        if value.name in nodes and not value.literal:
            yield f"  {nodes[value.name]} -> {node} [label={_quoted(value.name)}];"


def _quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
