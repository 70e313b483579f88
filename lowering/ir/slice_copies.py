"""Prim funcs that do nothing but copy slices of an argument to their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lowering.ir.accesses import Access, accesses
from lowering.ir.linear_forms import LinearForm, linear
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import RESULT, attribute_dicts

COPYING = (
    *(memref.LoadOp, memref.StoreOp, vector.LoadOp, vector.StoreOp, memref.DimOp),
    *(memref.SubviewOp, memref.CastOp, memref.CollapseShapeOp),
    *(scf.ForOp, scf.YieldOp, func.FuncOp, func.ReturnOp),
    *(arith.ConstantOp, arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
)
"""The ops that a copy consists of."""


@dataclass(frozen=True)
class ResultSlice:
    """A result that is a part of an argument, both by their numbers, and where it begins."""

    source: int
    target: int
    starts: Sequence[int]


def copied_slices(function: func.FuncOp) -> list[ResultSlice] | None:
    """Return all results of a prim func as slices; None if it has other ops."""
    if not all(isinstance(op, COPYING) for op in walk_ops(function)):
        return None
    block = function.body.block
    entries = attribute_dicts(function.arg_attrs, len(block.args))
    memrefs = [a for a in block.args if isinstance(a.type, MemRefType)]
    reads: dict[Operation, tuple[SSAValue, Access]] = {}
    for argument in memrefs:
        if RESULT not in entries[argument.index]:
            if (found := accesses(argument)) is None or any(a.is_write for a in found):
                return None
            reads |= {access.op: (argument, access) for access in found}
    slices: list[ResultSlice] = []
    for argument in memrefs:
        if RESULT in entries[argument.index]:
            if (slice := _slice(argument, reads)) is None:
                return None
            slices.append(slice)
    return slices or None


def _slice(result: SSAValue, reads: dict[Operation, tuple[SSAValue, Access]]) -> ResultSlice | None:
    """Return the slice that all stores to a result copy."""
    found: set[ResultSlice] = set()
    for write in accesses(result) or ():
        op = write.op
        assert isinstance(op, Operation)
        value = op.operands[0]
        if not write.is_write or not isinstance(value.owner, Operation):
            return None
        source, read = reads.get(value.owner, (None, None))
        if source is None or read is None or read.lengths != write.lengths:
            return None
        if read.groups or write.groups or len(read.subscripts) != len(write.subscripts):
            return None
        apart = [_difference(a, b) for a, b in zip(read.subscripts, write.subscripts)]
        if any(at is None or at < 0 for at in apart):
            return None
        starts = tuple(at for at in apart if at is not None)
        found.add(ResultSlice(source.index, result.index, starts))  # pyright: ignore
    return found.pop() if len(found) == 1 else None


def _difference(a: LinearForm, b: LinearForm) -> int | None:
    """Return the constant difference of two subscripts, or None."""
    apart = linear(
        [
            *a.terms.items(),
            *((value, -times) for value, times in b.terms.items()),
            (a.constant - b.constant, 1),
        ]
    )
    return None if apart.terms else apart.constant
