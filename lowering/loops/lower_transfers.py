"""relax-lower-vector-transfers: transfers of one dimension become loads and stores of lanes.

%v = vector.transfer_read %m[%i, %j], %pad : memref<?x?xf32>, vector<8xf32>
    ->
%left = arith.subi (memref.dim %m, 1), %j
%v = scf.if %left >= 8 {
  vector.load %m[%i, %j]
} else {
  scf.for %lane = 0 to %left iter_args(%some = vector.broadcast %pad) { vector.insert %m[%i, %j + %lane] }
}

vector.transfer_write %v, %m[%i, %j]              ->   vector.store, or the lanes inside one by one
in_bounds = [true]                                ->   without the branch
permutation_map = (d0, d1) -> (d0): a column      ->   one by one
permutation_map = (d0, d1) -> (0)                 ->   memref.load, vector.broadcast
%p = ub.poison : f32                              ->   0.0: any value will do

Transfers of several dimensions, of tensors or with a mask stay as they are; those of several dimensions are
split by `mlir-opt --convert-vector-to-scf`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, ub, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from lowering.ir.insertion import Inserter, open_loop
from relax_dialect.ir.walk import walk_ops

Transfer = vector.TransferReadOp | vector.TransferWriteOp
Emit = Callable[[Inserter], Sequence[SSAValue]]
"""Inserts the ops of a branch and returns its results."""


def _constant(insert: Inserter, value: int) -> SSAValue:
    return insert(arith.ConstantOp(IntegerAttr.from_index_int_value(value)))


def _is_lowered(op: Transfer, type: VectorType) -> bool:
    """Return whether a transfer is of one dimension of a memref of scalars, without a mask."""
    memory = op.source.type
    return (
        isinstance(memory, MemRefType)
        and memory.element_type == type.element_type
        and type.get_num_dims() == 1
        and op.mask is None
    )


def _dimension(op: Transfer) -> int | None:
    """Return the dimension of memory that the lanes are along; None if all lanes are one element."""
    (expr,) = op.permutation_map.data.results
    return expr.position if isinstance(expr, AffineDimExpr) else None


def _is_contiguous(op: Transfer, dimension: int) -> bool:
    """Return whether the lanes are next to each other in memory."""
    assert isinstance(op.source.type, MemRefType)
    strides = op.source.type.get_strides()
    return dimension == len(op.indices) - 1 and strides is not None and strides[-1] == 1


def _element(op: Transfer, dimension: int, lane: SSAValue, insert: Inserter) -> list[SSAValue]:
    """Return the subscripts of a lane."""
    indices = list(op.indices)
    indices[dimension] = insert(arith.AddiOp(indices[dimension], lane))
    return indices


def _in_pieces(
    op: Transfer, dimension: int, lanes: int, whole: Emit, singly: Callable[..., Sequence[SSAValue]]
) -> Sequence[SSAValue]:
    """Move all lanes at once if they are inside and contiguous, otherwise those inside one by one."""
    insert = Inserter(before=op)
    (stays,) = op.in_bounds
    contiguous = _is_contiguous(op, dimension)
    if stays.value.data and contiguous:
        return whole(insert)
    count = _constant(insert, lanes)
    if stays.value.data:
        return singly(count, insert)
    left = insert(arith.SubiOp(_size(op, dimension, insert), op.indices[dimension]))
    if not contiguous:
        return singly(insert(arith.MinSIOp(left, count)), insert)
    inside = insert(arith.CmpiOp(left, count, "sge"))
    return _branch(insert, inside, whole, partial(singly, left))


def _size(op: Transfer, dimension: int, insert: Inserter) -> SSAValue:
    """Return the size of memory along a dimension."""
    assert isinstance(op.source.type, MemRefType)
    known = op.source.type.get_shape()[dimension]
    if known != DYNAMIC_INDEX:
        return _constant(insert, known)
    return insert(memref.DimOp(op.source, _constant(insert, dimension)))


def _branch(
    insert: Inserter, condition: SSAValue, then: Emit, otherwise: Emit
) -> Sequence[SSAValue]:
    """Return the results of one of two branches."""
    blocks = Block(), Block()
    for block, emit in zip(blocks, (then, otherwise)):
        inside = Inserter(end=block)
        inside.place(scf.YieldOp(*emit(inside)))
    end = blocks[0].last_op
    assert end is not None
    types = [value.type for value in end.operands]
    insert.place(branch := scf.IfOp(condition, types, Region(blocks[0]), Region(blocks[1])))
    return branch.results


class LowerTransferRead(RewritePattern):
    """`vector.transfer_read` -> `vector.load`, or element by element into a vector of padding."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.TransferReadOp, rewriter: PatternRewriter) -> None:
        type = op.result.type
        assert isinstance(type, VectorType)
        if not _is_lowered(op, type):
            return
        dimension = _dimension(op)
        if dimension is None:
            element = rewriter.insert(memref.LoadOp.get(op.source, op.indices))
            rewriter.replace(op, vector.BroadcastOp(element, type))
            return

        def whole(insert: Inserter) -> Sequence[SSAValue]:
            return [insert(vector.LoadOp(op.source, op.indices, type))]

        def singly(count: SSAValue, insert: Inserter) -> Sequence[SSAValue]:
            padded = insert(vector.BroadcastOp(op.padding, type))
            zero, one = _constant(insert, 0), _constant(insert, 1)
            loop = open_loop(insert, zero, count, one, "lane", [padded])
            at = _element(op, dimension, loop.counter, loop)
            element = loop(memref.LoadOp.get(op.source, at))
            return loop.close(loop(vector.InsertOp(element, loop.carried[0], [loop.counter])))

        found = _in_pieces(op, dimension, type.get_shape()[0], whole, singly)
        rewriter.replace(op, [], found)


