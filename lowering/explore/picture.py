"""A function or block of the graph as an SVG picture, for notebooks."""

from __future__ import annotations

from html import escape

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering.explore.dataflow import Drawing, DrawnNode, Graph, functions
from lowering.explore.layout import GraphLayout, Point, place
from lowering.explore.source_locations import SourceLocations
from relax_dialect.errors import RelaxError
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp

WIDTH, HEIGHT = 210, 74
"""The distance of nodes, in pixels."""

BOX = (186, 40)
MOST_NODES = 200
"""Larger graphs have no picture; `relax-explore` shows them."""

FILLS = {"op": "#eef4fb", "call": "#eef4fb", "input": "#f3f3f3", "result": "#eaf6ea"}
LONGEST = 26


def picture(op: Operation) -> str | None:
    """Draw a function, that of a block, or that of a module with one; None for others."""
    if isinstance(op, BlockOp):
        op = op.parent_op() or op
    if isinstance(op, ModuleOp) and len(found := list(functions(op))) == 1:
        (op,) = found
    if not isinstance(op, FuncOp):
        return None
    graph = Drawing(op, SourceLocations(op)).finished()
    if not 0 < len(graph.nodes) <= MOST_NODES:
        return None
    try:
        return svg(graph, place(graph))
    except RelaxError:  # igraph is not installed
        return None


def svg(graph: Graph, layout: GraphLayout) -> str:
    """Return the nodes and edges of a graph as SVG."""
    width = max((x for x, _ in layout.nodes), default=0) + 1
    height = max((y for _, y in layout.nodes), default=0) + 1
    lines = [_edge(points) for points in layout.edges]
    boxes = [_node(node, point) for node, point in zip(graph.nodes, layout.nodes)]
    size = f'width="{width * WIDTH:.0f}" height="{height * HEIGHT:.0f}"'
    style = 'font-family="sans-serif" font-size="12" text-anchor="middle"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *lines, *boxes, "</svg>"]
    )


def _middle(point: Point) -> Point:
    return (point[0] + 0.5) * WIDTH, (point[1] + 0.5) * HEIGHT


def _edge(points: list[Point]) -> str:
    found = list(map(_middle, points))
    found[0] = found[0][0], found[0][1] + BOX[1] / 2
    found[-1] = found[-1][0], found[-1][1] - BOX[1] / 2
    path = " ".join(f"{x:.0f},{y:.0f}" for x, y in found)
    return f'<polyline points="{path}" fill="none" stroke="#999"/>'


def _node(node: DrawnNode, point: Point) -> str:
    (x, y), (width, height) = _middle(point), BOX
    corner = f'x="{x - width / 2:.0f}" y="{y - height / 2:.0f}"'
    paint = f'rx="6" fill="{FILLS[node.kind]}" stroke="#999"'
    box = f'<rect {corner} width="{width}" height="{height}" {paint}/>'
    label = f'<text x="{x:.0f}" y="{y - 4:.0f}">{_short(node.label)}</text>'
    type = f'<text x="{x:.0f}" y="{y + 12:.0f}" font-size="10">{_short(node.type)}</text>'
    return f"<g><title>{escape(f'{node.label}: {node.type}')}</title>{box}{label}{type}</g>"


def _short(text: str) -> str:
    return escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
