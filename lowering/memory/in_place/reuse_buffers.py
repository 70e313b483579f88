"""relax-reuse-buffers: a result lives in the memory of an operand, as a part of it or written over it.

    func.call @split(%n, %x, %a, %b)           %v = memref.reinterpret_cast %x to offset: [64], ...
    func.call @f(%n, %b, %c)              ->   func.call @f_strided(%n, %v, %x_1)
    memref.dealloc %b                          func.call @softmax_in_place(%n, %x_1)
    func.call @softmax(%n, %c, %d)             func.call @packed_f(%x_1)
    memref.dealloc %c
    %e = memref.alloc(%n) : memref<?x64xf32>
    memref.copy %d, %e
    memref.dealloc %d
    func.call @packed_f(%e)

Decided op by op, in the order of the program:

1. A slice is a view of its source if its uses support strided memrefs (`slice_views.py`).
2. A result computed from a value at its last use is written over it. A prim func may do this if it reads
   each element before it writes it (`lowering/ir/in_place_safety.py`). A copy, for a loop or for a function
   that changes it, then is the value itself, and so is a further reference to an object.

A value dies where the block that owns it frees it: an allocation, a result of a call, a branch or a loop,
the state of a loop. Earlier passes ignore other uses of a value: loops start from copies, results have
separate buffers.

A parameter that an entry point writes over (`inplace_indices`) dies where its new value is copied to it, at
the end: if the difference is not observable, the new value is written there at once, over the parameter or
after its last use, or copied as soon as the old one has no further use.

    func.call @update(%w, %g, %new)
    memref.copy %new, %w                          ->   func.call @update_in_place(%g, %w)
    memref.dealloc %new
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.deallocation import users_in
from lowering.ir.memref_views import uncast, viewed_memref
from lowering.memory.in_place.call_graph import functions_of
from lowering.memory.in_place.lives import LOOKS, Lives
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import capacity, frees_of, is_known, stand_in
from lowering.memory.in_place.prim_func_variants import Pair, PrimFuncVariants
from lowering.memory.in_place.slice_views import SliceViews
from relax_dialect.ir.walk import defining_block, walk_ops
from relax_dialect.ops.objects import ReleaseOp, RetainOp
from relax_dialect.prim.signature import ENTRY
from relax_dialect.transform.dead_code import remove_unused_functions

Writer: TypeAlias = func.CallOp | memref.CopyOp | RetainOp


def reuse_buffers(module: ModuleOp) -> None:
    """Choose the memory of operands for results in the functions of a module, where that is possible."""
    functions = functions_of(module)
    variants = PrimFuncVariants(functions)
    views = SliceViews(variants)
    for function in list(functions.values()):
        writers = [op for op in walk_ops(function) if isinstance(op, Writer)]
        _Reuse(function, variants, views).run(writers)
    remove_unused_functions(module, variants.unused)


def _parameters_written(function: func.FuncOp) -> dict[SSAValue, memref.CopyOp]:
    """Return the parameters of an entry point that new values are copied to, with the copies."""
    if ENTRY not in function.attributes:
        return {}
    block = function.body.block
    copies = [op for op in block.ops if isinstance(op, memref.CopyOp)]
    return {op.destination: op for op in copies if op.destination in block.args}


@dataclass
class _Reuse:
    """The memory of the results of one function's ops."""

    function: func.FuncOp
    variants: PrimFuncVariants
    views: SliceViews
    over: dict[SSAValue, memref.CopyOp] = field(init=False)
    """The copies that the new values of parameters end in."""
    lives: Lives = field(default_factory=Lives)
    renewed: dict[func.CallOp, func.CallOp] = field(default_factory=dict)
    """The calls that replace calls with slices."""

    def __post_init__(self) -> None:
        self.over = _parameters_written(self.function)

    @cached_property
    def sizes(self) -> SymbolicSizes:
        return SymbolicSizes(self.function, self.variants.functions, names_all=True)

    def run(self, writers: Sequence[Writer]) -> None:
        for op in writers:
            while isinstance(op, func.CallOp) and op in self.renewed:
                op = self.renewed[op]
            if isinstance(op, RetainOp):
                self._share_object(op)
            elif isinstance(op, memref.CopyOp) and self.over.get(op.destination) is op:
                self._write_parameter(op)
            elif not (isinstance(op, func.CallOp) and self._view(op)):
                self._write_over(op)
        self.lives.number.clear()
        for copy in self.over.values():
            if copy.parent is not None:
                self._copy_early(copy)

    def _view(self, call: func.CallOp) -> bool:
        """Make views of the slices that a call copies; return whether it is gone."""
        if not self.views.copies_slices(call):
            return False
        renewed = self.views.replace(call, self.sizes, self.lives)
        self.renewed |= renewed or {}
        return renewed is not None

    def _write_over(self, op: func.CallOp | memref.CopyOp) -> None:
        """Write the results of an op over operands that die there."""
        chosen: list[Pair] = []
        pairs = self.variants.pairs_of(op) if isinstance(op, func.CallOp) else [(0, 1)]
        for source, target in sorted(pairs, key=lambda pair: op.operands[pair[0]] not in self.over):
            taken = any(source == s or target == t for s, t in chosen)
            if not taken and self._share(op, op.operands[source], op.operands[target]):
                chosen.append((source, target))
        if chosen and isinstance(op, memref.CopyOp):
            Rewriter.erase_op(op)
        elif chosen and isinstance(op, func.CallOp):
            at = self.lives.at(op)
            self.lives.set(self.variants.call_in_place(op, tuple(sorted(chosen))), at)

    def _share(self, op: func.CallOp | memref.CopyOp, source: SSAValue, target: SSAValue) -> bool:
        """Place a target in the buffer of a source that dies at an op, if the op is the target's first
        use."""
        old, made = uncast(source), uncast(target).owner
        copy = self.over.get(old)
        free = self._freed_after(op, old, frees_of(old) if copy is None else [copy])
        if free is None or not isinstance(made, memref.AllocOp) or not self._begins_at(op, made):
            return False
        if copy is not None and not self._ends_in(made, copy):
            return False
        is_copy = isinstance(op, memref.CopyOp)
        is_same = is_copy and old is source and made.memref is target
        if not is_same and not (is_copy or source.type == target.type):
            return False
        if not is_same and not self._are_alike((source, target), (old, made.memref)):
            return False
        Rewriter.erase_op(free)
        for other in frees_of(made.memref):
            if copy is None:
                other.operands = [old]
            else:
                Rewriter.erase_op(other)
        stand_in(made, old, self.sizes, is_same=is_same)
        return True

    def _copy_early(self, copy: memref.CopyOp) -> None:
        """Copy a new value to its parameter after the last use of either, and free it there."""
        block, made = copy.parent, uncast(copy.source).owner
        if block is None or not isinstance(made, memref.AllocOp) or not self._ends_in(made, copy):
            return
        (free,) = frees_of(made.memref)
        users = {*users_in(copy.destination, block), *users_in(made.memref, block)}
        last = max(users - {copy, free}, key=self.lives.at)
        if self.lives.at(last) < self.lives.at(copy):
            at = self.lives.at(last)
            for op in (free, copy):
                op.detach()
                block.insert_op_after(op, last)
                self.lives.set(op, at)

    def _ends_in(self, made: memref.AllocOp, copy: memref.CopyOp) -> bool:
        """Return whether an allocation of a copy's block is copied there, and then freed in that block."""
        block, frees = copy.parent, frees_of(made.memref)
        return (
            uncast(copy.source) is made.memref
            and made.parent is block
            and [free.parent for free in frees] == [block]
        )

    def _write_parameter(self, copy: memref.CopyOp) -> None:
        """Place the new value of a parameter in it, if the new value begins after the last use of the old
        one."""
        old, made, block = copy.destination, uncast(copy.source).owner, copy.parent
        if block is None or not isinstance(made, memref.AllocOp) or not self._ends_in(made, copy):
            return
        seen = [user for user in users_in(old, block) if user is not copy]
        written = [u for u in users_in(made.memref, block) if not isinstance(u, LOOKS)]
        begin = min(map(self.lives.at, written), default=0)
        if all(self.lives.at(user) < begin for user in seen) and self._are_alike(
            (copy.source, old), (made.memref, old)
        ):
            Rewriter.erase_op(copy)
            for free in frees_of(made.memref):
                Rewriter.erase_op(free)
            stand_in(made, old, self.sizes)

    def _share_object(self, op: RetainOp) -> None:
        """Replace a further reference to an object by the reference that is released."""
        releases = [u.operation for u in op.object.uses if isinstance(u.operation, ReleaseOp)]
        if (free := self._freed_after(op, op.object, releases)) is not None:
            Rewriter.erase_op(free)
            Rewriter.replace_op(op, [], [op.object])

    def _freed_after(
        self, op: Operation, value: SSAValue, frees: Sequence[Operation]
    ) -> Operation | None:
        """Return the op that frees a value of an op's block, if the op is the last use of the value."""
        block = op.parent
        if (
            block is None
            or defining_block(value) is not block
            or len(frees) != 1
            or frees[0].parent is not block
        ):
            return None
        if sum(viewed_memref(operand) is value for operand in op.operands) != 1:
            return None
        return frees[0] if self.lives.is_last_use(op, value, frees) else None

    def _begins_at(self, op: Operation, made: memref.AllocOp) -> bool:
        """Return whether an allocation of an op's block has no use before the op except views and sizes."""
        block = op.parent
        if block is None or made.parent is not block:
            return False
        is_once = sum(viewed_memref(v) is made.memref for v in op.operands) == 1
        return is_once and self.lives.is_first_use(op, made.memref, LOOKS)

    def _are_alike(self, seen: tuple[SSAValue, SSAValue], whole: tuple[SSAValue, SSAValue]) -> bool:
        """Return whether two values have the same sizes, and so have the buffers that they lie in."""
        shape, size = self.sizes.shape(seen[0]), capacity(whole[0], self.sizes)
        is_same = is_known(shape) and shape == self.sizes.shape(seen[1])
        return is_same and size is not None and size == capacity(whole[1], self.sizes)


class ReuseBuffersPass(ModulePass):
    """Results in the memory of operands, see the module docstring."""

    name = "relax-reuse-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reuse_buffers(op)
