"""Ops on whole tensors as `linalg.generic`, `linalg.fill` and `tensor.insert_slice`, as rewrite patterns.

%y = linalg.matmul ins(%a, %b) outs(%c)            ->  linalg.generic ins(%a, %b) outs(%c) { ... }
%y = linalg.broadcast ins(%a) outs(%c) dims = [0]  ->  linalg.generic ins(%a) outs(%c) { %a }
%y = linalg.reduce ins(%a) outs(%c) dims = [1]     ->  linalg.generic ins(%a) outs(%c) { ... }
%y = tensor.splat %v                               ->  linalg.fill ins(%v) outs(tensor.empty)
%y = tensor.pad %a low[1] high[2] { %v }           ->  tensor.insert_slice %a into (linalg.fill ins(%v))
%y = tensor.generate %n { ... }                    ->  linalg.generic outs(tensor.empty) { ... }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from relax_dialect.ir.mlir.linalg_map import MapOp
from relax_dialect.ir.mlir.tensor_ops import GenerateOp
from relax_dialect.ir.walk import walk_ops
from relax_dialect.transform.pattern_driver import apply_patterns

_INDEX = IndexType()


def _constant(rewriter: PatternRewriter, value: int) -> SSAValue:
    return rewriter.insert(arith.ConstantOp(IntegerAttr(value, _INDEX))).result


def _size(rewriter: PatternRewriter, value: SSAValue, axis: int) -> SSAValue:
    assert isinstance(value.type, TensorType)
    known = value.type.get_shape()[axis]
    number = _constant(rewriter, axis if known == DYNAMIC_INDEX else known)
    if known != DYNAMIC_INDEX:
        return number
    return rewriter.insert(tensor.DimOp(value, number)).result


def _identity(rank: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap.identity(rank))


class GeneralizeStructured(RewritePattern):
    """A named op of linalg -> `linalg.generic`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinalgStructuredOperation, rewriter: PatternRewriter) -> None:
        if not is_named(op):
            return
        maps, kinds = op.get_indexing_maps(), op.get_iterator_types()
        types = [result.type for result in op.results]
        body = op.body.clone()
        rewriter.replace(op, linalg.GenericOp(op.inputs, op.outputs, body, maps, kinds, types))


class GeneralizeBroadcast(RewritePattern):
    """`linalg.broadcast` -> `linalg.generic` that reads its input without the new dimensions."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: linalg.BroadcastOp, rewriter: PatternRewriter) -> None:
        rank = len(op.init.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
        new = op.dimensions.get_values()
        kept = tuple(AffineDimExpr(axis) for axis in range(rank) if axis not in new)
        maps = [AffineMapAttr(AffineMap(rank, 0, kept)), _identity(rank)]
        kinds = [IteratorTypeAttr.parallel()] * rank
        types = [result.type for result in op.results]
        body = op.hidden_region.clone()
        rewriter.replace(op, linalg.GenericOp([op.input], [op.init], body, maps, kinds, types))


class GeneralizeReduce(RewritePattern):
    """`linalg.reduce` -> `linalg.generic` whose reduced dimensions are loops of reductions."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: linalg.ReduceOp, rewriter: PatternRewriter) -> None:
        rank = len(op.input.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
        reduced = op.dimensions.get_values()
        kept = tuple(AffineDimExpr(axis) for axis in range(rank) if axis not in reduced)
        maps = [_identity(rank), AffineMapAttr(AffineMap(rank, 0, kept))]
        parallel, reduction = IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction()
        kinds = [reduction if axis in reduced else parallel for axis in range(rank)]
        types = [result.type for result in op.results]
        body = op.region.clone()
        rewriter.replace(op, linalg.GenericOp([op.input], [op.init], body, maps, kinds, types))


class GeneralizeMap(RewritePattern):
    """`linalg.map` -> `linalg.generic` on the elements of all operands."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MapOp, rewriter: PatternRewriter) -> None:
        rank = len(op.init.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
        maps = [_identity(rank)] * (len(op.inputs) + 1)
        kinds = [IteratorTypeAttr.parallel()] * rank
        types = [result.type for result in op.results]
        body = op.body.clone()
        rewriter.replace(op, linalg.GenericOp(op.inputs, [op.init], body, maps, kinds, types))


class SplatToFill(RewritePattern):
    """`tensor.splat` -> `linalg.fill` of an empty tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.SplatOp, rewriter: PatternRewriter) -> None:
        empty = tensor.EmptyOp(op.dynamicSizes, op.result.type)
        fill = linalg.FillOp([op.input], [empty.tensor], [op.result.type])
        rewriter.replace(op, [empty, fill])


