"""relax-raise-to-affine: loops, branches and accesses whose indices are affine become ops of `affine`.

scf.for %i = %c0 to %n step %c4 {                   affine.for %i = 0 to %n step 4 {
  %left = arith.subi %n, %i                           affine.for %j = 0 to min(%n - %i, 4) {
  %stop = arith.minsi %left, %c4                        %x = affine.load %m[%i + %j, 0]
  scf.for %j = %c0 to %stop step %c1 {         ->       affine.if #n_above_128()[%n] { ... }
    %p = arith.addi %i, %j                            }
    %x = memref.load %m[%p, %c0]                    }
    %large = arith.cmpi sgt, %n, %c128
    scf.if %large { ... }
  }
}

Polyhedral passes can then analyse the accesses: those of `mlir-opt` tile, fuse, unroll, interchange and
vectorise these loops. `relax-lower-affine` lowers the result.

An index is affine if it is made of loop counters, sizes and constants by sums, products with constants, and
quotients and remainders by constants. Other ops stay as they are, around and inside of affine ones:
`scf.while`, and ops with an index from memory, a bound that depends on data, a step that is no constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, BoolAttr, IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from lowering.ir.affine_values import AffineOperands
from lowering.ir.constants import known_integer
from lowering.ir.integer_ranges import range_of
from lowering.ir.linear_forms import linear
from lowering.loops.reduction_kinds import kind_of, reduction
from relax_dialect.ir.affine.affine_ops import PrefetchOp
from relax_dialect.ir.affine.affine_parallel import ParallelOp
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp as MemrefPrefetchOp
from relax_dialect.ir.walk import walk_ops
from relax_dialect.transform.regions import erase

# Loops ----------------------------------------------------------------------------------------


class RaiseFor(RewritePattern):
    """`scf.for` with affine bounds and a constant step -> `affine.for`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        step = known_integer(op.step)
        if not isinstance(op.lb.type, IndexType) or step is None or step <= 0:
            return
        lower, upper = AffineOperands(), AffineOperands()
        low, high = lower.bounds(op.lb, arith.MaxSIOp), upper.bounds(op.ub, arith.MinSIOp)
        if low is None or high is None:
            return
        loop = affine.ForOp.from_region(
            lower.values,
            upper.values,
            op.iter_args,
            op.res.types,
            lower.map(low),
            upper.map(high),
            _moved(op.body, rewriter),
            step,
        )
        loop.attributes |= op.attributes
        rewriter.replace(op, loop)


def _moved(region: Region, rewriter: PatternRewriter) -> Region:
    """Return the contents of a region, which end in an `affine.yield`."""
    end = region.block.last_op
    assert end is not None
    rewriter.replace(end, affine.YieldOp.get(*end.operands))
    return rewriter.move_region_contents_to_new_regions(region)


class RaiseParallel(RewritePattern):
    """`scf.parallel` with affine bounds, constant steps and reductions that MLIR has names for ->
    `affine.parallel`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter) -> None:
        steps = [known_integer(step) or 0 for step in op.step]
        kinds = _kinds(op)
        lower = _bounds(op.lowerBound, arith.MaxSIOp)
        upper = _bounds(op.upperBound, arith.MinSIOp)
        if lower is None or upper is None or kinds is None or min(steps, default=1) <= 0:
            return
        types = op.res.types
        body = _moved(op.body, rewriter)
        rewriter.replace(op, ParallelOp(lower, upper, steps, kinds, body, types))


def _bounds(
    values: Sequence[SSAValue], extreme: type[Operation]
) -> tuple[AffineMapAttr, Sequence[SSAValue], Sequence[int]] | None:
    """Return the bounds of parallel loops: one map, its operands, and how many results each loop has."""
    operands = AffineOperands()
    groups = [operands.bounds(value, extreme) for value in values]
    found = [group for group in groups if group is not None]
    if len(found) < len(groups):
        return None
    exprs = [expr for group in found for expr in group]
    return operands.map(exprs), operands.values, [len(group) for group in found]


def _kinds(op: scf.ParallelOp) -> list[str] | None:
    """Return the kinds of the reductions of a loop; None if one has no name, or does not start at its
    identity."""
    reduce = op.body.block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    found = [
        _kind(region, init) for region, init in zip(reduce.reductions, op.initVals, strict=True)
    ]
    kinds = [kind for kind in found if kind is not None]
    return kinds if len(kinds) == len(found) else None


def _kind(region: Region, init: SSAValue) -> str | None:
    first, last = region.block.first_op, region.block.last_op
    if first is None or first.next_op is not last or list(first.operands) != [*region.block.args]:
        return None
    kind = kind_of(first)
    if kind is None or not isinstance(init.owner, arith.ConstantOp):
        return None
    identity = reduction(kind, init.type)
    return kind if identity is not None and str(init.owner.value) == str(identity[1]) else None


# Branches -------------------------------------------------------------------------------------


class RaiseIf(RewritePattern):
    """`scf.if` on comparisons of affine indices -> `affine.if`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        operands = AffineOperands()
        constraints = _constraints(op.cond, operands)
        if constraints is None or not op.true_region.blocks:
            return
        has_else = bool(op.false_region.blocks) and (
            bool(op.results) or op.false_region.block.first_op is not op.false_region.block.last_op
        )
        then = _moved(op.true_region, rewriter)
        otherwise = _moved(op.false_region, rewriter) if has_else else Region()
        condition = AffineSetAttr(AffineSet(*operands.counts, tuple(constraints)))
        branch = affine.IfOp.build(
            operands=[operands.values],
            properties={"condition": condition},
            regions=[then, otherwise],
            result_types=[op.output.types],
        )
        rewriter.replace(op, branch)


