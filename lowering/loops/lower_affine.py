"""relax-lower-affine: `affine` ops become loops, branches and accesses of `scf`, `memref` and `vector`.

affine.for %i = max #low(%a)[%n] to min #high(%a)[%n] step 4 { ... }
    ->
%low = arith.maxsi ...; %high = arith.minsi ...
scf.for %i = %low to %high step %c4 { ... }

affine.if #set(%i)[%n] { ... } else { ... }           ->   scf.if %all_hold { ... } else { ... }
affine.parallel (%i) = (0) to (%n) reduce ("addf")    ->   scf.parallel, scf.reduce { arith.addf }
%x = affine.load %m[%i + 1, %j mod 5]                 ->   %x = memref.load %m[%p, %q]
%v = affine.vector_load %m[%i]                        ->   %v = vector.load %m[%i]
%k = affine.apply #map(%i), affine.min, affine.max    ->   arith on indices
affine.delinearize_index, affine.linearize_index      ->   arith on indices

xDSL's `lower-affine` knows no operands of bounds, no symbols, extremes, branches or parallel loops, and its
remainders are negative for negative dividends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineExpr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from lowering.ir.affine_exprs import IndexArithmetic
from lowering.loops.reduction_kinds import kinds_for, reduction
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.affine.affine_ops import (
    DelinearizeIndexOp,
    LinearizeIndexOp,
    MaxOp,
    PrefetchOp,
    basis_of,
)
from relax_dialect.ir.affine.affine_parallel import ParallelOp
from relax_dialect.ir.mlir import mlir_ops
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import walk_ops

# Control flow ---------------------------------------------------------------------------------


class LowerFor(RewritePattern):
    """`affine.for` -> `scf.for` from the greatest lower to the least upper bound."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ForOp, rewriter: PatternRewriter) -> None:
        to = IndexArithmetic(rewriter.insert)
        lower = to.greatest(to.results(op.lowerBoundMap.data, op.lowerBoundOperands))
        upper = to.least(to.results(op.upperBoundMap.data, op.upperBoundOperands))
        step = to.constant(op.step.value.data)
        body = _moved(op.body, rewriter)
        loop = scf.ForOp(lower, upper, step, op.inits, body)
        loop.attributes |= op.attributes
        rewriter.replace(op, loop)


class LowerIf(RewritePattern):
    """`affine.if` -> `scf.if` where all constraints hold."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.IfOp, rewriter: PatternRewriter) -> None:
        to, condition = IndexArithmetic(rewriter.insert), op.condition.data
        dims, symbols = op.args[: condition.num_dims], op.args[condition.num_dims :]

        def holds(kind: AffineConstraintKind, expr: AffineExpr) -> SSAValue:
            value = to.value(expr, dims, symbols)
            compared = arith.CmpiOp(value, to.constant(0), _PREDICATES[kind])
            return rewriter.insert(compared).result

        conditions = [holds(each.kind, each.lhs) for each in condition.constraints]
        if not conditions:
            conditions = [rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True))).result]
        taken = reduce(lambda a, b: to.op(arith.AndIOp, a, b), conditions)
        then, otherwise = (_moved(region, rewriter) for region in (op.then_region, op.else_region))
        rewriter.replace(op, scf.IfOp(taken, op.res.types, then, otherwise))


def _moved(region: Region, rewriter: PatternRewriter) -> Region:
    """Return the contents of a region, which end in an `scf.yield`."""
    if (block := region.first_block) is None:
        return Region(Block([scf.YieldOp()]))
    end = block.last_op
    assert isinstance(end, affine.YieldOp)
    rewriter.replace(end, scf.YieldOp(*end.arguments))
    return rewriter.move_region_contents_to_new_regions(region)


_PREDICATES = {
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
    AffineConstraintKind.eq: "eq",
}


class LowerParallel(RewritePattern):
    """`affine.parallel` -> `scf.parallel`; reductions begin with the value that changes nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ParallelOp, rewriter: PatternRewriter) -> None:
        to = IndexArithmetic(rewriter.insert)

        def values(
            groups: Sequence[Sequence[AffineExpr]], dims: int, operands: Sequence[SSAValue]
        ) -> list[list[SSAValue]]:
            given = (operands[:dims], operands[dims:])
            return [[to.value(expr, *given) for expr in group] for group in groups]

        lower = [to.greatest(each) for each in values(*op.lower())]
        upper = [to.least(each) for each in values(*op.upper())]
        steps = [to.constant(step) for step in op.step_numbers]
        kinds = [_reduction(op, *each) for each in zip(op.kinds, op.res.types)]
        inits = [rewriter.insert(arith.ConstantOp(start)).result for _, start in kinds]
        body = rewriter.move_region_contents_to_new_regions(op.body)
        end = body.block.last_op
        assert isinstance(end, affine.YieldOp)
        joined = [_combiner(kind, value.type) for (kind, _), value in zip(kinds, end.arguments)]
        rewriter.replace(end, scf.ReduceOp(end.arguments, joined))
        rewriter.replace(op, scf.ParallelOp(lower, upper, steps, body, inits))


