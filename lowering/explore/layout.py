"""The layout of a graph: layers from top to bottom, by igraph's Sugiyama layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lowering.explore.dataflow import Graph
from relax_dialect.errors import RelaxError

SWEEPS = 20
"""The maximum number of sweeps that reduce crossings."""

Point = tuple[float, float]


@dataclass(frozen=True)
class GraphLayout:
    """Points in units of a node: of each node, and along each edge."""

    nodes: list[Point]
    edges: list[list[Point]]


def place(graph: Graph, layers: Sequence[int] | None = None) -> GraphLayout:
    """Lay out the nodes and edges of a graph, in the layers passed or those of `layers_of`."""
    drawn: Any = library().Graph(len(graph.nodes), graph.edges, directed=True)
    chosen = list(layers_of(graph) if layers is None else layers)
    found = drawn.layout_sugiyama(layers=chosen, maxiter=SWEEPS)
    coords = _apart(found.coords)
    bent = [x for bends in found.edge_routing for x, _ in bends]
    left = min((*(x for x, _ in coords), *bent), default=0.0)
    top = min((y for _, y in coords), default=0.0)
    nodes = [(x - left, y - top) for x, y in coords]
    edges: list[list[Point]] = []
    for (maker, user), bends in zip(graph.edges, found.edge_routing):
        edges.append([nodes[maker], *((x - left, y - top) for x, y in bends), nodes[user]])
    return GraphLayout(nodes, edges)


def _apart(coords: Sequence[Sequence[float]]) -> list[Point]:
    """Move nodes of a row at least one apart: igraph lets nodes of large graphs overlap."""
    apart: list[Point] = [(0.0, 0.0)] * len(coords)
    ends: dict[float, float] = {}
    for node in sorted(range(len(coords)), key=lambda each: tuple(coords[each])):
        x, y = coords[node]
        apart[node] = max(x, ends.get(y, x)), y
        ends[y] = apart[node][0] + 1
    return apart


def layers_of(graph: Graph, least: Mapping[int, int] = {}) -> list[int]:
    """Return the layer of each node: one below its lowest operand, at least `least`; inputs are right above
    their first user."""
    drawn: Any = library().Graph(len(graph.nodes), graph.edges, directed=True)
    layers = [0] * len(graph.nodes)
    for node in drawn.topological_sorting():
        below = max((layers[n] + 1 for n in drawn.predecessors(node)), default=1)
        layers[node] = max(below, least.get(node, below))
    for node, drawn_node in enumerate(graph.nodes):
        if drawn_node.kind == "input" and not drawn.predecessors(node):
            layers[node] = min((layers[n] for n in drawn.successors(node)), default=1) - 1
    return layers


def library() -> Any:
    """Import the package igraph. Raises `RelaxError` if it is not installed."""
    try:
        return import_module("igraph")
    except ModuleNotFoundError as error:
        if error.name != "igraph":
            raise
        raise RelaxError(
            "relax-explore: expected the package igraph, which lays out graphs, found none; install it "
            "with pip install 'relax-xdsl[explore]'"
        ) from None