def _constraints(
    condition: SSAValue, operands: AffineOperands
) -> list[AffineConstraintExpr] | None:
    """Return the constraints that hold where a condition does, all together; None if it is not affine."""
    match condition.owner:
        case arith.AndIOp(lhs=lhs, rhs=rhs):
            parts = [_constraints(part, operands) for part in (lhs, rhs)]
            found = [each for part in parts if part is not None for each in part]
            return None if None in parts else found
        case arith.CmpiOp(lhs=lhs, rhs=rhs) as compared:
            predicate = arith.CMPI_COMPARISON_OPERATIONS[compared.predicate.value.data]
            if predicate[0] == "u" and min(range_of(v).low for v in (lhs, rhs)) < 0:
                return None
            if (form := _FORMS.get(predicate.lstrip("us"))) is None:
                return None
            kind, sign, constant = form
            sums = operands.sums([linear([(lhs, sign), (rhs, -sign), (constant, 1)])])
            return None if sums is None else [_constraint(kind, sums[0])]
        case _:
            return None


_FORMS: Mapping[str, tuple[AffineConstraintKind, int, int]] = {
    "eq": (AffineConstraintKind.eq, 1, 0),
    "ge": (AffineConstraintKind.ge, 1, 0),
    "gt": (AffineConstraintKind.ge, 1, -1),
    "le": (AffineConstraintKind.ge, -1, 0),
    "lt": (AffineConstraintKind.ge, -1, -1),
}
"""A comparison as a constraint: the sign of `a - b`, and a constant. `a < b` is `b - a - 1 >= 0`."""


def _constraint(kind: AffineConstraintKind, expr: AffineExpr) -> AffineConstraintExpr:
    return AffineConstraintExpr(kind, expr, AffineExpr.constant(0), canonicalize=False)


# Memory ---------------------------------------------------------------------------------------


class RaiseAccess(RewritePattern):
    """Loads, stores and prefetches of `memref` and `vector` with affine subscripts -> those of `affine`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, _ACCESSES) or op.properties.get("nontemporal") == _TRUE:
            return
        operands = AffineOperands()
        if (exprs := operands.exprs(op.indices)) is None:
            return
        properties: dict[str, Attribute] = {"map": operands.map(exprs)}
        if isinstance(op, MemrefPrefetchOp):
            properties |= op.properties
        accessed = op.operands[: len(op.operands) - len(op.indices)]
        new = _RAISED[type(op)].create(
            operands=[*accessed, *operands.values],
            result_types=op.result_types,
            properties=properties,
            attributes=op.attributes,
        )
        rewriter.replace(op, new)


_ACCESSES = (memref.LoadOp, memref.StoreOp, vector.LoadOp, vector.StoreOp, MemrefPrefetchOp)
_TRUE = BoolAttr.from_bool(True)
_RAISED: Mapping[type[Operation], type[Operation]] = {
    memref.LoadOp: affine.LoadOp,
    memref.StoreOp: affine.StoreOp,
    vector.LoadOp: affine.VectorLoadOp,
    vector.StoreOp: affine.VectorStoreOp,
    MemrefPrefetchOp: PrefetchOp,
}

PATTERNS: Sequence[RewritePattern] = (RaiseFor(), RaiseParallel(), RaiseIf(), RaiseAccess())
"""The walker meets a loop before the ops inside, so that its counter is a dimension for them."""


def erase_unused_arithmetic(function: FuncOp) -> None:
    """Erase the index arithmetic that maps have replaced."""
    for op in reversed([*walk_ops(function)]):
        if op.dialect_name() == "arith" and not any(result.uses for result in op.results):
            erase(op)


class RaiseToAffinePass(ModulePass):
    """Affine loops of every `func.func` -> `affine`: see this file's docstring."""

    name = "relax-raise-to-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        walker = PatternRewriteWalker(
            GreedyRewritePatternApplier(list(PATTERNS), dce_enabled=False), apply_recursively=False
        )
        for function in op.ops:
            if isinstance(function, FuncOp) and walker.rewrite_region(function.body):
                erase_unused_arithmetic(function)