class GenerateToGeneric(RewritePattern):
    """`tensor.generate` -> `linalg.generic`, with `linalg.index` for the indices of an element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenerateOp, rewriter: PatternRewriter) -> None:
        type = op.result.type
        assert isinstance(type, TensorType)
        rank = len(type.get_shape())
        empty = tensor.EmptyOp(op.sizes, type)
        body = Block(arg_types=[type.element_type])
        source = op.body.clone().block
        for axis, argument in enumerate(source.args):
            body.add_op(index := linalg.IndexOp(axis))
            argument.replace_all_uses_with(index.result)
        for inner in list(source.ops):
            inner.detach()
            if isinstance(inner, tensor.YieldOp):
                inner = linalg.YieldOp(*inner.operands)
            body.add_op(inner)
        kinds = [IteratorTypeAttr.parallel()] * rank
        generic = linalg.GenericOp(
            [], [empty.tensor], Region(body), [_identity(rank)], kinds, [type]
        )
        rewriter.replace(op, [empty, generic])


class PadToInsertSlice(RewritePattern):
    """`tensor.pad` by a value -> an insertion into a tensor filled with it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.PadOp, rewriter: PatternRewriter) -> None:
        block = op.region.block
        (value,) = block.last_op.operands  # pyright: ignore[reportOptionalMemberAccess]
        if any(argument.uses for argument in block.args):
            return
        for inner in list(block.ops):
            if inner is not block.last_op:
                inner.detach()
                rewriter.insert(inner)
        low = _amounts(rewriter, op.static_low.get_values(), op.low)
        high = _amounts(rewriter, op.static_high.get_values(), op.high)
        type = op.result.type
        own = [_size(rewriter, op.source, axis) for axis in range(len(type.get_shape()))]
        sizes = [
            rewriter.insert(arith.AddiOp(rewriter.insert(arith.AddiOp(before, size)), after)).result
            for before, size, after, known in zip(low, own, high, type.get_shape())
            if known == DYNAMIC_INDEX
        ]
        empty = rewriter.insert(tensor.EmptyOp(sizes, type))
        fill = rewriter.insert(linalg.FillOp([value], [empty.tensor], [type]))
        whole = op.source.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        rewriter.replace(op, _insertion(op.source, fill.results[0], low, own, whole))


def _amounts(
    rewriter: PatternRewriter, static: Sequence[int], dynamic: Sequence[SSAValue]
) -> list[SSAValue]:
    """Numbers of a list of which some are values."""
    given = iter(dynamic)
    return [next(given) if n == DYNAMIC_INDEX else _constant(rewriter, n) for n in static]


def _insertion(
    source: SSAValue,
    dest: SSAValue,
    offsets: Sequence[SSAValue],
    sizes: Sequence[SSAValue],
    shape: Sequence[int],
) -> tensor.InsertSliceOp:
    dynamic = [size for size, known in zip(sizes, shape) if known == DYNAMIC_INDEX]
    ones = [1] * len(shape)
    known = [_number(offset) for offset in offsets]
    given = [o for o, n in zip(offsets, known) if n is None]
    places = [DYNAMIC_INDEX if n is None else n for n in known]
    return tensor.InsertSliceOp.get(
        source, dest, shape, places, ones, given, dynamic, result_type=dest.type
    )


def _number(value: SSAValue) -> int | None:
    made = value.owner
    number = made.value if isinstance(made, arith.ConstantOp) else None
    return number.value.data if isinstance(number, IntegerAttr) else None


PATTERNS: Sequence[RewritePattern] = (
    GeneralizeBroadcast(),
    GeneralizeReduce(),
    GeneralizeMap(),
    SplatToFill(),
    GenerateToGeneric(),
    PadToInsertSlice(),
)

_REWRITTEN = (
    linalg.BroadcastOp,
    linalg.ReduceOp,
    MapOp,
    tensor.SplatOp,
    GenerateOp,
    tensor.PadOp,
)


def is_named(op: Operation) -> bool:
    """Return whether an op is a nest of loops of linalg under a name of its own."""
    stays = linalg.GenericOp | linalg.FillOp | linalg.CopyOp
    return isinstance(op, LinalgStructuredOperation) and not isinstance(op, stays)


def generalize_structured(root: Operation, *, named: bool) -> None:
    """Apply the patterns to all nested ops, and to `named` ones if requested."""
    if any(isinstance(op, _REWRITTEN) or (named and is_named(op)) for op in walk_ops(root)):
        patterns = [GeneralizeStructured(), *PATTERNS] if named else list(PATTERNS)
        apply_patterns(root, patterns)
