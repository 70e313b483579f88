"""The page: the template with the graphs as SVG and the rest as data for its script."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from lowering.explore.c_code import CodeSection
from lowering.explore.dataflow import Graph
from lowering.explore.drawing import svg
from lowering.explore.forward_backward_layout import place_sides
from lowering.explore.history import History
from lowering.explore.layout import GraphLayout, place
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
