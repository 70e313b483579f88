"""Which nodes of a pattern dominate others: all ways from the root to these go through them.

A part is tied to nothing outside it if and only if its top dominates all nodes below it. That is so if
the immediate dominator of none of them lies above the top.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from relax_dialect.dpl.syntax.nodes import Node

FREE = 1 << 60
TIED = -1


def dominator_depths(
    order: Sequence[Node], edges: Mapping[Node, Sequence[Node]], tops: Set[Node]
) -> tuple[dict[Node, int], dict[Node, int]]:
    """For each node the depth in the tree of dominators of its immediate dominator, and its own.

    `order` has children first. `tops` are taken for roots, as is the last node of the order. The time
    is O(n log n): ways up the tree are shortened by jump pointers.
    """
    parents: dict[Node, list[Node]] = {node: [] for node in order}
    for node, children in edges.items():
        for child in children:
            if child not in tops:
                parents[child].append(node)
    tree = _Tree()
    number: dict[Node, int] = {}
    above: dict[Node, int] = {}
    for node in reversed(order):
        immediate = 0
        for place, parent in enumerate(parents[node]):
            found = number[parent]
            immediate = found if place == 0 else tree.common(immediate, found)
        above[node] = tree.depth[immediate]
        number[node] = tree.add(immediate)
    return above, {node: tree.depth[i] for node, i in number.items()}


class _Tree:
    """A tree that grows at its leaves; 0 is its root."""

    def __init__(self) -> None:
        self.depth, self.up, self.jump = [0], [0], [0]

    def add(self, parent: int) -> int:
        far = self.jump[parent]
        regular = (
            self.depth[parent] - self.depth[far] == self.depth[far] - self.depth[self.jump[far]]
        )
        self.depth.append(self.depth[parent] + 1)
        self.up.append(parent)
        self.jump.append(self.jump[far] if regular else parent)
        return len(self.up) - 1

    def common(self, a: int, b: int) -> int:
        """Return the lowest node above both."""
        depth, up, jump = self.depth, self.up, self.jump
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = jump[a] if depth[jump[a]] >= depth[b] else up[a]
        while a != b:
            if jump[a] != jump[b]:
                a, b = jump[a], jump[b]
            else:
                a, b = up[a], up[b]
        return a