def _reduction(
    op: ParallelOp, kind: str, type: Attribute
) -> tuple[Callable[..., Operation], FloatAttr | IntegerAttr]:
    """Return the op and the identity of a reduction."""
    if (found := reduction(kind, type)) is not None:
        return found
    with blaming(op):
        raise RelaxError(
            f"{describe(op)}: expected a reduction of {type} by one of {', '.join(kinds_for(type))}, found "
            f"{kind}; reduce by one of these, or carry the value in iter_args of affine.for"
        )


def _combiner(kind: Callable[..., Operation], type: Attribute) -> Region:
    block = Block(arg_types=[type, type])
    block.add_op(joined := kind(*block.args))
    block.add_op(scf.ReduceReturnOp(joined.results[0]))
    return Region(block)


# Indices --------------------------------------------------------------------------------------


class LowerApply(RewritePattern):
    """`affine.apply`, `affine.min`, `affine.max` -> `arith` on indices."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp):
            to = IndexArithmetic(rewriter.insert)
            results = to.results(op.map.data, op.operands)
            joined = to.greatest if isinstance(op, MaxOp) else to.least
            rewriter.replace(op, [], [joined(results)])


class LowerDelinearizeIndex(RewritePattern):
    """`affine.delinearize_index` -> quotients and remainders."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DelinearizeIndexOp, rewriter: PatternRewriter) -> None:
        to = IndexArithmetic(rewriter.insert)
        index, digits = op.linear_index, list[SSAValue]()
        for base in reversed(_inner_basis(op, len(op.multi_index), to)):
            digits.insert(0, to.remainder(index, base))
            index = to.floor(index, base)
        rewriter.replace(op, [], [index, *digits])


class LowerLinearizeIndex(RewritePattern):
    """`affine.linearize_index` -> a sum of products."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinearizeIndexOp, rewriter: PatternRewriter) -> None:
        to = IndexArithmetic(rewriter.insert)
        index, *digits = op.multi_index
        for digit, base in zip(digits, _inner_basis(op, len(op.multi_index), to)):
            index = to.op(arith.AddiOp, to.op(arith.MuliOp, index, base), digit)
        rewriter.replace(op, [], [index])


def _inner_basis(
    op: DelinearizeIndexOp | LinearizeIndexOp, digits: int, to: IndexArithmetic
) -> list[SSAValue]:
    """Return the entries of the basis for all digits but the first."""
    basis = basis_of(op)
    inner = basis[len(basis) - digits + 1 :]
    return [to.constant(n) if isinstance(n, int) else n for n in inner]


# Memory ---------------------------------------------------------------------------------------


class LowerAccess(RewritePattern):
    """Loads, stores and prefetches of `affine` -> those of `memref` and `vector`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, _ACCESSES):
            return
        indices = IndexArithmetic(rewriter.insert).results(op.map.data, op.indices)
        match op:
            case affine.LoadOp():
                new = memref.LoadOp.get(op.memref, indices)
            case affine.StoreOp():
                new = memref.StoreOp.get(op.value, op.memref, indices)
            case affine.VectorLoadOp():
                new = vector.LoadOp(op.memref, indices, op.result.type)
            case affine.VectorStoreOp():
                new = vector.StoreOp(op.value, op.memref, indices)
            case PrefetchOp():
                new = mlir_ops.PrefetchOp(op.memref, indices, op.locality.value.data)
                new.is_write, new.is_data = op.is_write, op.is_data
        rewriter.replace(op, new)


_ACCESSES = (affine.LoadOp, affine.StoreOp, affine.VectorLoadOp, affine.VectorStoreOp, PrefetchOp)

PATTERNS: Sequence[RewritePattern] = (
    LowerFor(),
    LowerIf(),
    LowerParallel(),
    LowerApply(),
    LowerDelinearizeIndex(),
    LowerLinearizeIndex(),
    LowerAccess(),
)
"""The walker meets a loop before the ops inside, so that the ranges of its counter are known to them."""


class LowerAffinePass(ModulePass):
    """All `affine` ops of a module -> `scf`, `memref`, `vector`, `arith`: see this file's docstring."""

    name = "relax-lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(inner.name.startswith("affine.") for inner in walk_ops(op)):
            applier = GreedyRewritePatternApplier(list(PATTERNS), dce_enabled=False)
            PatternRewriteWalker(applier, apply_recursively=False).rewrite_module(op)
