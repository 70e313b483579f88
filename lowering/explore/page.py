"""The page: the template with the graphs as SVG and the rest as data for its script."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from lowering.explore.c_code import CodeSection
from lowering.explore.dataflow import DrawnNode, Graph
from lowering.explore.forward_backward_layout import place_sides
from lowering.explore.history import History
from lowering.explore.layout import GraphLayout, Point, place
from lowering.explore.machine_code import MachineCode
from lowering.explore.source_locations import SourceLocations
from lowering.memory.plan.report import MemoryReport
from relax_dialect import symbolic

LONGEST_LINE = 2000
"""Longer lines of the source are cut off."""


@dataclass(frozen=True)
class Exploration:
    """The contents of the page about a program."""

    title: str
    source: str
    graphs: Mapping[str, Sequence[Graph]]
    """The graphs of its functions, at several moments."""
    history: History
    pieces: Sequence[CodeSection]
    kernels: Collection[str]
    """The functions among them that an op is looked for in first."""
    seconds_of_c: float
    machine_code: MachineCode
    memory: MemoryReport
    weights: int
    places: SourceLocations


def page(program: Exploration) -> str:
    """Return the page as self-contained HTML."""
    parts = {
        "title": escape(program.title),
        "style": _file("page.css"),
        "graphs": "\n".join(
            _moment(i, *each, program.memory) for i, each in enumerate(program.graphs.items())
        ),
        "moments": "".join(f"<option>{escape(name)}</option>" for name in program.graphs),
        # no text in it can close the enclosing element
        "data": json.dumps(_data(program), separators=(",", ":")).replace("<", "\\u003c"),
        "script": _file("forms.js") + _file("graph.js"),
    }
    text = _file("page.html")
    before, *rest = text.split("{{")
    found = [before]
    for piece in rest:  # inserted text is not expanded again
        name, _, after = piece.partition("}}")
        found += [parts[name], after]
    return "".join(found)


def _file(name: str) -> str:
    return files("lowering.explore").joinpath(name).read_text("utf-8")


def _cut(line: str) -> str:
    """Truncate an overlong line of the source."""
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..."


def _moment(number: int, name: str, graphs: Sequence[Graph], memory: MemoryReport) -> str:
    drawn = "\n".join(
        f"<h3>@{escape(each.name)}</h3>\n{_kept(each, memory)}{svg(each, _layout(each))}"
        for each in graphs
    )
    hidden = " hidden" if number else ""
    return f'<div class="moment" data-moment="{escape(name, quote=True)}"{hidden}>\n{drawn}\n</div>'


def _layout(graph: Graph) -> GraphLayout:
    return place_sides(graph) if graph.back else place(graph)


def _kept(graph: Graph, memory: MemoryReport) -> str:
    """Describe the values that a gradient keeps from its forward to its backward pass."""
    if not graph.back:
        return ""
    known = [each.bytes for each in graph.kept if each.bytes is not None]
    unknown = len(graph.kept) - len(known)
    total = f"{memory.spelled(symbolic.total(known))} bytes" + (
        f" and {unknown} of unknown size" if unknown else ""
    )
    rows = "".join(
        f'<tr><td><button data-maker="{each.maker}">{escape(each.name)}</button></td>'
        f"<td>{escape(graph.nodes[each.maker].label)}</td>"
        f'<td class="size">{escape(memory.spelled(each.bytes))}</td></tr>'
        for each in graph.kept
    )
    count = f"{len(graph.kept)} value" + "s" * (len(graph.kept) != 1)
    return (
        f'<details class="kept"><summary>forward on the left, back on the right: {count} kept between '
        f"them, {escape(total)}</summary><table><thead><tr><th>value</th><th>made by</th>"
        f"<th>bytes</th></tr></thead><tbody>{rows}</tbody></table></details>\n"
    )


def _data(program: Exploration) -> dict[str, Any]:
    history, spelled = program.history, program.memory.spelled
    return {
        "source": "\n".join(map(_cut, program.source.split("\n"))),
        "places": program.places.all,
        "lines": list(history.lines),
        "texts": history.texts,
        "stages": [
            {
                "name": stage.name,
                "seconds": round(stage.seconds, 4),
                "ops": stage.ops,
                "lines": stage.lines,
                "functions": stage.functions,
                "changes": stage.changes,
            }
            for stage in history.stages
        ],
        "c": {
            "seconds": round(program.seconds_of_c, 4),
            "weights": program.weights,
            "compiler": vars(program.machine_code),
            "pieces": [
                [p.name, p.symbol, p.text, p.places, p.symbol in program.kernels]
                for p in program.pieces
            ],
        },
        "memory": [
            [f"@{f.name}", spelled(f.peak), spelled(f.lower_bound), ", ".join(f.unknown)]
            for f in program.memory.usage
        ],
    }


# A graph with its layout as SVG -----------------------------------------------------------------


COLUMN, ROW = 180, 80
WIDTH, HEIGHT = 160, 44
LETTERS = 24
"""The number of characters of a label that fit."""


def svg(graph: Graph, layout: GraphLayout) -> str:
    """Return the drawing of a function's graph."""
    points = [*layout.nodes, *(point for edge in layout.edges for point in edge)]
    wide = max((x for x, _ in points), default=0.0) * COLUMN + WIDTH + 20
    high = max((y for _, y in points), default=0.0) * ROW + HEIGHT + 20
    kept = {each.maker for each in graph.kept}
    edges: list[str] = []
    for (maker, user), edge in zip(graph.edges, layout.edges):
        is_across = user in graph.back and maker not in graph.back
        kind = ' class="across"' if is_across and maker in kept else ""
        curve = _across(*edge) if is_across else _curve(edge, up=maker in graph.back)
        edges.append(f'<path{kind} data-from="{maker}" data-to="{user}" d="{curve}"/>')
    nodes = (
        _node(i, node, at, " back" * (i in graph.back) + " kept" * (i in kept))
        for i, (node, at) in enumerate(zip(graph.nodes, layout.nodes))
    )
    name = escape(graph.name, quote=True)
    return (
        f'<svg role="group" aria-label="graph of @{name}" viewBox="-10 -10 {wide:.0f} {high:.0f}" '
        f'width="{wide:.0f}" height="{high:.0f}">\n'
        f'<g class="edges">{"".join(edges)}</g>\n' + "\n".join(nodes) + "\n</svg>"
    )


