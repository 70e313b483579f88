"""When each allocation of a function is needed, and how many bytes it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, MemRefType
from xdsl.ir import Attribute, Operation

from lowering.memory.sizes import Size, SymbolicSizes
from lowering.target import ALIGNMENT
from relax_dialect import symbolic
from relax_dialect.call_graph import ops_inside
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr


@dataclass(frozen=True, eq=False)
class Value:
    """An allocation: the bytes it takes, rounded up to whole cache lines, and the ops of the function,
    numbered as they stand in the text, from which to which it is needed."""

    alloc: memref.AllocOp
    name: str
    type: MemRefType
    shape: Sequence[Size]
    size: Size
    """None where the sizes are known only once the function is running."""
    start: int
    end: int | None
    """The op that frees it, None where another block or the caller does."""

    @property
    def is_placeable(self) -> bool:
        """Whether it can lie in the function's frame: of known size, and freed where it was allocated."""
        return self.size is not None and self.end is not None


def values_of(function: func.FuncOp) -> list[Value]:
    """The allocations of a function, in the order of the text."""
    sizes = SymbolicSizes(function)
    number = {op: i for i, op in enumerate(ops_inside(function))}
    found: list[Value] = []
    for op, start in number.items():
        if not isinstance(op, memref.AllocOp):
            continue
        type, free = op.memref.type, _freed_by(op)
        assert isinstance(type, MemRefType)
        shape = sizes.shape(op.memref)
        end = None if free is None else number[free]
        found.append(Value(op, _name(op), type, shape, bytes_of(type, shape), start, end))
    return found


def _freed_by(alloc: memref.AllocOp) -> Operation | None:
    """The op of the same block that frees an allocation: whoever looks at it does so before."""
    freeing = [u.operation for u in alloc.memref.uses if isinstance(u.operation, memref.DeallocOp)]
    if len(freeing) == 1 and freeing[0].parent is alloc.parent:
        return freeing[0]
    return None


def _name(alloc: memref.AllocOp) -> str:
    """What the program calls a value, or the function that fills it."""
    if alloc.memref.name_hint is not None:
        return alloc.memref.name_hint
    for use in alloc.memref.uses:
        if isinstance(call := use.operation, func.CallOp):
            return f"@{call.callee.string_value()}"
    return "buffer"


def element_size(type: Attribute) -> int:
    """The bytes of an element in memory."""
    if isinstance(type, IndexType):
        return 8
    assert isinstance(type, FixedBitwidthType)
    return max(1, type.bitwidth // 8)


def bytes_of(type: MemRefType, shape: Sequence[Size]) -> Size:
    """The bytes of a memref in whole cache lines."""
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
