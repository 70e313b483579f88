"""relax-fuse-siblings: elementwise calls that read the same tensors become one call with several results.

    %a = relax.call_tir @multiply(%g, %w) : ...
    %b = relax.call_tir @multiply_add(%g, %y, %s) : ...
    ->
    %a, %b = relax.call_tir @multiply_multiply_add(%g, %w, %y, %s) : ...

Each element is read once for all of them; a value passed between them stays in a register, and is a result
only if it has other uses. A call joins an earlier one that reads or makes a tensor which it reads too, in
the order of the results, which have one type. The earlier computation then moves to the last call: no op
between the two may use it, and it may not extend the live range of more memory than it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from lowering.fuse.fused_functions import Fusion
from lowering.fuse.members import Callee, Member, Members, are_of_one_place
from lowering.fuse.merge_generics import is_elementwise
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.signature import SCHEDULE
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import bodies

MAX_ARRAYS = 12
"""The tensors that a loop walks along: of more the pointers have no registers."""

_IN_VECTORS = {"add", "sub", "mul", "div", "neg", "maximum", "minimum"}
"""The operations on floats that are computed in vectors next to functions such as tanh."""


@dataclass(eq=False)
class SiblingGroup:
    """Calls that become one, in the order of evaluation."""

    members: list[Member] = field(default_factory=list)

    @property
    def calls(self) -> Sequence[CallTirOp]:
        return [member.call for member in self.members]


def is_pointwise(callee: Callee) -> bool:
    """Return whether a prim func is one loop that makes a float at each point, beside scalars and
    checks."""
    function = callee.function
    block = function.body.block
    loops = [op for op in block.ops if isinstance(op, GenericOp) and op.iterator_types.data]
    end = block.last_op
    if len(loops) != 1 or end is None or SCHEDULE in function.attributes:
        return False
    (made,) = end.operands
    return (
        is_elementwise(loops[0])
        and made is loops[0].results[0]
        and isinstance(getattr(made.type, "element_type", None), Float32Type | Float64Type)
        and all(isinstance(op, GenericOp) for op in block.ops if op.regions)
    )


class Siblings:
    """The groups of one block."""

    def __init__(self, order: Sequence[Operation], candidates: Members):
        self.order, self.groups = order, list[SiblingGroup]()
        self.place = {op: index for index, op in enumerate(order)}
        self.uses: dict[SSAValue, Sequence[int]] = {}
        latest: dict[SSAValue, SiblingGroup] = {}
        for op in order:
            member = candidates.member(op) if isinstance(op, CallTirOp) else None
            if member is None or not is_pointwise(member.callee):
                continue
            own = [*_walked(member), *member.call.results]
            found = [g for v in own if (g := latest.get(v)) and self._joins(member, g)]
            group = max(found, key=self._end, default=SiblingGroup())
            group.members.append(member)
            if len(group.members) == 1:
                self.groups.append(group)
            latest.update(dict.fromkeys(own, group))

    def _end(self, group: SiblingGroup) -> int:
        return self.place[group.calls[-1]]

    def _joins(self, member: Member, group: SiblingGroup) -> bool:
        """Return whether a call may become part of a group, which is then computed at the position of the
        call."""
        members = [*group.members, member]
        calls = [each.call for each in members]
        arrays = {v for c in calls for v in (*c.args, *c.results) if v.type == _type(member)}
        return (
            _type(member) == _type(group.members[0])
            and are_of_one_place(calls)
            and len(arrays) <= MAX_ARRAYS
            and _are_vectors(members)
            and self._may_wait(members)
            and (self._is_near(group, member) or self._keeps_little(members))
        )

    def _may_wait(self, members: Sequence[Member]) -> bool:
        """Return whether only the last of some calls uses the results of the others up to its position, in
        the order in which it makes its own result."""
        *_, last = members
        calls, walked = {member.call for member in members}, {*_walked(last)}
        for value in (call.results[0] for call in calls if call is not last.call):
            if value in last.call.args and value not in walked:
                return False
            for at in self._uses(value):
                if at >= self.place[last.call]:
                    break
                if self.order[at] not in calls:
                    return False
        return True

    def _is_near(self, group: SiblingGroup, member: Member) -> bool:
        """Return whether nothing is computed between a group and a call."""
        between = self.order[self._end(group) + 1 : self.place[member.call]]
        return not any(isinstance(op, CallTirOp) or op.regions for op in between)

    def _keeps_little(self, members: Sequence[Member]) -> bool:
        """Return whether no more tensors wait for the last of some calls than the others would have
        made."""
        *others, last = members
        end, waiting = self.place[last.call], set[SSAValue]()
        for value in (value for member in others for value in member.call.args):
            is_made = isinstance(value, OpResult) and value.op in self.place  # others wait anyway
            if is_made and value.type == _type(last) and self._uses(value)[-1] < end:
                waiting.add(value)
        return len(waiting) <= len(others)

    def _uses(self, value: SSAValue) -> Sequence[int]:
        """Return the positions of the ops that use a value, in order."""
        if value not in self.uses:
            self.uses[value] = sorted(self._at(use.operation) for use in value.uses)
        return self.uses[value]

    def _at(self, user: Operation) -> int:
        """Return the position in the block of an op, or of its ancestor there."""
        while user not in self.place:
            parent = user.parent_op()
            assert parent is not None, "users of a value are in its block, or inside of it"
            user = parent
        return self.place[user]


def _type(member: Member):
    return member.call.results[0].type


def _walked(member: Member) -> Iterator[SSAValue]:
    """Yield the arguments of which the points of the result each read their own element."""
    for value, orders in zip(member.call.args, member.callee.reads):
        in_order = (order is not None and list(order) == sorted(order) for order in orders)
        if value.type == _type(member) and orders and all(in_order):
            yield value


def _are_vectors(members: Sequence[Member]) -> bool:
    """Return whether functions such as tanh stay in vectors: each works on numbers that are computed in
    such."""
    names = [
        op.name.removesuffix("f")
        for member in members
        for loop in member.callee.function.body.block.ops
        if isinstance(loop, GenericOp)
        for op in loop.body.block.ops
    ]
    known = {f"arith.{name}" for name in _IN_VECTORS} | {"arith.constant", "linalg.yield"}
    has_functions = any(name.startswith("math.") for name in names)
    return not has_functions or all(n in known or n.startswith("math.") for n in names)


def fuse_siblings(module: ModuleOp) -> None:
    """Fuse calls of prim funcs in every block of the module's relax.funcs."""
    fusion = Fusion(module)
    candidates = Members(fusion.symbols)
    for function in [op for op in module.body.block.ops if isinstance(op, FuncOp)]:
        for body in bodies(function):
            for group in Siblings(body.ops(), candidates).groups:
                if len(group.members) > 1:
                    fusion.fuse(group.members)
    remove_unused_functions(module, fusion.replaced)


class FuseSiblingsPass(ModulePass):
    """Fuse elementwise calls that read the same tensors, see the module docstring."""

    name = "relax-fuse-siblings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fuse_siblings(op)
