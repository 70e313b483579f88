"""A graph with its layout as SVG: nodes that take the focus, edges as curves."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lowering.explore.dataflow import DrawnNode, Graph
from lowering.explore.layout import GraphLayout, Point

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
