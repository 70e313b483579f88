"""Removal of redundant lets from a graph.

A let pins its operand to its own region. It is redundant unless the operand is evaluated in that region and
some use of the let is nested deeper: if the operand has uses outside, these decide; without a deeper use
nothing could sink. Of several lets of one value in one region the first is kept. The removal changes the
scope of no node, so the scopes are computed once. A let that widens a type stays.
"""

from __future__ import annotations

from xdsl.ir import OpResult, SSAValue

from relax_dialect.normal_forms.flat import TO_GRAPHS, Flat, flatten, is_variable
from relax_dialect.normal_forms.lca_scopes import find_places
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.transform.regions import erase, keep_name, replace_uses


def dissolve_needless_lets(graph: GraphOp) -> bool:
    """Remove redundant lets, keeping the order of the rest; return whether there was any."""
    flat = flatten(graph.body.block, TO_GRAPHS, graph)
    lets = [op for op in flat.ops if isinstance(op, LetOp)]
    replaced = _ends(_replaced(flat, lets)) if lets else {}
    needless = [let for let in lets if let.result in replaced]
    for let in needless:
        keep_name(replaced[let.result], let.result)
    replace_uses(replaced)
    for let in needless:
        erase(let)
    return bool(needless)


def _replaced(flat: Flat, lets: list[LetOp]) -> dict[SSAValue, SSAValue]:
    """Return the replacements of the redundant lets among `lets`."""
    places = find_places(flat)
    nodes: dict[LetOp, SSAValue] = {let: flat.resolve(let.value) for let in lets}
    starts = _ends({let.result: node for let, node in nodes.items() if node.owner in nodes})
    pinning: set[SSAValue] = set()
    for user, place in places.items():
        for value, producer in flat.uses(user):
            if isinstance(producer, LetOp):
                start = starts.get(value, value)
                if places[start.owner] is not place:  # pyright: ignore[reportArgumentType]
                    pinning.add(start)
    for op in flat.opaque:
        pinning.update(starts.get(value, value) for value, _ in flat.captures(op))
    replaced: dict[SSAValue, SSAValue] = {}
    kept: dict[SSAValue, SSAValue] = {}
    for let, value in nodes.items():
        node = value.op if isinstance(value, OpResult) else None
        found = let.value
        if let.result in pinning and node is not None and not is_variable(node):
            pins = let in places and places[let] is places.get(node)
            found = kept.setdefault(value, let.result) if pins else found
        if found is not let.result and found.type == let.result.type:
            replaced[let.result] = found
    return replaced


def _ends(steps: dict[SSAValue, SSAValue]) -> dict[SSAValue, SSAValue]:
    """Return each value with the one at the end of the steps from it."""
    ends: dict[SSAValue, SSAValue] = {}
    for start in steps:
        passed: list[SSAValue] = []
        while start in steps and start not in ends:
            passed.append(start)
            start = steps[start]
        ends.update(dict.fromkeys(passed, ends.get(start, start)))
    return ends