class LowerTransferWrite(RewritePattern):
    """`vector.transfer_write` -> `vector.store`, or the lanes inside of memory one by one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.TransferWriteOp, rewriter: PatternRewriter) -> None:
        type = op.vector.type
        assert isinstance(type, VectorType)
        dimension = _dimension(op) if _is_lowered(op, type) else None
        if dimension is None:
            return

        def whole(insert: Inserter) -> Sequence[SSAValue]:
            insert.place(vector.StoreOp(op.vector, op.source, op.indices))
            return ()

        def singly(count: SSAValue, insert: Inserter) -> Sequence[SSAValue]:
            zero, one = _constant(insert, 0), _constant(insert, 1)
            loop = open_loop(insert, zero, count, one, "lane")
            at = _element(op, dimension, loop.counter, loop)
            element = loop(vector.ExtractOp(op.vector, [loop.counter], type.element_type))
            loop.place(memref.StoreOp.get(element, op.source, at))
            return loop.close()

        _in_pieces(op, dimension, type.get_shape()[0], whole, singly)
        rewriter.erase(op)


class LowerPoison(RewritePattern):
    """`ub.poison` of numbers -> 0, in every lane."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ub.PoisonOp, rewriter: PatternRewriter) -> None:
        type = op.result.type
        element = type.element_type if isinstance(type, VectorType) else type
        if isinstance(element, AnyFloat):
            zero = arith.ConstantOp(FloatAttr(0.0, element))
        elif isinstance(element, IntegerType | IndexType):
            zero = arith.ConstantOp(IntegerAttr(0, element))
        else:
            return
        lanes = [vector.BroadcastOp(zero.result, type)] if isinstance(type, VectorType) else []
        rewriter.replace(op, [zero, *lanes])


PATTERNS: Sequence[RewritePattern] = (LowerTransferRead(), LowerTransferWrite(), LowerPoison())
_LOWERED = (vector.TransferReadOp, vector.TransferWriteOp, ub.PoisonOp)


class LowerTransfersPass(ModulePass):
    """Transfers of vectors -> loads, stores and loops over lanes: see this file's docstring."""

    name = "relax-lower-vector-transfers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(isinstance(inner, _LOWERED) for inner in walk_ops(op)):
            applier = GreedyRewritePatternApplier(list(PATTERNS), dce_enabled=False)
            PatternRewriteWalker(applier, apply_recursively=False).rewrite_module(op)
