"""Loops around an op in which a memref is invariant, so that copies of it can be hoisted out of them.

scf.for %t = ... {
  linalg.generic ins(%h, %w) outs(%out)         // %w is invariant in the loop, %h and %out are not
  linalg.generic ins(%out) outs(%h)
}
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.memref_views import VIEW_OPS, buffer_of


def invariant_loop(op: Operation, value: SSAValue) -> scf.ForOp | None:
    """Return the outermost of the loops directly around an op in which a memref is invariant, or None."""
    root = buffer_of(value)
    if root is None:
        return None
    changing = [value.owner, *_writers(root)]
    inside = {id(loop) for each in changing for loop in (each, *_around(each))}
    found = None
    for loop in _around(op):
        if not isinstance(loop, scf.ForOp) or id(loop) in inside:
            break
        found = loop
    return found


def _around(place: Operation | Block) -> Iterator[Operation]:
    """Yield the enclosing ops, from the innermost on."""
    around = place.parent_op()
    while around is not None:
        yield around
        around = around.parent_op()


def _writers(root: SSAValue) -> Iterator[Operation]:
    """Yield the ops that may write to a buffer, through views of it too."""
    values = [root]
    while values:
        value = values.pop()
        for use in value.uses:
            if isinstance(use.operation, VIEW_OPS):
                values.append(use.operation.results[0])
            elif not _reads(use.operation, value):
                yield use.operation


def _reads(op: Operation, value: SSAValue) -> bool:
    """Return whether an op at most reads a memref, and returns no alias that could be written to."""
    match op:
        case memref.LoadOp() | memref.DimOp() | vector.LoadOp():
            return True
        case linalg.GenericOp() | linalg.FillOp():
            return value not in op.outputs
        case CopyOp():
            return op.destination is not value
        case _:
            return False
