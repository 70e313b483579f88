"""hoist_buffers: memory of each iteration made once (MLIR's buffer-loop-hoisting,
promote-buffers-to-stack)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp

from lowering.ir.linear_forms import is_inside
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.primitives.base import Primitive
from lowering.support.target import ALIGNMENT
from relax_dialect.ir.walk import walk_ops


@dataclass(frozen=True)
class HoistBuffers(Primitive):
    """Allocate the buffers of the iterations of the loops around stages once, before all loops.

        scf.for %t = ... {
          %row = memref.alloc(%n) : memref<?xf32>
          ...
          memref.dealloc %row
        }
    ->  with hoist_buffers()
        %row = memref.alloc(%n) : memref<?xf32>
        scf.for %t = ... { ... }
        memref.dealloc %row

    A buffer of known size, of at most `stack` bytes, is on the stack of the function instead. Memory whose
    size a loop computes stays in it.

    Refused: no loops that `fuse_stages` has made.
    """

    NAME: ClassVar = "hoist_buffers"
    TAKES_STAGES: ClassVar = True

    stack: int = 0

    def apply(self, kernel: Kernel) -> None:
        if not kernel.nests:
            raise self.refused(
                kernel, "expected loops around stages, found none; put it after fuse_stages"
            )
        for nest in kernel.nests:
            _hoist(kernel.function, nest, self.stack)


def _hoist(function: FuncOp, loop: scf.ForOp, stack_bytes: int) -> None:
    """Hoist the allocations of every iteration of a loop before it, or to the stack of the function."""
    entry, block = function.body.blocks[0], loop.parent
    assert block is not None
    for op in [op for op in walk_ops(loop) if isinstance(op, memref.AllocOp)]:
        users = [use.operation for use in op.memref.uses]
        frees = [user for user in users if isinstance(user, memref.DeallocOp)]
        if len(frees) != 1 or any(is_inside(size, loop.body.block) for size in op.dynamic_sizes):
            continue
        (free,) = frees
        shape = op.memref.type.get_shape()
        op.detach()
        if not op.dynamic_sizes and _bytes(op.memref.type) <= stack_bytes:
            local = memref.AllocaOp.get(op.memref.type.element_type, ALIGNMENT, shape)
            local.memref.name_hint = op.memref.name_hint
            first = entry.first_op
            assert first is not None
            entry.insert_op_before(local, first)
            free.detach()
            free.erase()
            op.memref.replace_all_uses_with(local.memref)
            op.erase()
        else:
            block.insert_op_before(op, loop)
            free.detach()
            block.insert_op_after(free, loop)


def _bytes(type: MemRefType) -> int:
    width = type.element_type.bitwidth  # pyright: ignore
    return prod(type.get_shape()) * -(-width // 8)
