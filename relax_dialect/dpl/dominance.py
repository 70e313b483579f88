"""The search for the parent of a `dominates`: up from the child through the path, and down again.

Going up from the child, through ops that match the path, every value met may be the parent, the
nearest first. Going down from it, every user must be an op of the path or the child: what is met on the
way is the region between the two, which the child then post-dominates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl.machine import Check, Frame, Goal, Machine, Ways
from relax_dialect.dpl.patterns import Dominates, Pattern
from relax_dialect.dpl.view import source, users


def ways_of_dominance(
    machine: Machine, node: Dominates, child: SSAValue, frame: Frame | None
) -> Iterator[Sequence[Goal]]:
    """For each value that may be the parent: match it, then the region between it and the child."""
    if not isinstance(child, OpResult):
        return
    path = node.path
    ops: set[Operation] = {child.op}
    values: set[SSAValue] = set()
    level = [child.op]
    while level:
        above: list[Operation] = []
        for op in level:
            machine.count(1)
            for operand in op.operands:
                value = source(operand)
                if value in values:
                    continue
                values.add(value)
                region = Check(lambda machine, v=value: _region(machine, node, v, child.op, frame))
                yield ((node.parent, operand, frame), (region, None, None))
                if isinstance(value, OpResult) and value.op not in ops:
                    ops.add(value.op)
                    if _may_match(machine, path, value.op, Frame(node, 0, frame)):
                        above.append(value.op)
        level = above


def _may_match(machine: Machine, path: Pattern, op: Operation, frame: Frame) -> bool:
    """Whether an op may be of the path; what depends on the rest of the match is asked in the end."""
    return path in machine.analysis.looks or machine.holds(path, op.results[0], frame)


def _region(
    machine: Machine, node: Dominates, parent: SSAValue, child: Operation, frame: Frame | None
) -> Ways:
    """The goals for the ops between parent and child; no way where a user leads elsewhere."""
    between: dict[Operation, None] = {}
    work: list[Sequence[SSAValue]] = [
        parent.op.results if isinstance(parent, OpResult) else [parent]
    ]
    while work:
        leads_on = False
        for op in (op for value in work.pop() for op in users(value)):
            machine.count(1)
            leads_on = True
            if op is child or op in between:
                continue
            if not op.results or not _may_match(machine, node.path, op, Frame(node, 0, frame)):
                return ()
            between[op] = None
            work.append(op.results)
        if not leads_on:
            return ()
    if not node.side_inputs:
        inside = {parent.owner} if isinstance(parent, OpResult) else set()
        inside.update(between)
        for op in (*between, child):
            for operand in op.operands:
                value = source(operand)
                if value is not parent and value.owner not in inside:
                    return ()
    goals: list[Goal] = []
    for number, op in enumerate(between):
        goals.append((node.path, op.results[0], Frame(node, number, frame)))
    return (goals,)


__all__ = ["ways_of_dominance"]
