"""Memory that loops use beside that of their operands."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter
from lowering.support.target import ALIGNMENT

MOST_LOCAL = 1024
"""The most elements of a local array."""


def local_memory(
    element: Attribute, shape: Sequence[int], constants: ConstantPool, hint: str
) -> SSAValue:
    """Return a local array of the function."""
    op = memref.AllocaOp.get(element, ALIGNMENT, shape)
    entry = constants.entry
    first = next(op for op in entry.ops if not isinstance(op, arith.ConstantOp))
    entry.insert_op_before(op, first)
    op.memref.name_hint = hint
    return op.memref


def side_memory(
    element: Attribute,
    bounds: Sequence[SSAValue],
    op: Operation,
    constants: ConstantPool,
    hint: str,
) -> SSAValue:
    """Memory for an op: a local array if it is known to be small, otherwise freed after the op."""
    sizes = [known_integer(bound) for bound in bounds]
    known = [size for size in sizes if size is not None]
    if len(known) == len(sizes) and prod(known) <= MOST_LOCAL:
        return local_memory(element, known, constants, hint)
    shape = [DYNAMIC_INDEX if size is None else size for size in sizes]
    dynamic = [bound for bound, size in zip(bounds, sizes) if size is None]
    allocation = memref.AllocOp.get(element, ALIGNMENT, shape, dynamic)
    assert op.parent is not None
    op.parent.insert_op_after(memref.DeallocOp.get(allocation.memref), op)
    return Inserter(before=op)(allocation, hint)
