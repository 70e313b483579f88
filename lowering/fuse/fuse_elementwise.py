"""relax-fuse-elementwise: elementwise chains, epilogues and the operands of reductions -> one prim func.

    %0 = relax.call_tir @matmul(%x, %w) : ...
    %1 = relax.call_tir @add(%0, %b) : ...
    %2 = relax.call_tir @relu(%1) : ...
    ->
    %2 = relax.call_tir @matmul_add_relu(%x, %w, %b) : ...

In the prim func the elementwise stages become one `linalg.generic`; the contraction stays a stage of its
own before it, so that a schedule can tile both at the same offsets. The operand of a sum, or another
reduction, is computed as it is read, and never materialized:

    %0 = relax.call_tir @multiply(%x, %y) : ...
    %1 = relax.call_tir @sum(%0) : ...
    ->
    %1 = relax.call_tir @multiply_sum(%x, %y) : ...

A call joins the group of its users when all of them are in the group and read each of its elements once, so
the group has one result and nothing is computed twice. The calls of a group that have checks have the same
source location (`relax.place`), as their messages state it. Groups lie within a block: a value that leaves
its block is needed there as a whole.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass

from lowering.fuse.fused_functions import Fusion
from lowering.fuse.members import Member, Members, are_of_one_place
from lowering.fuse.view_rows import view_rows
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import bodies

MAX_MEMBERS = 64
"""A group grows no larger: the loops of a kernel are to fit into registers and caches."""


def groups(order: Sequence[Operation], candidates: Members) -> Iterator[list[Member]]:
    """Yield the groups of two and more calls that become one, members in the order of evaluation."""
    place = {op: index for index, op in enumerate(order)}
    members: dict[Operation, Member] = {
        op: member
        for op in order
        if isinstance(op, CallTirOp) and (member := candidates.member(op)) is not None
    }
    taken: set[Operation] = set()
    for op in reversed(order):
        member = members.get(op)
        if member is None or op in taken:
            continue
        if not member.callee.elementwise and not member.callee.takes_prologue:
            continue
        group = _grow(member, members, place, taken)
        taken.update(group)
        if len(group) > 1:
            yield [members[o] for o in sorted(group, key=place.__getitem__)]


def _grow(
    root: Member,
    members: dict[Operation, Member],
    place: dict[Operation, int],
    taken: set[Operation],
) -> set[Operation]:
    """Take in producers, the latest first, so that all users of one are decided before it is."""
    group: set[Operation] = {root.call}
    anchor = None if root.callee.elementwise else root.call
    prologue: set[Operation] = set()
    seen: set[Operation] = set()
    pending: list[tuple[int, Operation]] = []

    def offer(member: Member) -> None:
        for value in member.call.args:
            if isinstance(value, OpResult) and value.op in place and value.op not in seen:
                seen.add(value.op)
                heapq.heappush(pending, (-place[value.op], value.op))

    def reduced(op: Operation) -> bool:
        """Return whether an op is read by the anchor, or by an op of its prologue."""
        users = {use.operation for use in op.results[0].uses}
        return anchor in users or not prologue.isdisjoint(users)

    offer(root)
    while pending and len(group) < MAX_MEMBERS:
        _, op = heapq.heappop(pending)
        candidate = members.get(op)
        if candidate is None or op in taken:
            continue
        if not candidate.callee.elementwise and anchor is not None:
            continue
        if not are_of_one_place([op, *group]):
            continue
        if not _joins(candidate, group, members):
            continue
        if reduced(op):
            if not candidate.callee.is_in_order:
                continue
            prologue.add(op)
        group.add(op)
        if not candidate.callee.elementwise:
            anchor = op
        if candidate.callee.elementwise or candidate.callee.takes_prologue:
            offer(candidate)
    return group


def _joins(candidate: Member, group: set[Operation], members: dict[Operation, Member]) -> bool:
    """Return whether all users are in the group and read every element once, an anchor's in its order."""
    for use in candidate.call.results[0].uses:
        user = use.operation
        if user not in group:
            return False
        callee = members[user].callee
        if not callee.elementwise:
            if not candidate.callee.elementwise or not callee.reduces[use.index]:
                return False
            continue
        for order in callee.reads[use.index]:
            if order is None:
                return False
            if not candidate.callee.elementwise and order != tuple(range(len(order))):
                return False
    return True


def fuse_elementwise(module: ModuleOp) -> None:
    """Fuse calls of prim funcs in every block of the module's relax.funcs."""
    fusion = Fusion(module)
    for prim_func in fusion.symbols.values():
        if isinstance(prim_func, func.FuncOp) and len(prim_func.body.blocks) == 1:
            view_rows(prim_func)
    candidates = Members(fusion.symbols)
    for function in [op for op in module.body.block.ops if isinstance(op, FuncOp)]:
        for body in bodies(function):
            for group in list(groups(body.ops(), candidates)):
                fusion.fuse(group)
    remove_unused_functions(module, fusion.replaced)


class FuseElementwisePass(ModulePass):
    """Fuse elementwise chains and epilogues, see the module docstring."""

    name = "relax-fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fuse_elementwise(op)
