"""Where the nodes of a graph are evaluated: the least common ancestor of their uses.

An `if` evaluates at most one branch, once, so a node that is evaluated on demand may be kept in the
region where it stands: whether a branch needs it shows when the branch asks. Only the body of a
closure is evaluated anew at each call. A node is therefore kept in the body of the innermost closure
that all its uses share, and where that closure is around the node already, in its own region.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.order import CycleError, topological_order
from relax_dialect.traits import DefersEffects, Straight, SymbolsEscape, has_trait, region_is_graph


@dataclass
class Places:
    """How a graph and the graph regions in it are evaluated."""

    pinned: dict[Block, list[Operation]] = field(default_factory=dict)
    """For every graph region what is evaluated on entering it, in this order."""
    moved: dict[Operation, Block] = field(default_factory=dict)
    """The nodes that are kept in the body of a closure further in, and that body."""

    def home(self, op: Operation) -> Block | None:
        """The region in whose evaluation a node is kept."""
        return self.moved.get(op, op.parent)


class _Level:
    """The body of a closure, or of the graph, in the tree of these; `jump` skips ancestors."""

    def __init__(self, block: Block, parent: _Level | None = None):
        self.block = block
        self.parent: _Level = parent or self
        self.depth = 0 if parent is None else parent.depth + 1
        self.jump: _Level = self
        if parent is not None:
            far = parent.depth - parent.jump.depth == parent.jump.depth - parent.jump.jump.depth
            self.jump = parent.jump.jump if far else parent

    def common(self, other: _Level) -> _Level:
        """The least common ancestor of two, in logarithmic time."""
        a, b = (self, other) if self.depth >= other.depth else (other, self)
        while a.depth > b.depth:
            a = a.jump if a.jump.depth >= b.depth else a.parent
        while a is not b:
            a, b = (a.jump, b.jump) if a.jump is not b.jump else (a.parent, b.parent)
        return a


def is_pinned(op: Operation) -> bool:
    """Whether a node of a graph has its place where it stands: lets, and checks of sizes.

    A check may be in a block inside, which passes out the variables that it defines.
    """
    stack = [op]
    while stack:
        current = stack.pop()
        if isinstance(current, MatchOp) or (current is op and isinstance(op, LetOp)):
            return True
        if has_trait(current, SymbolsEscape):
            stack.extend(current.regions[0].block.ops)
    return False


def ordered_graph(block: Block) -> list[Operation]:
    """The ops of a graph region in an order in which they can be evaluated."""
    try:
        return topological_order(block)
    except CycleError as cycle:
        raise RelaxError(f"expected a graph without cycles, found {cycle}") from None


def find_places(graph: Block) -> Places:
    """The places of all nodes of a graph, those of nested graph regions included.

    Users come first: a closure that is itself used further in takes what only it needs along.
    """
    found = Places()
    levels: dict[Operation, _Level] = {}

    def users_first(blocks: Iterable[Block], level: _Level, is_graph: bool) -> Iterator[_Visit]:
        for block in blocks:
            order = ordered_graph(block) if is_graph else list(block.ops)
            if is_graph:
                found.pinned[block] = [op for op in order if is_pinned(op)]
            for op in reversed(order):
                yield op, level, is_graph

    stack = [users_first([graph], _Level(graph), True)]
    while stack:
        visit = next(stack[-1], None)
        if visit is None:
            stack.pop()
            continue
        op, level, is_graph = visit
        place = level
        if is_graph and not (has_trait(op, IsTerminator) or is_pinned(op)):
            uses = [levels[use.operation] for result in op.results for use in result.uses]
            if uses:
                place = uses[0]
                for use in uses[1:]:
                    place = place.common(use)
        levels[op] = place
        if place is not level:
            found.moved[op] = place.block
        for region in op.regions:
            if region.first_block is None:
                continue
            inner = place
            if is_graph and has_trait(op, DefersEffects):
                inner = _Level(region.first_block, place)
            nested_is_graph = region_is_graph(op, is_graph) and not has_trait(op, Straight)
            stack.append(users_first(region.blocks, inner, nested_is_graph))
    return found


_Visit = tuple[Operation, _Level, bool]

__all__ = ["Places", "find_places", "ordered_graph"]
