"""The live ranges and sizes in bytes of a function's allocations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, MemRefType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.support.target import ALIGNMENT
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import OFFSET
from relax_dialect.symbolic import Expr

MEMORY_OPS = (memref.AllocOp, memref.DeallocOp, func.CallOp)
"""The ops that begin and end live ranges."""


@dataclass(frozen=True, eq=False)
class OwnedMemory:
    """Memory that a function owns, allocated by it or by a callee: the bytes, rounded up to whole cache
    lines, and the live range as numbers of ops in program order."""

    op: Operation
    """The op that makes it: an allocation, or a call."""
    memref: SSAValue | None
    """None for the frames of the functions that are called."""
    name: str
    shape: Sequence[Size]
    size: Size
    """None if the sizes are known only at run time."""
    start: int
    end: int | None
    """The op that frees it, None if another block or the caller does."""

    @property
    def is_placeable(self) -> bool:
        """Whether it can lie in the function's frame: of known size, made here and freed in the same
        block."""
        is_own = isinstance(self.op, memref.AllocOp) or self.memref is None
        return is_own and self.size is not None and self.end is not None

    @property
    def offset(self) -> Expr | None:
        """The offset in the frame, once that has been planned."""
        if isinstance(self.op, func.CallOp) and self.memref is not None:
            return None
        found = self.op.attributes.get(OFFSET)
        return symbolic.parse(found.data) if isinstance(found, StringAttr) else None


def values_of(function: func.FuncOp, sizes: SymbolicSizes | None = None) -> list[OwnedMemory]:
    """Return the memory that a function owns, in the order of the text."""
    sizes = sizes or SymbolicSizes(function)
    number: dict[Operation, int] = {
        op: i for i, op in enumerate(walk_ops(function)) if isinstance(op, MEMORY_OPS)
    }
    found: list[OwnedMemory] = []
    for op, at in number.items():
        if isinstance(op, memref.DeallocOp):
            continue
        start = at if isinstance(op, memref.AllocOp) else at + 1  # until then it is the callee's
        for result in op.results:
            if isinstance(result.type, MemRefType):
                free = _freed_by(result, op)
                shape = sizes.shape(result)
                size = bytes_of(result.type, shape)
                end = None if free is None else number[free]
                found.append(OwnedMemory(op, result, _name(result), shape, size, start, end))
    return found


def _freed_by(memory: SSAValue, owner: Operation) -> Operation | None:
    """Return the op of the same block that frees memory, after all its uses."""
    freeing = [u.operation for u in memory.uses if isinstance(u.operation, memref.DeallocOp)]
    return freeing[0] if len(freeing) == 1 and freeing[0].parent is owner.parent else None


def _name(memory: SSAValue) -> str:
    """Return the name of a value in the program, or of the function that fills it."""
    if memory.name_hint is not None:
        return memory.name_hint
    for use in memory.uses:
        if isinstance(call := use.operation, func.CallOp):
            return f"@{call.callee.string_value()}"
    return "buffer"


def element_size(type: Attribute) -> int:
    """Return the bytes of an element in memory."""
    if isinstance(type, IndexType):
        return 8
    assert isinstance(type, FixedBitwidthType)
    return max(1, type.bitwidth // 8)


def bytes_of(type: MemRefType, shape: Sequence[Size]) -> Size:
    """Return the bytes of a memref in whole cache lines."""
    sizes: list[Expr] = []
    for size in shape:
        if size is None:
            return None
        sizes.append(size)
    try:
        count = symbolic.product(symbolic.maximum(size, 0) for size in sizes)
        return _in_lines(count * element_size(type.element_type))
    except SymbolicError:
        return None


def _in_lines(bytes: Expr) -> Expr:
    if bytes.divisible_by(ALIGNMENT):
        return bytes
    return ALIGNMENT * symbolic.floordiv(bytes + (ALIGNMENT - 1), ALIGNMENT)
