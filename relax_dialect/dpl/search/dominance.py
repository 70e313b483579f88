"""The search for the parent of a `dominates`: up from the child through the path, and down again.

Going up from the child, through ops that match the path, every value met may be the parent, the
nearest first. Going down from it, every user must be an op of the path or the child: the ops visited are
the region between the two, which the child then post-dominates.

A path that is tied to nothing else matches an op the same for every parent and child. So the ops that lead
up to a parent, their users and the bindings of the path at them are memoized, and a region is bound in one
step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl.search.aliases import is_parameter, source, users
from relax_dialect.dpl.search.matcher import (
    Answer,
    FunctionGoal,
    Goal,
    Machine,
    RepetitionFrame,
    Ways,
)
from relax_dialect.dpl.search.satisfiability import PARAMETER, root_kinds
from relax_dialect.dpl.syntax.nodes import DominatesNode, Node
from relax_dialect.ops.core import ConstantOp


def ways_of_dominance(
    machine: Machine, node: DominatesNode, child: SSAValue, frame: RepetitionFrame | None
) -> Iterator[Sequence[Goal]]:
    """For each value that may be the parent: match it, then the region between it and the child."""
    if not isinstance(child, OpResult):
        return
    kinds = root_kinds(node.parent)
    ups: dict[Operation, Sequence[_Operand]] = {}
    if node.path in machine.analysis.untied:
        ups = machine.memo.setdefault(("operands", node), ups)
    ops: set[Operation] = {child.op}
    values: set[SSAValue] = set()
    level = [child.op]
    while level:
        above: list[Operation] = []
        for op in level:
            if op is child.op:
                operands = _operands(op, kinds)
            elif (operands := ups.get(op)) is None:
                leads_up = _leads_up(machine, node, op, kinds, frame)
                operands = ups[op] = _operands(op, kinds) if leads_up else ()
            machine.count(1)
            for operand, value, may_be_parent, above_it in operands:
                if may_be_parent and value not in values:
                    values.add(value)
                    region = FunctionGoal(
                        lambda machine, v=value: _region(machine, node, v, child.op, frame)
                    )
                    yield ((node.parent, operand, frame), (region, None, None))
                if above_it is not None and above_it not in ops:
                    ops.add(above_it)
                    above.append(above_it)
        level = above


_Operand = tuple[SSAValue, SSAValue, bool, Operation | None]


def _operands(op: Operation, kinds: frozenset[str] | None) -> Sequence[_Operand]:
    """Return each operand, the value it aliases, whether that may be the parent, and the defining op."""
    found: list[_Operand] = []
    for operand in op.operands:
        value = source(operand)
        made_by = value.op if isinstance(value, OpResult) else None
        found.append((operand, value, kinds is None or _kind(value) in kinds, made_by))
    return found


def _kind(value: SSAValue) -> str:
    return value.op.name if isinstance(value, OpResult) else PARAMETER


def _leads_up(
    machine: Machine,
    node: DominatesNode,
    op: Operation,
    kinds: frozenset[str] | None,
    frame: RepetitionFrame | None,
) -> bool:
    """Return whether an op is of the path and the path leads on from it to an op of the parent's kind.

    The result for one child holds for all, unless the path is tied to the rest of the match.
    """
    if kinds is None or node.path not in machine.analysis.untied:
        return _may_match(machine, node.path, op, RepetitionFrame(node, 0, frame))
    known: dict[Operation, bool] = machine.memo.pop(("up", node), {})  # lost if the limit is met
    stack: list[tuple[Operation, Iterator[SSAValue]]] = []

    def enter(op: Operation) -> None:
        machine.count(1)
        known[op] = False
        if _may_match(machine, node.path, op, RepetitionFrame(node, 0, frame)):
            stack.append((op, iter(op.operands)))

    if op not in known:
        enter(op)
    while stack:
        current, operands = stack[-1]
        operand = next(operands, None)
        if operand is None:
            stack.pop()
            continue
        value = source(operand)
        if _kind(value) in kinds:
            known[current] = True
        elif isinstance(value, OpResult):
            if value.op not in known:
                enter(value.op)
                if stack[-1][0] is not current:
                    stack[-2] = (current, chain((operand,), operands))  # retry when it is known
                    continue
            known[current] = known[current] or known[value.op]
        if known[current]:
            stack.pop()
    machine.memo["up", node] = known
    return known[op]


def _may_match(machine: Machine, path: Node, op: Operation, frame: RepetitionFrame) -> bool:
    """Return whether an op may be of the path; dependences on the rest of the match are checked in the
    end."""
    return path in machine.analysis.looks or machine.holds(path, op.results[0], frame)


def _region(
    machine: Machine,
    node: DominatesNode,
    parent: SSAValue,
    child: Operation,
    frame: RepetitionFrame | None,
) -> Ways:
    """Return the goals for the ops between parent and child; no way where a user leads elsewhere."""
    further: dict[Operation, _Further] = {}
    if untied := node.path in machine.analysis.untied:
        further = machine.memo.setdefault(("down", node), further)
    between: dict[Operation, Answer] = {}
    work = [_users(parent.op.results if isinstance(parent, OpResult) else [parent])]
    while work:
        found = work.pop()
        machine.count(len(found))
        if not found:
            return ()
        for op in found:
            if op is child or op in between:
                continue
            if (known := further.get(op)) is None:
                known = further[op] = _further(machine, node, op, frame)
            onward, answer = known
            if answer is None:
                return ()
            between[op] = answer
            work.append(onward)
    if node.side_inputs is not True:
        inside = {parent.owner} if isinstance(parent, OpResult) else set()
        inside.update(between)
        for op in (*between, child):
            for operand in op.operands:
                value = source(operand)
                if value is parent or value.owner in inside:
                    continue
                if not (node.side_inputs == "leaves" and _is_leaf(value)):
                    return ()
    if untied:
        machine.trail.append(list(between.values()))
        return ((),)
    goals: list[Goal] = []
    for number, op in enumerate(between):
        goals.append((node.path, op.results[0], RepetitionFrame(node, number, frame)))
    return (goals,)


def _is_leaf(value: SSAValue) -> bool:
    """Return whether a value is a parameter or a constant, which is computed from nothing."""
    return is_parameter(value) or isinstance(value.owner, ConstantOp)


_Further = tuple[Sequence[Operation], Answer | None]


def _further(
    machine: Machine, node: DominatesNode, op: Operation, frame: RepetitionFrame | None
) -> _Further:
    """Return the users of an op, and the match of the path at it: None if it is not of the path."""
    if not op.results:
        return (), None
    answer: Answer | None = []
    if node.path not in machine.analysis.looks:
        answer = machine.answer(node.path, op.results[0], RepetitionFrame(node, 0, frame))
    return () if answer is None else _users(op.results), answer


def _users(values: Sequence[SSAValue]) -> Sequence[Operation]:
    return [user for value in values for user in users(value)]
