"""The layout of a gradient: the forward pass down the left side, the backward pass up the right.

The backward ops of a forward op are in the rows to its right, so the forward rows are as far apart as the
backward ops need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter

from lowering.explore.dataflow import Graph
from lowering.explore.layout import GraphLayout, Point, layers_of, place

BETWEEN = 2
"""The distance between the sides, in nodes."""


def place_sides(graph: Graph) -> GraphLayout:
    """Lay out the nodes and edges of a gradient's graph."""
    forward = sorted(set(range(len(graph.nodes))) - graph.back)
    left, right = _part(graph, forward), _part(graph, sorted(graph.back))
    levels = layers_of(left)
    last = max(levels, default=0)
    heights = {node: last - level for node, level in zip(forward, levels)}
    back = {node: i for i, node in enumerate(sorted(graph.back))}
    bands = {back[node]: band for node, band in _bands(graph, heights).items()}
    starts = _starts(right, bands, last + 1)
    upward = layers_of(right, {node: starts[band] for node, band in bands.items()})
    top = max(*upward, starts[-1])
    rows = {
        node: top - (starts[last - level] + starts[last - level + 1] - 1) // 2
        for node, level in enumerate(levels)
    }
    downward = layers_of(left, rows)
    down, up = place(left, downward), place(right, upward)
    wide = max((x for points in (down.nodes, *down.edges) for x, _ in points), default=0.0)

    def on_the_left(point: Point) -> Point:
        return point[0], point[1] + min(downward)

    def on_the_right(point: Point) -> Point:
        return point[0] + wide + BETWEEN, top - point[1] - min(upward)

    places: dict[int, Point] = {}
    curves: dict[tuple[int, int], list[Point]] = {}
    for nodes, part, found, move in (
        (forward, left, down, on_the_left),
        (sorted(graph.back), right, up, on_the_right),
    ):
        places |= dict(zip(nodes, map(move, found.nodes)))
        for (maker, user), points in zip(part.edges, found.edges):
            curves[nodes[maker], nodes[user]] = [*map(move, points)]
    highest = min(y for _, y in places.values())
    across = {(a, b): [places[a], places[b]] for a, b in graph.edges if (a, b) not in curves}
    return GraphLayout(
        [_moved(places[node], highest) for node in range(len(graph.nodes))],
        [[_moved(p, highest) for p in (curves | across)[edge]] for edge in graph.edges],
    )


def _moved(point: Point, up: float) -> Point:
    return point[0], point[1] - up


def _part(graph: Graph, nodes: Sequence[int]) -> Graph:
    """Return the graph of some nodes, numbered in their order."""
    number = {node: i for i, node in enumerate(nodes)}
    edges = [(number[a], number[b]) for a, b in graph.edges if a in number and b in number]
    return Graph(graph.name, [graph.nodes[node] for node in nodes], edges)


def _bands(graph: Graph, heights: Mapping[int, int]) -> dict[int, int]:
    """Return, for each backward op, the height of the forward op that it is drawn beside: not below the
    forward ops whose operands it reads, nor below its own operands."""
    lowest: dict[int, int] = {}
    for maker, user in graph.edges:
        if user in heights:
            lowest[maker] = min(heights[user], lowest.get(maker, heights[user]))
    operands: dict[int, list[int]] = {node: [] for node in graph.back}
    for maker, user in graph.edges:
        if user in graph.back:
            operands[user].append(maker)
    bands: dict[int, int] = {}
    for node in TopologicalSorter(operands).static_order():
        if node in graph.back and graph.nodes[node].kind != "input":
            read = (bands.get(n, lowest.get(n, heights.get(n, 0))) for n in operands[node])
            bands[node] = max(read, default=0)
    return bands


def _starts(right: Graph, bands: Mapping[int, int], count: int) -> list[int]:
    """Return the row, counted from below, in which each band begins, and the one after the last."""
    starts = [0]
    for band in range(count):
        within = layers_of(_part(right, [node for node, own in bands.items() if own == band]))
        starts.append(starts[-1] + max(1, max(within, default=0) - min(within, default=0) + 1))
    return starts