def _node(number: int, node: DrawnNode, at: Point, kinds: str) -> str:
    x, y = at[0] * COLUMN, at[1] * ROW
    places = " ".join(map(str, node.places))
    whole = escape(f"{node.label} : {node.type}" if node.type else node.label, quote=True)
    return (
        f'<g class="node {node.kind}{kinds}" role="button" tabindex="-1" data-node="{number}" '
        f'data-places="{places}" aria-label="{whole}" transform="translate({x:.0f} {y:.0f})">'
        f'<title>{whole}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{WIDTH // 2}" y="18">{escape(_short(node.label))}</text>'
        f'<text class="type" x="{WIDTH // 2}" y="35">{escape(_short(node.type))}</text></g>'
    )


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"


def _curve(points: Sequence[Point], *, up: bool) -> str:
    """Return a curve from the lower border of a node to the upper border of another one, straight within a
    layer that it passes; or upwards."""
    height = -HEIGHT if up else HEIGHT
    places = [(x * COLUMN + WIDTH / 2, y * ROW + HEIGHT * up) for x, y in points]
    x, y = places[0][0], places[0][1] + height
    drawn = [f"M{x:.0f} {y:.0f}"]
    for next_x, next_y in places[1:]:
        middle = (y + next_y) / 2
        drawn.append(f"C{x:.0f} {middle:.0f} {next_x:.0f} {middle:.0f} {next_x:.0f} {next_y:.0f}")
        x, y = next_x, next_y
        if (next_x, next_y) != places[-1]:
            y += height
            drawn.append(f"V{y:.0f}")
    return "".join(drawn)


def _across(maker: Point, user: Point) -> str:
    """Return a curve from the right border of a node to the left border of another one."""
    x, y = maker[0] * COLUMN + WIDTH, maker[1] * ROW + HEIGHT / 2
    end, level = user[0] * COLUMN, user[1] * ROW + HEIGHT / 2
    middle = (x + end) / 2
    return f"M{x:.0f} {y:.0f}C{middle:.0f} {y:.0f} {middle:.0f} {level:.0f} {end:.0f} {level:.0f}"
