"""The parameters of a partitioned function, by the pattern: the constants among them, and their order.

A constant matched by `is_constant` or `is_expr` belongs to the match; a constant matched by a wildcard,
or by nothing, is an input of it. The pattern is read from its inputs to its root, arguments from left to
right; values matched by no node, or by a node that matches many values, are in the order of evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl.search.aliases import source
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node


def embedded_constants(match: Match) -> set[SSAValue]:
    """Return the constants that a node for constants, or for a value itself, has matched."""
    asks = (nodes.ConstantNode, nodes.LiteralNode)
    return {source(value) for node, value in match.bound if isinstance(node, asks)}


Order = Callable[[Sequence[SSAValue], Sequence[Operation]], Sequence[SSAValue]]
"""Sorts the inputs of ops."""


def order_of_pattern(match: Match, ops: Sequence[Operation]) -> Order:
    """Return a function that sorts the inputs of a match, with these ops, in the order of its pattern.

    It uses operand positions, which remain valid when other matches are outlined meanwhile.
    """
    ranks = _ranks(match, {op: place for place, op in enumerate(ops)})
    last = len(ranks)
    places = {
        (op, index): ranks.get(source(operand), last)
        for op in ops
        for index, operand in enumerate(op.operands)
    }

    def order(values: Sequence[SSAValue], ops: Sequence[Operation]) -> Sequence[SSAValue]:
        best: dict[SSAValue, int] = {}
        for op in ops:
            for index, operand in enumerate(op.operands):
                place = places.get((op, index), last)
                best[operand] = min(place, best.get(operand, last))
        return sorted(values, key=lambda value: best.get(value, last))

    return order


def _ranks(match: Match, places: Mapping[Operation, int]) -> dict[SSAValue, int]:
    """Return the inputs of a match, numbered as its pattern meets them."""
    bound: dict[Node, list[SSAValue]] = {}
    for node, value in match.bound:
        bound.setdefault(node, []).append(source(value))
    found: dict[SSAValue, int] = {}

    def meet(values: Iterable[SSAValue]) -> None:
        for value in map(source, values):
            if value.owner not in places:
                found.setdefault(value, len(found))

    for node, whole in _from_inputs(match.pattern):
        inside = _bound_below(node, bound) if whole else bound.get(node, ())
        made = {v.op for v in inside if isinstance(v, OpResult) and v.op in places}
        for op in sorted(made, key=places.__getitem__):
            meet(op.operands)
        meet(inside)
    return found


def _bound_below(top: Node, bound: dict[Node, list[SSAValue]]) -> list[SSAValue]:
    return [value for node in nodes_of(top) for value in bound.get(node, ())]


def _from_inputs(root: Node) -> Iterable[tuple[Node, bool]]:
    """Yield the nodes in post-order, and whether a node represents all below it: a part matched often."""
    seen: set[Node] = set()
    work: list[tuple[Node, bool, bool]] = [(root, False, False)]
    while work:
        node, whole, left = work.pop()
        if left:
            yield node, whole
        elif node not in seen:
            seen.add(node)
            work.append((node, whole, True))
            if not whole:
                work.extend((part, often, False) for part, often in reversed(_parts(node)))


def _parts(node: Node) -> list[tuple[Node, bool]]:
    match node:
        case nodes.DominatesNode(parent, path, child):
            return [(parent, False), (path, True), (child, False)]
        case nodes.RepeatNode(base, _, wrapped):
            return [(base, False), (wrapped, True)]
        case nodes.UsedByNode(producer, consumer):
            return [(producer, False), (consumer, False)]
        case _:
            return [(part, False) for part in node.children()]
