"""relax-write-in-place: what is made of a value that nobody needs any more is written over it.

    %a = memref.alloc(%n) : memref<?x64xf32>           %a = memref.alloc(%n) : memref<?x64xf32>
    func.call @exp(%n, %x, %a)                         func.call @exp(%n, %x, %a)
    %b = memref.alloc(%n) : memref<?x64xf32>      ->   func.call @softmax_in_place(%n, %a)
    func.call @softmax(%n, %a, %b)                     func.call @packed_f(%a)
    memref.dealloc %a
    %c = memref.alloc(%n) : memref<?x64xf32>
    memref.copy %b, %c
    memref.dealloc %b
    func.call @packed_f(%c)

A prim func may do so that reads each element before it writes it (`lowering/ir/overwriting.py`). A copy,
for a loop or for somebody who changes it, is the value itself then, and so is a further reference to an
object. A value dies where the block that owns it frees it: an allocation, what a call, a branch or a loop
gives, the state of a loop. No pass before this one asks who else needs a value: loops start from copies,
results lie apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.freeing import users_in
from lowering.ir.memref_views import VIEW_OPS, uncast, viewed_memref
from lowering.ir.uncalled import erase_uncalled
from lowering.memory.callees import functions_of
from lowering.memory.in_place_functions import InPlaceFunctions, Pair
from lowering.memory.owned import capacity, frees_of, is_known, stand_in
from lowering.memory.sizes import SymbolicSizes
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ops.objects import ReleaseOp, RetainOp

Writer: TypeAlias = func.CallOp | memref.CopyOp | RetainOp


def write_in_place(module: ModuleOp) -> None:
    """Let what the functions of a module make be written over what dies there."""
    functions = functions_of(module)
    variants = InPlaceFunctions(module, functions)
    for function in list(functions.values()):
        writers = [
            (op, pairs)
            for op in ops_inside(function)
            if isinstance(op, Writer) and (pairs := _pairs(op, variants))
        ]
        if writers:
            _Overwriting(SymbolicSizes(function, functions), variants).run(writers)
    erase_uncalled(module, functions, variants.replaced)


def _pairs(op: Writer, variants: InPlaceFunctions) -> Sequence[Pair]:
    return variants.pairs_of(op) if isinstance(op, func.CallOp) else [(0, 1)]


@dataclass
class _Overwriting:
    """The ops of one function that write over what dies."""

    sizes: SymbolicSizes
    variants: InPlaceFunctions
    number: dict[Block, dict[Operation, int]] = field(default_factory=dict)
    """The places of ops in their blocks."""

    def run(self, writers: Sequence[tuple[Writer, Sequence[Pair]]]) -> None:
        for op, pairs in writers:
            if isinstance(op, RetainOp):
                self._share_object(op)
                continue
            chosen: list[Pair] = []
            for source, target in pairs:
                taken = any(source == s or target == t for s, t in chosen)
                if not taken and self._share(op, op.operands[source], op.operands[target]):
                    chosen.append((source, target))
            if chosen and isinstance(op, memref.CopyOp):
                Rewriter.erase_op(op)
            elif chosen and isinstance(op, func.CallOp):
                at, block = self._at(op), op.parent
                assert block is not None
                self.number[block][self.variants.call(op, tuple(sorted(chosen)))] = at

    def _share(self, op: func.CallOp | memref.CopyOp, source: SSAValue, target: SSAValue) -> bool:
        """Let a target lie where a source does that dies at an op, if this is the first to look at it."""
        old, made = uncast(source), uncast(target).owner
        free = self._freed_after(op, old, frees_of(old))
        if free is None or not isinstance(made, memref.AllocOp) or not self._begins_at(op, made):
            return False
        is_copy = isinstance(op, memref.CopyOp)
        is_same = is_copy and old is source and made.memref is target
        if not is_same and not (is_copy or source.type == target.type):
            return False
        if not is_same and not self._are_alike((source, target), (old, made.memref)):
            return False
        Rewriter.erase_op(free)
        for other in frees_of(made.memref):
            other.operands = [old]
        stand_in(made, old, self.sizes, is_same=is_same)
        return True

    def _share_object(self, op: RetainOp) -> None:
        """Let a further reference to an object be the one that is given up."""
        releases = [u.operation for u in op.object.uses if isinstance(u.operation, ReleaseOp)]
        if (free := self._freed_after(op, op.object, releases)) is not None:
            Rewriter.erase_op(free)
            Rewriter.replace_op(op, [], [op.object])

    def _freed_after(
        self, op: Operation, value: SSAValue, frees: Sequence[Operation]
    ) -> Operation | None:
        """The op that frees a value of an op's block, if nothing looks at the value after the op."""
        block = op.parent
        home = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if block is None or home is not block or len(frees) != 1 or frees[0].parent is not block:
            return None
        if sum(viewed_memref(operand) is value for operand in op.operands) != 1:
            return None
        if isinstance(value.owner, Operation) and self._at(value.owner) > self._at(op):
            return None
        users = (user for user in users_in(value, block) if user not in (op, frees[0]))
        return frees[0] if all(self._at(user) < self._at(op) for user in users) else None

    def _begins_at(self, op: Operation, made: memref.AllocOp) -> bool:
        """Whether nothing but views and sizes looks at an allocation of an op's block before the op."""
        block = op.parent
        if block is None or made.parent is not block:
            return False
        users = (user for user in users_in(made.memref, block) if user is not op)
        is_new = all(
            isinstance(user, (memref.DimOp, *VIEW_OPS)) or self._at(user) > self._at(op)
            for user in users
        )
        return is_new and sum(viewed_memref(v) is made.memref for v in op.operands) == 1

    def _are_alike(self, seen: tuple[SSAValue, SSAValue], whole: tuple[SSAValue, SSAValue]) -> bool:
        """Whether two values have the same sizes, and so have the buffers that they lie in."""
        shape, size = self.sizes.shape(seen[0]), capacity(whole[0], self.sizes)
        is_same = is_known(shape) and shape == self.sizes.shape(seen[1])
        return is_same and size is not None and size == capacity(whole[1], self.sizes)

    def _at(self, op: Operation) -> int:
        """The place of an op in its block."""
        block = op.parent
        assert block is not None
        if op not in self.number.get(block, ()):
            self.number[block] = {o: i for i, o in enumerate(block.ops)}
        return self.number[block][op]


class WriteInPlacePass(ModulePass):
    """Results over what dies, see the module docstring."""

    name = "relax-write-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        write_in_place(op)
